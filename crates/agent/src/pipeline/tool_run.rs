//! A tool at work, and the events of a call.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;
use tau_ai::ToolCallBlock;
use tau_hooks::events::{EventId, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate};
use tau_hooks::payload::{ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent};
use tau_tools::{Invocation, NestedCalls, Progress, Tool, ToolFailure, ToolOutput};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::call_site::{CallSite, Maker};
use super::nested::Caller;
use super::tool_call::{Outcome, result_json};
use crate::session::{AgentSession, SessionEvent};

/// How long a tool may take to return after it was told to stop.
const GRACE: Duration = Duration::from_secs(4);

impl AgentSession {
    /// Runs a tool; what it returned and how long it took. When this returns, every call that the tool made is over.
    pub(super) async fn run_tool(
        self: &Arc<Self>,
        site: &CallSite,
        call: &ToolCallBlock,
        tool: Arc<dyn Tool>,
        args: Value,
    ) -> (Result<ToolOutput, ToolFailure>, Duration) {
        let (partials, mut progress) = mpsc::unbounded_channel();
        let sink = Progress::new(move |partial| {
            // Nobody listens any more once the tool has returned.
            let _ = partials.send(partial);
        });
        let raw = Arc::new(call.arguments.clone());
        let cancel = site.cancel.child_token();
        let caller = Caller::new(self, site, &call.id, &cancel);
        let _over = caller.ends().drop_guard();
        let nested = NestedCalls::new(Arc::new(caller.clone()));
        let invocation = Invocation { id: call.id.clone(), args, cancel: cancel.clone(), progress: sink, nested };
        let name = call.name.clone();
        let began = self.stopwatch();
        let running = AssertUnwindSafe(async move { tool.execute(invocation).await }).catch_unwind();
        let mut running = Box::pin(running);
        let mut overdue = Box::pin(overdue(&cancel));
        let result = loop {
            tokio::select! {
                biased;
                () = &mut overdue => {
                    tokio::spawn(running.map(drop));
                    break Ok(Err(ToolFailure::aborted()));
                }
                Some(partial) = progress.recv() => self.report_partial(site, call, &raw, partial).await,
                result = &mut running => break result,
            }
        };
        let took = began.elapsed();
        caller.close().await;
        while let Ok(partial) = progress.try_recv() {
            self.report_partial(site, call, &raw, partial).await;
        }
        (result.unwrap_or_else(|_| Err(ToolFailure::new(format!("Tool {name} crashed")))), took)
    }

    async fn report_partial(
        self: &Arc<Self>,
        site: &CallSite,
        call: &ToolCallBlock,
        args: &Arc<Value>,
        partial: ToolOutput,
    ) {
        let result = self
            .is_watched(EventId::ToolExecutionUpdate)
            .then(|| Arc::new(result_json(&partial.content, partial.details.as_ref(), &partial.further)));
        if let Maker::Tool { progress, .. } = &site.maker {
            progress.report(partial);
        }
        let Some(partial_result) = result else { return };
        let event = || ToolExecutionUpdateEvent {
            tool_call_id: call.id.clone(),
            parent_tool_call_id: site.parent(),
            tool_name: call.name.clone(),
            args: Arc::clone(args),
            partial_result: Arc::clone(&partial_result),
        };
        self.hooks().updates.post::<ToolExecutionUpdate>(&site.scope(self, call), event).await;
        self.events().send(|| SessionEvent::ToolExecutionUpdate {
            tool_call_id: call.id.clone(),
            parent_tool_call_id: site.parent(),
            tool_name: call.name.clone(),
            args: Arc::clone(args),
            partial_result: Arc::clone(&partial_result),
        });
    }

    /// Tells that a call was taken up.
    pub(super) async fn start_call(self: &Arc<Self>, site: &CallSite, call: &ToolCallBlock) {
        if !self.is_watched(EventId::ToolExecutionStart) {
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
        self.tell::<ToolExecutionStart>(&site.scope(self, call), event).await;
        self.events().send(|| SessionEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            parent_tool_call_id: site.parent(),
            tool_name: call.name.clone(),
            args: Arc::clone(&args),
        });
    }

    /// Tells that a call is over.
    pub(super) async fn end_call(self: &Arc<Self>, site: &CallSite, call: &ToolCallBlock, outcome: &Outcome) {
        self.hooks().updates.drain().await;
        if !self.is_watched(EventId::ToolExecutionEnd) {
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
        self.tell::<ToolExecutionEnd>(&site.scope(self, call), event).await;
        self.events().send(|| SessionEvent::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            parent_tool_call_id: site.parent(),
            tool_name: call.name.clone(),
            result: Arc::clone(&result),
            is_error: outcome.is_error,
            duration_ms: outcome.duration_ms(),
        });
    }

    /// Whether anybody would be told of an event.
    fn is_watched(&self, event: EventId) -> bool {
        self.events().any() || self.hooks().dispatcher.has_handlers(event)
    }
}

async fn overdue(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}
