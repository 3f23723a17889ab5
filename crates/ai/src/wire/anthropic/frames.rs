//! The events of the Messages interface, as they arrive.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::wire::count::count;

/// Text that borrows from the event unless it has escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Any event; which fields are there depends on `kind`.
#[derive(Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    #[serde(default)]
    pub index: u64,
    #[serde(borrow)]
    pub delta: Option<Delta<'a>>,
    pub message: Option<Opening>,
    pub content_block: Option<Block>,
    pub usage: Option<RawUsage>,
    /// What the provider did with the conversation before the model saw it, such as leave thinking out.
    pub input_transformations: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub text: Option<Text<'a>>,
    #[serde(borrow)]
    pub thinking: Option<Text<'a>>,
    #[serde(borrow)]
    pub partial_json: Option<Text<'a>>,
    pub signature: Option<String>,
    pub stop_reason: Option<String>,
    pub stop_details: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Opening {
    pub id: Option<String>,
    pub model: Option<String>,
    pub usage: Option<RawUsage>,
    pub input_transformations: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Block {
    #[serde(rename = "type")]
    pub kind: String,
    pub text: Option<String>,
    pub thinking: Option<String>,
    pub signature: Option<String>,
    pub data: Option<String>,
    pub id: Option<String>,
    pub name: Option<String>,
    pub input: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct RawUsage {
    #[serde(default, deserialize_with = "count")]
    pub input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    pub cache_creation_input_tokens: Option<u64>,
    pub cache_creation: Option<CacheCreation>,
    pub output_tokens_details: Option<OutputDetails>,
    // Of OpenRouter.
    pub cost: Option<Value>,
    pub is_byok: Option<Value>,
    pub cost_details: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct CacheCreation {
    #[serde(default, deserialize_with = "count")]
    pub ephemeral_1h_input_tokens: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct OutputDetails {
    #[serde(default, deserialize_with = "count")]
    pub thinking_tokens: Option<u64>,
}
