//! Calls of tools.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tau_ai::{ContentBlock, PartialMessage, ToolResultMessage};
use tau_hooks::table::About;
use tau_hooks::{HandlerError, Hooks, TraceOutcome, TraceRecord};
use tau_tui::blocks::{Blocked, Edited, EditedPart, Places, Slow, Tool, ToolView};
use tau_tui::look::SharedLook;
use tau_tui::picture::Image;
use tau_tui::screen::{BlockId, Transcript};

use super::Chat;
use super::drawn::Drawn;
use super::images::{Images, images_of};
use super::own::LONGEST;
use super::side::{Painted, Painter, Painting, Part, Side};

/// A call, and its block.
pub(super) struct Call {
    block: BlockId,
    view: ToolView,
    begun: Option<Instant>,
    /// Arguments that have arrived and are not read yet.
    growing: Option<(PartialMessage, usize)>,
    is_dirty: bool,
    /// What extensions draw of it.
    own: Option<Own>,
}

/// What extensions draw of a call.
struct Own {
    /// What the extension knows the block by: a provider may use the number of a call again.
    key: Arc<str>,
    id: Arc<str>,
    call: Option<Side>,
    result: Option<Side>,
    /// Since when only that is waited for.
    ending: Option<Instant>,
}

impl Call {
    pub(super) fn new(block: BlockId, name: &str, places: Places, expanded: bool, expand_key: &str) -> Self {
        let view = ToolView { places, expanded, expand_key: expand_key.to_owned(), ..ToolView::new(name) };
        Self { block, view, begun: None, growing: None, is_dirty: true, own: None }
    }

    pub(super) fn block(&self) -> BlockId {
        self.block
    }

    pub(super) fn runs(&self) -> bool {
        self.begun.is_some()
    }

    pub(super) fn is_expanded(&self) -> bool {
        self.view.expanded
    }

    pub(super) fn expand(&mut self, expanded: bool) {
        self.view.expanded = expanded;
        self.is_dirty = true;
        self.changed_for_extensions();
    }

    /// More of the arguments has arrived. They are read once a frame.
    pub(super) fn arguments_grow(&mut self, partial: PartialMessage, index: usize) {
        self.growing = Some((partial, index));
        self.is_dirty = true;
    }

    pub(super) fn arguments(&mut self, args: Value) {
        self.view.args = Arc::new(args);
        self.view.args_complete = true;
        self.growing = None;
        self.is_dirty = true;
    }

    pub(super) fn update(&mut self, transcript: &mut Transcript, look: &SharedLook, ticks: bool) {
        if let Some((partial, index)) = self.growing.take()
            && let Some(ContentBlock::ToolCall(call)) = partial.block(index)
        {
            self.view.args = Arc::new(call.arguments);
        }
        if let Some(begun) = self.begun.filter(|_| ticks) {
            self.view.elapsed = begun.elapsed();
            self.is_dirty = true;
        }
        if self.is_dirty {
            self.changed_for_extensions();
            self.take_rows();
        }
        if std::mem::take(&mut self.is_dirty)
            && let Some(block) = transcript.edit(self.block)
        {
            block.set(Tool::new(look.clone(), self.view.clone()));
        }
    }

    /// Shows all of it; its images may not be there yet.
    fn complete(&mut self, transcript: &mut Transcript, look: &SharedLook) {
        self.begun = None;
        self.is_dirty = true;
        self.update(transcript, look, false);
    }

    /// The name of the file that it is about.
    fn file(&self) -> Option<&str> {
        let path = self.view.args.get("path")?.as_str()?;
        path.rsplit('/').next()
    }

    /// Shows it as it is now, where the pager shows it.
    pub(super) fn reshape(&mut self, transcript: &mut Transcript, look: &SharedLook) {
        transcript.reshape(self.block, vec![Box::new(Tool::new(look.clone(), self.view.clone()))]);
    }

