//! Requests to registries.

use std::io::Write;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue, LOCATION, USER_AGENT};
use reqwest::{Certificate, NoProxy, Proxy, Response, StatusCode};
use tokio::sync::OnceCell;
use url::Url;

use crate::config::NpmConfig;
use crate::error::PackageError;

/// How long a connection to a registry or a host of repositories may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long such a host may send no byte.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(120);
const MOST_REDIRECTS: usize = 10;

/// What asks, as the registry sees it.
const AGENT: &str = concat!("tau/", env!("CARGO_PKG_VERSION"));

/// The connection to registries. Nothing is set up before the first request.
pub(crate) struct Http {
    pub(crate) config: NpmConfig,
    offline: bool,
    client: OnceCell<reqwest::Client>,
}

/// One thing to fetch.
pub(crate) struct Wanted<'a> {
    /// What it is, for messages.
    pub what: &'a str,
    pub url: &'a Url,
    /// The registry that named the address.
    pub registry: Option<&'a Url>,
    pub accept: &'static str,
    /// Most bytes that are taken.
    pub limit: u64,
}

enum Failure {
    /// It may work the next time.
    Passing(PackageError),
    Final(PackageError),
}

impl Http {
    pub(crate) fn new(config: NpmConfig, offline: bool) -> Self {
        Self { config, offline, client: OnceCell::new() }
    }

    /// Fetches something into a writer that is emptied by `restart` before each attempt. `None` when it does not exist.
    pub(crate) async fn fetch<W: Write>(
        &self,
        wanted: &Wanted<'_>,
        mut restart: impl FnMut() -> Result<W, PackageError>,
    ) -> Result<Option<W>, PackageError> {
        if self.offline {
            return Err(PackageError::Offline { what: wanted.what.to_owned() });
        }
        let (retries, pause) = self.config.retries();
        let mut attempt = 0;
        loop {
            match self.attempt(wanted, restart()?).await {
                Ok(done) => return Ok(done),
                Err(Failure::Passing(error)) if attempt < retries => {
                    tracing::debug!("{error}; once more");
                    tokio::time::sleep(Duration::from_millis(pause << attempt.min(6))).await;
                    attempt += 1;
                }
                Err(Failure::Passing(error) | Failure::Final(error)) => return Err(error),
            }
        }
    }

    async fn attempt<W: Write>(&self, wanted: &Wanted<'_>, mut to: W) -> Result<Option<W>, Failure> {
        let lost =
            |url: &Url, why: String| PackageError::Network { what: wanted.what.to_owned(), url: shown(url), why };
        let (mut response, url) = self.follow(wanted).await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND || status == StatusCode::GONE {
            return Ok(None);
        }
        if !status.is_success() {
            return Err(refused(wanted.what, &url, status));
        }
        let too_large = || {
            let why = format!("it is larger than {} MB", wanted.limit >> 20);
            Failure::Final(PackageError::Archive { what: wanted.what.to_owned(), why })
        };
        if response.content_length().is_some_and(|length| length > wanted.limit) {
            return Err(too_large());
        }
        let mut left = wanted.limit;
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    left = left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
                    let failed = |error: std::io::Error| Failure::Final(lost(&url, error.to_string()));
                    to.write_all(&bytes).map_err(failed)?;
                }
                Ok(None) => return Ok(Some(to)),
                Err(error) => {
                    let why = format!("the answer ended early ({})", told(&error));
                    return Err(Failure::Passing(lost(&url, why)));
                }
            }
        }
    }

    /// Sends a request and goes where the answers point. Credentials are looked up for each address anew, so none is
    /// carried to another host.
    async fn follow(&self, wanted: &Wanted<'_>) -> Result<(Response, Url), Failure> {
        let client = self.client().await.map_err(Failure::Final)?;
        let mut url = wanted.url.clone();
        let lost =
            |url: &Url, why: String| PackageError::Network { what: wanted.what.to_owned(), url: shown(url), why };
        for _ in 0..=MOST_REDIRECTS {
            if !matches!(url.scheme(), "http" | "https") {
                return Err(Failure::Final(lost(&url, "this is no http or https address".to_owned())));
            }
            let mut bare = url.clone();
            // An address must not authenticate by itself; errors would show it.
            let _ = bare.set_username("").and_then(|()| bare.set_password(None));
            let mut request = client.get(bare).header(ACCEPT, wanted.accept).header(USER_AGENT, AGENT);
            if let Some(value) = self.config.authorization(&url, wanted.registry) {
                let value = HeaderValue::from_str(&value).map_err(|_| {
                    let why = "it holds a character that a header cannot".to_owned();
                    Failure::Final(PackageError::Malformed {
                        what: format!("the token for {} in .npmrc", shown(&url)),
                        why,
                    })
                })?;
                let mut value = value;
                value.set_sensitive(true);
                request = request.header(AUTHORIZATION, value);
            }
            let response = request.send().await.map_err(|error| Failure::Passing(lost(&url, told(&error))))?;
            if !response.status().is_redirection() || response.status() == StatusCode::NOT_MODIFIED {
                return Ok((response, url));
            }
            let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let target = target.and_then(|target| url.join(target).ok());
            let Some(target) = target else {
                return Err(Failure::Final(lost(&url, "it points somewhere else without saying where".to_owned())));
            };
            if url.scheme() == "https" && target.scheme() != "https" {
                let why = format!("it points to {}, which is not encrypted", shown(&target));
                return Err(Failure::Final(lost(&url, why)));
            }
            url = target;
        }
        Err(Failure::Final(lost(&url, "it points from one address to the next without end".to_owned())))
    }

    async fn client(&self) -> Result<&reqwest::Client, PackageError> {
        self.client
            .get_or_try_init(|| async {
                let config = self.config.clone();
                // Reading the certificate store takes a while.
                let built = tau_http::blocking(move || build(&config)).await;
                built.unwrap_or_else(|error| Err(setup(error.to_string())))
            })
            .await
    }
}

