//! `openai-completions`: OpenAI's Chat Completions interface, and what hundreds of servers made of it.

mod calls;
mod chunks;
mod compat;
mod messages;
mod payload;
mod reasoning;
mod thinking;
mod usage;

use std::collections::BTreeMap;

use super::azure;
use super::driver::Emitter;
use super::error::WireError;
use super::format;
use super::http::{Answer, Outgoing};
use super::rules::Rules;
use crate::{CacheRetention, StopReason, StreamRequest};
use compat::{Affinity, Compat};

/// The counts of this interface, for others that answer in the same terms.
pub(super) use usage::{RawUsage, usage};

/// The `openai-completions` wire format.
#[derive(Default)]
pub(super) struct Format;

impl format::Format for Format {
    const API: &'static str = "openai-completions";
    const RULES: Rules = Rules::USUAL;

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let compat = Compat::of(&request.model);
        Ok(Outgoing {
            url: format!("{}/chat/completions", base_url(request)?),
            headers: headers(request, &compat),
            credential: credential(request).into(),
            body: payload::build(request, &compat)?,
        })
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        chunks::read(answer, request, &Compat::of(&request.model), emitter).await
    }
}

fn base_url(request: &StreamRequest) -> Result<String, WireError> {
    if azure::is_azure(&request.model) {
        return azure::base_url(request);
    }
    Ok(request.model.base_url.trim_end_matches('/').to_owned())
}

/// A configured `authorization` header outranks this one: gateways take their own key there.
fn credential(request: &StreamRequest) -> Option<(&'static str, String)> {
    let key = request.options.api_key.as_ref()?;
    Some(("authorization", format!("Bearer {}", key.expose())))
}

fn headers(request: &StreamRequest, compat: &Compat) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::new();
    let mut put = |name: &str, value: &str| {
        headers.insert(name.to_owned(), value.to_owned());
    };
    put("accept", "text/event-stream");
    put("content-type", "application/json");
    put("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION")));
    if let Some(session) = &request.options.session_id
        && compat.send_session_affinity_headers
        && request.options.cache_retention != CacheRetention::None
    {
        match compat.session_affinity_format {
            Affinity::Openrouter => put("x-session-id", session),
            Affinity::Openai => {
                put("session_id", session);
                put("x-client-request-id", session);
                put("x-session-affinity", session);
            }
            Affinity::OpenaiNosession => {
                put("x-client-request-id", session);
                put("x-session-affinity", session);
            }
        }
    }
    headers
}