    /// What handlers did about it, as the trace has it.
    fn took_part(&mut self, records: &[TraceRecord], is_error: bool) {
        for record in records {
            let by = || record.extension.to_string();
            let part = match record.event.row().about {
                About::ToolArguments => EditedPart::Arguments,
                About::ToolResult => EditedPart::Result,
                About::Other | About::Message | About::Request => continue,
            };
            let is_stop = matches!(record.outcome, TraceOutcome::Stopped | TraceOutcome::Failed(_));
            if part == EditedPart::Arguments && is_stop && is_error && self.view.blocked.is_none() {
                self.view.blocked = Some(Blocked { by: by(), reason: String::new() });
            } else if record.changes.any() {
                self.view.edited.push(Edited { by: by(), part });
            }
        }
    }
}

/// What an extension draws of a call.
impl Call {
    /// Extensions draw it.
    pub(super) fn drawn_by(&mut self, id: &str, key: Arc<str>, (call, result): (Option<Side>, Option<Side>)) {
        if call.is_some() || result.is_some() {
            self.own = Some(Own { key, id: id.into(), call, result, ending: None });
            self.take_rows();
        }
    }

    /// Whether an extension draws some of it.
    pub(super) fn is_drawn(&self) -> bool {
        self.own.is_some()
    }

    /// Whether extensions have drawn all that there is of it.
    pub(super) fn is_settled(&self) -> bool {
        let has_result = self.view.result.is_some();
        self.own.as_ref().is_none_or(|own| {
            own.call.as_ref().is_none_or(Side::is_settled)
                && (!has_result || own.result.as_ref().is_none_or(Side::is_settled))
        })
    }

    /// Shows the rows of extensions. A result is not shown as it is while its extension is about to draw it.
    fn take_rows(&mut self) {
        let Some(own) = &self.own else { return };
        self.view.own.call = own.call.as_ref().and_then(|side| side.rows.clone());
        self.view.own.result = own.result.as_ref().and_then(|side| match &side.rows {
            None if side.is_awaited() => Some(Arc::default()),
            rows => rows.clone(),
        });
    }

    fn changed_for_extensions(&mut self) {
        if let Some(own) = &mut self.own {
            own.call.iter_mut().chain(&mut own.result).for_each(Side::changed);
        }
    }

    /// Nothing more comes of it.
    fn ends(&mut self) {
        if let Some(own) = &mut self.own {
            own.call.iter_mut().chain(&mut own.result).for_each(Side::ends);
        }
    }

    /// Asks extensions for what is new.
    pub(super) fn follow(&mut self, painter: Option<&Painter>, width: usize) {
        let (Some(own), Some(painter)) = (&mut self.own, painter) else { return };
        let view = &self.view;
        // The sign of the call stands before its rows.
        let room = width.saturating_sub(2).max(1);
        if let Some(side) = &mut own.call {
            let side = side.draft(!view.args_complete);
            side.follow(painter, &own.key, Part::Call, room, || (args_of(view), about(view, &own.id)));
        }
        if let (Some(side), Some(result)) = (&mut own.result, view.result.as_ref().or(view.partial.as_ref())) {
            side.follow(painter, &own.key, Part::Result, room, || ((**result).clone(), about(view, &own.id)));
        }
    }

    /// Whether this is the call of that name, for extensions.
    pub(super) fn is(&self, key: &str) -> bool {
        self.own.as_ref().is_some_and(|own| *own.key == *key)
    }

    /// It looks different, as an extension says.
    pub(super) fn redraw(&mut self) {
        self.changed_for_extensions();
    }

    /// An extension has drawn a part; its failure, if that is new.
    pub(super) fn painted(&mut self, painted: Painted, images: &Images) -> Option<(Arc<str>, HandlerError)> {
        let own = self.own.as_mut()?;
        let side = match painted.part {
            Part::Call => own.call.as_mut(),
            Part::Result | Part::Whole => own.result.as_mut(),
        }?;
        let failed = side.painted(painted.width, painted.result, images).map(|error| (Arc::clone(&side.owner), error));
        self.take_rows();
        failed
    }

    /// Shows what extensions have drawn.
    pub(super) fn show_painted(&mut self, transcript: &mut Transcript, look: &SharedLook) {
        self.take_rows();
        if let Some(block) = transcript.edit(self.block) {
            block.set(Tool::new(look.clone(), self.view.clone()));
        }
    }

