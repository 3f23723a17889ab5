//! Sends requests and reads event streams.

mod attempt;
mod placeholders;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{FutureExt, Stream, StreamExt};
use parking_lot::Mutex;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use tau_http::{Clients, Decoder, Policy};
use url::Origin;

use super::body::Body;
use super::error::{self, WireError};
use super::reader::Reader;
use super::rules::Rules;
use super::sse::Event;
use crate::{OperationLimits, RequestHooks, ResponseHead, Secrets, StreamRequest};
use attempt::Parcel;

/// How long a connection to a provider may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest pause that a provider may ask for. Used unless the user says otherwise.
const MAX_WANTED: Duration = Duration::from_secs(60);
/// Models may think for minutes without sending a byte. Used unless the user says otherwise.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(600);
/// Most bytes of an error body that are read.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// What the lines of an event stream begin with; a comment has no name.
const EVENT_FIELDS: [&str; 5] = ["data", "event", "id", "retry", ""];

/// What the user says about connections to providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// How long a server may send nothing; `None` is for ever.
    pub silence: Option<Duration>,
    /// The proxy for everything but this very machine and the hosts of `NO_PROXY`; that of the environment otherwise.
    pub proxy: Option<String>,
    /// A file of certificates in PEM form that are trusted beside those of the system.
    pub authorities: Option<PathBuf>,
    /// How long it may take until an answer begins; `None` is as long as `silence` allows.
    pub answer: Option<Duration>,
    /// How often a request that failed for a passing reason is repeated before anybody hears of it.
    pub repeats: u32,
    /// The longest pause that a provider may ask for before that; `None` is any.
    pub max_wanted: Option<Duration>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            silence: Some(SILENCE_TIMEOUT),
            proxy: None,
            authorities: None,
            answer: None,
            repeats: 0,
            max_wanted: Some(MAX_WANTED),
        }
    }
}

/// The HTTP client that wire formats share. Nothing is set up before the first request. Clones are the same one.
#[derive(Clone)]
pub struct HttpClient {
    clients: Arc<Clients>,
    /// Servers that have answered, so that a connection to them may be an old one.
    answered: Arc<Mutex<HashSet<Origin>>>,
    settings: HttpSettings,
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new(HttpSettings::default())
    }
}

impl HttpClient {
    /// A client that connects as the user wants.
    pub fn new(settings: HttpSettings) -> Self {
        let HttpSettings { silence, proxy, authorities, .. } = settings.clone();
        let policy = Policy { connect: CONNECT_TIMEOUT, silence, proxy, authorities };
        Self { clients: Arc::new(Clients::new(policy)), answered: Arc::default(), settings }
    }

    /// The same connections, with limits of an operation over the user's. `usual` is how often it is repeated at least
    /// when it does not say so itself.
    pub(super) fn limited(&self, limits: OperationLimits, usual: u32) -> Self {
        let mut settings = self.settings.clone();
        settings.repeats = limits.repeats.unwrap_or(settings.repeats.max(usual));
        settings.answer = limits.answer.or(settings.answer);
        if let Some(most) = limits.max_wanted {
            settings.max_wanted = Some(most).filter(|most| !most.is_zero());
        }
        Self { clients: Arc::clone(&self.clients), answered: Arc::clone(&self.answered), settings }
    }

    /// The client for an address.
    pub(super) async fn for_url(&self, url: &reqwest::Url) -> Result<&reqwest::Client, WireError> {
        let failed = |error| WireError::Config(format!("The HTTP client could not be set up: {error}"));
        self.clients.get(url).await.map_err(failed)
    }

    /// Whether a request to this address may go over a connection that is already there.
    fn has_answered(&self, url: &reqwest::Url) -> bool {
        self.answered.lock().contains(&url.origin())
    }

    fn note_answer(&self, url: &reqwest::Url) {
        let mut answered = self.answered.lock();
        if !answered.contains(&url.origin()) {
            answered.insert(url.origin());
        }
    }
}

/// A request of a wire format before hooks have seen it.
pub(super) struct Outgoing {
    /// Where it goes.
    pub url: String,
    /// The format's own headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// What authenticates it. Hooks never see it.
    pub credential: Credential,
    /// The native body.
    pub body: Body,
}

