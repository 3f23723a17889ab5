//! One tool call: start, validate, the gate, execute, the filter, end.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tau_ai::{ContentBlock, JsonMap, Message, StopReason, ToolCallBlock, ToolResultMessage, Usage, now_ms};
use tau_hooks::Scope;
use tau_hooks::events::{EventId, ToolCall, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate, ToolResult};
use tau_hooks::payload::{
    ToolCallEvent, ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent, ToolResultEvent,
};
use tau_tools::{Invocation, Progress, Tool, ToolFailure, ToolOutput};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::session::{AgentSession, Run, SessionEvent};

/// How long a tool may take to return after it was told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// A call that may run.
pub(crate) struct Allowed {
    pub(crate) call: ToolCallBlock,
    tool: Arc<dyn Tool>,
    /// Validated, and as the gate left it.
    input: Value,
}

/// A call that is over.
pub(crate) struct Finished {
    pub(crate) message: Arc<Message>,
    /// The call asks to end the run after this batch.
    pub(crate) terminate: bool,
}

/// Content, details and the rest of a call that is over.
struct Outcome {
    content: Vec<ContentBlock>,
    details: Option<Value>,
    usage: Option<Usage>,
    is_error: bool,
    terminate: bool,
}

impl Outcome {
    fn failed(text: impl Into<String>) -> Self {
        Self {
            content: vec![ContentBlock::text(text)],
            details: Some(json!({})),
            usage: None,
            is_error: true,
            terminate: false,
        }
    }
}

impl From<Result<ToolOutput, ToolFailure>> for Outcome {
    fn from(result: Result<ToolOutput, ToolFailure>) -> Self {
        match result {
            Ok(ToolOutput { content, details, usage, terminate }) => {
                Self { content, details, usage, is_error: false, terminate }
            }
            Err(failure) => {
                let details = failure.details.unwrap_or_else(|| json!({}));
                Self { details: Some(details), ..Self::failed(failure.message) }
            }
        }
    }
}

impl AgentSession {
    /// Takes a call up: it starts, and is let through or is over at once.
    pub(crate) async fn take_up(
        self: &Arc<Self>,
        run: &Run,
        call: &ToolCallBlock,
        stop: &StopReason,
    ) -> Result<Allowed, Finished> {
        let scope = self.call_scope(run, call);
        self.start_call(&scope, call).await;
        match self.preflight(run, &scope, call, stop).await {
            Ok(allowed) => Ok(allowed),
            Err(outcome) => Err(self.end_call(&self.call_scope(run, call), call, outcome).await),
        }
    }

    /// A call that is not even looked at: it starts and ends with an error, but no gate is asked.
    pub(crate) async fn refuse(self: &Arc<Self>, run: &Run, call: &ToolCallBlock, why: &str) -> Finished {
        let scope = self.call_scope(run, call);
        self.start_call(&scope, call).await;
        self.end_call(&self.call_scope(run, call), call, Outcome::failed(why)).await
    }

    /// Where things happen that are about a call.
    fn call_scope(self: &Arc<Self>, run: &Run, call: &ToolCallBlock) -> Scope {
        run.scope(self).in_tool_call(&call.id)
    }

    async fn preflight(
        self: &Arc<Self>,
        run: &Run,
        scope: &Scope,
        call: &ToolCallBlock,
        stop: &StopReason,
    ) -> Result<Allowed, Outcome> {
        let name = &call.name;
        if *stop == StopReason::Length {
            return Err(Outcome::failed(format!(
                "Tool call \"{name}\" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments."
            )));
        }
        if call.is_incomplete() {
            return Err(Outcome::failed(format!(
                "Tool call \"{name}\" was not executed: its arguments ended early. Re-issue the tool call with complete arguments."
            )));
        }
        let Some(tool) = self.tools().active(name) else {
            return Err(Outcome::failed(format!("Tool {name} not found")));
        };
        let prepare = AssertUnwindSafe(tool.prepare_arguments(call.arguments.clone())).catch_unwind();
        // What prepares arguments may be a script that does not come back.
        let prepared = tokio::select! {
            biased;
            prepared = prepare => prepared,
            () = run.cancel.cancelled() => return Err(Outcome::failed("Operation aborted")),
        };
        let raw = match prepared {
            Ok(Ok(raw)) => raw,
            Ok(Err(failure)) => return Err(Outcome::from(Err(failure))),
            Err(_) => return Err(crashed(name)),
        };
        let mut input = tau_tools::arguments::validate(name, &tool.spec().parameters, raw)
            .map_err(|failure| Outcome::from(Err(failure)))?;
        if run.cancel.is_cancelled() {
            return Err(Outcome::failed("Operation aborted"));
        }
        let event = || ToolCallEvent { tool_name: name.clone(), tool_call_id: call.id.clone(), input: input.clone() };
        let gate = self.hooks().dispatcher.dispatch::<ToolCall>(scope, event).await;
        // Whoever blocks may abort the run besides; its reason says more than that.
        if let Some(by) = gate.stopped_by {
            let answer = gate.output.unwrap_or_default();
            let reason = answer.reason.filter(|reason| !reason.is_empty());
            let reason = reason.unwrap_or_else(|| by.dialect.default_block_reason.to_owned());
            return Err(Outcome { terminate: answer.terminate == Some(true), ..Outcome::failed(reason) });
        }
        if let Some(shut) = gate.shut {
            return Err(Outcome::failed(shut.reason()));
        }
        if let Some(event) = gate.payload {
            input = event.input;
        }
        if run.cancel.is_cancelled() {
            return Err(Outcome::failed("Operation aborted"));
        }
        Ok(Allowed { call: call.clone(), tool, input })
    }

