//! The events of a call: that it begins, and that it is over.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tau_ai::ToolCallBlock;
use tau_hooks::events::{EventId, ToolExecutionEnd, ToolExecutionStart};
use tau_hooks::payload::{ToolExecutionEndEvent, ToolExecutionStartEvent};

use super::site::CallSite;
use super::{Outcome, result_json};
use crate::parts::{Live, Parts, SessionEvent};
use crate::pipeline::tell::tell;

/// Tells that a call was taken up.
pub(super) async fn start_call(live: &Live, site: &CallSite, call: &ToolCallBlock) {
    if !is_watched(live, EventId::ToolExecutionStart) {
        return;
    }
    site.is_begun.store(true, Ordering::Release);
    let args = Arc::new(call.arguments.clone());
    let event = || ToolExecutionStartEvent {
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        tool_name: call.name.clone(),
        args: Arc::clone(&args),
    };
    tell::<ToolExecutionStart>(live, &site.scope(&live.host, call), event).await;
    live.events.send(|| SessionEvent::ToolExecutionStart {
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        tool_name: call.name.clone(),
        args: Arc::clone(&args),
    });
}

/// Tells that a call is over.
pub(super) async fn end_call(live: &Live, site: &CallSite, call: &ToolCallBlock, outcome: &Outcome) {
    live.hooks.updates.drain().await;
    if !is_watched(live, EventId::ToolExecutionEnd) {
        return;
    }
    let mut result = result_json(&outcome.content, outcome.details.as_ref(), &outcome.further);
    if let Some(value) = &outcome.structured_content {
        result["structuredContent"] = value.clone();
    }
    if outcome.returned_error {
        result["isError"] = true.into();
    }
    if outcome.terminate {
        result["terminate"] = true.into();
    }
    let result = Arc::new(result);
    site.is_begun.store(false, Ordering::Release);
    let event = || ToolExecutionEndEvent {
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        tool_name: call.name.clone(),
        result: Arc::clone(&result),
        is_error: outcome.is_error,
        duration_ms: outcome.duration_ms(),
    };
    tell::<ToolExecutionEnd>(live, &site.scope(&live.host, call), event).await;
    live.events.send(|| SessionEvent::ToolExecutionEnd {
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        tool_name: call.name.clone(),
        result: Arc::clone(&result),
        is_error: outcome.is_error,
        duration_ms: outcome.duration_ms(),
    });
}

/// Whether anybody would be told of an event.
pub(super) fn is_watched(parts: &Parts, event: EventId) -> bool {
    parts.events.any() || parts.hooks.dispatcher.has_handlers(event)
}
