//! Tool calls: the gate before, the filter after, and the progress between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tau_ai::{ContentBlock, Usage};

use super::{Edits, Merges, Output, Stop, Transforms};
use crate::changes::Changes;
use crate::dialect::{Part, Terms};
use crate::occasion::{Occasion, OnOccasion};

/// The model wants to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallEvent {
    /// The tool's name.
    pub tool_name: String,
    /// The id the model gave the call.
    pub tool_call_id: String,
    /// The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// The validated arguments, as earlier handlers left them.
    pub input: Value,
}

/// Whether the call may run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolCallResult {
    /// `true` keeps the tool from running. `null` is no decision: a result that says it is malformed.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::present")]
    pub block: Option<bool>,
    /// What the model reads instead of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// With `block`: ask to end the run after this batch of calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminate: Option<bool>,
    /// The arguments as the handler changed them in place; never part of a returned object.
    #[serde(skip)]
    pub input: Option<Value>,
}

impl ToolCallResult {
    /// Keeps the tool from running.
    pub fn block(reason: impl Into<String>) -> Self {
        Self { block: Some(true), reason: Some(reason.into()), ..Self::default() }
    }

    /// Lets the tool run with other arguments.
    pub fn with_input(input: Value) -> Self {
        Self { input: Some(input), ..Self::default() }
    }
}

impl Output<ToolCallEvent> for ToolCallResult {
    const STOPS: Option<Stop<Self>> = Some(Stop { said: "block: true", is: |result| result.block == Some(true) });

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn meant(&self) -> Option<String> {
        let field = match (self.block, &self.reason, self.terminate) {
            (None, Some(_), _) => "reason",
            (None, None, Some(_)) => "terminate",
            _ => return None,
        };
        Some(format!("answered with `{field}` and without `block`, so it blocked nothing; to block, add `block: true`"))
    }

    fn shown(payload: &ToolCallEvent, terms: &Terms) -> Option<ToolCallEvent> {
        let input = older_input(&payload.tool_name, &payload.input, terms)?;
        Some(ToolCallEvent { input, ..payload.clone() })
    }

    fn adopt(&mut self, payload: &ToolCallEvent, terms: &Terms) -> Result<(), String> {
        if !terms.rule.counts("terminate") {
            self.terminate = None;
        }
        self.input = self.input.take().filter(|_| terms.takes_change("input"));
        if let Some(input) = self.input.take() {
            self.input = Some(match terms.dialect.older_input {
                Some(older) => older.taken(&payload.tool_name, &payload.input, input)?,
                None => input,
            });
        }
        Ok(())
    }
}

impl Edits<ToolCallEvent> for ToolCallResult {
    fn edit(result: Option<Self>, _field: &str, value: Value) -> Result<Option<Self>, String> {
        Ok(Some(Self { input: Some(value), ..result.unwrap_or_default() }))
    }
}

impl Transforms<ToolCallEvent> for ToolCallResult {
    fn apply(&self, payload: &mut ToolCallEvent) -> Changes {
        let mut changes = Changes::none();
        if let Some(input) = &self.input {
            changes.json("input", &payload.input, input);
            payload.input.clone_from(input);
        }
        changes
    }
}

/// A tool returned or failed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultEvent {
    /// The tool's name.
    pub tool_name: String,
    /// The id the model gave the call.
    pub tool_call_id: String,
    /// The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// The arguments the tool ran with.
    pub input: Value,
    /// What the model will see, as earlier handlers left it.
    pub content: Vec<ContentBlock>,
    /// What renderers will see, as earlier handlers left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// The result as data, for programs that call the tool, as earlier handlers left it. A handler that takes something
    /// out of `content` takes it out of this too, or drops it by saying nothing about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the call counts as failed, as earlier handlers left it.
    pub is_error: bool,
    /// Tokens the tool itself spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Fields to replace in the result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolResultResult {
    /// What the model sees. Without `structuredContent` beside it, the result as data is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<ContentBlock>>,
    /// What renderers see.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::present")]
    pub details: Option<Value>,
    /// The result as data, for programs that call the tool.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::present")]
    pub structured_content: Option<Value>,
    /// Whether the call counts as failed. A change drops the result as data, unless `structuredContent` is beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Tokens the tool itself spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Output<ToolResultEvent> for ToolResultResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn shown(payload: &ToolResultEvent, terms: &Terms) -> Option<ToolResultEvent> {
        let input = older_input(&payload.tool_name, &payload.input, terms);
        // Who only observes a failure gets its text.
        let bare = payload.is_error && payload.details.is_some() && terms.rule.on_failure == Part::Observe;
        if input.is_none() && !bare {
            return None;
        }
        let mut shown = payload.clone();
        shown.input = input.unwrap_or(shown.input);
        shown.details = shown.details.filter(|_| !bare);
        Some(shown)
    }

    fn adopt(&mut self, _: &ToolResultEvent, terms: &Terms) -> Result<(), String> {
        let Self { content, details, structured_content, is_error, usage } = std::mem::take(self);
        let rule = &terms.rule;
        *self = Self {
            content: content.filter(|_| rule.counts("content")),
            details: details.filter(|_| rule.counts("details")),
            structured_content: structured_content.filter(|_| rule.counts("structuredContent")),
            is_error: is_error.filter(|_| rule.counts("isError")),
            usage: usage.filter(|_| rule.counts("usage")),
        };
        Ok(())
    }
}

