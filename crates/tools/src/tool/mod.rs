//! What a tool is.

pub(crate) mod loadout;
pub(crate) mod nested;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tau_ai::{ConstrainedSampling, ContentBlock, Usage};
use tokio_util::sync::CancellationToken;

use self::loadout::{Loadout, LoadoutChanges};
use self::nested::NestedCalls;
use crate::reach::{Exposure, Reach, ToolAnnotations, ToolNamespace};

/// How a tool presents itself to the model and to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name the model calls.
    pub name: String,
    /// The name shown to people.
    pub label: String,
    /// When and how to use it, for the model.
    pub description: String,
    /// JSON schema of the arguments; must describe an object. Key order is kept.
    pub parameters: Value,
    /// One line for the tool list of the system prompt; the description is used when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_snippet: Option<String>,
    /// Lines for the guidelines of the system prompt while this tool is active.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompt_guidelines: Vec<String>,
    /// Whether other calls of the same message may run at the same time.
    #[serde(default)]
    pub execution_mode: ExecutionMode,
    /// Who can call it.
    #[serde(default)]
    pub exposure: Exposure,
    /// Whether it is active without being named, where its exposure allows that.
    #[serde(default = "yes")]
    pub default_active: bool,
    /// The group it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<ToolNamespace>,
    /// What its author says it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// JSON schema of the structured part of its results. The model does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// What the provider holds the arguments to, where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrained_sampling: Option<ConstrainedSampling>,
}

fn yes() -> bool {
    true
}

/// A tool that takes nothing and says nothing about itself.
impl Default for ToolSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            label: String::new(),
            description: String::new(),
            parameters: json!({"type": "object", "properties": {}}),
            prompt_snippet: None,
            prompt_guidelines: Vec::new(),
            execution_mode: ExecutionMode::default(),
            exposure: Exposure::default(),
            default_active: true,
            namespace: None,
            annotations: None,
            output_schema: None,
            constrained_sampling: None,
        }
    }
}

impl ToolSpec {
    /// Whether the tool is active as soon as it is there.
    pub fn starts_active(&self) -> bool {
        self.exposure.is_declared() && self.default_active
    }
}

/// Whether a call may run beside others of the same message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutionMode {
    /// Yes.
    #[default]
    Parallel,
    /// No: the whole batch runs one after another.
    Sequential,
}

/// One call of a tool.
#[derive(Clone)]
pub struct Invocation {
    /// The id the model gave the call.
    pub id: String,
    /// The arguments, validated against the schema.
    pub args: Value,
    /// Asks the tool to stop.
    pub cancel: CancellationToken,
    /// Takes partial results.
    pub progress: Progress,
    /// Calls other tools on behalf of this call.
    pub nested: NestedCalls,
}

/// Takes partial results of a running tool; what arrives after the tool returned is dropped by the caller.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(ToolOutput) + Send + Sync>);

/// What a tool returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolOutput {
    /// What the model sees: text and images.
    pub content: Vec<ContentBlock>,
    /// What renderers and extensions see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Tokens the tool itself spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The result as data, for programs that call the tool. The model does not see it and no session file keeps it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured_content: Option<Value>,
    /// Whether the call failed. Unlike a [`ToolFailure`], such a result keeps its images and its data.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Asks to end the run after this batch; granted when every call of the batch asks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminate: bool,
    /// Everything else that a tool of an extension returned, and `isError`, `usage` and `terminate` as it wrote them. Those
    /// who watch the call, and a tool that made it, see these fields; no message and no session file has them.
    #[serde(skip)]
    pub further: Map<String, Value>,
}

/// A value that is there, also when it is `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Why a tool failed. The message is what the model reads.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// For the model: what went wrong and, where it helps, what to do.
    pub message: String,
    /// Details for renderers.
    pub details: Option<Value>,
}

/// Something the model can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// How the tool presents itself.
    fn spec(&self) -> &ToolSpec;

    /// Brings arguments of older shapes into the current one, before validation.
    ///
    /// # Errors
    /// When that fails; the call fails with it.
    async fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolFailure> {
        Ok(raw)
    }

    /// Whether the tool has a say in how tools are shown while it is active.
    fn prepares_loadout(&self) -> bool {
        false
    }

    /// Says how tools are shown. Asked while the tool is active: when a session begins, before each run, and after the
    /// active tools changed.
    ///
    /// # Errors
    /// When it cannot say; then it changes nothing.
    async fn prepare_loadout(&self, _loadout: &Loadout) -> Result<LoadoutChanges, ToolFailure> {
        Ok(LoadoutChanges::default())
    }

    /// Which tools a call with these arguments may reach, for a tool that calls others or looks for them.
    fn reaches(&self, _args: &Value) -> Option<Reach> {
        None
    }

    /// Runs one call. Must return soon after `invocation.cancel` fires.
    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure>;
}

impl Progress {
    /// Sends partial results to `sink`.
    pub fn new(sink: impl Fn(ToolOutput) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Drops partial results.
    pub fn ignore() -> Self {
        Self::new(|_| {})
    }

    /// Reports a partial result: everything so far, not a difference.
    pub fn report(&self, partial: ToolOutput) {
        (self.0)(partial);
    }
}

impl ToolOutput {
    /// A single text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// Adds details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Adds the result as data.
    #[must_use]
    pub fn with_structured_content(mut self, value: Value) -> Self {
        self.structured_content = Some(value);
        self
    }

    /// The result as a tool that made the call gets it, with whatever else the called tool returned. `isError` is there
    /// when the call failed, for whatever reason.
    ///
    /// # Errors
    /// When the result is no JSON, which no value of a tool is.
    pub fn to_json(&self) -> serde_json::Result<Value> {
        let mut result = serde_json::to_value(self)?;
        let further = self.further.iter().filter(|(name, _)| *name != "isError");
        add_further(&mut result, further);
        Ok(result)
    }

    /// The texts, a line break between two of them.
    pub fn texts(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// Adds the further fields of a result to what is known of it; what is known stays.
pub fn add_further<'a>(result: &mut Value, further: impl IntoIterator<Item = (&'a String, &'a Value)>) {
    let Some(result) = result.as_object_mut() else { return };
    for (name, value) in further {
        result.entry(name.as_str()).or_insert_with(|| value.clone());
    }
}

impl From<ToolFailure> for ToolOutput {
    fn from(failure: ToolFailure) -> Self {
        let details = failure.details.or_else(|| Some(serde_json::json!({})));
        Self { details, is_error: true, ..Self::text(failure.message) }
    }
}

impl ToolFailure {
    /// A failure with a message for the model.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), details: None }
    }

    /// The failure of a call that was stopped before or while it ran.
    pub fn aborted() -> Self {
        Self::new("Operation aborted")
    }
}
