//! Wire formats: how a request looks to a provider and how its answer streams back.
//!
//! Every format does three things of its own (build the payload, name its headers, read its events) and
//! shares the rest: [`turns`] brings a conversation into the shape providers insist on, [`http`] sends it, [`sse`]
//! reads what comes back, [`driver`] turns a future that emits into the stream callers see.

mod anthropic;
mod body;
mod driver;
mod error;
mod estimate;
mod http;
mod openai_completions;
mod sse;
mod told;
mod turns;

use std::sync::Arc;
use std::time::Duration;

pub use anthropic::AnthropicMessages;
pub use http::{HttpClient, HttpSettings};
pub use openai_completions::OpenAiCompletions;
pub use told::FailureText;

use crate::{AssistantMessage, StreamApi};

/// Key in [`AssistantMessage::extra`] for the pause a provider asked for, in milliseconds.
pub(crate) const RETRY_AFTER_MS: &str = "retryAfterMs";

/// How long the provider asked to wait before the failed request is tried again (its `retry-after`
/// header), if it did.
pub fn retry_after(message: &AssistantMessage) -> Option<Duration> {
    message.extra.get(RETRY_AFTER_MS)?.as_u64().map(Duration::from_millis)
}

/// The wire formats of this crate by their api names, over one shared HTTP client.
pub fn builtin_apis() -> Vec<(&'static str, Arc<dyn StreamApi>)> {
    builtin_apis_over(Arc::new(HttpClient::default()))
}

/// The same over a client.
pub(crate) fn builtin_apis_over(http: Arc<HttpClient>) -> Vec<(&'static str, Arc<dyn StreamApi>)> {
    vec![
        (AnthropicMessages::API, Arc::new(AnthropicMessages::new(Arc::clone(&http)))),
        (OpenAiCompletions::API, Arc::new(OpenAiCompletions::new(http))),
    ]
}