    /// Runs a call that was let through.
    pub(crate) async fn execute(self: &Arc<Self>, run: &Run, allowed: Allowed) -> Finished {
        let Allowed { call, tool, input } = allowed;
        let scope = self.call_scope(run, &call);
        // Other calls were asked about after this one was let through, and the user may have stopped the run meanwhile.
        if run.cancel.is_cancelled() {
            return self.end_call(&scope, &call, Outcome::failed("Operation aborted")).await;
        }
        let result = self.run_tool(&scope, &call, tool, input.clone(), run.cancel.child_token()).await;
        let mut outcome = Outcome::from(result);
        self.hooks().updates.drain().await;
        let event = || ToolResultEvent {
            tool_name: call.name.clone(),
            tool_call_id: call.id.clone(),
            input,
            content: outcome.content.clone(),
            details: outcome.details.clone(),
            is_error: outcome.is_error,
            usage: outcome.usage.clone(),
        };
        let filtered = self.hooks().dispatcher.dispatch::<ToolResult>(&self.call_scope(run, &call), event).await;
        if let Some(event) = filtered.payload {
            outcome.content = event.content;
            outcome.details = event.details;
            outcome.is_error = event.is_error;
            outcome.usage = event.usage;
        }
        self.end_call(&self.call_scope(run, &call), &call, outcome).await
    }

    async fn run_tool(
        self: &Arc<Self>,
        scope: &Scope,
        call: &ToolCallBlock,
        tool: Arc<dyn Tool>,
        args: Value,
        cancel: CancellationToken,
    ) -> Result<ToolOutput, ToolFailure> {
        let (partials, mut progress) = mpsc::unbounded_channel();
        let sink = Progress::new(move |partial| {
            // Nobody listens any more once the tool has returned.
            let _ = partials.send(partial);
        });
        let raw = Arc::new(call.arguments.clone());
        let invocation = Invocation { id: call.id.clone(), args, cancel: cancel.clone(), progress: sink };
        let name = call.name.clone();
        let running = AssertUnwindSafe(async move { tool.execute(invocation).await }).catch_unwind();
        let mut running = Box::pin(running);
        let mut overdue = Box::pin(overdue(&cancel));
        let result = loop {
            tokio::select! {
                biased;
                () = &mut overdue => {
                    tokio::spawn(running.map(drop));
                    return Err(ToolFailure::aborted());
                }
                Some(partial) = progress.recv() => self.report_partial(scope, call, &raw, partial).await,
                result = &mut running => break result,
            }
        };
        while let Ok(partial) = progress.try_recv() {
            self.report_partial(scope, call, &raw, partial).await;
        }
        result.unwrap_or_else(|_| Err(ToolFailure::new(format!("Tool {name} crashed"))))
    }

    async fn report_partial(
        self: &Arc<Self>,
        scope: &Scope,
        call: &ToolCallBlock,
        args: &Arc<Value>,
        partial: ToolOutput,
    ) {
        if !self.is_watched(EventId::ToolExecutionUpdate) {
            return;
        }
        let partial_result = Arc::new(result_json(&partial.content, partial.details.as_ref()));
        let event = || ToolExecutionUpdateEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: Arc::clone(args),
            partial_result: Arc::clone(&partial_result),
        };
        self.hooks().updates.post::<ToolExecutionUpdate>(scope, event).await;
        self.events().send(|| SessionEvent::ToolExecutionUpdate {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: Arc::clone(args),
            partial_result: Arc::clone(&partial_result),
        });
    }

    async fn start_call(self: &Arc<Self>, scope: &Scope, call: &ToolCallBlock) {
        if !self.is_watched(EventId::ToolExecutionStart) {
            return;
        }
        let args = Arc::new(call.arguments.clone());
        let event = || ToolExecutionStartEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: Arc::clone(&args),
        };
        self.tell::<ToolExecutionStart>(scope, event).await;
        self.events().send(|| SessionEvent::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: Arc::clone(&args),
        });
    }

    async fn end_call(self: &Arc<Self>, scope: &Scope, call: &ToolCallBlock, outcome: Outcome) -> Finished {
        self.hooks().updates.drain().await;
        if self.is_watched(EventId::ToolExecutionEnd) {
            self.tell_end(scope, call, &outcome).await;
        }
        let message = Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: outcome.content,
            details: outcome.details,
            usage: outcome.usage,
            is_error: outcome.is_error,
            timestamp: now_ms(),
            extra: JsonMap::new(),
        });
        Finished { message: Arc::new(message), terminate: outcome.terminate }
    }

    /// Whether anybody would be told of an event.
    fn is_watched(&self, event: EventId) -> bool {
        self.events().any() || self.hooks().dispatcher.has_handlers(event)
    }

    async fn tell_end(self: &Arc<Self>, scope: &Scope, call: &ToolCallBlock, outcome: &Outcome) {
        let mut result = result_json(&outcome.content, outcome.details.as_ref());
        if outcome.terminate {
            result["terminate"] = true.into();
        }
        let result = Arc::new(result);
        let event = || ToolExecutionEndEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: Arc::clone(&result),
            is_error: outcome.is_error,
        };
        self.tell::<ToolExecutionEnd>(scope, event).await;
        self.events().send(|| SessionEvent::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: Arc::clone(&result),
            is_error: outcome.is_error,
        });
    }
}

fn crashed(name: &str) -> Outcome {
    Outcome::failed(format!("Tool {name} crashed"))
}

async fn overdue(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn result_json(content: &[ContentBlock], details: Option<&Value>) -> Value {
    let mut result = json!({ "content": content });
    if let Some(details) = details {
        result["details"] = details.clone();
    }
    result
}
