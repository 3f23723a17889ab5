//! Wire formats: how a request looks to a provider and how its answer streams back.
//!
//! Every format is a folder that does three things of its own (build the payload, name its headers, read its events) and a
//! line in the list below. What it shares: [`turns`] brings a conversation into the shape providers insist on, [`http`] sends
//! it, [`sse`] reads what comes back, [`driver`] turns a future that emits into the stream callers see, and [`format`] puts
//! these together. How formats differ on that way is data: see [`rules::Rules`].

mod anthropic;
mod azure;
#[cfg(feature = "bedrock")]
mod bedrock;
#[cfg(not(feature = "bedrock"))]
#[path = "without_bedrock.rs"]
mod bedrock;
mod body;
mod count;
mod diagnostics;
mod document;
mod driver;
mod error;
mod estimate;
mod fetch;
mod format;
#[cfg(feature = "bedrock")]
mod frames;
mod google;
mod http;
mod mistral;
mod openai_completions;
mod operations;
mod reader;
mod repair;
mod reported_cost;
mod responses;
mod rules;
mod sampling;
mod sse;
mod strict;
mod told;
mod turns;
mod wait;
// The tests of this crate have Bedrock; what a build without it says is tested beside it.
#[cfg(all(test, feature = "bedrock"))]
mod without_bedrock;

use std::sync::Arc;
use std::time::Duration;

pub use fetch::FetchError;
pub use http::{HttpClient, HttpSettings};
pub use told::FailureText;

pub(crate) use google::{VERTEX_VARIABLES, has_vertex_login};

use crate::{AssistantMessage, ClassifierApi, ImagesApi, StreamApi};
use format::Wire;

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

/// The environment variables that Bedrock asks for.
pub(crate) const BEDROCK_VARIABLES: &[&str] = &[
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_BEDROCK_SKIP_AUTH",
    "AWS_BEDROCK_FORCE_CACHE",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "AWS_ENDPOINT_URL",
];

/// Whether a wire format of that name is one of this crate.
pub fn is_builtin_api(name: &str) -> bool {
    builtin_apis().iter().any(|(api, _)| *api == name)
}

/// The same over a client.
pub fn builtin_apis_over(http: Arc<HttpClient>) -> Vec<(&'static str, Arc<dyn StreamApi>)> {
    vec![
        Wire::<anthropic::Format>::entry(&http),
        Wire::<openai_completions::Format>::entry(&http),
        Wire::<responses::OpenAi>::entry(&http),
        Wire::<responses::Codex>::entry(&http),
        Wire::<responses::Azure>::entry(&http),
        Wire::<google::GenerativeAi>::entry(&http),
        Wire::<google::Vertex>::entry(&http),
        Wire::<mistral::Format>::entry(&http),
        Wire::<bedrock::Format>::entry(&http),
    ]
}

/// The wire formats of classifiers by their api names, over a client.
pub fn builtin_classifiers_over(http: &Arc<HttpClient>) -> Vec<(&'static str, Arc<dyn ClassifierApi>)> {
    operations::classifiers(http)
}

/// The wire formats of models that make pictures by their api names, over a client.
pub fn builtin_images_over(http: &Arc<HttpClient>) -> Vec<(&'static str, Arc<dyn ImagesApi>)> {
    operations::images(http)
}
