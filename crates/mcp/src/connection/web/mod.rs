//! A server at an address of the web: this program's clients, with a fresh token in every request.

mod answer;
mod fault;
mod post;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use http::header::ACCEPT;
use http::{HeaderName, HeaderValue};
use parking_lot::Mutex;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tau_http::{ProxyUsed, Unanswered};

pub(super) use self::fault::{Fault, Refusal, SHOWN, WebError};
pub(crate) use self::fault::{shown, unanswered};
use super::MOST;

/// Headers that belong to the transport.
const OWN: [&str; 3] = ["accept", HEADER_SESSION_ID, HEADER_LAST_EVENT_ID];
/// How much of a refusal is read.
const REFUSAL: usize = 8 * 1024;

/// Tokens of a login.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// The token to send; a new one where the last is about to end. `None` without a login.
    ///
    /// # Errors
    /// When there is a login and no token can be had now.
    async fn token(&self) -> Result<Option<String>, String>;

    /// Another token, after the server refused this one.
    ///
    /// # Errors
    /// As [`Tokens::token`].
    async fn instead_of(&self, refused: &str) -> Result<Option<String>, String>;
}

/// The client of one connection.
#[derive(Clone)]
pub(super) struct Web {
    pub(super) client: reqwest::Client,
    /// The address, as it is shown.
    pub(super) address: Arc<str>,
    /// What connections go through.
    pub(super) proxy: Option<ProxyUsed>,
    pub(super) tokens: Option<Arc<dyn Tokens>>,
    /// The last failure.
    pub(super) last: Arc<Mutex<Option<WebError>>>,
}

type Done<T> = Result<T, Refusal>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl Web {
    fn error(&self, fault: Fault) -> Refusal {
        StreamableHttpError::Client(WebError { address: Arc::clone(&self.address), fault })
    }

    async fn token(&self) -> Done<Option<String>> {
        match &self.tokens {
            Some(tokens) => self.noted(tokens.token().await.map_err(|error| self.error(Fault::NoToken(error)))),
            None => Ok(None),
        }
    }

    async fn another(&self, refused: Option<String>) -> Option<String> {
        let (tokens, refused) = (self.tokens.as_ref()?, refused?);
        tokens.instead_of(&refused).await.ok().flatten().filter(|token| *token != refused)
    }

    /// Notes what went wrong.
    fn noted<T>(&self, result: Done<T>) -> Done<T> {
        result.inspect_err(|error| {
            *self.last.lock() = Some(WebError { address: Arc::clone(&self.address), fault: Fault::of(error) });
        })
    }
}

/// Whether a server wants a login and does not say how to get one.
fn is_unnamed(error: &Refusal) -> bool {
    matches!(error, StreamableHttpError::Client(WebError { fault: Fault::NeedsSignIn(None), .. }))
}

/// The same in tau's own words, but for what the transport looks for.
fn understood(web: &Web, error: StreamableHttpError<reqwest::Error>) -> Refusal {
    use StreamableHttpError as E;
    match error {
        E::Client(error) => match error.status() {
            Some(status) => web.error(Fault::Status { status: status.as_u16(), said: String::new() }),
            None => web.error(Fault::Unanswered(Unanswered::of(error), web.proxy.clone())),
        },
        E::HttpStatus(error) => web.error(Fault::Status { status: error.status, said: String::new() }),
        E::AuthRequired(error) => E::AuthRequired(error),
        E::InsufficientScope(error) => E::InsufficientScope(error),
        E::SessionExpired => E::SessionExpired,
        E::ServerDoesNotSupportSse => E::ServerDoesNotSupportSse,
        E::ServerDoesNotSupportDeleteSession => E::ServerDoesNotSupportDeleteSession,
        other => web.error(Fault::Other(crate::summary::one_line(&other.to_string(), SHOWN))),
    }
}

impl StreamableHttpClient for Web {
    type Error = WebError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Done<StreamableHttpPostResponse> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Done<StreamableHttpPostResponse> {
        let token = self.token().await?;
        let post = |token: Option<String>| {
            let request = self.client.post(&*uri).header(ACCEPT, format!("{JSON_MIME_TYPE}, {EVENT_STREAM_MIME_TYPE}"));
            let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
            let request = session.iter().fold(request, |request, id| request.header(HEADER_SESSION_ID, &**id));
            let request = token.iter().fold(request, |request, token| request.bearer_auth(token));
            self.exchange(request, &message, session.is_some(), limits)
        };
        let mut done = post(token.clone()).await;
        // What was refused for its token was not looked at, so it can be sent again.
        let is_refused = |error: &Refusal| matches!(error, StreamableHttpError::AuthRequired(_)) || is_unnamed(error);
        if done.as_ref().is_err_and(is_refused)
            && let Some(token) = self.another(token).await
        {
            done = post(Some(token)).await;
        }
        self.noted(done)
    }

    async fn delete_session(&self, uri: Arc<str>, session: Arc<str>, _: Option<String>, headers: Headers) -> Done<()> {
        let token = self.token().await?;
        self.noted(
            self.client.delete_session(uri, session, token, headers).await.map_err(|error| understood(self, error)),
        )
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Done<BoxStream<'static, Result<Sse, SseError>>> {
        self.get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, MOST).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Done<BoxStream<'static, Result<Sse, SseError>>> {
        let token = self.token().await?;
        let got = self.client.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, most).await;
        // A server without a stream of its own is no failing one.
        got.map_err(|error| understood(self, error))
    }
}

/// Limits and headers of a connection.
pub(super) fn settings(url: &str, headers: Headers) -> StreamableHttpClientTransportConfig {
    let mut settings = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(MOST)
        .max_json_response_size(MOST)
        .max_error_response_size(REFUSAL)
        .custom_headers(headers);
    settings.allow_stateless = true;
    // It would send a call again.
    settings.reinit_on_expired_session = false;
    settings
}

/// The headers of a configuration.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<Headers, String> {
    let mut all = Headers::new();
    all.insert(http::header::USER_AGENT, HeaderValue::from_static(concat!("tau/", env!("CARGO_PKG_VERSION"))));
    for (name, value) in pairs {
        let name = HeaderName::try_from(name).map_err(|_| format!("\"{name}\" cannot be the name of a header"))?;
        if OWN.iter().any(|own| name.as_str().eq_ignore_ascii_case(own)) {
            return Err(format!("tau itself sends the header {name}; remove it from \"headers\""));
        }
        // The value may be a secret, so it is not quoted.
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| format!("the value of the header {name} holds a character that none may have"))?;
        value.set_sensitive(true);
        all.insert(name, value);
    }
    Ok(all)
}
