//! Requests beside the conversation: they begin as its own do, and leave nothing in it.

use std::collections::HashSet;
use std::sync::Arc;

use tau_ai::{ContentBlock, JsonMap, Message, ToolCallBlock, ToolResultMessage};
use tau_hooks::{Messages, UpcomingRequest};
use tokio_util::sync::CancellationToken;

use super::context::context_of;
use super::request::request_of;
use super::routing::{Routed, route_direct};
use crate::parts::Live;
use crate::pipeline::credentials::ready_to_ask;
use crate::pipeline::model::{no_model, unknown_api};
use crate::pipeline::prompt::PromptError;
use crate::pipeline::system_prompt::last_run_prompt;

/// What the model reads of a call that is not over.
const STILL_RUNNING: &str = "(This call is still running. It has no result yet.)";

/// The request that the session would send now if its conversation went on with these messages.
///
/// # Errors
/// When there is no model, or it cannot be asked.
pub(crate) async fn upcoming_request(
    live: &Live,
    more: Vec<Arc<Message>>,
    cancel: &CancellationToken,
) -> Result<UpcomingRequest, PromptError> {
    let chosen = live.choices.model().ok_or_else(|| no_model(live))?;
    let mut messages = live.conversation.history();
    if !live.activity.is_idle() {
        end_open_calls(&mut messages, live.services.now_ms());
    }
    more.into_iter().for_each(|message| messages.push(message));
    let scope = live.scope_until(cancel);
    let context = context_of(live, &scope, messages.clone(), &last_run_prompt(live)).await;
    let Routed { model, thinking } =
        route_direct(live, &chosen, live.choices.thinking_level(), messages, cancel).await?;
    let (model, auth) = tokio::select! {
        ready = ready_to_ask(live, &model) => ready.map_err(|error| PromptError::NoAuth(error.to_string()))?,
        () = cancel.cancelled() => return Err(PromptError::Aborted),
    };
    let api = live.services.models.api_for(&model).ok_or_else(|| unknown_api(live, &model))?;
    let asked = Routed { thinking: model.clamp_thinking(thinking), model };
    let mut request = request_of(live, &scope, asked, auth, context, cancel);
    // The conversation goes on from its own last request, not from this one.
    request.options.written = request.options.written.detached();
    request.options.disable_continuation = true;
    Ok(UpcomingRequest { request, api })
}

/// Gives the calls of the last answer that have no result one that says so.
fn end_open_calls(messages: &mut Messages, now_ms: i64) {
    let mut ended = HashSet::new();
    let mut open: Vec<ToolCallBlock> = Vec::new();
    for message in messages.iter().rev() {
        match message {
            Message::ToolResult(result) => drop(ended.insert(result.tool_call_id.clone())),
            Message::Assistant(answer) => {
                open.extend(answer.tool_calls().filter(|call| !ended.contains(&call.id)).cloned());
                break;
            }
            _ => {}
        }
    }
    for call in open {
        messages.push(Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id,
            tool_name: call.name,
            content: vec![ContentBlock::text(STILL_RUNNING)],
            details: None,
            usage: None,
            is_error: false,
            timestamp: now_ms,
            extra: JsonMap::new(),
        }));
    }
}
