//! The tool calls of one message: one after another, or side by side.

use std::sync::Arc;

use futures_util::future::join_all;
use tau_ai::{AssistantMessage, ToolCallBlock};
use tau_hooks::{HistoryMessage, Messages};
use tau_session::SessionError;
use tau_tools::ExecutionMode;

use crate::pipeline::messages::add_message;
use crate::pipeline::tool_call::site::CallSite;
use crate::pipeline::tool_call::{Finished, TakenUp, execute, refuse, take_up};
use crate::pipeline::turn::Turn;
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

/// Runs the calls of a message. Every call gets a result, whatever happens.
pub(crate) async fn tool_batch(turn: &Turn<'_>, message: &AssistantMessage) -> Result<Batch, SessionError> {
    let calls: Vec<&ToolCallBlock> = message.tool_calls().collect();
    if calls.is_empty() {
        return Ok(Batch::default());
    }
    let parallel = turn.settings().tool_execution() == ToolExecution::Parallel;
    let alone = |call: &&ToolCallBlock| {
        turn.choices.tools.active(&call.name).is_some_and(|t| t.spec().execution_mode == ExecutionMode::Sequential)
    };
    if parallel && !calls.iter().any(alone) {
        side_by_side(turn, message, &calls).await
    } else {
        one_by_one(turn, message, &calls, !parallel).await
    }
}

/// One call after the other, each with its message. With `steerable`, a message of the user that arrived in
/// between keeps the remaining calls from running.
async fn one_by_one(
    turn: &Turn<'_>,
    message: &AssistantMessage,
    calls: &[&ToolCallBlock],
    steerable: bool,
) -> Result<Batch, SessionError> {
    let mut batch = Batch { terminate: true, ..Batch::default() };
    let mut skip = false;
    for call in calls {
        let site = CallSite::of_model(turn.run);
        let outcome = if turn.is_cancelled() {
            refuse(turn, &site, call, "Operation aborted").await
        } else if skip {
            refuse(turn, &site, call, "Skipped due to queued user message.").await
        } else {
            match take_up(turn, &site, call, &message.stop_reason).await {
                TakenUp::Allowed(allowed) => execute(turn, &site, allowed).await,
                TakenUp::Over(outcome) => outcome,
            }
        };
        let finished = outcome.finish(&site, call, turn.services.now_ms());
        batch.terminate &= finished.terminate;
        batch.add(add_message(turn, &turn.scope(), finished.message).await?);
        skip = steerable && turn.activity.has_steering();
    }
    Ok(batch)
}

/// All calls are taken up in order, then the ones that may run do so together; their messages follow in order.
async fn side_by_side(
    turn: &Turn<'_>,
    message: &AssistantMessage,
    calls: &[&ToolCallBlock],
) -> Result<Batch, SessionError> {
    let mut taken = Vec::with_capacity(calls.len());
    for call in calls {
        let site = CallSite::of_model(turn.run);
        let taken_up = if turn.is_cancelled() {
            TakenUp::Over(refuse(turn, &site, call, "Operation aborted").await)
        } else {
            take_up(turn, &site, call, &message.stop_reason).await
        };
        taken.push((call, site, taken_up));
    }
    let running = taken.into_iter().map(|(call, site, taken_up)| async move {
        let outcome = match taken_up {
            TakenUp::Allowed(allowed) => execute(turn, &site, allowed).await,
            TakenUp::Over(outcome) => outcome,
        };
        outcome.finish(&site, call, turn.services.now_ms())
    });
    let finished: Vec<Finished> = join_all(running).await;
    let mut batch = Batch { terminate: true, ..Batch::default() };
    for finished in finished {
        batch.terminate &= finished.terminate;
        batch.add(add_message(turn, &turn.scope(), finished.message).await?);
    }
    Ok(batch)
}
