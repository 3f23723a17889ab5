//! After a sequence of turns: a failed request is repeated, and room is made in a context that got too large.

use std::sync::Arc;

use tau_ai::{AssistantMessage, Message, StopReason};
use tau_hooks::events::{AutoRetryEnd, AutoRetryStart};
use tau_hooks::payload::{AutoRetryEndEvent, AutoRetryStartEvent};
use tau_hooks::{HistoryMessage, Messages};
use tau_session::SessionError;

use super::retry::{RetryPlan, retry_plan};
use crate::session::{AgentSession, Run, SessionEvent, entry_json};

/// The last answer of a sequence of turns.
#[derive(Debug, Clone)]
pub(crate) struct Last {
    pub(crate) answer: Arc<HistoryMessage>,
    /// The entries of the results of its tool calls.
    pub(crate) result_ids: Vec<String>,
}

impl Last {
    /// The last answer of a conversation with the results of its tools; they leave the conversation together.
    pub(crate) fn of(history: &Messages) -> Option<Self> {
        let mut result_ids = Vec::new();
        for item in history.items().rev() {
            match &**item.message() {
                Message::Assistant(_) => {
                    result_ids.reverse();
                    return Some(Self { answer: Arc::clone(item), result_ids });
                }
                Message::ToolResult(_) => result_ids.extend(item.entry_id.clone()),
                _ => {}
            }
        }
        None
    }

    /// The entries of the answer and of the results.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &String> {
        self.answer.entry_id.iter().chain(&self.result_ids)
    }
}

/// What a run has done so far about failures.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Attempts to repeat a failed request since it last worked.
    pub(crate) attempt: u32,
    /// Room was made for the request that failed; making more will not help.
    pub(crate) made_room: bool,
    /// Nobody was asked for the last answer, because the router of a virtual model failed: whether to ask it again. What
    /// the answer says holds names of files too, so its words tell nothing.
    pub(crate) router_failed: Option<bool>,
}

impl AgentSession {
    /// Whether the failed request is to be made again. Everything for it is done then.
    pub(crate) async fn recover(self: &Arc<Self>, run: &Run, last: Option<&Last>) -> Result<bool, SessionError> {
        let Some(last) = last else { return Ok(false) };
        let Some(answer) = last.answer.message().as_assistant() else { return Ok(false) };
        if let Some(plan) = self.plan_retry(run, answer) {
            return self.retry(run, last, plan).await;
        }
        if answer.stop_reason == StopReason::Error {
            self.end_retry(run, answer.error_message.clone()).await;
        }
        Ok(self.check_room(run, last, false).await? && !run.cancel.is_cancelled())
    }

    fn plan_retry(&self, run: &Run, answer: &AssistantMessage) -> Option<RetryPlan> {
        let window = self.answering_model().map_or(0, |model| model.context_window);
        let (made, router_failed) = {
            let recovery = run.recovery.lock();
            (recovery.attempt, recovery.router_failed)
        };
        // Waiting does not make a context smaller.
        let passing = router_failed.unwrap_or_else(|| answer.is_retryable() && !answer.is_context_overflow(window));
        if run.cancel.is_cancelled() || !passing {
            return None;
        }
        retry_plan(&self.retry_settings(), made, answer)
    }

    /// Whether the sequence of turns with these messages is about to be repeated.
    pub(crate) fn will_retry(&self, run: &Run, messages: &Messages) -> bool {
        let last = messages.iter().rev().find_map(Message::as_assistant);
        last.is_some_and(|answer| self.plan_retry(run, answer).is_some())
    }

    async fn retry(self: &Arc<Self>, run: &Run, last: &Last, plan: RetryPlan) -> Result<bool, SessionError> {
        run.recovery.lock().attempt = plan.attempt;
        let RetryPlan { attempt, max_attempts, delay, ref error_message } = plan;
        let delay_ms = plan.delay_ms();
        let event = || AutoRetryStartEvent { attempt, max_attempts, delay_ms, error_message: error_message.clone() };
        self.hooks().dispatcher.dispatch::<AutoRetryStart>(&run.scope(self), event).await;
        // Whoever hears of the pause may end it at once.
        let aside = self.asides().begin_retry(&run.cancel);
        self.events().send(|| SessionEvent::AutoRetryStart {
            attempt,
            max_attempts,
            delay_ms,
            error_message: error_message.clone(),
        });
        self.omit(last)?;
        tokio::select! {
            biased;
            () = async { aside.token().cancelled().await } => {
                self.cancel_retry(run).await;
                Ok(false)
            }
            () = tokio::time::sleep(delay) => Ok(true),
        }
    }

    /// Takes an answer and the results of its tools out of what the model sees. They stay in the file.
    pub(crate) fn omit(&self, last: &Last) -> Result<(), SessionError> {
        for id in last.entries() {
            match self.session().edit_context(id, None) {
                Ok(entry) => self.events().send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) }),
                // A handler went elsewhere in the tree: the answer is not in the way there.
                Err(SessionError::EntryNotFound(_) | SessionError::NotOnBranch(_) | SessionError::NotEditable(_)) => {}
                Err(error) => return Err(error),
            }
        }
        self.rebuild_history();
        Ok(())
    }

    /// Takes note of an answer: one that is no failure ends the attempts before it.
    pub(crate) async fn note_answer(self: &Arc<Self>, run: &Run, answer: &AssistantMessage) {
        match answer.stop_reason {
            StopReason::Error => {}
            StopReason::Aborted => self.cancel_retry(run).await,
            StopReason::Length => self.retry_ended(run, true, None).await,
            _ => {
                run.recovery.lock().made_room = false;
                self.retry_ended(run, true, None).await;
            }
        }
    }

    /// Takes note of what the model is about to be told: a new request of the user may be made room for again.
    pub(crate) fn note_message(&self, run: &Run, message: &Message) {
        if matches!(message, Message::User(_)) {
            run.recovery.lock().made_room = false;
        }
    }

    /// Nobody wants the failed request to be repeated any more.
    pub(crate) async fn cancel_retry(self: &Arc<Self>, run: &Run) {
        self.end_retry(run, Some("Retry cancelled".to_owned())).await;
    }

    async fn end_retry(self: &Arc<Self>, run: &Run, final_error: Option<String>) {
        self.retry_ended(run, false, final_error).await;
    }

    async fn retry_ended(self: &Arc<Self>, run: &Run, success: bool, final_error: Option<String>) {
        let attempt = std::mem::take(&mut run.recovery.lock().attempt);
        if attempt == 0 {
            return;
        }
        let event = || AutoRetryEndEvent { success, attempt, final_error: final_error.clone() };
        self.hooks().dispatcher.dispatch::<AutoRetryEnd>(&run.scope(self), event).await;
        self.events().send(|| SessionEvent::AutoRetryEnd { success, attempt, final_error });
    }
}
