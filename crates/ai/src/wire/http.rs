//! Sends requests and reads event streams.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tau_http::{Clients, Policy};

use super::body::Body;
use super::error::{self, WireError};
use super::sse::{Event, Reader};
use crate::{RequestHooks, ResponseHead, StreamRequest};

/// How long a connection to a provider may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Models may think for minutes without sending a byte. Used unless the user says otherwise.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(600);
/// Most bytes of an error body that are read.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// What the lines of an event stream begin with; a comment has no name.
const EVENT_FIELDS: [&str; 5] = ["data", "event", "id", "retry", ""];

/// A request with one of these authenticates by itself.
const AUTH_HEADERS: [&str; 3] = ["authorization", "x-api-key", "cf-aig-authorization"];

/// What the user says about connections to providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// How long a server may send nothing; `None` is for ever.
    pub silence: Option<Duration>,
    /// The proxy for everything but this very machine and the hosts of `NO_PROXY`; that of the environment otherwise.
    pub proxy: Option<String>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { silence: Some(SILENCE_TIMEOUT), proxy: None }
    }
}

/// The HTTP client that wire formats share. Nothing is set up before the first request.
pub struct HttpClient(Clients);

impl Default for HttpClient {
    fn default() -> Self {
        Self::new(HttpSettings::default())
    }
}

impl HttpClient {
    /// A client that connects as the user wants.
    pub fn new(settings: HttpSettings) -> Self {
        let HttpSettings { silence, proxy } = settings;
        Self(Clients::new(Policy { connect: CONNECT_TIMEOUT, silence, proxy }))
    }

    async fn for_url(&self, url: &reqwest::Url) -> Result<&reqwest::Client, WireError> {
        let failed = |error| WireError::Config(format!("The HTTP client could not be set up: {error}"));
        self.0.get(url).await.map_err(failed)
    }
}

/// A request of a wire format before hooks have seen it.
pub(super) struct Outgoing {
    /// Where it goes.
    pub url: String,
    /// The format's own headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The header that authenticates, if there is one. Hooks never see it.
    pub credential: Option<(&'static str, String)>,
    /// The native body.
    pub body: Body,
    /// Names in `betas` of the body belong into this header.
    pub betas_header: Option<&'static str>,
    /// How the format words a refusal.
    pub refusal: error::Wording,
}

/// The answer to a request that was accepted.
pub(super) struct Answer {
    bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    reader: Reader,
    /// How the answer ended, once it has; events before that may still wait.
    end: Option<Result<(), WireError>>,
    provider: String,
    host: String,
    secrets: Vec<String>,
    /// What has arrived, as long as there was no event: it may be no event stream at all.
    opening: Option<Vec<u8>>,
    status: reqwest::StatusCode,
    /// How the format words a refusal.
    refusal: error::Wording,
    /// Who looks at the events.
    hooks: Option<Arc<dyn RequestHooks>>,
}

impl Answer {
    /// The next event; `None` at the end of the stream. Whoever looks at events has seen it.
    pub async fn next(&mut self) -> Result<Option<Event>, WireError> {
        let event = self.read().await?;
        if let (Some(hooks), Some(event)) = (&self.hooks, &event)
            && hooks.wants_wire_events()
            // What is no JSON ends the stream, or is an error that its reader tells of.
            && let Ok(data) = serde_json::from_str(&event.data)
        {
            hooks.wire_event(data).await;
        }
        Ok(event)
    }

    async fn read(&mut self) -> Result<Option<Event>, WireError> {
        loop {
            if let Some(event) = self.reader.next() {
                self.opening = None;
                return Ok(Some(event));
            }
            if let Some(end) = self.end.take() {
                // Asked again, an answer that has ended is still at its end.
                self.end = Some(Ok(()));
                return end.map(|()| None);
            }
            let read = match self.bytes.next().await {
                Some(Ok(bytes)) => {
                    if let Some(opening) = self.opening.as_mut().filter(|opening| opening.len() < MAX_ERROR_BODY) {
                        opening.extend_from_slice(&bytes);
                    }
                    self.reader.push(&bytes)
                }
                Some(Err(error)) => {
                    self.end = Some(Err(WireError::lost(&self.provider, &self.host, error)));
                    continue;
                }
                None => {
                    let read = self.reader.finish();
                    self.end = Some(match self.opening.as_ref().filter(|_| !self.reader.has_events()) {
                        Some(opening) => self.judge(opening),
                        None => Ok(()),
                    });
                    read
                }
            };
            if let Err(error) = read {
                let text = format!("The answer of {} is no event stream: {error}", self.provider);
                self.end = Some(Err(WireError::Protocol(text)));
            }
        }
    }

