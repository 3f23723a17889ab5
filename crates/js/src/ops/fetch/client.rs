//! The HTTP clients of one engine, made when they are first needed.

use std::cell::RefCell;
use std::time::Duration;

use crate::ops::OpError;

/// How long a connection may take, as in Node.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the other side may be silent, as in Node.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(300);

/// A connection pool each: without TLS, without a proxy, and with everything.
#[derive(Default)]
pub(super) struct Clients {
    plain: RefCell<Option<reqwest::Client>>,
    direct: RefCell<Option<reqwest::Client>>,
    full: RefCell<Option<reqwest::Client>>,
}

impl Clients {
    /// The client for an address. This very machine is never behind a proxy, and without TLS the certificate store,
    /// which takes longest to read, is not needed.
    pub(super) async fn get(&self, url: &reqwest::Url) -> Result<reqwest::Client, OpError> {
        let host = url.host_str().unwrap_or_default();
        let local = matches!(host, "localhost" | "[::1]" | "0.0.0.0") || host.starts_with("127.");
        let plain = local && url.scheme() == "http";
        let slot = match (plain, local) {
            (true, _) => &self.plain,
            (_, true) => &self.direct,
            _ => &self.full,
        };
        let known = slot.borrow().clone();
        if let Some(client) = known {
            return Ok(client);
        }
        let build = move || build(local, plain);
        // Reading the certificate store would hold up all JavaScript of the session.
        let built = if plain { Ok(build()) } else { tokio::task::spawn_blocking(build).await };
        let failed = |error: String| OpError::new("UND_ERR", format!("the HTTP client could not be set up: {error}"));
        let client = built.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        *slot.borrow_mut() = Some(client.clone());
        Ok(client)
    }
}

fn build(local: bool, plain: bool) -> reqwest::Result<reqwest::Client> {
    // Another part of the program may have installed a provider already; any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(SILENCE_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none());
    if local {
        builder = builder.no_proxy();
    }
    if plain {
        builder = builder.tls_certs_only([]);
    }
    builder.build()
}
