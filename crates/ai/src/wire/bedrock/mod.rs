//! `bedrock-converse-stream`: the ConverseStream operation of Amazon Bedrock.

mod connector;
mod events;
mod families;
mod keys;
mod payload;
mod refusal;
mod sign;
mod target;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::diagnostics::Diagnostics;
use super::driver::Emitter;
use super::error::WireError;
use super::format;
use super::http::{self, Answer, Credential, HttpClient, Outgoing};
use super::reader::Framing;
use super::rules::Rules;
use super::strict;
use crate::{StopReason, StreamRequest};
use keys::Keys;
use target::Target;

/// The note in an answer that strict tools were refused.
const STRICT_NOTE: &str = "bedrock_strict_tools_fallback";

/// The `bedrock-converse-stream` wire format.
#[derive(Default)]
pub(super) struct Format {
    keys: Arc<Keys>,
}

impl format::Format for Format {
    const API: &'static str = "bedrock-converse-stream";
    const RULES: Rules =
        Rules { stream_field: None, refusal: refusal::wording, framing: Framing::AmazonEventStream, ..Rules::USUAL };

    fn prepare(&self, request: &StreamRequest) -> Result<Outgoing, WireError> {
        payload::check(request)?;
        let target = Target::of(request);
        let credential = match bearer(request) {
            Some(token) => Credential::Header("authorization", format!("Bearer {token}")),
            None => Credential::Signature(Box::new(sign::Signer::new(Arc::clone(&self.keys), &target, request))),
        };
        Ok(Outgoing {
            url: target.url(&request.model.id),
            headers: headers(),
            credential,
            body: payload::build(request, &target).map_err(super::error::no_json)?,
        })
    }

    async fn read(&self, answer: Answer, request: &StreamRequest, emitter: &Emitter) -> Result<StopReason, WireError> {
        events::read(answer, &request.model, emitter).await
    }

    async fn run(
        &self,
        http: &HttpClient,
        request: &StreamRequest,
        emitter: &Emitter,
    ) -> Result<StopReason, WireError> {
        self.keys.connect_over(http);
        // Only a file says where the requests of a profile go.
        let mut request = request.clone();
        if let Some(profile) = target::profile_without_region(&request)
            && let Some(region) = self.keys.region_of(profile).await
        {
            request.options.env.insert(target::REGION.to_owned(), region);
        }
        let sent = match http::send(http, &request, self.prepare(&request)?, Self::RULES).await {
            Err(refused)
                if !request.options.written.strict_was_refused()
                    && request.tools.iter().any(strict::prefers)
                    && strict::is_over_limits(&refused) =>
            {
                let details = json!({"reason": "strict_tool_limits_exceeded"});
                let mut diagnostics = Diagnostics::at(request.options.sources.clock.now_ms());
                diagnostics.add(&emitter.builder, STRICT_NOTE, Some(&refused.to_string()), details);
                request.options.written.set_strict_refused();
                http::send(http, &request, self.prepare(&request)?, Self::RULES).await
            }
            sent => sent,
        };
        let answer = sent.map_err(refusal::named)?;
        self.read(answer, &request, emitter).await
    }
}

/// A variable of the request's environment that is not empty.
fn variable<'r>(request: &'r StreamRequest, name: &str) -> Option<&'r str> {
    request.options.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
}

/// Whether a proxy in front of Bedrock authenticates by itself, so that any signature will do.
fn skips_auth(request: &StreamRequest) -> bool {
    variable(request, "AWS_BEDROCK_SKIP_AUTH") == Some("1")
}

fn bearer(request: &StreamRequest) -> Option<&str> {
    let key = request.options.api_key.as_ref().map(|key| key.expose()).filter(|key| !key.is_empty());
    key.or_else(|| variable(request, "AWS_BEARER_TOKEN_BEDROCK")).filter(|_| !skips_auth(request))
}

fn headers() -> BTreeMap<String, String> {
    [
        ("accept", "application/vnd.amazon.eventstream"),
        ("content-type", "application/json"),
        ("user-agent", concat!("tau/", env!("CARGO_PKG_VERSION"))),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::{StreamOptions, StreamRequest};

    /// A request without messages to a model with fields on top.
    pub fn request(id: &str, extra: Value) -> StreamRequest {
        let mut model =
            json!({"id": id, "api": "bedrock-converse-stream", "provider": "amazon-bedrock", "baseUrl": "http://x"});
        if let (Some(model), Value::Object(extra)) = (model.as_object_mut(), extra) {
            model.extend(extra);
        }
        StreamRequest {
            model: Arc::new(serde_json::from_value(model).expect("a model")),
            system: None,
            messages: Vec::new(),
            tools: Arc::from([]),
            options: StreamOptions::default(),
            hooks: None,
            cancel: tokio_util::sync::CancellationToken::new(),
        }
    }
}
