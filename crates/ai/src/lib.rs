//! Messages, models, usage and cost, one streaming trait, the wire formats of the providers, the registry of
//! models and credentials, and the scripted model.
//!
//! This crate turns a conversation into one provider request and the provider's answer into a stream of
//! events. It must not know files, sessions, hooks or terminals: callers read configuration and hand in
//! text, and whatever wants to look at a request on its way out does so through [`RequestHooks`].
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests look at the system they run on"))]

mod clock;
mod content;
mod failure;
mod ids;
mod invariant;
pub mod json;
mod message;
mod model;
mod partial;
mod partial_json;
mod provider_names;
mod registry;
pub mod scripted;
mod sources;
mod stream;
mod stream_event;
mod tagged;
mod tool_args;
mod usage;
mod wire;
mod written;

pub use clock::{now, now_ms};
pub use content::{ContentBlock, ImageBlock, TextBlock, ThinkingBlock, ToolCallBlock};
pub use failure::is_passing_error;
pub use ids::{id_at, random_id};
pub use invariant::{broken, to_json};
pub use message::{
    AssistantMessage, BashExecutionMessage, BranchSummaryMessage, CompactionSummaryMessage, CustomMessage, Message,
    MessageContent, StopReason, SystemMessage, ToolResultMessage, UserMessage,
};
pub use model::{CostTier, InputKind, Model, ModelCost, ThinkingLevel};
pub use partial::{MessageBuilder, PartialMessage, StreamItem};
pub use provider_names::{former_provider_name, provider_name};
pub use registry::{
    AuthError, AuthSource, AuthStatus, COMPAT_KEYS, CompatKey, CostConfig, JsonProblem, LoginNotice, LoginQuestion,
    LoginUi, ModelConfig, ModelDiagnosis, ModelProblem, ModelRegistry, OAuth, PROVIDER_VARIABLES, PatternError,
    ProviderConfig, ProviderError, RequestAuth, ResolvedModel, StoredLogin, VIRTUAL_API, ValueResolver,
    VirtualModelError, VirtualModelSpec, key_advice, key_advice_beside_login, stored_key_advice, without_secrets,
};
pub use sources::{Clock, Ids, Random, Sources};
pub use stream::{
    CacheRetention, MessageStream, RequestHooks, ResponseHead, Secret, StreamApi, StreamOptions, StreamRequest,
    ToolDeclaration,
};
pub use stream_event::StreamEvent;
pub use usage::{Cost, Usage};
pub use wire::{
    AnthropicMessages, FailureText, HttpClient, HttpSettings, OpenAiCompletions, builtin_apis, retry_after,
};
pub use written::WrittenMessages;

/// A JSON object whose key order is kept.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
