//! `anthropic-messages`: Anthropic's Messages interface, also spoken by several other providers.

mod events;
mod payload;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::driver::{self, Emitter};
use super::error::{self, WireError};
use super::http::{self, HttpClient, Outgoing};
use crate::{CacheRetention, MessageStream, Model, StopReason, StreamApi, StreamRequest};
use payload::{Compat, Payload};

const VERSION: &str = "2023-06-01";
const BETA_HEADER: &str = "anthropic-beta";
const OAUTH_BETA: &str = "oauth-2025-04-20";
const FINE_GRAINED_TOOLS_BETA: &str = "fine-grained-tool-streaming-2025-05-14";
const INTERLEAVED_THINKING_BETA: &str = "interleaved-thinking-2025-05-14";
const THINKING_BINDING_BETA: &str = "thinking-binding-controls-2026-08-01";
/// Marks access tokens of subscriptions, which go into another header than API keys.
const OAUTH_MARK: &str = "sk-ant-oat";

/// The `anthropic-messages` wire format.
pub struct AnthropicMessages {
    http: Arc<HttpClient>,
}

impl AnthropicMessages {
    /// The name models refer to this format by.
    pub const API: &'static str = "anthropic-messages";

    /// The format over a client, which may be shared with others.
    pub fn new(http: Arc<HttpClient>) -> Self {
        Self { http }
    }
}

impl StreamApi for AnthropicMessages {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let http = Arc::clone(&self.http);
        driver::stream(request, move |request, emitter| async move { run(&http, &request, &emitter).await })
    }
}

async fn run(http: &HttpClient, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
    let compat = Compat::of(&request.model);
    let payload = payload::build(request, &compat).map_err(error::no_json)?;
    let out = Outgoing {
        url: endpoint(&request.model.base_url),
        headers: headers(request, &compat, &payload),
        credential: credential(request),
        body: payload.body,
        betas_header: Some(BETA_HEADER),
        refusal: error::whole_body,
    };
    let answer = http::send(http, request, out).await?;
    events::read(answer, &request.model, emitter).await
}

/// Base URLs are written with and without the version. The query asks for the beta form of the interface, whose
/// features the `anthropic-beta` header then picks.
fn endpoint(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    let base = base.strip_suffix("/v1").unwrap_or(base);
    format!("{base}/v1/messages?beta=true")
}

fn headers(request: &StreamRequest, compat: &Compat, payload: &Payload) -> BTreeMap<String, String> {
    let mut headers: BTreeMap<String, String> = [
        ("accept", "text/event-stream"),
        ("content-type", "application/json"),
        ("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION"))),
        ("anthropic-version", VERSION),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    let mut betas = Vec::new();
    if credential(request).is_some_and(|(name, _)| name == "authorization") {
        betas.push(OAUTH_BETA);
    }
    if !request.tools.is_empty() && !compat.eager_tool_input() {
        betas.push(FINE_GRAINED_TOOLS_BETA);
    }
    if payload.binds {
        betas.push(THINKING_BINDING_BETA);
    } else if payload.thinks && !compat.adaptive() {
        betas.push(INTERLEAVED_THINKING_BETA);
    }
    if !betas.is_empty() {
        headers.insert(BETA_HEADER.to_owned(), betas.join(","));
    }
    if let Some(session) = affinity(request, compat) {
        headers.insert(session.0.to_owned(), session.1);
    }
    headers
}

/// The header that keeps a conversation on one server of a router.
fn affinity(request: &StreamRequest, compat: &Compat) -> Option<(&'static str, String)> {
    let session = request.options.session_id.clone()?;
    let wanted = compat.send_session_affinity_headers.unwrap_or_else(|| is_open_router(&request.model));
    if !wanted || request.options.cache_retention == CacheRetention::None {
        return None;
    }
    Some((if is_open_router(&request.model) { "x-session-id" } else { "x-session-affinity" }, session))
}

fn is_open_router(model: &Model) -> bool {
    model.provider == "openrouter" || model.base_url.contains("openrouter.ai")
}

fn credential(request: &StreamRequest) -> Option<(&'static str, String)> {
    let key = request.options.api_key.as_ref()?.expose();
    Some(if key.contains(OAUTH_MARK) {
        ("authorization", format!("Bearer {key}"))
    } else {
        ("x-api-key", key.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_appears_once_in_the_address() {
        for base in ["https://api.anthropic.com", "https://api.anthropic.com/", "https://api.anthropic.com/v1/"] {
            assert_eq!(endpoint(base), "https://api.anthropic.com/v1/messages?beta=true");
        }
    }
}
