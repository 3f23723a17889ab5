//! Tools that call tools: what such a call passes, what its caller gets, what ends it, and what is kept of it.

mod ends;
mod gates;
mod properties;
mod results;
mod together;

use serde_json::{Value, json};
use tau_hooks::{Ctx, Registrar};
use tau_tools::{Invocation, NestedCall, NestedOutcome, ToolFailure, ToolOutput};

use crate::common::tools::spec;
use crate::common::{Log, Running, World, calls};

/// A model that calls `outer` once, as `c1`, and then says something.
fn world() -> World {
    World::new(json!([calls([("c1", "outer", json!({}))]), "Done."]))
}

/// A tool that calls others.
fn outer<F, Fut>(registrar: &mut Registrar, run: F)
where
    F: Fn(Ctx) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'static,
{
    registrar.tool(spec("outer"), move |_: Invocation, ctx| run(ctx));
}

/// A tool that makes these calls, one after the other, and notes what came of them.
fn calling(registrar: &mut Registrar, calls: Vec<(&'static str, Value)>, outcomes: &Log<NestedOutcome>) {
    let outcomes = outcomes.clone();
    outer(registrar, move |ctx| {
        let (calls, outcomes) = (calls.clone(), outcomes.clone());
        async move {
            for (name, args) in calls {
                outcomes.push(ctx.execute_tool(NestedCall::new(name, args)).await);
            }
            Ok(ToolOutput::text("all called"))
        }
    });
}

/// The events of tools: what happened, to which call, and how it ended.
fn trace(events: &[Value]) -> Vec<String> {
    let line = |event: &Value| {
        let name = event["type"].as_str()?;
        let name = name.strip_prefix("tool_execution_").or_else(|| name.strip_prefix("tool_"))?;
        let id = event["toolCallId"].as_str().unwrap_or_default();
        // A call of a tool names the call that made it, in all its events.
        assert_eq!(event["parentToolCallId"].as_str(), id.rsplit_once('/').map(|(parent, _)| parent), "{event}");
        let failed = if event["isError"] == true { " failed" } else { "" };
        Some(format!("{name} {id}{failed}"))
    };
    events.iter().filter_map(line).collect()
}

/// What the message with the result of the model's call keeps.
fn kept(running: &Running) -> Value {
    let line = running.file().into_iter().find(|line| line["message"]["role"] == "toolResult");
    line.expect("a result")["message"].clone()
}

/// The record of nested calls, without times.
fn record(running: &Running) -> Value {
    let mut record = kept(running)["nestedCalls"].clone();
    for call in record["calls"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = call.as_object_mut() {
            fields.remove("durationMs");
        }
    }
    record
}
