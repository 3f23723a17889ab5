//! One tool call: start, validate, the gate, execute, the filter, end.

mod events;
mod family;
pub(super) mod nested;
mod run;
pub(super) mod site;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tau_ai::{ContentBlock, JsonMap, Message, StopReason, ToolCallBlock, ToolResultMessage, Usage};
use tau_hooks::events::{ToolCall, ToolResult};
use tau_hooks::payload::{ToolCallEvent, ToolResultEvent};
use tau_hooks::{Dispatched, Owner};
use tau_tools::{Tool, ToolFailure, ToolOutput, add_further};

use crate::parts::Live;
use crate::pipeline::limited::within_limit;
use crate::pipeline::tool_call::events::{end_call, start_call};
use crate::pipeline::tool_call::run::run_tool;
use crate::pipeline::tool_call::site::{CallSite, Maker};

/// A call that may run.
pub(crate) struct Allowed {
    pub(crate) call: ToolCallBlock,
    pub(super) tool: Arc<dyn Tool>,
    /// Validated, and as the gate left it.
    input: Value,
    /// Who changed it last.
    changed_by: Option<Arc<Owner>>,
}

/// A call that was taken up.
pub(crate) enum TakenUp {
    /// It may run.
    Allowed(Allowed),
    /// It is over without having run.
    Over(Outcome),
}

/// A call of the model that is over.
pub(crate) struct Finished {
    pub(crate) message: Arc<Message>,
    /// The call asks to end the run after this batch.
    pub(crate) terminate: bool,
}

/// What came of a call, as far as it is known.
pub(crate) struct Outcome {
    pub(super) content: Vec<ContentBlock>,
    pub(super) details: Option<Value>,
    /// The result as data; no message has it.
    pub(super) structured_content: Option<Value>,
    pub(super) usage: Option<Usage>,
    pub(super) is_error: bool,
    /// The tool itself gave a result that is an error, with whatever data there is.
    pub(super) returned_error: bool,
    pub(super) terminate: bool,
    /// What else the tool returned.
    pub(super) further: JsonMap,
    /// How long the tool ran; `None` when it did not.
    pub(super) duration: Option<Duration>,
}

