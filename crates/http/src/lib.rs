//! How programs connect: one policy for all HTTP clients, which are made when they are first needed, so that a program that
//! sends nothing sets up nothing.
//!
//! This machine, and what tells it about itself in a cloud, is never behind a proxy, and without TLS the certificate store,
//! which takes longer to read than all the rest, is not read. No client follows redirects to another origin, because they would
//! carry keys to wherever they point; a caller that wants to follow one decides about each. This crate must not know models, packages or scripts.

mod decode;
mod failure;
mod proxy;

use std::error::Error;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, NoProxy, Proxy, Url};
use tokio::sync::OnceCell;
use url::Host;

pub use decode::{Decoder, UnknownEncoding};
pub use failure::{Reason, Unanswered};
pub use proxy::ProxyUsed;

/// How many redirects are followed in a row.
const MOST_REDIRECTS: usize = 10;

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
    follows: bool,
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
        Self { policy, follows: false, plain: OnceCell::new(), direct: OnceCell::new(), full: OnceCell::new() }
    }

    /// As [`Clients::new`], for requests that may be sent again: redirects are followed that keep the method and stay at the
    /// same origin, so that what a request carries reaches nobody else.
    pub fn following(policy: Policy) -> Self {
        Self { follows: true, ..Self::new(policy) }
    }

    /// What these clients were made by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The client for an address.
    ///
    /// # Errors
    /// When there are no certificates to read, or the proxy is no address.
    pub async fn get(&self, url: &Url) -> Result<&Client, SetupError> {
        // What cannot be used would be passed by, and the request sent without it.
        self.proxy_of(url)?;
        let needs = needs_of(url);
        let slot = match needs {
            Needs::Nothing => &self.plain,
            Needs::Certificates => &self.direct,
            Needs::All => &self.full,
        };
        slot.get_or_try_init(|| async {
            let (policy, follows) = (self.policy.clone(), self.follows);
            match needs {
                Needs::Nothing => build(&policy, follows, needs),
                // Reading the certificate store would hold up whatever else runs on this thread.
                _ => blocking(move || build(&policy, follows, needs)).await?,
            }
        })
        .await
    }
}

impl Clients {
    /// The proxy that requests to an address go through.
    ///
    /// # Errors
    /// When there should be one, and its address cannot be used.
    pub fn proxy_of(&self, url: &Url) -> Result<Option<ProxyUsed>, SetupError> {
        if needs_of(url) != Needs::All {
            return Ok(None);
        }
        #[expect(clippy::disallowed_methods, reason = "what sends the requests reads the same")]
        let variable = |name: &str| std::env::var(name).ok();
        proxy::of(url, self.policy.proxy.as_deref(), variable)
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

/// Follows what stays at the same origin and keeps the method.
fn same_origin() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
        let stays = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps_method && stays && attempt.previous().len() <= MOST_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

fn build(policy: &Policy, follows: bool, needs: Needs) -> Result<Client, SetupError> {
    let mut builder = builder(policy.connect, policy.silence);
    if follows {
        builder = builder.redirect(same_origin());
    }
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
    let failed = |why: String| {
        SetupError(format!("the certificates in {} (NODE_EXTRA_CA_CERTS) cannot be used: {why}", file.display()))
    };
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

/// Whether a server has closed a connection where the head of its answer should be. On a connection that has carried another
/// request before, that is most likely an end for lack of use, which came while the request was on its way.
pub fn is_closed_unanswered(error: &reqwest::Error) -> bool {
    if error.is_connect() || error.is_timeout() {
        return false;
    }
    let mut next: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = next {
        if error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message) {
            return true;
        }
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe);
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
        assert_eq!(error.to_string(), "the proxy address in httpProxy cannot be used: write it as http://host:port");
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