/// What authenticates a request.
pub(super) enum Credential {
    /// Nothing that is known here: a configured header must, or one of a hook.
    Headers,
    /// Nothing, and nothing needs to.
    Open,
    /// A header, unless a configured one or a hook takes its place.
    Header(&'static str, String),
    /// A signature over what is sent, made when nothing changes any more.
    #[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "only Bedrock signs"))]
    Signature(Box<dyn Sign>),
}

impl From<Option<(&'static str, String)>> for Credential {
    fn from(header: Option<(&'static str, String)>) -> Self {
        header.map_or(Self::Headers, |(name, value)| Self::Header(name, value))
    }
}

/// Signs requests.
#[async_trait]
pub(super) trait Sign: Send + Sync {
    /// The headers that sign a request, in place of those of the same name.
    ///
    /// # Errors
    /// When there is nothing to sign with.
    async fn sign(&self, request: Unsigned<'_>) -> Result<HeaderMap, WireError>;

    /// Whether a refusal is about the signature, and the next one will be another. What was wrong is remembered.
    fn learns(&self, refusal: &ResponseHead) -> bool;
}

/// A request as it is sent but for its signature.
#[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "only Bedrock signs"))]
pub(super) struct Unsigned<'r> {
    /// Where it goes.
    pub url: &'r reqwest::Url,
    /// All headers.
    pub headers: &'r HeaderMap,
    /// The body, in pieces.
    pub body: &'r [Bytes],
}

/// The answer to a request that was accepted.
pub(super) struct Answer {
    bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    decoder: Decoder,
    reader: Reader,
    /// How the answer ended, once it has; events before that may still wait.
    end: Option<Result<(), WireError>>,
    provider: String,
    host: String,
    /// How long the server may send nothing.
    silence: Option<Duration>,
    secrets: Secrets,
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
            && let Ok(mut data) = serde_json::from_str(&event.data)
        {
            self.secrets.hide_in(&mut data);
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
                    let bytes = match self.decoded(bytes) {
                        Ok(bytes) => bytes,
                        Err(error) => {
                            self.end = Some(Err(error));
                            continue;
                        }
                    };
                    if let Some(opening) = self.opening.as_mut().filter(|opening| opening.len() < MAX_ERROR_BODY) {
                        opening.extend_from_slice(&bytes);
                    }
                    self.reader.push(&bytes)
                }
                Some(Err(error)) => {
                    self.end = Some(Err(WireError::lost(&self.provider, &self.host, error, self.silence)));
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
                let text = format!("The answer of {} {error}", self.provider);
                self.end = Some(Err(WireError::Protocol(text)));
            }
        }
    }

    fn decoded(&mut self, bytes: Bytes) -> Result<Bytes, WireError> {
        if self.decoder.is_plain() {
            return Ok(bytes);
        }
        let failed = |error| WireError::Protocol(format!("The answer of {} cannot be decoded: {error}", self.provider));
        self.decoder.decode(&bytes).map(Bytes::from).map_err(failed)
    }

    /// Lets the connection be used again, if the rest of the answer is already here.
    pub fn recycle(mut self) {
        while let Some(Some(Ok(_))) = self.bytes.next().now_or_never() {}
    }

    /// A failure the provider reported inside the stream, in its words.
    pub fn reported(&self, said: String) -> WireError {
        WireError::Provider(self.secrets.hide(said))
    }

    /// Whether a body without an event is an event stream all the same. If not, it is what the server has to say.
    fn judge(&self, body: &[u8]) -> Result<(), WireError> {
        let text = self.secrets.hide(String::from_utf8_lossy(body).into_owned());
        let stream = text.trim_start_matches('\u{feff}').lines().all(|line| {
            let name = line.split(':').next().unwrap_or_default();
            EVENT_FIELDS.contains(&name)
        });
        if stream {
            return Ok(());
        }
        let reason = self.status.canonical_reason().unwrap_or_default();
        let text = self.secrets.hide(error::readable(body, "", body.len() >= MAX_ERROR_BODY));
        let text = error::refusal(self.status.as_u16(), reason, &text, self.refusal);
        Err(WireError::Refused { status: self.status.as_u16(), text, retry_after: None, headers: BTreeMap::new() })
    }

    /// Reads the data of an event. Halves of surrogate pairs, which no text can hold, are replaced; the data without them is
    /// then in `repaired`.
    pub fn parsed<'d, T: Deserialize<'d>>(
        &self,
        data: &'d str,
        repaired: &'d mut String,
        ended: &str,
    ) -> Result<T, WireError> {
        let error = match serde_json::from_str(data) {
            Ok(read) => return Ok(read),
            Err(error) => error,
        };
        let Some(text) = crate::json::replace_lone_surrogates(data) else {
            return Err(self.bad_event(&error, data, ended));
        };
        *repaired = text;
        serde_json::from_str(repaired).map_err(|error| self.bad_event(&error, data, ended))
    }

    /// An event that is no JSON. Where the stream broke off in the middle of it, `ended` says so.
    pub fn bad_event(&self, error: &serde_json::Error, data: &str, ended: &str) -> WireError {
        if error.is_eof() && self.end.is_some() {
            return WireError::Protocol(ended.to_owned());
        }
        WireError::bad_event(&self.provider, error, &self.secrets.hide(data.to_owned()))
    }
}

/// Sends a request: headers hook, payload hook, HTTP, response hook, in this order.
pub(super) async fn send(
    http: &HttpClient,
    request: &StreamRequest,
    out: Outgoing,
    rules: Rules,
) -> Result<Answer, WireError> {
    let mut ready = ready(request, out, rules).await?;
    let body = ready.take_body();
    post(http, request, &ready, body).await
}

/// A request that hooks have seen.
pub(super) struct Ready {
    url: reqwest::Url,
    headers: BTreeMap<String, Option<String>>,
    body: Body,
    signature: Option<Box<dyn Sign>>,
    /// What no error may quote.
    secrets: Secrets,
    rules: Rules,
}

