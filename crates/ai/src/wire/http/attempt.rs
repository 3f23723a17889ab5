//! Sends a request, more than once if need be, and looks at how its answer begins.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::HeaderMap;
use tau_http::{Decoder, UnknownEncoding};

use super::{Answer, HttpClient, MAX_ERROR_BODY, Sign, Unsigned};
use crate::wire::body::Text;
use crate::wire::error::{self, WireError};
use crate::wire::reader::{Framing, Reader};
use crate::wire::rules::Rules;
use crate::wire::wait;
use crate::{ResponseHead, Secrets, StreamRequest};

/// How often a request that a server has refused without a look is sent again.
const MAX_REFUSALS: u32 = 3;

/// The headers of a signature that no error may quote.
const SECRET_SIGNATURE: [&str; 2] = ["authorization", "x-amz-security-token"];

/// The pause before a request is repeated when the provider asks for none: it doubles up to eight seconds, and up to a
/// quarter of it is left to chance, so that not all come back at once.
pub(super) fn pause_after(repeated: u32, request: &StreamRequest) -> Duration {
    let whole = Duration::from_millis(500).saturating_mul(1_u32.checked_shl(repeated).unwrap_or(u32::MAX));
    let whole = whole.min(Duration::from_secs(8));
    let chance = request.options.sources.ids.id("pause before a request is repeated").as_bytes()[0];
    whole.mul_f64(1.0 - f64::from(chance) / 1024.0)
}

/// A request that can be sent, more than once.
pub(super) struct Parcel<'r> {
    pub http: &'r HttpClient,
    pub client: &'r reqwest::Client,
    pub request: &'r StreamRequest,
    pub url: &'r reqwest::Url,
    pub host: String,
    pub headers: HeaderMap,
    pub text: Text,
    pub signature: Option<&'r dyn Sign>,
    /// What no error may quote; a signature adds to it.
    pub secrets: Mutex<Secrets>,
    pub rules: Rules,
}

