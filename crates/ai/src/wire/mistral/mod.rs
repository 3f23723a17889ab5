//! `mistral-conversations`: Mistral's chat interface, with its own forms of reasoning, ids and answers.

mod chunks;
mod payload;

use std::collections::BTreeMap;

use super::driver::Emitter;
use super::error::{self, WireError};
use super::format;
use super::http::{Answer, Outgoing};
use super::rules::Rules;
use crate::{CacheRetention, StopReason, StreamRequest};

/// The `mistral-conversations` wire format.
#[derive(Default)]
pub(super) struct Format;

impl format::Format for Format {
    const API: &'static str = "mistral-conversations";
    const RULES: Rules = Rules { refusal: error::mistral_body, ..Rules::USUAL };

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let key = request.options.api_key.as_ref();
        Ok(Outgoing {
            url: endpoint(&request.model.base_url),
            headers: headers(request),
            credential: key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into(),
            body: payload::build(request)?,
        })
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        chunks::read(answer, &request.model, emitter).await
    }
}

/// Base URLs are written with and without the version.
fn endpoint(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    format!("{}/v1/chat/completions", base.strip_suffix("/v1").unwrap_or(base))
}

/// The session under which the provider may find what it has cached.
fn session(request: &StreamRequest) -> Option<&str> {
    let options = &request.options;
    options.session_id.as_deref().filter(|id| !id.is_empty() && options.cache_retention != CacheRetention::None)
}

fn headers(request: &StreamRequest) -> BTreeMap<String, String> {
    let usual = [
        ("accept", "text/event-stream"),
        ("content-type", "application/json"),
        ("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION"))),
    ];
    let affinity = session(request).map(|id| ("x-affinity", id));
    usual.into_iter().chain(affinity).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_appears_once_in_the_address() {
        for base in ["https://api.mistral.ai", "https://api.mistral.ai/", "https://api.mistral.ai/v1/"] {
            assert_eq!(endpoint(base), "https://api.mistral.ai/v1/chat/completions");
        }
    }
}