impl Outcome {
    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self::from(Err(ToolFailure::new(text.into())))
    }

    pub(super) fn aborted() -> Self {
        Self::from(Err(ToolFailure::aborted()))
    }

    /// The outcome as a tool that made the call gets it.
    pub(super) fn into_output(self) -> ToolOutput {
        let Self { content, details, structured_content, usage, is_error, terminate, further, .. } = self;
        ToolOutput { content, details, structured_content, usage, is_error, terminate, further }
    }

    /// The message that the model gets.
    pub(super) fn finish(self, site: &CallSite, call: &ToolCallBlock, now_ms: i64) -> Finished {
        let mut extra = JsonMap::new();
        if let Some(millis) = self.duration_ms() {
            extra.insert("durationMs".to_owned(), millis.into());
        }
        let (nested, usage) = site.family.take();
        if let Some(nested) = nested {
            extra.insert("nestedCalls".to_owned(), nested);
        }
        let message = Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: self.content,
            details: self.details,
            usage: family::sum(self.usage, usage),
            is_error: self.is_error,
            timestamp: now_ms,
            extra,
        });
        Finished { message: Arc::new(message), terminate: self.terminate }
    }

    /// Names who made the arguments what they are, when the tool failed and its schema does not take them. A tool may take
    /// more than its schema says, so this is no reason to keep it from running.
    fn blame(&mut self, owner: &Owner, name: &str, schema: &Value, input: &Value) {
        if let Err(failure) = tau_tools::arguments::validate(name, schema, input.clone()) {
            let text = format!("The arguments were changed by {} and do not fit. {}", owner.path, failure.message);
            self.content.push(ContentBlock::text(text));
        }
    }

    pub(super) fn duration_ms(&self) -> Option<u64> {
        let duration = self.duration?;
        Some(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<Result<ToolOutput, ToolFailure>> for Outcome {
    fn from(result: Result<ToolOutput, ToolFailure>) -> Self {
        let returned_error = result.as_ref().is_ok_and(|output| output.is_error);
        let output = result.unwrap_or_else(ToolOutput::from);
        let ToolOutput { content, details, structured_content, usage, is_error, terminate, further } = output;
        let duration = None;
        Self { content, details, structured_content, usage, is_error, returned_error, terminate, further, duration }
    }
}

/// Takes a call up: it starts, and is let through or is over at once.
pub(crate) async fn take_up(live: &Live, site: &CallSite, call: &ToolCallBlock, stop: &StopReason) -> TakenUp {
    start_call(live, site, call).await;
    let taken_up = preflight(live, site, call, stop).await;
    if let TakenUp::Over(outcome) = &taken_up {
        end_call(live, site, call, outcome).await;
    }
    taken_up
}

/// A call that is not even looked at: it starts and ends with an error, but no gate is asked.
pub(crate) async fn refuse(live: &Live, site: &CallSite, call: &ToolCallBlock, why: &str) -> Outcome {
    start_call(live, site, call).await;
    let outcome = Outcome::failed(why);
    end_call(live, site, call, &outcome).await;
    outcome
}

async fn preflight(live: &Live, site: &CallSite, call: &ToolCallBlock, stop: &StopReason) -> TakenUp {
    let name = &call.name;
    if *stop == StopReason::Length {
        return TakenUp::Over(Outcome::failed(format!(
            "Tool call \"{name}\" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments."
        )));
    }
    if let Some(error) = &call.arguments_error {
        return TakenUp::Over(Outcome::failed(format!("Invalid arguments for tool \"{name}\": {error}")));
    }
    let found = match &site.maker {
        Maker::Model => live.choices.tools.active(name),
        Maker::Tool { own: Some(own), .. } => Some(Arc::clone(own)),
        Maker::Tool { own: None, .. } => live.choices.tools.callable(name),
    };
    let Some(tool) = found else {
        let why = match &site.maker {
            Maker::Model => live.hooks.tool_not_found(name),
            Maker::Tool { .. } => format!("Tool {name} not found"),
        };
        return TakenUp::Over(Outcome::failed(why));
    };
    let prepare = AssertUnwindSafe(tool.prepare_arguments(call.arguments.clone())).catch_unwind();
    // What prepares arguments may be a script that does not come back.
    let prepared = tokio::select! {
        biased;
        prepared = within_limit(live, prepare) => prepared,
        () = site.cancel.cancelled() => return TakenUp::Over(Outcome::aborted()),
    };
    let raw = match prepared {
        Ok(Ok(Ok(raw))) => raw,
        Ok(Ok(Err(failure))) => return TakenUp::Over(Outcome::from(Err(failure))),
        Ok(Err(_)) => return TakenUp::Over(Outcome::failed(format!("Tool {name} crashed"))),
        Err(late) => {
            let owner = live.choices.tools.owner(name).unwrap_or_else(|| "tau".into());
            return TakenUp::Over(Outcome::failed(format!("Tool {name}: prepareArguments of {owner} {late}")));
        }
    };
    let mut input = match tau_tools::arguments::validate(name, &tool.spec().parameters, raw) {
        Ok(input) => input,
        Err(failure) => return TakenUp::Over(Outcome::from(Err(failure))),
    };
    if site.cancel.is_cancelled() {
        return TakenUp::Over(Outcome::aborted());
    }
    let event = || ToolCallEvent {
        tool_name: name.clone(),
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        input: input.clone(),
    };
    let gate = live.hooks.dispatcher.dispatch::<ToolCall>(&site.gate(&live.host, call), event).await;
    let mut changed_by = None;
    match gate {
        Dispatched::Stopped { by, folded } => {
            let answer = folded.output.unwrap_or_default();
            let terminate = answer.terminate == Some(true);
            return TakenUp::Over(Outcome { terminate, ..Outcome::failed(by.blocks_with(answer.reason)) });
        }
        Dispatched::Shut { shut, .. } => return TakenUp::Over(Outcome::failed(shut.reason())),
        Dispatched::Unheard => {}
        Dispatched::Done(folded) | Dispatched::Cancelled { folded, .. } | Dispatched::Withheld { folded, .. } => {
            input = folded.payload.input;
            changed_by = folded.changed_by;
        }
    }
    if site.cancel.is_cancelled() {
        return TakenUp::Over(Outcome::aborted());
    }
    TakenUp::Allowed(Allowed { call: call.clone(), tool, input, changed_by })
}

/// Runs a call that was let through.
pub(crate) async fn execute(live: &Live, site: &CallSite, allowed: Allowed) -> Outcome {
    let Allowed { call, tool, input, changed_by } = allowed;
    // Other calls were asked about after this one was let through, and the user may have stopped the run meanwhile.
    if site.cancel.is_cancelled() {
        let outcome = Outcome::aborted();
        end_call(live, site, &call, &outcome).await;
        return outcome;
    }
    let changed = changed_by.map(|owner| (owner, Arc::clone(&tool)));
    let (result, took) = run_tool(live, site, &call, tool, input.clone()).await;
    let mut outcome = Outcome { duration: Some(took), ..Outcome::from(result) };
    if let Some((owner, tool)) = changed.filter(|_| outcome.is_error) {
        outcome.blame(&owner, &call.name, &tool.spec().parameters, &input);
    }
    live.hooks.updates.drain().await;
    let event = || ToolResultEvent {
        tool_name: call.name.clone(),
        tool_call_id: call.id.clone(),
        parent_tool_call_id: site.parent(),
        input,
        content: outcome.content.clone(),
        details: outcome.details.clone(),
        structured_content: outcome.structured_content.clone(),
        is_error: outcome.is_error,
        usage: outcome.usage.clone(),
    };
    let filtered = live.hooks.dispatcher.dispatch::<ToolResult>(&site.scope(&live.host, &call), event).await;
    // A handler that was ended may have been about to take something out.
    let (folded, instead) = match filtered {
        Dispatched::Unheard => (None, None),
        Dispatched::Done(folded) | Dispatched::Stopped { folded, .. } => (Some(folded), None),
        Dispatched::Shut { folded, .. } => (folded, None),
        Dispatched::Cancelled { folded, .. } => (Some(folded), Some(Outcome::aborted())),
        Dispatched::Withheld { by, folded } => {
            let instead = Outcome { terminate: outcome.terminate, ..Outcome::failed(by.withheld()) };
            (Some(folded), Some(instead))
        }
    };
    if let Some(event) = folded.map(|folded| folded.payload) {
        outcome.content = event.content;
        outcome.details = event.details;
        outcome.structured_content = event.structured_content;
        outcome.is_error = event.is_error;
        outcome.usage = event.usage;
    }
    if let Some(instead) = instead {
        outcome = Outcome { usage: outcome.usage, duration: outcome.duration, ..instead };
    }
    end_call(live, site, &call, &outcome).await;
    outcome
}

/// Content, details and whatever else the tool returned, as front ends and handlers see them.
pub(super) fn result_json(content: &[ContentBlock], details: Option<&Value>, further: &JsonMap) -> Value {
    let mut result = json!({ "content": content });
    if let Some(details) = details {
        result["details"] = details.clone();
    }
    add_further(&mut result, further);
    result
}
