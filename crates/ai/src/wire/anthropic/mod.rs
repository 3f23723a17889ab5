//! `anthropic-messages`: Anthropic's Messages interface, also spoken by several other providers.

mod compat;
mod events;
mod frames;
mod messages;
mod payload;
mod thinking;
mod threads;
mod tools;

use std::collections::BTreeMap;

use serde_json::json;

use super::diagnostics::Diagnostics;
use super::driver::Emitter;
use super::error::{self, WireError};
use super::format;
use super::http;
use super::http::{Answer, HttpClient, Outgoing};
use super::rules::Rules;
use super::strict;
use crate::{CacheRetention, StopReason, StreamRequest};
use compat::Compat;
use payload::Payload;
use threads::Threaded;

const VERSION: &str = "2023-06-01";
const BETA_HEADER: &str = "anthropic-beta";
const OAUTH_BETA: &str = "oauth-2025-04-20";
const FINE_GRAINED_TOOLS_BETA: &str = "fine-grained-tool-streaming-2025-05-14";
const INTERLEAVED_THINKING_BETA: &str = "interleaved-thinking-2025-05-14";
const FALLBACK_BETA: &str = "server-side-fallback-2026-07-01";
const EFFORT_BETA: &str = "mid-conversation-output-config-2026-07-01";
const THINKING_BINDING_BETA: &str = "thinking-binding-controls-2026-08-01";
const INLINE_TOOLS_BETA: &str = "inline-tools-2026-09-15";
/// The note in an answer that strict tools were refused.
const STRICT_NOTE: &str = "anthropic_strict_tools_fallback";
/// Marks access tokens of subscriptions, which go into another header than API keys.
const OAUTH_MARK: &str = "sk-ant-oat";

/// The `anthropic-messages` wire format.
#[derive(Default)]
pub(super) struct Format;

impl format::Format for Format {
    const API: &'static str = "anthropic-messages";
    const RULES: Rules = Rules { betas_header: Some(BETA_HEADER), refusal: error::whole_body, ..Rules::USUAL };

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        Ok(prepare(request, &Compat::of_request(request))?.0)
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        let mut diagnostics = Diagnostics::at(request.options.sources.clock.now_ms());
        events::read(answer, request, emitter, &mut diagnostics).await
    }

    async fn run(
        &self,
        http: &HttpClient,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> Result<StopReason, WireError> {
        let mut compat = Compat::of_request(request);
        let mut diagnostics = Diagnostics::at(request.options.sources.clock.now_ms());
        let sent = match send(http, request, &compat, emitter, &mut diagnostics).await {
            Err(refused)
                if compat.has_preferences()
                    && request.tools.iter().any(strict::prefers)
                    && strict::is_over_limits(&refused) =>
            {
                let details = json!({"reason": "strict_tool_limits_exceeded"});
                diagnostics.add(&emitter.builder, STRICT_NOTE, Some(&refused.to_string()), details);
                request.options.written.set_strict_refused();
                compat = compat.without_preferences();
                send(http, request, &compat, emitter, &mut diagnostics).await
            }
            sent => sent,
        };
        let (answer, threaded) = sent?;
        let stop = events::read(answer, request, emitter, &mut diagnostics).await?;
        if let Some(threaded) = threaded {
            threaded.answered(request, &compat, &emitter.builder.so_far());
        }
        Ok(stop)
    }
}

/// Sends a request, as part of a thread where the provider keeps one.
async fn send(
    http: &HttpClient,
    request: &StreamRequest,
    compat: &Compat,
    emitter: &Emitter,
    diagnostics: &mut Diagnostics,
) -> Result<(Answer, Option<Threaded>), WireError> {
    let (out, effort) = prepare(request, compat)?;
    if let Some(effort) = effort {
        emitter.builder.set_extra(thinking::EFFORT_NOTE, effort.into());
    }
    let rules = <Format as format::Format>::RULES;
    if !threads::wanted(request, compat) {
        return Ok((http::send(http, request, out, rules).await?, None));
    }
    let ready = http::ready(request, out, rules).await?;
    threads::send(http, request, ready, emitter, diagnostics).await
}

/// The request, and the effort that its messages say.
fn prepare(request: &StreamRequest, compat: &Compat) -> Result<(Outgoing, Option<String>), WireError> {
    let payload = payload::build(request, compat)?;
    let out = Outgoing {
        url: endpoint(&request.model.base_url),
        headers: headers(request, compat, &payload),
        credential: credential(request).into(),
        body: payload.body,
    };
    Ok((out, payload.effort))
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
    if payload.budgets {
        betas.push(INTERLEAVED_THINKING_BETA);
    }
    if !compat.fallbacks().is_empty() {
        betas.push(FALLBACK_BETA);
    }
    if compat.effort_in_messages() {
        betas.extend([EFFORT_BETA, THINKING_BINDING_BETA]);
    }
    if payload.inline_tools {
        betas.push(INLINE_TOOLS_BETA);
    }
    if threads::wanted(request, compat) {
        betas.push(threads::BETA);
    }
    if !betas.is_empty() {
        headers.insert(BETA_HEADER.to_owned(), betas.join(","));
    }
    // The header that keeps a conversation on one server of a router.
    if let Some(session) = &request.options.session_id
        && request.options.cache_retention != CacheRetention::None
        && let Some(name) = compat.affinity_header(&request.model)
    {
        headers.insert(name.to_owned(), session.clone());
    }
    headers
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