    /// Whether its last lines are still to come from an extension.
    fn waits_for_extensions(&mut self) -> bool {
        let is_settled = self.is_settled();
        let Some(own) = &mut self.own else { return false };
        !is_settled && own.ending.get_or_insert_with(Instant::now).elapsed() < LONGEST
    }

    /// The images of its result and those that extensions draw.
    fn all_images(&self) -> Vec<Image> {
        let view = &self.view;
        let own = images_of(view.own.call.as_ref()).chain(images_of(view.own.result.as_ref()));
        view.images.iter().cloned().chain(own).collect()
    }

    /// It is shown as it would be without extensions until they have drawn it.
    fn show_plain(&mut self) {
        if let Some(own) = &mut self.own {
            own.call.iter_mut().chain(&mut own.result).for_each(Side::await_nothing);
        }
    }

    /// Nobody draws it any more: it stays as it is.
    pub(super) fn forget(&mut self) {
        if let Some(own) = self.own.take() {
            own.call.iter().chain(&own.result).for_each(|side| side.forget(&own.key));
        }
    }
}

/// The arguments of a call for renderers. Before the first has come there is none.
fn args_of(view: &ToolView) -> Value {
    if view.args.is_null() { json!({}) } else { (*view.args).clone() }
}

/// What renderers get beside what they draw.
fn about(view: &ToolView, id: &str) -> Value {
    let is_partial = view.result.is_none();
    let mut about = json!({
        "args": args_of(view), "toolCallId": id, "cwd": view.places.cwd, "executionStarted": view.started,
        "argsComplete": view.args_complete, "isPartial": is_partial, "expanded": view.expanded,
        "showImages": true, "isError": view.is_error, "outputPad": 1,
    });
    if let Some(duration) = view.duration {
        about["durationMs"] = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).into();
    }
    about
}

impl Chat {
    /// A call is over. One that an extension draws waits for its last lines.
    pub(super) fn end_call(&mut self, transcript: &mut Transcript, mut call: Call) {
        if let Some(result) = &call.view.result {
            call.view.images = self.images.of_result(result, call.file());
        }
        call.complete(transcript, &self.look);
        if self.is_far {
            call.show_plain();
            return self.finish_call(transcript, call);
        }
        call.ends();
        call.follow(self.painter.as_ref(), self.width);
        if call.waits_for_extensions() {
            return self.ending.push(call);
        }
        self.finish_call(transcript, call);
    }

    fn finish_call(&mut self, transcript: &mut Transcript, mut call: Call) {
        call.show_painted(transcript, &self.look);
        self.images.finish(transcript, call.block, call.all_images(), &self.look);
        if call.is_drawn() {
            self.drawn.insert(call.block, Drawn::Call(self.done.len()));
        }
        self.done.push(call);
    }

    /// Ends calls whose last lines have come, or are waited for no longer.
    pub(super) fn follow_ending(&mut self, transcript: &mut Transcript, width: usize) {
        for mut call in std::mem::take(&mut self.ending) {
            call.follow(self.painter.as_ref(), width);
            if call.waits_for_extensions() {
                call.show_painted(transcript, &self.look);
                self.ending.push(call);
            } else {
                self.finish_call(transcript, call);
            }
        }
    }

    /// Takes what there is to say about what extensions draw; a failure that is new, with who it was.
    pub(crate) fn painting(
        &mut self,
        transcript: &mut Transcript,
        painting: Painting,
    ) -> Option<(Arc<str>, HandlerError)> {
        match painting {
            Painting::Changed(key) => {
                let open = self.calls.values_mut().chain(&mut self.ending).chain(self.done.iter_mut().rev());
                match open.into_iter().find(|call| call.is(&key)) {
                    Some(call) => call.redraw(),
                    None => self.own_changed(&key),
                }
                None
            }
            Painting::Done(painted) if painted.part == Part::Whole => {
                self.own_painted(transcript, &painted.block, painted.width, painted.result)
            }
            Painting::Done(painted) => {
                let key = Arc::clone(&painted.block);
                let look = self.look.clone();
                if let Some(call) = self.done.iter_mut().rev().find(|call| call.is(&key)) {
                    let failed = call.painted(painted, &self.images);
                    self.images.show(call.block, call.all_images());
                    call.reshape(transcript, &look);
                    return failed;
                }
                let mut open = self.calls.values_mut().chain(&mut self.ending);
                let call = open.find(|call| call.is(&key))?;
                let failed = call.painted(painted, &self.images);
                call.show_painted(transcript, &look);
                failed
            }
        }
    }

