//! Compaction that happens by itself: the context is nearly full, or it was too large already.

use std::sync::Arc;

use tau_ai::{AssistantMessage, Model, StopReason};
use tau_hooks::payload::CompactReason;
use tau_session::{EntryKind, SessionError};

use super::perform::Job;
use super::prepare::prepare;
use crate::pipeline::Last;
use crate::session::{AgentSession, Run};
use crate::settings::CompactionSettings;
use crate::usage::{context_tokens, nothing_since};

/// Said when the context is still too large after room was made.
const STILL_TOO_LARGE: &str = "Context overflow recovery failed after one compact-and-retry attempt. Try reducing \
                               context or switching to a larger-context model.";
/// Said when an answer is still cut after room was made.
const STILL_CUT: &str = "Truncated response recovery failed after one compact-and-retry attempt.";

impl AgentSession {
    /// The settings of the model in use.
    pub(super) fn compaction_settings(&self) -> CompactionSettings {
        let model = self.model().map(|model| format!("{}/{}", model.provider, model.id));
        let settings = self.settings().snapshot().compaction(model.as_deref());
        CompactionSettings { enabled: self.compacts_by_itself(), ..settings }
    }

    /// Makes room when the last answer shows that it is needed; whether the failed request is to be repeated.
    ///
    /// An answer that was aborted counts only with `aborted_too`: before a prompt, whose request comes anyway.
    pub(crate) async fn check_room(
        self: &Arc<Self>,
        run: &Run,
        last: &Last,
        aborted_too: bool,
    ) -> Result<bool, SessionError> {
        let settings = self.compaction_settings();
        let Some(answer) = last.answer.message().as_assistant() else { return Ok(false) };
        if !settings.enabled || (answer.stop_reason == StopReason::Aborted && !aborted_too) {
            return Ok(false);
        }
        let Some(id) = last.answer.entry_id.as_deref() else { return Ok(false) };
        let session = self.session();
        // What was said about an older context tells nothing about this one.
        if !nothing_since(&session, id, &[EntryKind::Compaction]) {
            return Ok(false);
        }
        let visible = self.history().items().rev().any(|item| item.entry_id.as_deref() == Some(id));
        if visible && let Some(model) = self.model_of_answer(answer) {
            let counted = nothing_since(&session, id, &[EntryKind::ContextEdit]);
            let window = if counted { model.context_window } else { 0 };
            let overflow = answer.is_context_overflow(window);
            if overflow || answer.is_cut_short(model.max_tokens) {
                return self.recover_room(run, last, answer, overflow).await;
            }
        }
        self.keep_room(run, &settings).await;
        Ok(false)
    }

    /// The context was too large: makes room, and has the request repeated if it failed. Once only.
    async fn recover_room(
        self: &Arc<Self>,
        run: &Run,
        last: &Last,
        answer: &AssistantMessage,
        overflow: bool,
    ) -> Result<bool, SessionError> {
        if answer.stop_reason == StopReason::Stop {
            self.compact_by_itself(run, CompactReason::Overflow, false).await;
            return Ok(false);
        }
        if run.recovery.lock().made_room {
            self.recovery_failed(run, if overflow { STILL_TOO_LARGE } else { STILL_CUT }).await;
            return Ok(false);
        }
        // An answer that cannot be asked for again stays where it is.
        if !self.room_without(last) {
            return Ok(false);
        }
        run.recovery.lock().made_room = true;
        self.omit(last)?;
        Ok(self.compact_by_itself(run, CompactReason::Overflow, true).await)
    }

    /// Whether there would be something to compact without an answer.
    fn room_without(&self, last: &Last) -> bool {
        let copy = self.session().branch_copy();
        for id in last.entries() {
            // What cannot be hidden is not in the way.
            let _ = copy.edit_context(id, None);
        }
        prepare(&copy, 0, &self.compaction_settings()).is_ok()
    }

    /// Compacts when the context is nearly full.
    async fn keep_room(self: &Arc<Self>, run: &Run, settings: &CompactionSettings) {
        if let Some(model) = self.answering_model() {
            self.keep_room_of(run, &model, settings).await;
        }
    }

    /// Makes room for a request to a model that was chosen for it alone; whether the conversation is another one now.
    pub(crate) async fn keep_room_for(self: &Arc<Self>, run: &Run, model: &Model) -> bool {
        self.keep_room_of(run, model, &self.compaction_settings()).await
    }

    /// Compacts when the context of a model is nearly full; whether it did.
    async fn keep_room_of(self: &Arc<Self>, run: &Run, model: &Model, settings: &CompactionSettings) -> bool {
        let tokens = context_tokens(&self.history(), &self.session());
        // A window that is smaller than the reserve is always nearly full.
        let full = settings.enabled
            && model.context_window > 0
            && tokens.saturating_add(settings.reserve_tokens) > model.context_window;
        full && self.compact_now(run, CompactReason::Threshold, false).await
    }

    /// Between two turns of a run.
    pub(crate) async fn keep_room_between(self: &Arc<Self>, run: &Run) {
        self.keep_room(run, &self.compaction_settings()).await;
    }

    /// Compacts unless there is nothing to compact; whether to go on with the failed request.
    async fn compact_by_itself(self: &Arc<Self>, run: &Run, reason: CompactReason, will_retry: bool) -> bool {
        self.compact_now(run, reason, will_retry).await && will_retry
    }

    /// Compacts unless there is nothing to compact; whether it did.
    async fn compact_now(self: &Arc<Self>, run: &Run, reason: CompactReason, will_retry: bool) -> bool {
        if run.cancel.is_cancelled() {
            return false;
        }
        let Ok(prepared) = self.prepare_compaction() else {
            self.compaction_skipped(run, reason).await;
            return false;
        };
        self.compaction_begins(run, reason).await;
        let aside = self.asides().begin_compaction(&run.cancel);
        let job = Job { run, reason, will_retry, instructions: None, cancel: aside.token() };
        let done = self.perform(&job, Ok(prepared)).await;
        drop(aside);
        self.compaction_ends(run, reason, will_retry, &done).await;
        done.is_ok()
    }
}
