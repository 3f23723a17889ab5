//! What is known of an authorization server.

use std::collections::BTreeMap;

use serde::Deserialize;
use url::{Host, Url};

/// An authorization server at which people sign in to a provider: `oauthServer` of a provider in `models.json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OAuthServer {
    /// What people sign in with, such as `Corp account`; the provider's name when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The id under which the server knows the program: one that its operator gave out for tau. It is no secret.
    pub client_id: String,
    /// The page to sign in at.
    #[serde(default)]
    pub authorization_url: Option<Url>,
    /// Where codes for other devices are asked for.
    #[serde(default)]
    pub device_authorization_url: Option<Url>,
    /// Where tokens are asked for, and renewed.
    pub token_url: Url,
    /// What the tokens should be good for.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Where the browser brings the code, for servers that know only one address: one of this machine. Without it a free
    /// port of `http://127.0.0.1/callback` is used.
    #[serde(default)]
    pub redirect_url: Option<Url>,
    /// More parameters of the page to sign in at, such as `audience`.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
}

/// Why nobody can sign in at a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthServerError {
    /// There is no way in.
    #[error("needs \"authorizationUrl\" or \"deviceAuthorizationUrl\"")]
    NoWay,
    /// The id of the program is empty.
    #[error("needs a \"clientId\", which the operator of the server gives out")]
    NoClient,
    /// Others could read what is sent.
    #[error("\"{key}\" must begin with https://, unless it is on this machine")]
    Open {
        /// The key.
        key: &'static str,
    },
    /// The browser would bring the code elsewhere.
    #[error(
        "\"redirectUrl\" must be an http address of this machine with a port, such as http://127.0.0.1:8976/callback"
    )]
    Elsewhere,
}

impl OAuthServer {
    /// Whether somebody could sign in there.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), OAuthServerError> {
        if self.client_id.trim().is_empty() {
            return Err(OAuthServerError::NoClient);
        }
        if self.authorization_url.is_none() && self.device_authorization_url.is_none() {
            return Err(OAuthServerError::NoWay);
        }
        let urls = [
            ("authorizationUrl", self.authorization_url.as_ref()),
            ("deviceAuthorizationUrl", self.device_authorization_url.as_ref()),
            ("tokenUrl", Some(&self.token_url)),
        ];
        for (key, url) in urls {
            if url.is_some_and(|url| !is_private(url)) {
                return Err(OAuthServerError::Open { key });
            }
        }
        let is_ours = |url: &Url| url.scheme() == "http" && is_here(url) && url.port().is_some();
        if self.redirect_url.as_ref().is_some_and(|url| !is_ours(url)) {
            return Err(OAuthServerError::Elsewhere);
        }
        Ok(())
    }
}

/// Whether nobody on the way can read what is sent to an address.
pub(super) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_here(url))
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
