//! The tool calls of one message: one after another, or side by side.

use std::sync::Arc;

use futures_util::future::join_all;
use tau_ai::{AssistantMessage, ToolCallBlock};
use tau_hooks::{HistoryMessage, Messages};
use tau_session::SessionError;
use tau_tools::ExecutionMode;

use super::call_site::CallSite;
use super::tool_call::Finished;
use crate::session::{AgentSession, Run};
use crate::settings::ToolExecution;

/// What the calls of one message came to.
#[derive(Default)]
pub(crate) struct Batch {
    /// Their results, in the order of the calls.
    pub(crate) results: Messages,
    /// The session entries of the results.
    pub(crate) entry_ids: Vec<String>,
    /// Every call asked to end the run.
    pub(crate) terminate: bool,
}

impl Batch {
    fn add(&mut self, item: Arc<HistoryMessage>) {
        self.entry_ids.extend(item.entry_id.clone());
        self.results.push_item(item);
    }
}

impl AgentSession {
    /// Runs the calls of a message. Every call gets a result, whatever happens.
    pub(crate) async fn tool_batch(
        self: &Arc<Self>,
        run: &Run,
        message: &AssistantMessage,
    ) -> Result<Batch, SessionError> {
        let calls: Vec<&ToolCallBlock> = message.tool_calls().collect();
        if calls.is_empty() {
            return Ok(Batch::default());
        }
        let parallel = self.tool_execution() == ToolExecution::Parallel;
        let alone = |call: &&ToolCallBlock| {
            self.tools().active(&call.name).is_some_and(|t| t.spec().execution_mode == ExecutionMode::Sequential)
        };
        match parallel && !calls.iter().any(alone) {
            true => self.side_by_side(run, message, &calls).await,
            false => self.one_by_one(run, message, &calls, !parallel).await,
        }
    }

    /// One call after the other, each with its message. With `steerable`, a message of the user that arrived in
    /// between keeps the remaining calls from running.
    async fn one_by_one(
        self: &Arc<Self>,
        run: &Run,
        message: &AssistantMessage,
        calls: &[&ToolCallBlock],
        steerable: bool,
    ) -> Result<Batch, SessionError> {
        let mut batch = Batch { terminate: true, ..Batch::default() };
        let mut skip = false;
        for call in calls {
            let site = CallSite::of_model(run);
            let outcome = if run.cancel.is_cancelled() {
                self.refuse(&site, call, "Operation aborted").await
            } else if skip {
                self.refuse(&site, call, "Skipped due to queued user message.").await
            } else {
                match self.take_up(&site, call, &message.stop_reason).await {
                    Ok(allowed) => self.execute(&site, allowed).await,
                    Err(outcome) => outcome,
                }
            };
            let finished = outcome.finish(&site, call, self.now_ms());
            batch.terminate &= finished.terminate;
            batch.add(self.add_message(&run.scope(self), finished.message).await?);
            skip = steerable && self.has_steering();
        }
        Ok(batch)
    }

    /// All calls are taken up in order, then the ones that may run do so together; their messages follow in order.
    async fn side_by_side(
        self: &Arc<Self>,
        run: &Run,
        message: &AssistantMessage,
        calls: &[&ToolCallBlock],
    ) -> Result<Batch, SessionError> {
        let mut taken = Vec::with_capacity(calls.len());
        for call in calls {
            let site = CallSite::of_model(run);
            let taken_up = match run.cancel.is_cancelled() {
                true => Err(self.refuse(&site, call, "Operation aborted").await),
                false => self.take_up(&site, call, &message.stop_reason).await,
            };
            taken.push((call, site, taken_up));
        }
        let running = taken.into_iter().map(|(call, site, taken_up)| async move {
            let outcome = match taken_up {
                Ok(allowed) => self.execute(&site, allowed).await,
                Err(outcome) => outcome,
            };
            outcome.finish(&site, call, self.now_ms())
        });
        let finished: Vec<Finished> = join_all(running).await;
        let mut batch = Batch { terminate: true, ..Batch::default() };
        for finished in finished {
            batch.terminate &= finished.terminate;
            batch.add(self.add_message(&run.scope(self), finished.message).await?);
        }
        Ok(batch)
    }
}
