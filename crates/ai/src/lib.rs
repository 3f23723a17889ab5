//! Messages, models, usage and cost, one streaming trait, the wire formats of the providers, the registry of
//! models and credentials, and the scripted model.
//!
//! This crate turns a conversation into one provider request and the provider's answer into a stream of
//! events. It must not know files, sessions, hooks or terminals: callers read configuration and hand in
//! text, and whatever wants to look at a request on its way out does so through [`RequestHooks`].
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests look at the system they run on"))]

mod clock;
mod constrained;
mod content;
mod declared;
mod failure;
mod ids;
mod invariant;
pub mod json;
mod local;
mod message;
mod model;
mod oauth;
mod operation;
mod partial;
mod partial_json;
mod preamble;
mod provider_names;
mod registry;
pub mod scripted;
mod secrets;
mod shape;
mod sources;
mod stream;
mod stream_event;
mod tagged;
mod thread;
mod tool;
mod tool_args;
mod usage;
mod warming;
mod wire;
mod written;

pub use clock::{now, now_ms};
pub use constrained::{ConstrainedSampling, GrammarVariants, Strictness};
pub use content::{ContentBlock, ImageBlock, TextBlock, ThinkingBlock, ToolCallBlock};
pub use failure::is_passing_error;
pub use ids::{id_at, random_id};
pub use invariant::{broken, to_json};
pub use local::{LocalPlaces, LocalServer, LocalServers, LocalServersError, names_local_server};
pub use message::{
    AssistantMessage, BashExecutionMessage, BranchSummaryMessage, CompactionSummaryMessage, CustomMessage, Message,
    MessageContent, StopReason, SystemMessage, ToolResultMessage, UserMessage,
};
pub use model::{CostTier, InputKind, Model, ModelCost, ThinkingLevel};
pub use oauth::{
    CodeWait, Connections, Exchanged, LoginNotice, LoginQuestion, LoginUi, Loopback, LoopbackError, OAuth, OAuthServer,
    OAuthServerError, OpenRouter, ReturnedCode, ServerLogin, WorkloadError, WorkloadIdentity, without_secrets,
};
pub use operation::{
    AssistantImages, BoolCriteria, ClassifierAnswer, ClassifierApi, ClassifierContext, ClassifierQuestion,
    ClassifierResult, ImagesApi, ImagesContext, OperationLimits, OperationRequest, Operations,
};
pub use partial::{MessageBuilder, PartialMessage, StreamItem};
pub use provider_names::{former_provider_name, provider_name};
pub use registry::{
    AuthError, AuthSource, AuthStatus, COMPAT_KEYS, CompatKey, CostConfig, JsonProblem, LOCAL_SERVERS, MAX_MODELS,
    ModelConfig, ModelDiagnosis, ModelProblem, ModelRegistry, ModelsPart, PROVIDER_SETTINGS, PROVIDER_VARIABLES,
    PatternError, ProviderConfig, ProviderError, RequestAuth, ResolvedModel, StoredLogin, VENDOR_LOGINS, VIRTUAL_API,
    ValueResolver, VendorLogin, VirtualModelError, VirtualModelSpec, is_provider_secret, key_advice,
    key_advice_beside_login, secrets_in_logins, secrets_in_models, stored_key_advice, vendor_login,
};
pub use registry::{jsonc, models_dev};
pub use secrets::Secrets;
pub use shape::read_shape;
pub use sources::{Clock, Ids, Random, Sources};
pub use stream::{
    CacheRetention, MessageStream, RequestHooks, ResponseHead, Secret, StreamApi, StreamOptions, StreamRequest,
};
pub use stream_event::StreamEvent;
pub use tool::ToolDeclaration;
pub use tool_args::{MAX_RECEIVED, both_ends, received_arguments};
pub use usage::{Cost, Usage};
pub use warming::{
    IDLE_CONTINUATION, LEAST_SAVING, LONGEST_IDLE_WARMING, LONGEST_WARMING, WarmingEstimate, WarmingPhase,
};
pub use wire::{
    FailureText, FetchError, HttpClient, HttpSettings, builtin_apis, builtin_apis_over, builtin_classifiers_over,
    builtin_images_over, is_builtin_api, retry_after,
};
pub use written::WrittenMessages;

/// A JSON object whose key order is kept.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
