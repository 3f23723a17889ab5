//! `openai-completions`: OpenAI's Chat Completions interface, and what hundreds of servers made of it.

mod chunks;
mod compat;
mod messages;
mod payload;
mod reasoning;
mod thinking;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::driver::{self, Emitter};
use super::error::{self, WireError};
use super::http::{self, HttpClient, Outgoing};
use crate::{CacheRetention, MessageStream, StopReason, StreamApi, StreamRequest};
use compat::{Affinity, Compat};

/// The `openai-completions` wire format.
pub struct OpenAiCompletions {
    http: Arc<HttpClient>,
}

impl OpenAiCompletions {
    /// The name models refer to this format by.
    pub const API: &'static str = "openai-completions";

    /// The format over a client, which may be shared with others.
    pub fn new(http: Arc<HttpClient>) -> Self {
        Self { http }
    }
}

impl StreamApi for OpenAiCompletions {
    fn stream(&self, request: StreamRequest) -> MessageStream {
        let http = Arc::clone(&self.http);
        driver::stream(request, move |request, emitter| async move { run(&http, &request, &emitter).await })
    }
}

async fn run(http: &HttpClient, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
    let compat = Compat::of(&request.model);
    let out = Outgoing {
        url: format!("{}/chat/completions", request.model.base_url.trim_end_matches('/')),
        headers: headers(request, &compat),
        credential: credential(request),
        body: payload::build(request, &compat).map_err(error::no_json)?,
        betas_header: None,
        refusal: error::error_object,
    };
    let answer = http::send(http, request, out).await?;
    chunks::read(answer, request, &compat, emitter).await
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
