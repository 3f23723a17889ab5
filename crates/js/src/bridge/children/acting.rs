//! What a child session does: at once, or with a promise of the outcome.

use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, IntoJs};
use serde_json::Value as Data;
use tau_ai::{ContentBlock, ThinkingLevel};
use tau_hooks::payload::{CustomDraft, ForkPosition, StreamingBehavior};
use tau_hooks::{
    ChildError, ChildPrompt, ChildSession, Direction, NewSessionRequest, QueueMode, SendOptions, SessionDriver,
};
use tokio::sync::oneshot;

use super::asking::Queued;
use super::{ChildHandle, OfChild, thrown, told};
use crate::bridge::extract::Caller;
use crate::bridge::{Bridge, Extension, refused};
use crate::engine::WeakEngine;
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Param, Promised, Typed, Unread, ops, record};
use crate::ops::{Json, OpError, Words};

ops! {
    /// What a child session does.
    pub(in crate::bridge) static OPS: always;

    /// Ends the run.
    fn childAbort(number) = abort, Refused;
    /// Ends the command of the user.
    fn childAbortBash(number) = abort_bash, Refused;
    /// Chooses the tools that the model may call.
    fn childSetActiveTools(number, names) = set_active_tools, Refused;
    /// Chooses the thinking level.
    fn childSetThinkingLevel(number, level) = set_thinking_level, Refused;
    /// Names the session.
    fn childSetSessionName(number, name) = set_session_name, Refused;
    /// Empties the queues; gives what waited.
    fn childClearQueue(number) = clear_queue, Refused;
    /// Sends a message of an extension.
    fn childSendMessage(number, sent) = send_message, Refused;
    /// Sends a prompt.
    fn childPrompt(id, number, asked) = prompt, Refused;
    /// Puts a message into a queue.
    fn childEnqueue(id, number, asked) = enqueue, Refused;
    /// Begins another session in the place of the open one.
    fn childNewSession(id, number, parentSession) = new_session, Refused;
    /// Opens another session in the place of the open one.
    fn childSwitchSession(id, number, path) = switch_session, Refused;
    /// Begins another session with a part of the open one.
    fn childFork(id, number, entry) = fork, Refused;
    /// Writes the session as a page.
    fn childExport(id, number, path) = export, Refused;
    /// Waits until the session is idle.
    fn childWaitForIdle(id, number) = wait_for_idle, Refused;
    /// Waits until no run is under way.
    fn childWaitForRun(id, number) = wait_for_run, Refused;
    /// Compacts the conversation.
    fn childCompact(id, number, instructions) -> "CompactionDone" = compact, Refused;
    /// Chooses the model.
    fn childSetModel(id, number, model) = set_model, Refused;
    /// Chooses the next model; gives it.
    fn childCycleModel(id, number, direction) -> "CycledModel | undefined" = cycle_model, Refused;
    /// Says how steering messages are taken from their queue.
    fn childSetSteeringMode(id, number, mode) = set_steering_mode, Refused;
    /// Says how follow-up messages are taken from their queue.
    fn childSetFollowUpMode(id, number, mode) = set_follow_up_mode, Refused;
    /// Says whether the session compacts by itself.
    fn childSetAutoCompaction(id, number, on) = set_auto_compaction, Refused;
    /// Says whether the session repeats failed requests by itself.
    fn childSetAutoRetry(id, number, on) = set_auto_retry, Refused;
    /// Runs a command of the user.
    fn childBash(id, number, command, excludeFromContext) -> "BashResult" = bash, Refused;
    /// Loads extensions and resources anew.
    fn childReload(id, number) = reload, Refused;
    /// Ends the session.
    fn childClose(id, number) = close, Refused;
}

record! {
    /// A prompt.
    struct Asked {
        text: String,
        /// Blocks of content.
        #[serde(default)]
        images: Vec<Data>,
        /// How it joins a run that is under way.
        #[serde(default)]
        streaming_behavior: Option<String>,
        #[serde(default)]
        expand: Option<bool>,
    }

    /// A message of an extension.
    struct Sent {
        message: Data,
        #[serde(default)]
        options: Data,
    }

    /// Whether a session was not replaced.
    struct Replaced {
        cancelled: bool,
    }

    /// The same with the text that was taken out.
    struct Forked {
        cancelled: bool,
        selected_text: Option<String>,
    }
}

/// The child that acts, and the extension that wants it.
struct Acting {
    bridge: Rc<Bridge>,
    extension: Rc<Extension>,
    handle: Rc<ChildHandle>,
}

impl<'js> Param<'js> for Acting {
    const LEAST: usize = 2;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let Caller { bridge, extension, .. } = Caller::take(arguments)?;
        let OfChild(handle) = OfChild::take(arguments)?;
        Ok(Self { bridge, extension, handle })
    }

    fn describe(signature: &mut Signature) {
        Caller::describe(signature);
        OfChild::describe(signature);
    }
}