impl Parcel<'_> {
    /// Sends it once. An error comes with whether another attempt could succeed.
    pub async fn attempt(&self) -> Result<Answer, (WireError, bool)> {
        let request = self.request;
        let provider = &request.model.provider;
        let mut response = self.response().await?;
        let mut head = head_of(&response);
        // What is wrong with a signature is known now, and the next one is another.
        if !response.status().is_success() && self.signature.is_some_and(|sign| sign.learns(&head)) {
            response = self.response().await?;
            head = head_of(&response);
        }
        let secrets = &self.secrets.lock().clone();
        if let Some(hooks) = &request.hooks {
            let mut shown = head.clone();
            shown.headers.values_mut().for_each(|value| *value = secrets.hide(std::mem::take(value)));
            hooks.response(shown).await;
        }
        let kind = head.headers.get("content-type").map(|kind| kind.to_ascii_lowercase()).unwrap_or_default();
        let decoder = Decoder::of(response.headers()).map_err(|UnknownEncoding(name)| {
            let text = format!("The answer of {provider} has an encoding that tau does not read: {name}");
            (WireError::Protocol(text), false)
        })?;
        // A page or a plain object is not an answer, whatever the status says.
        let is_other = kind.starts_with("text/html")
            || self.rules.framing != Framing::Document && kind.starts_with("application/json");
        if !response.status().is_success() || is_other {
            let reason = response.status().canonical_reason().unwrap_or_default();
            let text = if response.status().is_redirection() {
                let to = head.headers.get("location").map(|to| place(to)).filter(|to| !to.is_empty());
                let to = to.map_or_else(|| "elsewhere".to_owned(), |to| format!("to {to}"));
                format!("{} {reason}: the base URL of provider {provider} redirects {to}", head.status)
            } else {
                // Before anything is cut, lest half a key stays.
                let body = secrets.hide(error_body(response, decoder, &kind).await);
                error::refusal(head.status, reason, &body, self.rules.refusal)
            };
            let may_pass = match head.headers.get("x-should-retry").map(String::as_str) {
                Some("true") => true,
                Some("false") => false,
                _ if self.rules.final_statuses.contains(&head.status) => false,
                _ => matches!(head.status, 408 | 409 | 429 | 500..),
            };
            let refused = WireError::Refused {
                status: head.status,
                text: secrets.hide(text),
                retry_after: wait::wanted(head.status, &head.headers),
                headers: head.headers,
            };
            return Err((refused, may_pass));
        }
        let reader = Reader::new(self.rules.framing);
        Ok(Answer {
            status: response.status(),
            bytes: Box::pin(response.bytes_stream()),
            decoder,
            opening: reader.is_text().then(Vec::new),
            reader,
            end: None,
            provider: provider.clone(),
            host: self.host.clone(),
            silence: self.http.settings.silence,
            secrets: secrets.clone(),
            refusal: self.rules.refusal,
            hooks: request.hooks.clone(),
        })
    }

    /// Whether a server has not looked at a request, so that it is sent again.
    fn was_ignored(&self, error: &reqwest::Error) -> bool {
        tau_http::is_unprocessed(error) || self.http.has_answered(self.url) && tau_http::is_closed_unanswered(error)
    }

    /// The answer once its head is there. What a server has refused without a look is sent again.
    async fn response(&self) -> Result<reqwest::Response, (WireError, bool)> {
        let provider = &self.request.model.provider;
        let mut refused = 0;
        loop {
            let mut headers = self.headers.clone();
            if let Some(sign) = self.signature {
                let unsigned = Unsigned { url: self.url, headers: &headers, body: &self.text.pieces };
                let signed = sign.sign(unsigned).await.map_err(|error| (error, false))?;
                let secret = SECRET_SIGNATURE.iter().filter_map(|name| signed.get(*name)?.to_str().ok());
                let mut secrets = self.secrets.lock();
                secret.for_each(|value| secrets.add(value));
                drop(secrets);
                headers.extend(signed);
            }
            let body = self.text.clone().into_request();
            let sent = self.client.post(self.url.clone()).headers(headers).body(body).send();
            let sent = match self.http.settings.answer {
                None => sent.await,
                Some(limit) => tokio::time::timeout(limit, sent).await.map_err(|_| {
                    let cause = format!("no answer began within {} ms (retry.provider.timeoutMs)", limit.as_millis());
                    (WireError::Unreachable { provider: provider.clone(), host: self.host.clone(), cause }, true)
                })?,
            };
            match sent {
                Err(error) if refused < MAX_REFUSALS && self.was_ignored(&error) => refused += 1,
                Err(error) => {
                    let proxy = self.http.clients.proxy_of(self.url).ok().flatten();
                    let silence = self.http.settings.silence;
                    return Err((WireError::unreachable(provider, &self.host, error, proxy.as_ref(), silence), true));
                }
                Ok(response) => {
                    self.http.note_answer(self.url);
                    return Ok(response);
                }
            }
        }
    }
}

/// An address without what it may carry: a query, a name, a password.
fn place(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let Ok(mut url) = reqwest::Url::parse(path) else { return path.to_owned() };
    // Only an address without a host cannot be without them, and it has none.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string()
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

/// How long the text of a refusal may take. The status says enough without it.
const ERROR_PATIENCE: Duration = Duration::from_secs(10);

/// As much of an error's body as is worth reading and waiting for. A connection that breaks here changes nothing.
async fn error_body(mut response: reqwest::Response, mut decoder: Decoder, kind: &str) -> String {
    let mut body = Vec::new();
    let end = tokio::time::Instant::now() + ERROR_PATIENCE;
    while body.len() < MAX_ERROR_BODY
        && let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(end, response.chunk()).await
        && let Ok(mut chunk) = decoder.decode(&chunk)
    {
        body.append(&mut chunk);
    }
    error::readable(&body, kind, body.len() >= MAX_ERROR_BODY)
}
