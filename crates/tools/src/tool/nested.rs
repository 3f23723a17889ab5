//! Calls of other tools that a tool makes while it runs.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Progress, Tool, ToolFailure, ToolOutput, ToolSpec};

/// A call of one tool by another.
pub struct NestedCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments; they are validated as those of a model are.
    pub args: Value,
    /// Ends the call early. What ends the caller ends it in any case.
    pub cancel: CancellationToken,
    /// Takes partial results, as the tool made them: no `tool_result` handler has seen them.
    pub progress: Progress,
    /// The tool to run when it is the caller's own: nobody else can call it, and it stands in no list. What is called a
    /// tool's name is then only what gates and people read.
    pub own: Option<Arc<dyn Tool>>,
}

/// What came of a nested call.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedOutcome {
    /// The id of the call: `<caller>/<n>`; empty when it was not taken up.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as the caller gave them.
    pub args: Value,
    /// The result as the handlers left it. [`ToolOutput::is_error`] says whether the call failed.
    pub output: ToolOutput,
    /// How long the tool ran; `None` when it did not run.
    pub duration: Option<Duration>,
}

/// The answer to a nested call, once there is one.
pub type NestedAnswer = Pin<Box<dyn Future<Output = NestedOutcome> + Send>>;

/// Runs calls on behalf of a call that is under way.
pub trait CallTools: Send + Sync {
    /// The tools that can be called.
    fn tools(&self) -> Vec<ToolSpec>;

    /// Takes a call up. Its number is decided now, and so is its place among other calls. Dropping the answer cancels the
    /// call.
    fn call(&self, call: NestedCall) -> NestedAnswer;
}

/// Calls other tools for a tool that runs; every call passes the same validation and the same hooks as one of the model.
#[derive(Clone, Default)]
pub struct NestedCalls(Option<Arc<dyn CallTools>>);

impl NestedCall {
    /// A call that the caller does not watch.
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        Self { name: name.into(), args, cancel: CancellationToken::new(), progress: Progress::ignore(), own: None }
    }

    /// A call of something that the caller does itself and that gates shall judge like a tool.
    pub fn of_own(tool: Arc<dyn Tool>, args: Value) -> Self {
        Self { own: Some(Arc::clone(&tool)), ..Self::new(tool.spec().name.clone(), args) }
    }
}

impl NestedOutcome {
    /// A call that was not taken up.
    pub fn refused(call: NestedCall, why: ToolFailure) -> Self {
        Self { id: String::new(), name: call.name, args: call.args, output: why.into(), duration: None }
    }

    /// The outcome as extensions see it: `{toolCall, result, isError, durationMs?}`.
    ///
    /// # Errors
    /// When the result is no JSON, which no value of a tool is.
    pub fn to_json(&self) -> serde_json::Result<Value> {
        let call = json!({"type": "toolCall", "id": self.id, "name": self.name, "arguments": self.args});
        let result = self.output.to_json()?;
        let mut outcome = json!({"toolCall": call, "result": result, "isError": self.output.is_error});
        if let Some(duration) = self.duration {
            outcome["durationMs"] = millis(duration).into();
        }
        Ok(outcome)
    }
}

impl NestedCalls {
    /// Calls are made by `caller`.
    pub fn new(caller: Arc<dyn CallTools>) -> Self {
        Self(Some(caller))
    }

    /// The tools that can be called; none for a tool that runs outside of a session.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.0.as_ref().map(|caller| caller.tools()).unwrap_or_default()
    }

    /// Calls a tool. Never fails: a tool that is not there, arguments that do not fit, a gate that blocks and a tool that
    /// fails are outcomes. The call has its place among others when this returns; dropping the answer cancels it.
    pub fn call(&self, call: NestedCall) -> NestedAnswer {
        match &self.0 {
            Some(caller) => caller.call(call),
            None => {
                let why = format!("Tool {} was not run: tools can be called only while a tool is at work", call.name);
                let why = ToolFailure::new(why);
                Box::pin(std::future::ready(NestedOutcome::refused(call, why)))
            }
        }
    }
}

impl fmt::Debug for NestedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NestedCalls").field(&self.0.is_some()).finish()
    }
}

/// A duration in whole milliseconds.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
