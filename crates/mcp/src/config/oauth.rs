//! The key `oauth` of an entry.

use serde_json::{Map, Value};
use url::{Host, Url};

/// How to sign in at a server of the web. All fields are as written: values are filled in when they are needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuthConfig {
    /// A client that was registered beforehand.
    pub client_id: Option<String>,
    /// Its secret: a value as in `headers`.
    pub client_secret: Option<String>,
    /// The name to register with.
    pub client_name: Option<String>,
    /// What to ask for, in addition to what is asked for later.
    pub scope: Option<String>,
    /// The port that the browser comes back to.
    pub callback_port: Option<u16>,
    /// The whole address that the browser comes back to.
    pub callback_url: Option<String>,
    /// The description of the authorization server, in place of a search for it.
    pub metadata_url: Option<String>,
}

/// Whether an address is encrypted or stays on this machine.
pub(crate) fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_here(url))
}

/// Whether an address is one of this machine.
pub(crate) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl OAuthConfig {
    /// Reads the object.
    ///
    /// # Errors
    /// Says which key is wrong.
    pub(super) fn parse(table: &Map<String, Value>) -> Result<Self, String> {
        let text = |key: &str| match table.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("oauth.{key} must be a string")),
        };
        let callback_port = match table.get("callbackPort") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let port = value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
                Some(port.ok_or("oauth.callbackPort must be a port number")?)
            }
        };
        let config = Self {
            client_id: text("clientId")?,
            client_secret: text("clientSecret")?,
            client_name: text("clientName")?,
            scope: text("scope")?,
            callback_port,
            callback_url: text("callbackUrl")?,
            metadata_url: text("authServerMetadataUrl")?,
        };
        if let Some(url) = &config.callback_url {
            let fits = |url: Url| url.scheme() == "http" && is_here(&url);
            if !Url::parse(url).is_ok_and(fits) {
                return Err("oauth.callbackUrl must be an http address of this machine".to_owned());
            }
        }
        if let Some(url) = &config.metadata_url
            && !Url::parse(url).is_ok_and(|url| is_safe(&url))
        {
            return Err("oauth.authServerMetadataUrl must be an https address, or http on this machine".to_owned());
        }
        match text("clientRegistration")?.as_deref() {
            None | Some("auto" | "dcr") => Ok(config),
            Some("cimd") => {
                Err("oauth.clientRegistration \"cimd\" is not possible: tau has no client metadata document; use \
                     \"dcr\" or clientId"
                    .to_owned())
            }
            Some(_) => Err("oauth.clientRegistration must be \"auto\" or \"dcr\"".to_owned()),
        }
    }
}