    /// Lets the connection be used again, if the rest of the answer is already here.
    pub fn recycle(mut self) {
        while let Some(Some(Ok(_))) = self.bytes.next().now_or_never() {}
    }

    /// A failure the provider reported inside the stream, in its words.
    pub fn reported(&self, said: String) -> WireError {
        WireError::Provider(redact(said, &self.secrets))
    }

    /// Whether a body without an event is an event stream all the same. If not, it is what the server has to say.
    fn judge(&self, body: &[u8]) -> Result<(), WireError> {
        let text = redact(String::from_utf8_lossy(body).into_owned(), &self.secrets);
        let stream = text.trim_start_matches('\u{feff}').lines().all(|line| {
            let name = line.split(':').next().unwrap_or_default();
            EVENT_FIELDS.contains(&name)
        });
        if stream {
            return Ok(());
        }
        let reason = self.status.canonical_reason().unwrap_or_default();
        let text = error::refusal(self.status.as_u16(), reason, &text, self.refusal);
        Err(WireError::Refused { text, retry_after: None })
    }

    /// An event that is no JSON. Where the stream broke off in the middle of it, `ended` says so.
    pub fn bad_event(&self, error: &serde_json::Error, data: &str, ended: &str) -> WireError {
        if error.is_eof() && self.end.is_some() {
            return WireError::Protocol(ended.to_owned());
        }
        WireError::bad_event(&self.provider, error, &redact(data.to_owned(), &self.secrets))
    }
}

/// Sends a request: headers hook, payload hook, HTTP, response hook, in this order.
pub(super) async fn send(http: &HttpClient, request: &StreamRequest, out: Outgoing) -> Result<Answer, WireError> {
    let provider = &request.model.provider;
    let invalid = || WireError::Config(format!("The base URL of provider {provider} is not a valid URL"));
    let url = reqwest::Url::parse(&out.url).map_err(|_| invalid())?;
    let host = url.host_str().ok_or_else(invalid)?.to_owned();
    let client = http.for_url(&url).await?;
    let host = url.port().map_or(host.clone(), |port| format!("{host}:{port}"));

    let mut headers = out.headers;
    let mut secrets: Vec<String> = out.credential.iter().map(|(_, value)| value.clone()).collect();
    let configured = request.model.headers.iter().flatten().chain(&request.options.headers);
    for (name, value) in configured {
        secrets.push(value.clone());
        headers.insert(name.to_ascii_lowercase(), value.clone());
    }
    let mut headers: BTreeMap<String, Option<String>> =
        headers.into_iter().map(|(name, value)| (name, Some(value))).collect();
    let mut body = out.body;
    if let Some(hooks) = &request.hooks {
        headers = merge_hook_headers(headers.clone(), hooks.headers(headers).await);
        if hooks.wants_payload() {
            let mut payload = hooks.payload(body.into_value().map_err(error::no_json)?).await;
            // Whatever a hook made of the body, only a stream can be read.
            if let Value::Object(payload) = &mut payload {
                payload.insert("stream".to_owned(), Value::Bool(true));
            }
            body = payload.into();
        }
    }
    if let Some(name) = out.betas_header {
        lift_betas(name, &mut body, &mut headers);
    }
    match out.credential {
        Some((name, value)) => {
            headers.entry(name.to_owned()).or_insert(Some(value));
        }
        None if AUTH_HEADERS.iter().any(|name| headers.contains_key(*name)) => {}
        None => return Err(WireError::NoKey { provider: provider.clone() }),
    }

    let (len, body) = body.into_request().map_err(error::no_json)?;
    let mut headers = header_map(headers)?;
    // In place of one that a hook or a setting names: the body is what it is.
    headers.insert(reqwest::header::CONTENT_LENGTH, len.into());
    let response = client
        .post(url)
        .headers(headers)
        .body(body)
        .send()
        .await
        .map_err(|error| WireError::unreachable(provider, &host, error))?;
    let head = head_of(&response);
    if let Some(hooks) = &request.hooks {
        hooks.response(head.clone()).await;
    }
    let secrets: Vec<String> = secrets
        .into_iter()
        .map(|secret| secret.strip_prefix("Bearer ").map(str::to_owned).unwrap_or(secret))
        .filter(|secret| secret.len() >= 8)
        .collect();
    let kind = head.headers.get("content-type").map(|kind| kind.to_ascii_lowercase()).unwrap_or_default();
    // A page or a plain object is not an answer, whatever the status says.
    if !response.status().is_success() || kind.starts_with("text/html") || kind.starts_with("application/json") {
        let reason = response.status().canonical_reason().unwrap_or_default();
        let text = if response.status().is_redirection() {
            let to = head.headers.get("location").map(|to| place(to)).filter(|to| !to.is_empty());
            let to = to.map_or_else(|| "elsewhere".to_owned(), |to| format!("to {to}"));
            format!("{} {reason}: the base URL of provider {provider} redirects {to}", head.status)
        } else {
            // Before anything is cut, lest half a key stays.
            let body = redact(error_body(response).await, &secrets);
            error::refusal(head.status, reason, &body, out.refusal)
        };
        return Err(WireError::Refused {
            text: redact(text, &secrets),
            retry_after: error::retry_after(&head.headers),
        });
    }
    Ok(Answer {
        status: response.status(),
        bytes: Box::pin(response.bytes_stream()),
        reader: Reader::default(),
        end: None,
        provider: provider.clone(),
        host,
        secrets,
        opening: Some(Vec::new()),
        refusal: out.refusal,
        hooks: request.hooks.clone(),
    })
}

/// An address without what it may carry: a query, a name, a password.
fn place(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let Ok(mut url) = reqwest::Url::parse(path) else { return path.to_owned() };
    // Only an address without a host cannot be without them, and it has none.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string()
}

/// What a hook returned on top of what it was given, with names in lower case. A name that was not there
/// before in that spelling is the hook's doing and wins over another spelling of the same name.
fn merge_hook_headers(
    before: BTreeMap<String, Option<String>>,
    after: BTreeMap<String, Option<String>>,
) -> BTreeMap<String, Option<String>> {
    let (old, new): (Vec<_>, Vec<_>) = after.into_iter().partition(|(name, _)| before.contains_key(name));
    old.into_iter().chain(new).map(|(name, value)| (name.to_ascii_lowercase(), value)).collect()
}

/// Moves `betas` of a payload, which other clients put there, to the header that carries them.
fn lift_betas(name: &str, body: &mut Body, headers: &mut BTreeMap<String, Option<String>>) {
    let Some(Value::Array(betas)) = body.remove("betas") else { return };
    let present = headers.get(name).cloned().flatten().unwrap_or_default();
    let mut all: Vec<&str> = present.split(',').map(str::trim).filter(|beta| !beta.is_empty()).collect();
    for beta in betas.iter().filter_map(Value::as_str) {
        if !all.contains(&beta) {
            all.push(beta);
        }
    }
    headers.insert(name.to_owned(), Some(all.join(",")));
}

fn header_map(headers: BTreeMap<String, Option<String>>) -> Result<HeaderMap, WireError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let Some(value) = value else { continue };
        let invalid = |what: &str| WireError::Config(format!("The {what} of header {name:?} is not allowed in HTTP"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid("name"))?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| invalid("value"))?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}

