//! Asks authorization servers: with a limit of time and size, and without following redirects.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse};
use parking_lot::RwLock;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue, USER_AGENT};
use reqwest::{Request, Url};
use serde::de::IgnoredAny;
use serde_json::Value;
use tau_http::{Clients, Policy};

use super::failure::Failure;
use super::tokens;
use crate::HttpSettings;

/// How long a server may take for one answer.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Most bytes of an answer; tokens are far smaller.
const MOST: usize = 1 << 20;

/// How authorization servers are reached, for all logins of a registry.
pub struct Connections(RwLock<Arc<Clients>>);

impl Default for Connections {
    fn default() -> Self {
        Self(RwLock::new(Arc::new(clients(None, None))))
    }
}

fn clients(proxy: Option<String>, authorities: Option<PathBuf>) -> Clients {
    Clients::new(Policy { connect: CONNECT_TIMEOUT, silence: None, proxy, authorities })
}

/// What a server said.
pub(super) struct Answer {
    pub(super) status: reqwest::StatusCode,
    pub(super) headers: reqwest::header::HeaderMap,
    /// JSON.
    pub(super) body: Vec<u8>,
}

impl Connections {
    /// Connects as the user wants from here on.
    pub fn connect_with(&self, settings: &HttpSettings) {
        *self.0.write() = Arc::new(clients(settings.proxy.clone(), settings.authorities.clone()));
    }

    /// Sends a request and reads the answer, which must be JSON.
    pub(super) async fn send(&self, mut request: Request) -> Result<Answer, Failure> {
        let agent = concat!("tau/", env!("CARGO_PKG_VERSION"));
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(agent));
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        let host = host_of(request.url());
        let clients = Arc::clone(&self.0.read());
        match tokio::time::timeout(LIMIT, exchange(&clients, &host, request)).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::Slow { host, limit: LIMIT }),
        }
    }

    async fn relay(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let request = Request::try_from(request).map_err(|error| Failure::Here(error.to_string()))?;
        let host = host_of(request.url());
        let answer = self.send(request).await?;
        if answer.status.is_success() {
            let said: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            tokens::check(&said).map_err(|what| Failure::Unusable { host, what })?;
        }
        let mut response = HttpResponse::new(answer.body);
        *response.status_mut() = answer.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(response)
    }
}

/// As [`Connections::send`], for the client of a protocol.
pub(super) struct Relay(pub(super) Arc<Connections>);

impl<'c> AsyncHttpClient<'c> for Relay {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Failure>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.0.relay(request))
    }
}

async fn exchange(clients: &Clients, host: &str, request: Request) -> Result<Answer, Failure> {
    let unreachable = |reason: String| Failure::Unreachable { host: host.to_owned(), reason };
    let client = clients.get(request.url()).await.map_err(|error| Failure::Here(error.to_string()))?;
    let mut response = client.execute(request).await.map_err(|error| unreachable(causes(error)))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| unreachable(causes(error)))? {
        body.extend_from_slice(&piece);
        if body.len() > MOST {
            return Err(Failure::Garbage { host: host.to_owned(), status: status.as_u16() });
        }
    }
    match serde_json::from_slice::<IgnoredAny>(&body) {
        Ok(_) => Ok(Answer { status, headers, body }),
        Err(_) => Err(Failure::Garbage { host: host.to_owned(), status: status.as_u16() }),
    }
}

/// What happened, to its root. The address stays out: it may hold a code.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The server of an address, for people.
pub(super) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_users_certificates_are_for_logins_too() {
        let connections = Connections::default();
        let file = std::env::temp_dir().join("tau-there-is-no-such-file.pem");
        connections.connect_with(&HttpSettings { authorities: Some(file.clone()), ..HttpSettings::default() });
        let url = Url::parse("https://localhost:1/token").expect("an address");
        let failed = connections.send(Request::new(reqwest::Method::GET, url)).await.err().expect("no certificates");
        assert!(failed.to_string().contains(&*file.to_string_lossy()), "{failed}");
    }
}
