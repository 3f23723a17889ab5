//! `openai-codex-responses`: the Responses interface for plans of ChatGPT.
//!
//! tau has no login for it: extensions bring one, and their key is a token that names the account. Whatever they set, the
//! request says that tau asks.

mod account;
mod body;
mod refusal;

use super::compat::{Compat, Dialect};
use super::{headers, payload, reader};
use crate::wire::driver::Emitter;
use crate::wire::error::WireError;
use crate::wire::format::Format;
use crate::wire::http::{Answer, Outgoing};
use crate::wire::rules::Rules;
use crate::{CacheRetention, StopReason, StreamRequest};

/// The headers that say who asks.
const IDENTITY: &[&str] = &["originator", "user-agent"];

/// The `openai-codex-responses` wire format.
#[derive(Default)]
pub(in crate::wire) struct Codex;

impl Format for Codex {
    const API: &'static str = "openai-codex-responses";
    const RULES: Rules = Rules { refusal: refusal::wording, own_headers: IDENTITY, ..Rules::USUAL };

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let provider = &request.model.provider;
        let Some(key) = &request.options.api_key else { return Err(WireError::NoKey { provider: provider.clone() }) };
        let key = key.expose();
        let Some(account) = account::of(key) else {
            let why = "is not a token that names a ChatGPT account; log in again";
            return Err(WireError::Config(format!("The key of provider {provider} {why}")));
        };
        let session = payload::cache_key(request).filter(|_| request.options.cache_retention != CacheRetention::None);
        let mut headers = headers();
        let mut put = |name: &str, value: &str| {
            headers.insert(name.to_owned(), value.to_owned());
        };
        put("chatgpt-account-id", &account);
        put("openai-beta", "responses=experimental");
        put("originator", "tau");
        if let Some(session) = &session {
            put("session-id", session);
            put("x-client-request-id", session);
        }
        let compat = Compat::of(&request.model, Dialect::Codex);
        Ok(Outgoing {
            url: endpoint(&request.model.base_url),
            headers,
            credential: Some(("authorization", format!("Bearer {key}"))).into(),
            body: body::build(request, &compat, session)?,
        })
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        let compat = Compat::of(&request.model, Dialect::Codex);
        reader::read(answer, request, Dialect::Codex, compat.supports_grammar_tools, emitter).await
    }
}

/// Base URLs are written with and without the path.
fn endpoint(base_url: &str) -> String {
    let base = base_url.trim().trim_end_matches('/');
    if base.ends_with("/codex/responses") {
        base.to_owned()
    } else if base.ends_with("/codex") {
        format!("{base}/responses")
    } else {
        format!("{base}/codex/responses")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_appears_once_in_the_address() {
        for base in ["https://a.example/api", "https://a.example/api/codex/", "https://a.example/api/codex/responses"] {
            assert_eq!(endpoint(base), "https://a.example/api/codex/responses");
        }
    }
}
