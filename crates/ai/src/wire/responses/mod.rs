//! The Responses interface of OpenAI in its three forms: `openai-responses`, which routers and other servers have too,
//! `openai-codex-responses` for plans of ChatGPT, and `azure-openai-responses` for OpenAI models at Microsoft.

mod codex;
mod compat;
mod effort;
mod events;
mod input;
mod payload;
mod reader;
mod slots;
mod tools;

use std::collections::BTreeMap;

use serde_json::Value;

use super::azure;
use super::driver::Emitter;
use super::error::WireError;
use super::format::Format;
use super::http::{self, Answer, HttpClient, Outgoing};
use super::rules::Rules;
use crate::{CacheRetention, StopReason, StreamRequest};
use compat::{Affinity, Compat, Dialect};

pub(super) use codex::Codex;

/// Who asks.
const USER_AGENT: &str = concat!("tau/", env!("CARGO_PKG_VERSION"));

/// The `openai-responses` wire format.
#[derive(Default)]
pub(super) struct OpenAi;

impl Format for OpenAi {
    const API: &'static str = "openai-responses";
    const RULES: Rules = Rules { refusal: error_alone, ..Rules::USUAL };

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let compat = Compat::of(&request.model, Dialect::OpenAi);
        let mut headers = headers();
        if let Some(session) = &request.options.session_id
            && request.options.cache_retention != CacheRetention::None
        {
            let names: &[&str] = match compat.session_affinity_format {
                Affinity::Openai => &["session-id", "x-client-request-id"],
                Affinity::OpenaiNosession => &["x-client-request-id"],
                Affinity::Openrouter => &["x-session-id"],
            };
            headers.extend(names.iter().map(|name| ((*name).to_owned(), session.clone())));
        }
        let key = request.options.api_key.as_ref();
        Ok(Outgoing {
            url: format!("{}/responses", request.model.base_url.trim_end_matches('/')),
            headers,
            credential: key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into(),
            body: payload::build(request, &compat, Dialect::OpenAi)?,
        })
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        let compat = Compat::of(&request.model, Dialect::OpenAi);
        if let Some(effort) = payload::effort_in_conversation(request, &compat) {
            emitter.builder.set_extra(input::PROVIDER_LEVEL, effort.into());
        }
        reader::read(answer, request, Dialect::OpenAi, compat.supports_grammar_tools, emitter).await
    }

    async fn run(
        &self,
        http: &HttpClient,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> Result<StopReason, WireError> {
        let provider = &request.model.provider;
        let vendor = if provider == "openai" { "OpenAI" } else { provider };
        exchange(self, http, request, emitter).await.map_err(|error| with_advice(of_vendor(vendor, error)))
    }
}

/// The `azure-openai-responses` wire format.
#[derive(Default)]
pub(super) struct Azure;

impl Format for Azure {
    const API: &'static str = "azure-openai-responses";
    const RULES: Rules = Rules { refusal: error_alone, key_headers: &["api-key", "authorization"], ..Rules::USUAL };

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let compat = Compat::of(&request.model, Dialect::Azure);
        let key = request.options.api_key.as_ref();
        Ok(Outgoing {
            url: format!("{}/responses?api-version={}", azure::base_url(request)?, azure::version(request)),
            headers: headers(),
            credential: key.map(|key| ("api-key", key.expose().to_owned())).into(),
            body: payload::build(request, &compat, Dialect::Azure)?,
        })
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        let compat = Compat::of(&request.model, Dialect::Azure);
        reader::read(answer, request, Dialect::Azure, compat.supports_grammar_tools, emitter).await
    }

    async fn run(
        &self,
        http: &HttpClient,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> Result<StopReason, WireError> {
        exchange(self, http, request, emitter).await.map_err(|error| of_vendor("Azure OpenAI", error))
    }
}

fn headers() -> BTreeMap<String, String> {
    let own = [("accept", "text/event-stream"), ("content-type", "application/json"), ("user-agent", USER_AGENT)];
    own.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A request and its answer.
async fn exchange<F: Format>(
    format: &F,
    http: &HttpClient,
    request: &StreamRequest,
    emitter: &Emitter,
) -> Result<StopReason, WireError> {
    let out = format.prepare(request)?;
    let answer = http::send(http, request, out, F::RULES).await?;
    format.read(answer, request, emitter).await
}

/// The error object of a refusal; the status is added with the name of the vendor.
fn error_alone(status: u16, body: &Value) -> String {
    match body.get("error").filter(|error| !error.is_null()) {
        Some(error) if error.is_object() => error.to_string(),
        Some(error) => format!("{status} {error}"),
        None if body.get("message").is_some() => body.to_string(),
        None => format!("{status} {body}"),
    }
}

/// A refusal with the name of the vendor. That of a redirect is tau's own.
fn of_vendor(vendor: &str, error: WireError) -> WireError {
    match error {
        WireError::Refused { status, text, retry_after, headers } if !(300..400).contains(&status) => {
            WireError::Refused { status, text: format!("{vendor} API error ({status}): {text}"), retry_after, headers }
        }
        error => error,
    }
}

/// A limit of a plan of ChatGPT, with the place where it shows.
fn with_advice(error: WireError) -> WireError {
    match error {
        WireError::Refused { status, text, retry_after, headers } => {
            let advice = if text.contains("subscription_sharing_usage_limit_exceeded") {
                "\nhttps://chatgpt.com/settings/usage shows the usage of the plan."
            } else if text.contains("subscription_sharing_workplace_individual_usage_limit_exceeded") {
                "\nAn administrator of the ChatGPT workspace can raise the limit at admin.openai.com."
            } else {
                ""
            };
            WireError::Refused { status, text: text + advice, retry_after, headers }
        }
        error => error,
    }
}
