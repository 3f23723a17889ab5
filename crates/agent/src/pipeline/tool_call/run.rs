//! A tool at work, and the events of a call.
#![expect(clippy::disallowed_methods, reason = "a tool that does not stop stays on the runtime of its run")]

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;
use tau_ai::ToolCallBlock;
use tau_hooks::events::{EventId, ToolExecutionUpdate};
use tau_hooks::payload::ToolExecutionUpdateEvent;
use tau_tools::{Invocation, NestedCalls, Progress, Tool, ToolFailure, ToolOutput};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::parts::{Live, SessionEvent};
use crate::pipeline::tool_call::events::is_watched;
use crate::pipeline::tool_call::nested::Caller;
use crate::pipeline::tool_call::result_json;
use crate::pipeline::tool_call::site::{CallSite, Maker};

/// How long a tool may take to return after it was told to stop.
const GRACE: Duration = Duration::from_secs(4);

/// Runs a tool; what it returned and how long it took. When this returns, every call that the tool made is over.
pub(super) async fn run_tool(
    live: &Live,
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
    let caller = Caller::new(live, site, &call.id, &cancel);
    let _over = caller.ends().drop_guard();
    let nested = NestedCalls::new(Arc::new(caller.clone()));
    let invocation = Invocation { id: call.id.clone(), args, cancel: cancel.clone(), progress: sink, nested };
    let name = call.name.clone();
    let began = live.services.stopwatch();
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
            Some(partial) = progress.recv() => report_partial(live, site, call, &raw, partial).await,
            result = &mut running => break result,
        }
    };
    let took = began.elapsed();
    caller.close().await;
    while let Ok(partial) = progress.try_recv() {
        report_partial(live, site, call, &raw, partial).await;
    }
    (result.unwrap_or_else(|_| Err(ToolFailure::new(format!("Tool {name} crashed")))), took)
}

async fn report_partial(live: &Live, site: &CallSite, call: &ToolCallBlock, args: &Arc<Value>, partial: ToolOutput) {
    let result = is_watched(live, EventId::ToolExecutionUpdate)
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
    live.hooks.updates.post::<ToolExecutionUpdate>(&site.scope(&live.host, call), event).await;
    live.events.send(|| SessionEvent::ToolExecutionUpdate {
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        tool_name: call.name.clone(),
        args: Arc::clone(args),
        partial_result: Arc::clone(&partial_result),
    });
}

async fn overdue(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}
