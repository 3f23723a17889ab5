//! One streaming trait for every provider.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Message, Model, Secrets, Sources, StreamItem, ThinkingLevel, ToolDeclaration, WrittenMessages};

/// A wire format: turns a request into a stream of events.
///
/// The stream never fails: a failure is a last [`StreamEvent::Error`] whose message says what went wrong.
/// It ends after the first `Done` or `Error`. Dropping it, or cancelling the request's token, closes the
/// connection.
pub trait StreamApi: Send + Sync {
    /// Starts a request.
    fn stream(&self, request: StreamRequest) -> MessageStream;
}

/// The events of one answer.
pub type MessageStream = BoxStream<'static, StreamItem>;

/// Everything one request needs.
#[derive(Clone)]
pub struct StreamRequest {
    /// The model to ask.
    pub model: Arc<Model>,
    /// The system prompt; `Some("")` is a real, empty prompt.
    pub system: Option<String>,
    /// User, assistant and tool-result messages; other roles are skipped.
    pub messages: Vec<Arc<Message>>,
    /// The tools the model may call.
    pub tools: Arc<[ToolDeclaration]>,
    /// Everything optional.
    pub options: StreamOptions,
    /// Who looks at the request on its way out. `None` costs nothing.
    pub hooks: Option<Arc<dyn RequestHooks>>,
    /// Stops the request.
    pub cancel: CancellationToken,
}

/// Optional parts of a request.
#[derive(Clone, Default)]
pub struct StreamOptions {
    /// The key to authenticate with.
    pub api_key: Option<Secret>,
    /// Extra headers, sent after the provider's own; they may hold secrets, so they are never logged.
    pub headers: BTreeMap<String, String>,
    /// How much to think.
    pub thinking: ThinkingLevel,
    /// Tokens to think with, by level, for models that think within a budget; the format's own numbers otherwise.
    pub thinking_budgets: BTreeMap<ThinkingLevel, u64>,
    /// Most tokens to generate; the model's own limit when absent.
    pub max_tokens: Option<u64>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Groups requests of one conversation for the provider's cache routing.
    pub session_id: Option<String>,
    /// How long the provider should keep the prompt cached.
    pub cache_retention: CacheRetention,
    /// Settings of the provider by the names of the variables they are usually kept in; those of the credential win over
    /// those of the environment. They may hold secrets, so they are never logged.
    pub env: BTreeMap<String, String>,
    /// Where the time of the answer, and ids that a provider leaves out, come from.
    pub sources: Sources,
    /// What the conversation was sent as before: of that, only what is new is written again.
    pub written: WrittenMessages,
    /// How often a request that fails for a passing reason is repeated before anybody hears of it; as the user's settings
    /// say when absent.
    pub repeats: Option<u32>,
    /// The request leaves alone what the provider keeps of the conversation, such as a thread: it is sent whole, and the
    /// next one does not continue it.
    pub disable_continuation: bool,
}

impl fmt::Debug for StreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamOptions")
            .field("api_key", &self.api_key)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("thinking", &self.thinking)
            .field("thinking_budgets", &self.thinking_budgets)
            .field("max_tokens", &self.max_tokens)
            .field("temperature", &self.temperature)
            .field("session_id", &self.session_id)
            .field("cache_retention", &self.cache_retention)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("sources", &self.sources)
            .field("written", &self.written)
            .field("repeats", &self.repeats)
            .field("disable_continuation", &self.disable_continuation)
            .finish()
    }
}

impl Secrets {
    /// Those of a request: its key, its headers, and the settings of its provider that are called like secrets.
    pub fn of(model: &Model, options: &StreamOptions) -> Self {
        let mut secrets = Self::default();
        let headers = model.headers.iter().flatten().chain(&options.headers);
        headers.for_each(|(_, value)| secrets.add_header(value));
        secrets.add_settings(&options.env);
        options.api_key.iter().for_each(|key| secrets.add(key.expose()));
        // Local servers take any key, so people give them their own name.
        secrets.leave_out(&model.provider);
        secrets
    }

    /// Those of a request.
    pub fn of_request(request: &StreamRequest) -> Self {
        Self::of(&request.model, &request.options)
    }
}

/// How long a provider keeps a prompt cached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheRetention {
    /// Not at all: no cache markers are sent.
    None,
    /// The provider's short cache (minutes).
    #[default]
    Short,
    /// The provider's long cache (an hour or more), where it has one.
    Long,
}

/// A value that never shows up in logs or debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for sending it where it belongs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Looks at a request on its way out and at the first answer. Wire formats call the methods in the order
/// of their declaration.
///
/// The credential of [`StreamOptions::api_key`] is added after [`RequestHooks::headers`] ran, so handlers
/// never see it; a handler that names its header (with a value or with `None`) replaces or removes it.
#[async_trait]
pub trait RequestHooks: Send + Sync {
    /// May add, replace or (with `None`) remove headers. Names come in lower case; case does not matter in
    /// what is returned.
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>>;
    /// Whether [`RequestHooks::payload`] wants to be called now. Otherwise nothing is built for it.
    fn wants_payload(&self) -> bool {
        true
    }
    /// May replace the provider's native request body.
    async fn payload(&self, payload: Value) -> Value;
    /// Sees status and headers of the answer before its body is read.
    async fn response(&self, head: ResponseHead);
    /// Whether [`RequestHooks::wire_event`] wants to be called now. Otherwise nothing is built for it.
    fn wants_wire_events(&self) -> bool {
        false
    }
    /// Sees each event of the answer in the provider's own form, before anything is made of it. The answer waits.
    async fn wire_event(&self, data: Value) {
        let _ = data;
    }
}

/// Status and headers of an HTTP answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResponseHead {
    /// HTTP status code.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_has_its_key_headers_and_settings() {
        let model: Model = serde_json::from_value(json!({"id": "m", "provider": "lm-studio"})).expect("a model");
        let mut options = StreamOptions { api_key: Some(Secret::new("lm-studio")), ..StreamOptions::default() };
        options.headers.insert("authorization".to_owned(), "Basic dXNlcjpwYXNz".to_owned());
        options.env.insert("SOME_TOKEN".to_owned(), "token-of-it".to_owned());
        options.env.insert("REGION".to_owned(), "eu-north-1".to_owned());
        let said = "lm-studio: dXNlcjpwYXNz token-of-it eu-north-1".to_owned();
        assert_eq!(Secrets::of(&model, &options).hide(said), "lm-studio: … … eu-north-1");
    }
}