    /// A tool begins to run.
    pub(crate) fn call_start(&mut self, transcript: &mut Transcript, id: &str, name: &str, args: &Arc<Value>) {
        self.begin_call(transcript, id, name);
        if let Some(call) = self.calls.get_mut(id) {
            call.view.args = Arc::clone(args);
            (call.view.args_complete, call.view.started, call.is_dirty) = (true, true, true);
            call.begun = Some(Instant::now());
        }
    }

    /// A tool reports what it has so far.
    pub(crate) fn call_update(&mut self, id: &str, partial: &Arc<Value>) {
        if let Some(call) = self.calls.get_mut(id) {
            call.view.partial = Some(Arc::clone(partial));
            call.is_dirty = true;
        }
    }

    /// A call is over.
    pub(crate) fn call_end(&mut self, transcript: &mut Transcript, end: CallEnd<'_>, hooks: &Hooks) {
        let Some(mut call) = self.calls.remove(end.id) else { return };
        call.took_part(&hooks.dispatcher.trace.of_tool_call(end.id), end.is_error);
        call.view.result = Some(Arc::clone(end.result));
        call.view.is_error = end.is_error;
        call.view.duration = end.duration;
        call.view.slow = call.view.slow.take().map(|slow| Slow { waiting: false, ..slow });
        self.end_call(transcript, call);
    }

    /// The result of a call, from the history of a session.
    pub(super) fn show_result(&mut self, transcript: &mut Transcript, result: &ToolResultMessage) {
        self.begin_call(transcript, &result.tool_call_id, &result.tool_name);
        let Some(mut call) = self.calls.remove(&result.tool_call_id) else { return };
        call.view.result = Some(Arc::new(json!({ "content": result.content, "details": result.details })));
        (call.view.is_error, call.view.started, call.view.args_complete) = (result.is_error, true, true);
        self.end_call(transcript, call);
    }

    /// What an edit would change, as far as it has not run.
    pub(crate) fn call_preview(&mut self, id: &str, diff: String) {
        if let Some(call) = self.calls.get_mut(id) {
            call.view.preview = Some(diff);
            call.is_dirty = true;
        }
    }

    /// What takes long is the answer to a question: nobody else is waited for.
    pub(crate) fn calls_wait_for_the_user(&mut self) {
        for call in self.calls.values_mut() {
            call.is_dirty |= call.view.slow.take_if(|slow| slow.waiting).is_some();
        }
    }

    /// No handler is asked about a call any more.
    pub(crate) fn calls_wait_no_more(&mut self) {
        for call in self.calls.values_mut() {
            if let Some(slow) = call.view.slow.as_mut().filter(|slow| slow.waiting) {
                (slow.waiting, call.is_dirty) = (false, true);
            }
        }
    }

    /// A handler takes long about a call: the one that began last, as handlers are asked about one at a time.
    pub(crate) fn call_waits(&mut self, handler: &str, waited: Duration) {
        let begun = self.calls.values_mut().filter(|call| call.begun.is_some() && call.view.partial.is_none());
        let Some(call) = begun.max_by_key(|call| (call.begun, call.block)) else { return };
        let waited = Duration::from_secs(waited.as_secs());
        let slow = Slow { handler: handler.to_owned(), waited, waiting: true };
        call.is_dirty |= call.view.slow.as_ref() != Some(&slow);
        call.view.slow = Some(slow);
    }
}

/// The end of a call.
pub(crate) struct CallEnd<'a> {
    pub(crate) id: &'a str,
    pub(crate) result: &'a Arc<Value>,
    pub(crate) is_error: bool,
    pub(crate) duration: Option<Duration>,
}
