//! `google-generative-ai` and `google-vertex`: one interface of Google at two places, the Gemini API and Vertex AI.

mod contents;
mod events;
mod login;
mod models;
mod payload;
mod schema;
mod thinking;
mod vertex;

use std::collections::BTreeMap;

use serde_json::Value;

use super::driver::Emitter;
use super::error::{self, WireError};
use super::format;
use super::http::{Answer, Credential, Outgoing};
use super::rules::Rules;
use crate::{StopReason, StreamRequest};

pub(super) use vertex::Vertex;
pub(crate) use vertex::{VARIABLES as VERTEX_VARIABLES, has_login as has_vertex_login};

const KEY_HEADER: &str = "x-goog-api-key";
/// Where the Gemini API is, for a model that has no address.
const HOME: &str = "https://generativelanguage.googleapis.com/v1beta";

/// What both places have in common.
const RULES: Rules = Rules {
    // The address asks for the stream.
    stream_field: None,
    sent: Some(payload::sent),
    key_headers: &[KEY_HEADER, "authorization"],
    refusal,
    ..Rules::USUAL
};

/// The `google-generative-ai` wire format.
#[derive(Default)]
pub(super) struct GenerativeAi;

impl format::Format for GenerativeAi {
    const API: &'static str = "google-generative-ai";
    const RULES: Rules = RULES;

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        let key = request.options.api_key.as_ref();
        let credential: Credential = key.map(|key| (KEY_HEADER, key.expose().to_owned())).into();
        outgoing(request, endpoint(&request.model.base_url, &request.model.id), credential)
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        events::read(answer, &request.model, emitter, "Google stream ended without a finish reason").await
    }
}

fn endpoint(base_url: &str, id: &str) -> String {
    let base = if base_url.trim().is_empty() { HOME } else { base_url.trim() };
    let folder = if id.starts_with("models/") || id.starts_with("tunedModels/") { "" } else { "models/" };
    format!("{}/{folder}{id}:streamGenerateContent?alt=sse", base.trim_end_matches('/'))
}

fn outgoing(request: &StreamRequest, url: String, credential: Credential) -> Result<Outgoing, WireError> {
    let id = &request.model.id;
    if id.contains("..") || id.contains(['?', '&', '#']) {
        return Err(WireError::Config(format!("Google has no model {id:?}: its id would change the address")));
    }
    let headers: BTreeMap<String, String> = [
        ("accept", "text/event-stream"),
        ("content-type", "application/json"),
        ("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION"))),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    Ok(Outgoing { url, headers, credential, body: payload::build(request)? })
}

/// Google refuses with an object, or with a list of one where it had begun to stream.
fn refusal(status: u16, body: &Value) -> String {
    let only = body.as_array().filter(|list| list.len() == 1).and_then(|list| list.first());
    error::whole_body(status, only.unwrap_or(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn addresses_name_the_model() {
        for (base, id, url) in [
            ("https://x/v1beta/", "gemini-4", "https://x/v1beta/models/gemini-4:streamGenerateContent?alt=sse"),
            ("https://x", "models/a", "https://x/models/a:streamGenerateContent?alt=sse"),
            ("https://x", "tunedModels/a", "https://x/tunedModels/a:streamGenerateContent?alt=sse"),
            (
                "",
                "gemini-4",
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-4:streamGenerateContent?alt=sse",
            ),
        ] {
            assert_eq!(endpoint(base, id), url);
        }
    }

    #[test]
    fn refusals_come_in_two_forms() {
        let error = json!({"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}});
        let text = r#"400 {"error":{"code":400,"message":"No.","status":"INVALID_ARGUMENT"}}"#;
        assert_eq!(refusal(400, &error), text);
        assert_eq!(refusal(400, &json!([error])), text);
        assert_eq!(refusal(400, &json!([])), "400 []");
    }
}
