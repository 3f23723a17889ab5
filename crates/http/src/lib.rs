//! How programs connect: one policy for all HTTP clients, which are made when they are first needed, so that a program that
//! sends nothing sets up nothing.
//!
//! This machine, and what tells it about itself in a cloud, is never behind a proxy, and without TLS the certificate store, which takes longer to read than all the rest,
//! is not read. No client follows redirects: they would carry keys to wherever they point, so whoever wants to follow one
//! decides about each by itself. This crate must not know models, packages or scripts.

mod decode;

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, NoProxy, Proxy, Url};
use tokio::sync::OnceCell;
use url::Host;

pub use decode::{Decoder, UnknownEncoding};

/// What a caller says about its connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How long a connection may take.
    pub connect: Duration,
    /// How long the other side may send nothing; `None` is for ever.
    pub silence: Option<Duration>,
    /// The proxy for everything but this machine and the hosts of `NO_PROXY`; that of the environment otherwise.
    pub proxy: Option<String>,
    /// A file of certificates in PEM form that are trusted beside those of the system.
    pub authorities: Option<PathBuf>,
}

/// What an address needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// This machine without TLS: neither a proxy nor certificates.
    Nothing,
    /// This machine with TLS.
    Certificates,
    /// Everything.
    All,
}

/// The clients of one caller, a connection pool each.
#[derive(Debug)]
pub struct Clients {
    policy: Policy,
    plain: OnceCell<Client>,
    direct: OnceCell<Client>,
    full: OnceCell<Client>,
}

/// A client could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupError(String);

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SetupError {}

impl Clients {
    /// Makes nothing yet.
    pub fn new(policy: Policy) -> Self {
        Self { policy, plain: OnceCell::new(), direct: OnceCell::new(), full: OnceCell::new() }
    }

    /// The client for an address.
    ///
    /// # Errors
    /// When there are no certificates to read, or the proxy is no address.
    pub async fn get(&self, url: &Url) -> Result<&Client, SetupError> {
        let needs = needs_of(url);
        let slot = match needs {
            Needs::Nothing => &self.plain,
            Needs::Certificates => &self.direct,
            Needs::All => &self.full,
        };
        slot.get_or_try_init(|| async {
            let policy = self.policy.clone();
            match needs {
                Needs::Nothing => build(&policy, needs),
                // Reading the certificate store would hold up whatever else runs on this thread.
                _ => blocking(move || build(&policy, needs)).await?,
            }
        })
        .await
    }
}

/// Runs work that takes a while where it holds up nothing.
///
/// # Errors
/// When the program ends meanwhile.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, SetupError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| SetupError(error.to_string()))
}

/// What every client has in common, for callers with certificates and proxies of their own.
pub fn builder(connect: Duration, silence: Option<Duration>) -> ClientBuilder {
    // Another part of the program may have installed a provider already; any will do.
    drop(rustls::crypto::ring::default_provider().install_default());
    let builder = Client::builder().connect_timeout(connect).redirect(reqwest::redirect::Policy::none());
    match silence {
        Some(silence) => builder.read_timeout(silence),
        None => builder,
    }
}

fn build(policy: &Policy, needs: Needs) -> Result<Client, SetupError> {
    let mut builder = builder(policy.connect, policy.silence);
    if needs != Needs::All {
        builder = builder.no_proxy();
    } else if let Some(proxy) = &policy.proxy {
        // The address may hold a password, so what is wrong with it is not quoted.
        let proxy = Proxy::all(proxy).map_err(|_| SetupError("httpProxy is not a valid proxy address".to_owned()))?;
        builder = builder.proxy(proxy.no_proxy(NoProxy::from_env()));
    }
    if needs == Needs::Nothing {
        builder = builder.tls_certs_only([]);
    } else if let Some(file) = &policy.authorities {
        builder = builder.tls_certs_merge(certificates(file)?);
    }
    builder.build().map_err(|error| SetupError(error.without_url().to_string()))
}

fn certificates(file: &Path) -> Result<Vec<Certificate>, SetupError> {
    let failed = |why: String| SetupError(format!("the certificates in {} cannot be used: {why}", file.display()));
    let bytes = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    let all = Certificate::from_pem_bundle(&bytes).map_err(|_| failed("they are not in PEM form".to_owned()))?;
    if all.is_empty() { Err(failed("there are none".to_owned())) } else { Ok(all) }
}

/// Whether a server has said of a request that it has done nothing with it, so that it can be sent again whatever it asks
/// for: it ends the connection, or has no room for one more stream.
pub fn is_unprocessed(error: &reqwest::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            let ends = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
            let refuses = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
            return error.is_remote() && (ends || refuses);
        }
        next = error.source();
    }
    false
}

fn needs_of(url: &Url) -> Needs {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        // Clouds tell machines and containers about themselves at link-local addresses.
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified() || address.is_link_local(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match (is_here, url.scheme()) {
        (true, "http") => Needs::Nothing,
        (true, _) => Needs::Certificates,
        _ => Needs::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("an address")
    }

    fn clients(proxy: Option<&str>) -> Clients {
        let proxy = proxy.map(str::to_owned);
        Clients::new(Policy { connect: Duration::from_secs(1), silence: None, proxy, authorities: None })
    }

    #[test]
    fn this_machine_needs_no_proxy_and_without_tls_no_certificates() {
        for (address, needs) in [
            ("http://localhost:1/x", Needs::Nothing),
            ("http://127.0.0.9", Needs::Nothing),
            ("http://[::1]:8080", Needs::Nothing),
            ("https://127.0.0.1", Needs::Certificates),
            ("http://169.254.169.254/latest", Needs::Nothing),
            ("http://example.com", Needs::All),
            ("http://127.example.com", Needs::All),
            ("https://localhost.example.com", Needs::All),
        ] {
            assert_eq!(needs_of(&url(address)), needs, "{address}");
        }
    }

    #[tokio::test]
    async fn clients_are_made_when_they_are_needed_and_once() {
        let clients = clients(Some("no address"));
        assert!(!clients.plain.initialized() && !clients.full.initialized());
        let first = clients.get(&url("http://localhost/a")).await.expect("a client");
        let second = clients.get(&url("http://127.0.0.1/b")).await.expect("a client");
        assert!(std::ptr::eq(first, second) && !clients.full.initialized());
        let error = clients.get(&url("http://example.com")).await.expect_err("a proxy that is no address");
        assert_eq!(error.to_string(), "httpProxy is not a valid proxy address");
    }

    #[tokio::test]
    async fn certificates_that_cannot_be_read_are_an_error_and_not_forgotten() {
        let folder = std::env::temp_dir();
        for (file, why) in [(folder.join("tau-there-is-no-such-file.pem"), "No such file"), (folder, "directory")] {
            let policy =
                Policy { connect: Duration::from_secs(1), silence: None, proxy: None, authorities: Some(file.clone()) };
            let clients = Clients::new(policy);
            assert!(clients.get(&url("http://localhost/a")).await.is_ok(), "they are not needed there");
            let error = clients.get(&url("https://localhost/a")).await.expect_err("no certificates").to_string();
            assert!(error.contains(&*file.to_string_lossy()) && error.contains(why), "{error}");
        }
    }
}