fn build(config: &NpmConfig) -> Result<reqwest::Client, PackageError> {
    // Proxies are those of the settings, which know the variables.
    let mut builder = tau_http::builder(CONNECT_TIMEOUT, Some(SILENCE_TIMEOUT)).no_proxy();
    let no_proxy = config.no_proxy();
    for https in [false, true] {
        let Some(address) = config.proxy(https) else { continue };
        let address = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        let proxy = if https { Proxy::https(&address) } else { Proxy::http(&address) };
        // The message of the library would show the address, which may hold a password.
        let proxy = proxy.map_err(|_| setup("the proxy in .npmrc is no address".to_owned()))?;
        builder = builder.proxy(proxy.no_proxy(no_proxy.as_deref().and_then(NoProxy::from_string)));
    }
    let certificates = |texts: Vec<String>| -> Result<Vec<Certificate>, PackageError> {
        let each = texts.iter().map(|text| Certificate::from_pem_bundle(text.as_bytes()));
        let all: Result<Vec<Vec<_>>, _> = each.collect();
        let bad = |_| setup("the certificates of `ca` or `cafile` in .npmrc are not in PEM format".to_owned());
        Ok(all.map_err(bad)?.into_iter().flatten().collect())
    };
    let authorities = certificates(config.authorities()?)?;
    let more = certificates(config.more_authorities()).unwrap_or_default();
    builder = if authorities.is_empty() {
        builder.tls_certs_merge(more)
    } else {
        builder.tls_certs_only(authorities.into_iter().chain(more))
    };
    if !config.strict_ssl() {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    builder.build().map_err(|error| setup(error.without_url().to_string()))
}

fn setup(why: String) -> PackageError {
    PackageError::Malformed { what: "the settings for the network".to_owned(), why }
}

fn refused(what: &str, url: &Url, status: StatusCode) -> Failure {
    let hint = match status.as_u16() {
        401 => "put a token for this registry into .npmrc (//host/:_authToken=…)",
        403 => "the token in .npmrc may not read this package",
        407 => "the proxy wants a user and a password: proxy=http://user:password@host:port in .npmrc",
        429 => "it had too many requests; try again later",
        code if code >= 500 => "it has a problem of its own; try again later",
        _ => "check `registry` in .npmrc",
    };
    let passing = status.as_u16() == 429 || status.is_server_error();
    let error = PackageError::Refused {
        what: what.to_owned(),
        url: shown(url),
        status: status.as_u16(),
        hint: hint.to_owned(),
    };
    if passing { Failure::Passing(error) } else { Failure::Final(error) }
}

/// What a connection error is at its root; the library shows the address in front, with whatever is in it.
fn told(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    if std::ptr::addr_eq(std::ptr::from_ref(cause), std::ptr::from_ref::<dyn std::error::Error>(error)) {
        return match () {
            () if error.is_timeout() => "it took too long".to_owned(),
            () if error.is_connect() => "no connection".to_owned(),
            () => "the connection broke".to_owned(),
        };
    }
    cause.to_string()
}

/// An address as it may be shown: without user, password, query and fragment.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
