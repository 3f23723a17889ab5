//! Asks authorization servers: within limits, encrypted, and never where a redirect points.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::{HeaderValue, USER_AGENT};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use tau_http::{Clients, Unanswered};

use crate::config::is_safe;
use crate::connection::{shown, unanswered};

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Most bytes of an answer.
const MOST: usize = 1 << 20;

/// What can go wrong on the way. Of the address no query is shown: it may hold a code.
#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error("{0} is not encrypted; tau sends nothing about logins there")]
    Plain(String),
    #[error("{0}")]
    Unanswered(String),
    #[error("{0} answers with HTTP {1}")]
    Status(String, http::StatusCode),
    #[error("{0} gave no answer within {limit} seconds", limit = LIMIT.as_secs())]
    Slow(String),
    #[error("the answer of {0} is too large")]
    Large(String),
}

/// The way to authorization servers.
pub(crate) struct Relay {
    /// They follow nothing, whatever is asked.
    clients: Clients,
}

impl Relay {
    pub(super) fn new(clients: Arc<Clients>) -> Self {
        Self { clients: Clients::new(clients.policy().clone()) }
    }

    /// A document.
    pub(super) async fn get(&self, url: &reqwest::Url) -> Result<Vec<u8>, OAuthHttpClientError> {
        let place = shown(url);
        let request = reqwest::Request::new(reqwest::Method::GET, url.clone());
        let answer = tokio::time::timeout(LIMIT, self.exchange(request)).await;
        let answer = answer.map_err(|_| RelayError::Slow(place.clone()))??;
        if !answer.status().is_success() {
            return Err(RelayError::Status(place, answer.status()).into());
        }
        Ok(answer.into_body())
    }

    async fn exchange(&self, mut request: reqwest::Request) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let place = shown(request.url());
        if !is_safe(request.url()) {
            return Err(RelayError::Plain(place).into());
        }
        let agent = HeaderValue::from_static(concat!("tau/", env!("CARGO_PKG_VERSION")));
        request.headers_mut().insert(USER_AGENT, agent);
        let client = self.clients.get(request.url()).await?;
        let proxy = self.clients.proxy_of(request.url())?;
        let unreachable =
            |error: reqwest::Error| RelayError::Unanswered(unanswered(&place, &Unanswered::of(error), proxy.as_ref()));
        let mut response = client.execute(request).await.map_err(unreachable)?;
        let mut builder = http::Response::builder().status(response.status());
        for (name, value) in response.headers() {
            builder = builder.header(name, value);
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(unreachable)? {
            if body.len() + piece.len() > MOST {
                return Err(RelayError::Large(place).into());
            }
            body.extend_from_slice(&piece);
        }
        Ok(builder.body(body)?)
    }
}

/// The way of one login. What went wrong on it is noted, as the library does not say that everywhere.
pub(crate) struct Way {
    relay: Arc<Relay>,
    last: Mutex<Option<String>>,
}

impl Way {
    pub(super) fn new(relay: &Arc<Relay>) -> Arc<Self> {
        Arc::new(Self { relay: Arc::clone(relay), last: Mutex::default() })
    }

    /// What the last request failed with, if it did.
    pub(super) fn last(&self) -> Option<String> {
        self.last.lock().clone()
    }
}

impl OAuthHttpClient for Way {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            let place = shown(request.url());
            let done = match tokio::time::timeout(LIMIT, self.relay.exchange(request)).await {
                Ok(done) => done,
                Err(_) => Err(RelayError::Slow(place).into()),
            };
            *self.last.lock() = done.as_ref().err().map(ToString::to_string);
            done
        })
    }
}
