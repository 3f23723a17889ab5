//! The blocks a message is made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::JsonMap;
use crate::tagged::tagged;

/// One block of message content. A block of a type this version does not know is kept verbatim, so
/// that a session written by a newer program survives a round trip.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ContentBlock {
    /// Plain text.
    Text(TextBlock),
    /// Reasoning of the model.
    Thinking(ThinkingBlock),
    /// A picture.
    Image(ImageBlock),
    /// A request of the model to run a tool.
    ToolCall(ToolCallBlock),
    /// A block of an unknown type, kept as it came.
    #[serde(untagged)]
    Other(JsonMap),
}

tagged!(ContentBlock by "type" {
    "text" => Text,
    "thinking" => Thinking,
    "image" => Image,
    "toolCall" => ToolCall,
});

/// Plain text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// Opaque provider token that must be sent back with this block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// Reasoning of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingBlock {
    /// The reasoning as text; may be a summary or empty.
    pub thinking: String,
    /// Opaque provider token that must be sent back with this block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// The provider withheld the text; only the signature carries meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<bool>,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageBlock {
    /// The file's bytes, base64 (standard alphabet, padded).
    pub data: String,
    /// For example `image/png`.
    pub mime_type: String,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

/// A request of the model to run a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallBlock {
    /// The call's id; the result names it.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model sent them; an empty object when `argumentsError` is there.
    pub arguments: Value,
    /// Why the arguments cannot be used, followed by their text. Such a call never runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_error: Option<String>,
    /// Opaque provider token that must be sent back with this block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

impl ToolCallBlock {
    /// Whether the call came without arguments that could be used. Files of earlier versions mark a call whose arguments
    /// stopped early in another way.
    pub fn is_incomplete(&self) -> bool {
        self.arguments_error.is_some() || self.extra.get("incomplete") == Some(&Value::Bool(true))
    }

    /// The arguments as providers take them back: an object.
    pub(crate) fn replayed_arguments(&self) -> Value {
        if self.arguments.is_object() { self.arguments.clone() } else { Value::Object(JsonMap::new()) }
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock { text: text.into(), ..TextBlock::default() })
    }

    /// An image block from base64 data.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageBlock { data: data.into(), mime_type: mime_type.into(), extra: JsonMap::new() })
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// The call of a tool-call block.
    pub fn as_tool_call(&self) -> Option<&ToolCallBlock> {
        match self {
            Self::ToolCall(call) => Some(call),
            _ => None,
        }
    }
}