fn head_of(response: &reqwest::Response) -> ResponseHead {
    let mut headers = BTreeMap::new();
    for (name, value) in response.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|all: &mut String| {
                all.push_str(", ");
                all.push_str(&value);
            })
            .or_insert_with(|| value.clone().into_owned());
    }
    ResponseHead { status: response.status().as_u16(), headers }
}

/// As much of an error's body as is worth reading. A connection that breaks here changes nothing.
async fn error_body(mut response: reqwest::Response) -> String {
    let mut body = Vec::new();
    while body.len() < MAX_ERROR_BODY
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// Providers like to quote the key they refuse.
fn redact(mut text: String, secrets: &[String]) -> String {
    for secret in secrets {
        if text.contains(secret.as_str()) {
            text = text.replace(secret.as_str(), "…");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn headers(pairs: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect()
    }

    #[test]
    fn a_hook_may_spell_header_names_as_it_likes() {
        let before = headers(&[("user-agent", Some("tau")), ("x-team", Some("a"))]);
        let after = headers(&[
            ("user-agent", Some("tau")),
            ("User-Agent", Some("mine")),
            ("X-Team", None),
            ("x-team", Some("a")),
        ]);
        assert_eq!(merge_hook_headers(before, after), headers(&[("user-agent", Some("mine")), ("x-team", None)]));
    }

    #[test]
    fn betas_of_a_payload_join_the_header() {
        let mut body = Body::from(json!({"model": "m", "betas": ["b", "c"], "stream": true}));
        let mut all = headers(&[("anthropic-beta", Some("a, b"))]);
        lift_betas("anthropic-beta", &mut body, &mut all);
        assert_eq!(body.into_value().expect("JSON"), json!({"model": "m", "stream": true}));
        assert_eq!(all, headers(&[("anthropic-beta", Some("a,b,c"))]));
    }
}