/// What a child does is done on the session's own threads.
type Parts = (Arc<dyn ChildSession>, Arc<dyn SessionDriver>);

impl Acting {
    /// Acts; gives a promise of the outcome, which comes when listeners have heard what happened.
    fn act<'js, T: for<'a> IntoJs<'a> + Send + 'static, F: Future<Output = Result<T, OpError>> + Send + 'static>(
        &self,
        js: &Ctx<'js>,
        act: impl FnOnce(Parts) -> F,
    ) -> rquickjs::Result<Promised<'js, T>> {
        if self.handle.child.ended().is_cancelled() {
            return Err(thrown(js, &ChildError::Ended));
        }
        self.act_even_ended(js, act)
    }

    fn act_even_ended<
        'js,
        T: for<'a> IntoJs<'a> + Send + 'static,
        F: Future<Output = Result<T, OpError>> + Send + 'static,
    >(
        &self,
        js: &Ctx<'js>,
        act: impl FnOnce(Parts) -> F,
    ) -> rquickjs::Result<Promised<'js, T>> {
        let work = act((Arc::clone(&self.handle.child), Arc::clone(&self.handle.session)));
        let (runtime, engine) = (self.extension.runtime.clone(), self.bridge.engine.clone());
        self.bridge.core(js)?.host().spawn(js, async move {
            let done = runtime.spawn(work).await;
            heard(&engine).await;
            done.unwrap_or_else(|_| Err(OpError::message("the session ended")))
        })
    }
}

/// Waits until listeners have heard what happened so far, so that nobody who waited for a call misses it.
async fn heard(engine: &WeakEngine) {
    let hears = {
        let Some(engine) = engine.upgrade() else { return };
        let (told, hears) = oneshot::channel();
        // The call may have been given up meanwhile.
        match engine.post(move |_| told.send(()).unwrap_or(())) {
            Ok(()) => hears,
            // Without the engine nobody listens.
            Err(_) => return,
        }
    };
    // An engine that ends tells nobody.
    drop(hears.await);
}

fn read<T: serde::de::DeserializeOwned>(value: Data) -> Result<T, OpError> {
    serde_json::from_value(value).map_err(told)
}

/// How a prompt joins a run that is under way.
fn behavior(name: Option<String>) -> Result<Option<StreamingBehavior>, OpError> {
    name.map(|name| read(name.into())).transpose()
}

/// Blocks of content.
fn blocks(images: Vec<Data>) -> Result<Vec<ContentBlock>, OpError> {
    images.into_iter().map(read).collect()
}

fn abort(OfChild(handle): OfChild) {
    handle.child.abort();
}

fn abort_bash(OfChild(handle): OfChild) {
    handle.session.abort_bash();
}

fn set_active_tools(OfChild(handle): OfChild, names: Vec<String>) {
    handle.session.set_active_tools(&names);
}

fn set_thinking_level(js: Ctx<'_>, OfChild(handle): OfChild, level: Json) -> rquickjs::Result<()> {
    let level: ThinkingLevel = read(level.0).map_err(|error| error.throw(&js))?;
    handle.session.set_thinking_level(level).map_err(|error| refused(&js, &error))
}

fn set_session_name(js: Ctx<'_>, OfChild(handle): OfChild, name: String) -> rquickjs::Result<()> {
    handle.session.set_session_name(&name).map_err(|error| refused(&js, &error))
}

fn clear_queue(OfChild(handle): OfChild) -> Typed<Queued> {
    let queued = handle.session.clear_queue();
    Typed(Queued { steering: queued.steering, follow_up: queued.follow_up })
}

fn send_message(js: Ctx<'_>, OfChild(handle): OfChild, sent: Unread<Sent>) -> rquickjs::Result<()> {
    let sent = sent.read().map_err(|error| told(error).throw(&js))?;
    let message: CustomDraft = read(sent.message).map_err(|error| error.throw(&js))?;
    let options = match sent.options {
        Data::Null => SendOptions::default(),
        options => read(options).map_err(|error| error.throw(&js))?,
    };
    handle.session.send_message(message, options).map_err(|error| refused(&js, &error))
}

fn prompt<'js>(js: Ctx<'js>, acting: Acting, asked: Unread<Asked>) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move {
        let asked = asked.read().map_err(told)?;
        let prompt = ChildPrompt {
            text: asked.text,
            images: blocks(asked.images)?,
            while_busy: behavior(asked.streaming_behavior)?,
            as_it_is: asked.expand != Some(true),
        };
        session.send_prompt(prompt).await.map_err(told)
    })
}

fn enqueue<'js>(js: Ctx<'js>, acting: Acting, asked: Unread<Asked>) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move {
        let asked = asked.read().map_err(told)?;
        let to = behavior(asked.streaming_behavior)?.unwrap_or(StreamingBehavior::Steer);
        let prompt = ChildPrompt { images: blocks(asked.images)?, ..ChildPrompt::from(asked.text) };
        session.enqueue_prompt(prompt, to).await.map_err(told)
    })
}