impl Transforms<ToolResultEvent> for ToolResultResult {
    fn apply(&self, payload: &mut ToolResultEvent) -> Changes {
        let mut changes = Changes::none();
        if let Some(content) = &self.content {
            changes.value("content", &payload.content, content);
            payload.content.clone_from(content);
        }
        if let Some(details) = &self.details {
            changes.value("details", &payload.details.as_ref(), &Some(details));
            payload.details = Some(details.clone());
        }
        // A value that says what the content no longer says, or that says nothing of the failure, would pass the handler by.
        let outdated = self.content.is_some() || self.is_error.is_some_and(|is_error| is_error != payload.is_error);
        let structured = match (&self.structured_content, outdated) {
            (Some(value), _) => Some(value.clone()),
            (None, true) => None,
            (None, false) => payload.structured_content.clone(),
        };
        if structured != payload.structured_content {
            changes.value("structuredContent", &payload.structured_content, &structured);
            payload.structured_content = structured;
        }
        if let Some(is_error) = self.is_error {
            changes.value("isError", &payload.is_error, &is_error);
            payload.is_error = is_error;
        }
        if let Some(usage) = &self.usage {
            changes.value("usage", &payload.usage.as_ref(), &Some(usage));
            payload.usage = Some(usage.clone());
        }
        changes
    }
}

impl Merges for ToolResultResult {
    const HOW: &'static str = "each field of a later result replaces that of an earlier one";

    fn merge(&mut self, later: Self) {
        // An earlier result that says nothing of the failure leaves it as it was, which is not known here: what the later
        // one says may be the same, and then the value stays.
        let other = |is_error| self.is_error.is_some_and(|before| before != is_error);
        let outdated = later.content.is_some() || later.is_error.is_some_and(other);
        self.structured_content = if outdated {
            later.structured_content
        } else {
            later.structured_content.or(self.structured_content.take())
        };
        self.content = later.content.or(self.content.take());
        self.details = later.details.or(self.details.take());
        self.is_error = later.is_error.or(self.is_error);
        self.usage = later.usage.or(self.usage.take());
    }
}

/// The arguments of a call in the form that a dialect shows besides; `None` when there is none.
fn older_input(tool: &str, input: &Value, terms: &Terms) -> Option<Value> {
    terms.dialect.older_input?.shown(tool, input)
}

impl OnOccasion for ToolResultEvent {
    fn occasion(&self) -> Occasion {
        if self.is_error { Occasion::Failure } else { Occasion::Ordinary }
    }
}

/// A call was taken up, before it is validated or allowed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionStartEvent {
    /// The id the model gave the call.
    pub tool_call_id: String,
    /// The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// The tool's name.
    pub tool_name: String,
    /// The arguments as the model sent them.
    pub args: Arc<Value>,
}

/// A running tool reported a partial result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionUpdateEvent {
    /// The id the model gave the call.
    pub tool_call_id: String,
    /// The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// The tool's name.
    pub tool_name: String,
    /// The arguments as the model sent them.
    pub args: Arc<Value>,
    /// Everything so far.
    pub partial_result: Arc<Value>,
}

/// A call is over: every start has exactly one end, also when the call was blocked or skipped.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolExecutionEndEvent {
    /// The id the model gave the call.
    pub tool_call_id: String,
    /// The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<String>,
    /// The tool's name.
    pub tool_name: String,
    /// Content and details as the model and renderers will see them, and the result as data.
    pub result: Arc<Value>,
    /// Whether the call counts as failed.
    pub is_error: bool,
    /// How long the tool ran, in milliseconds; absent when it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, object, text};

    impl Sample for ToolExecutionStartEvent {
        fn sample() -> Self {
            Self { tool_call_id: text(), parent_tool_call_id: None, tool_name: text(), args: Arc::new(object()) }
        }
    }

    impl Sample for ToolCallEvent {
        fn sample() -> Self {
            Self { tool_name: text(), tool_call_id: text(), parent_tool_call_id: None, input: object() }
        }
    }

    impl Sample for ToolExecutionUpdateEvent {
        fn sample() -> Self {
            Self {
                tool_call_id: text(),
                parent_tool_call_id: None,
                tool_name: text(),
                args: Arc::new(object()),
                partial_result: Arc::new(object()),
            }
        }
    }

    impl Sample for ToolResultEvent {
        fn sample() -> Self {
            Self {
                tool_name: text(),
                tool_call_id: text(),
                parent_tool_call_id: None,
                input: object(),
                content: vec![ContentBlock::text(text())],
                details: None,
                structured_content: None,
                is_error: false,
                usage: None,
            }
        }
    }

    impl Sample for ToolExecutionEndEvent {
        fn sample() -> Self {
            Self {
                tool_call_id: text(),
                parent_tool_call_id: None,
                tool_name: text(),
                result: Arc::new(object()),
                is_error: false,
                duration_ms: None,
            }
        }
    }
}
