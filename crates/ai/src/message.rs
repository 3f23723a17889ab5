//! The messages of a conversation, in the JSON form that session files and events share.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::tagged::tagged;
use crate::{ContentBlock, JsonMap, ToolCallBlock, Usage, now_ms};

/// One message of a conversation. The first three roles are what a provider understands; the others are
/// turned into those before a request. A message of an unknown role is kept verbatim.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    /// What the user said.
    User(UserMessage),
    /// What the model answered.
    Assistant(AssistantMessage),
    /// What a tool returned.
    ToolResult(ToolResultMessage),
    /// A message of an extension; the model sees it as a user message.
    Custom(CustomMessage),
    /// A shell command the user ran with `!`.
    BashExecution(BashExecutionMessage),
    /// Stands for messages that were compacted away.
    CompactionSummary(CompactionSummaryMessage),
    /// Stands for a branch that was left.
    BranchSummary(BranchSummaryMessage),
    /// A system prompt in a transcript of another program; tau reads but never writes these.
    System(SystemMessage),
    /// A message of an unknown role, kept as it came.
    #[serde(untagged)]
    Other(JsonMap),
}

tagged!(Message by "role" {
    "user" => User,
    "assistant" => Assistant,
    "toolResult" => ToolResult,
    "custom" => Custom,
    "bashExecution" => BashExecution,
    "compactionSummary" => CompactionSummary,
    "branchSummary" => BranchSummary,
    "system" => System,
});

/// Message content: a bare string or a list of blocks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MessageContent {
    /// A bare string.
    Text(String),
    /// Blocks.
    Blocks(Vec<ContentBlock>),
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserMessage {
    /// Text and images.
    #[serde(default, deserialize_with = "empty_if_null")]
    pub content: MessageContent,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, thinking and tool calls, in the order they were generated.
    #[serde(default, deserialize_with = "empty_if_null")]
    pub content: Vec<ContentBlock>,
    /// The wire format, for example `anthropic-messages`.
    #[serde(default)]
    pub api: String,
    /// The provider's name.
    #[serde(default)]
    pub provider: String,
    /// The model's id.
    #[serde(default)]
    pub model: String,
    /// Tokens and cost of the request that produced this message.
    #[serde(default)]
    pub usage: Usage,
    /// Why generation ended.
    #[serde(default)]
    pub stop_reason: StopReason,
    /// What went wrong, when `stop_reason` is `error` or `aborted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// Why a model stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The output limit was reached.
    Length,
    /// The model waits for tool results.
    ToolUse,
    /// The request failed; see `errorMessage`.
    Error,
    /// The user stopped the request.
    Aborted,
    /// A reason this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// What a tool returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The id of the call this answers.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// What the model sees.
    #[serde(default, deserialize_with = "empty_if_null")]
    pub content: Vec<ContentBlock>,
    /// What renderers and extensions see; tool-specific.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Tokens the tool itself spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The tool failed, was blocked or was skipped.
    #[serde(default)]
    pub is_error: bool,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// A message of an extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// Names the kind of message; chooses the renderer.
    pub custom_type: String,
    /// What the model sees.
    #[serde(default, deserialize_with = "empty_if_null")]
    pub content: MessageContent,
    /// Whether a user interface shows it. The model sees it either way.
    #[serde(default, deserialize_with = "crate::json::truthy")]
    pub display: bool,
    /// Data for renderers and for restoring state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// A shell command the user ran with `!`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashExecutionMessage {
    /// The command line.
    pub command: String,
    /// Sanitised, possibly truncated output.
    #[serde(default)]
    pub output: String,
    /// Exit code; absent when the command was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The user stopped it.
    #[serde(default)]
    pub cancelled: bool,
    /// `output` is not all of it.
    #[serde(default)]
    pub truncated: bool,
    /// Where all of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// `!!`: the model never sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_from_context: Option<bool>,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// Stands for messages that were compacted away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionSummaryMessage {
    /// The summary.
    pub summary: String,
    /// Size of the context before compaction, in tokens.
    #[serde(default)]
    pub tokens_before: u64,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// Stands for a branch that was left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummaryMessage {
    /// The summary.
    pub summary: String,
    /// The entry the branch is named by.
    #[serde(default)]
    pub from_id: String,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// A system prompt in a transcript of another program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SystemMessage {
    /// The prompt.
    #[serde(default, deserialize_with = "empty_if_null")]
    pub content: MessageContent,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient_ms")]
    pub timestamp: i64,
    /// Sections, tools and fields this version does not interpret.
    #[serde(flatten)]
    pub extra: JsonMap,
}

impl Default for MessageContent {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl<'de> Deserialize<'de> for MessageContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = MessageContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of content blocks")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<MessageContent, E> {
                Ok(MessageContent::Text(text.to_owned()))
            }

            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<MessageContent, E> {
                Ok(MessageContent::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<MessageContent, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(MessageContent::Blocks)
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl MessageContent {
    /// The text blocks joined by newlines, or the bare string.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => blocks.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n"),
        }
    }

    /// The content as blocks; a bare string becomes one text block.
    pub fn to_blocks(&self) -> Vec<ContentBlock> {
        match self {
            Self::Text(text) => vec![ContentBlock::text(text.clone())],
            Self::Blocks(blocks) => blocks.clone(),
        }
    }
}

impl From<&str> for MessageContent {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for MessageContent {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentBlock>> for MessageContent {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks)
    }
}

impl UserMessage {
    /// A user message stamped now.
    pub fn new(content: impl Into<MessageContent>) -> Self {
        Self { content: content.into(), timestamp: now_ms(), extra: JsonMap::new() }
    }
}

impl AssistantMessage {
    /// A message of nobody in particular, stamped now.
    pub fn empty() -> Self {
        Self {
            content: Vec::new(),
            api: String::new(),
            provider: String::new(),
            model: String::new(),
            usage: Usage::default(),
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp: now_ms(),
            extra: JsonMap::new(),
        }
    }

    /// The tool calls, in the order they were generated.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCallBlock> {
        self.content.iter().filter_map(ContentBlock::as_tool_call)
    }

    /// The text blocks, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(ContentBlock::as_text)
    }
}

impl Message {
    /// The role as it is written in JSON; empty when an unknown message has none.
    pub fn role(&self) -> &str {
        match self {
            Self::User(_) => "user",
            Self::Assistant(_) => "assistant",
            Self::ToolResult(_) => "toolResult",
            Self::Custom(_) => "custom",
            Self::BashExecution(_) => "bashExecution",
            Self::CompactionSummary(_) => "compactionSummary",
            Self::BranchSummary(_) => "branchSummary",
            Self::System(_) => "system",
            Self::Other(map) => map.get("role").and_then(Value::as_str).unwrap_or_default(),
        }
    }

    /// The assistant message inside, if it is one.
    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Assistant(message) => Some(message),
            _ => None,
        }
    }
}

/// Messages written by other programs may have no content.
fn empty_if_null<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Timestamps written by other programs may be fractional, or no number at all, which is no time.
fn lenient_ms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let time = Value::deserialize(deserializer)?;
    Ok(time.as_i64().or_else(|| time.as_f64().map(|ms| ms as i64)).unwrap_or_default())
}