fn new_session<'js>(
    js: Ctx<'js>,
    acting: Acting,
    parent_session: Words,
) -> rquickjs::Result<Promised<'js, Typed<Replaced>>> {
    acting.act(&js, |(_, session)| async move {
        let request = NewSessionRequest { parent_session: parent_session.0, setup: None };
        let done = session.new_session(request).await.map_err(told)?;
        Ok(Typed(Replaced { cancelled: done.cancelled }))
    })
}

fn switch_session<'js>(js: Ctx<'js>, acting: Acting, path: String) -> rquickjs::Result<Promised<'js, Typed<Replaced>>> {
    acting.act(&js, |(_, session)| async move {
        let done = session.switch_session(path.as_ref()).await.map_err(told)?;
        Ok(Typed(Replaced { cancelled: done.cancelled }))
    })
}

fn fork<'js>(js: Ctx<'js>, acting: Acting, entry: String) -> rquickjs::Result<Promised<'js, Typed<Forked>>> {
    acting.act(&js, |(_, session)| async move {
        let done = session.fork(&entry, ForkPosition::Before).await.map_err(told)?;
        Ok(Typed(Forked { cancelled: done.cancelled, selected_text: done.text }))
    })
}

fn export<'js>(js: Ctx<'js>, acting: Acting, path: Words) -> rquickjs::Result<Promised<'js, String>> {
    acting.act(&js, |(_, session)| async move {
        let file = session.write_page(path.0.map(Into::into)).await.map_err(told)?;
        Ok(file.display().to_string())
    })
}

fn wait_for_idle<'js>(js: Ctx<'js>, acting: Acting) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(child, _)| async move {
        child.wait_for_idle().await;
        Ok(())
    })
}

fn wait_for_run<'js>(js: Ctx<'js>, acting: Acting) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move {
        session.wait_for_run().await;
        Ok(())
    })
}

fn compact<'js>(js: Ctx<'js>, acting: Acting, instructions: Words) -> rquickjs::Result<Promised<'js, Json>> {
    acting.act(&js, |(_, session)| async move {
        let done = session.compact_now(instructions.0).await.map_err(told)?;
        Ok(Json(tau_ai::to_json(done)))
    })
}

fn set_model<'js>(js: Ctx<'js>, acting: Acting, model: Json) -> rquickjs::Result<Promised<'js, ()>> {
    let model = crate::bridge::models::known(&acting.extension.api, &model.0).map_err(|error| refused(&js, &error))?;
    acting.act(&js, |(_, session)| async move {
        if session.set_model(Arc::clone(&model)).await.map_err(told)? {
            return Ok(());
        }
        Err(OpError::message(format!("No API key for {}/{}", model.provider, model.id)))
    })
}

fn cycle_model<'js>(js: Ctx<'js>, acting: Acting, direction: Words) -> rquickjs::Result<Promised<'js, Option<Json>>> {
    acting.act(&js, |(_, session)| async move {
        let back = direction.0.as_deref() == Some("backward");
        let direction = if back { Direction::Backward } else { Direction::Forward };
        let cycled = session.next_model(direction).await.map_err(told)?;
        Ok(cycled.map(|cycled| Json(tau_ai::to_json(cycled))))
    })
}

/// How messages are taken from a queue.
fn queue_mode(mode: &str) -> Result<QueueMode, OpError> {
    let mode = QueueMode::parse(mode);
    mode.ok_or_else(|| OpError::message("a queue is taken \"all\" or \"one-at-a-time\""))
}

fn set_steering_mode<'js>(js: Ctx<'js>, acting: Acting, mode: Words) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move {
        session.choose_steering_mode(queue_mode(&mode.text())?).await.map_err(told)
    })
}

fn set_follow_up_mode<'js>(js: Ctx<'js>, acting: Acting, mode: Words) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move {
        session.choose_follow_up_mode(queue_mode(&mode.text())?).await.map_err(told)
    })
}

fn set_auto_compaction<'js>(js: Ctx<'js>, acting: Acting, on: Json) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move { session.choose_auto_compaction(on.0 == true).await.map_err(told) })
}

fn set_auto_retry<'js>(js: Ctx<'js>, acting: Acting, on: Json) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move { session.choose_auto_retry(on.0 == true).await.map_err(told) })
}

fn bash<'js>(
    js: Ctx<'js>,
    acting: Acting,
    command: String,
    exclude_from_context: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    acting.act(&js, |(child, _)| async move {
        let done = child.run_bash(command, exclude_from_context.0 == true).await.map_err(told)?;
        Ok(Json(tau_ai::to_json(done)))
    })
}

fn reload<'js>(js: Ctx<'js>, acting: Acting) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act(&js, |(_, session)| async move { session.reload().await.map_err(told) })
}

fn close<'js>(js: Ctx<'js>, acting: Acting) -> rquickjs::Result<Promised<'js, ()>> {
    acting.act_even_ended(&js, |(child, _)| async move {
        child.close().await;
        Ok(())
    })
}
