//! Calls of tools.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tau_ai::{ContentBlock, PartialMessage, ToolResultMessage};
use tau_hooks::table::About;
use tau_hooks::{Hooks, TraceOutcome, TraceRecord};
use tau_tui::blocks::{Blocked, Edited, EditedPart, Places, Slow, Tool, ToolView};
use tau_tui::look::SharedLook;
use tau_tui::screen::{BlockId, Transcript};

use super::Chat;

/// A call, and its block.
pub(super) struct Call {
    block: BlockId,
    view: ToolView,
    begun: Option<Instant>,
    /// Arguments that have arrived and are not read yet.
    growing: Option<(PartialMessage, usize)>,
    is_dirty: bool,
}

impl Call {
    pub(super) fn new(block: BlockId, name: &str, places: Places, expanded: bool, expand_key: &str) -> Self {
        let view = ToolView { places, expanded, expand_key: expand_key.to_owned(), ..ToolView::new(name) };
        Self { block, view, begun: None, growing: None, is_dirty: true }
    }

    pub(super) fn block(&self) -> BlockId {
        self.block
    }

    pub(super) fn runs(&self) -> bool {
        self.begun.is_some()
    }

    pub(super) fn expand(&mut self, expanded: bool) {
        self.view.expanded = expanded;
        self.is_dirty = true;
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
        if std::mem::take(&mut self.is_dirty)
            && let Some(block) = transcript.edit(self.block)
        {
            block.set(Tool::new(look.clone(), self.view.clone()));
        }
    }

    /// Nothing of it changes any more.
    pub(super) fn finish(&mut self, transcript: &mut Transcript, look: &SharedLook) {
        self.begun = None;
        self.is_dirty = true;
        self.update(transcript, look, false);
        if let Some(block) = transcript.edit(self.block) {
            block.finish();
        }
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

impl Chat {
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
        call.finish(transcript, &self.look);
        self.done.push(call);
    }

    /// The result of a call, from the history of a session.
    pub(super) fn show_result(&mut self, transcript: &mut Transcript, result: &ToolResultMessage) {
        self.begin_call(transcript, &result.tool_call_id, &result.tool_name);
        let Some(mut call) = self.calls.remove(&result.tool_call_id) else { return };
        call.view.result = Some(Arc::new(json!({ "content": result.content, "details": result.details })));
        (call.view.is_error, call.view.started, call.view.args_complete) = (result.is_error, true, true);
        call.finish(transcript, &self.look);
        self.done.push(call);
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