impl Ready {
    /// Its body, of which an empty one stays.
    pub fn take_body(&mut self) -> Body {
        std::mem::replace(&mut self.body, Value::Null.into())
    }
}

/// Shows a request to the hooks of headers and payload.
pub(super) async fn ready(request: &StreamRequest, out: Outgoing, rules: Rules) -> Result<Ready, WireError> {
    let provider = &request.model.provider;
    // It may hold a password, so it is not quoted.
    let invalid = || {
        WireError::Config(format!(
            "The base URL of provider {provider} is not a valid URL: it begins with http:// or https://, and names a host"
        ))
    };
    let url = placeholders::filled(&out.url, request)?;
    let url = reqwest::Url::parse(&url).map_err(|_| invalid())?;
    if url.host_str().is_none() || !matches!(url.scheme(), "http" | "https") {
        return Err(invalid());
    }
    let mut headers = out.headers;
    let own: Vec<(String, String)> =
        rules.own_headers.iter().filter_map(|name| Some(((*name).to_owned(), headers.get(*name)?.clone()))).collect();
    let mut secrets = Secrets::of_request(request);
    let configured = request.model.headers.iter().flatten().chain(&request.options.headers);
    for (name, value) in configured {
        headers.insert(name.to_ascii_lowercase(), value.clone());
    }
    let mut headers: BTreeMap<String, Option<String>> =
        headers.into_iter().map(|(name, value)| (name, Some(value))).collect();
    let mut body = out.body;
    if let Some(hooks) = &request.hooks {
        headers = merge_hook_headers(headers.clone(), hooks.headers(headers).await);
        let authenticating = headers.iter().filter(|(name, _)| authenticates(name));
        authenticating.filter_map(|(_, value)| value.as_deref()).for_each(|value| secrets.add_header(value));
        if hooks.wants_payload() {
            let mut payload = hooks.payload(body.into_value().map_err(error::no_json)?).await;
            // Whatever a hook made of the body, only a stream can be read.
            if let (Value::Object(payload), Some(field)) = (&mut payload, rules.stream_field) {
                payload.insert(field.to_owned(), Value::Bool(true));
            }
            body = payload.into();
        }
    }
    headers.extend(own.into_iter().map(|(name, value)| (name, Some(value))));
    if let Some(sent) = rules.sent {
        body = body.rebuild(sent);
    }
    if let Some(name) = rules.betas_header {
        lift_betas(name, &mut body, &mut headers);
    }
    let mut signature = None;
    match out.credential {
        Credential::Header(name, value) => {
            secrets.add_header(&value);
            headers.entry(name.to_owned()).or_insert(Some(value));
        }
        Credential::Signature(sign) => signature = Some(sign),
        Credential::Open => {}
        Credential::Headers if rules.key_headers.iter().any(|name| headers.contains_key(*name)) => {}
        Credential::Headers => return Err(WireError::NoKey { provider: provider.clone() }),
    }

    Ok(Ready { url, headers, body, signature, secrets, rules })
}

/// Sends a request with a body: HTTP, then the hook of the response.
pub(super) async fn post(
    http: &HttpClient,
    request: &StreamRequest,
    ready: &Ready,
    body: Body,
) -> Result<Answer, WireError> {
    let Ready { url, headers, signature, secrets, rules, .. } = ready;
    let client = http.for_url(url).await?;
    let host = url.host_str().unwrap_or_default();
    let host = url.port().map_or(host.to_owned(), |port| format!("{host}:{port}"));
    let text = body.into_text().map_err(error::no_json)?;
    let mut headers = header_map(headers)?;
    // In place of one that a hook or a setting names: the body is what it is.
    headers.insert(reqwest::header::CONTENT_LENGTH, text.len.into());
    let secrets = secrets.clone().into();
    let signature = signature.as_deref();
    let parcel = Parcel { http, client, request, url, host, headers, text, signature, secrets, rules: *rules };
    let repeats = request.options.repeats.unwrap_or(http.settings.repeats);
    let mut repeated = 0;
    loop {
        let (error, may_pass) = match parcel.attempt().await {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let pause = error.retry_after().unwrap_or_else(|| attempt::pause_after(repeated, request));
        let too_long = http.settings.max_wanted.is_some_and(|limit| pause > limit);
        if !may_pass || repeated >= repeats || too_long {
            return Err(error);
        }
        repeated += 1;
        tokio::time::sleep(pause).await;
    }
}

/// Whether a header is called like one that authenticates, which a hook may have added.
fn authenticates(name: &str) -> bool {
    ["auth", "key", "token", "secret", "cookie"].iter().any(|part| name.contains(part))
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

fn header_map(headers: &BTreeMap<String, Option<String>>) -> Result<HeaderMap, WireError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let Some(value) = value else { continue };
        let invalid = |what: &str| WireError::Config(format!("The {what} of header {name:?} is not allowed in HTTP"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid("name"))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid("value"))?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
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
