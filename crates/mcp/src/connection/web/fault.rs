//! What goes wrong between here and a server of the web, in a sentence: what happened, where, and what to do.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rmcp::transport::streamable_http_client::StreamableHttpError;
use tau_http::{ProxyUsed, Reason, Unanswered};
use url::Url;

use crate::summary::one_line;

/// How much of foreign text is shown, in characters.
pub(in crate::connection) const SHOWN: usize = 500;
/// A longer piece of a path may be a secret, in characters.
const PIECE: usize = 24;

/// What a request fails with.
pub(in crate::connection) type Refusal = StreamableHttpError<WebError>;

/// What went wrong on the way to a server, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connection) struct WebError {
    /// The address, as it is shown.
    pub(in crate::connection) address: Arc<str>,
    pub(in crate::connection) fault: Fault,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connection) enum Fault {
    /// The server wants a login, and says how to get one.
    NeedsSignIn(Option<String>),
    /// The server does not know the session any more.
    SessionExpired,
    /// There is a login, and no token to be had now.
    NoToken(String),
    /// There was no answer.
    Unanswered(Unanswered, Option<ProxyUsed>),
    /// It refused.
    Status {
        /// Of the answer.
        status: u16,
        /// What it says, in a line; may be empty.
        said: String,
    },
    /// Its answer is no message of the protocol.
    Foreign {
        /// Of the answer.
        status: u16,
        /// What kind of content it is, and what is in it.
        what: String,
    },
    /// Its answer is too large.
    Large,
    /// The id that it gives the session cannot be used.
    SessionId(String),
    /// Anything else.
    Other(String),
}

impl Fault {
    /// What a request that failed says of its server.
    pub(in crate::connection) fn of(refusal: &Refusal) -> Self {
        use StreamableHttpError as E;
        match refusal {
            E::Client(error) => error.fault.clone(),
            E::AuthRequired(error) => Self::NeedsSignIn(Some(error.www_authenticate_header.clone())),
            E::InsufficientScope(error) => Self::NeedsSignIn(Some(error.www_authenticate_header.clone())),
            E::SessionExpired => Self::SessionExpired,
            E::ResponseBodyTooLarge { .. } => Self::Large,
            error => Self::Other(one_line(&error.to_string(), SHOWN)),
        }
    }

    /// Whether it may be over in a moment.
    pub(in crate::connection) fn is_passing(&self) -> bool {
        match self {
            Self::Unanswered(..) => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            _ => false,
        }
    }
}

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = &self.address;
        match &self.fault {
            Fault::NeedsSignIn(_) => write!(f, "{address} wants you to sign in"),
            Fault::SessionExpired => {
                write!(f, "{address} does not know the session any more (HTTP 404); the next call begins another one")
            }
            Fault::NoToken(why) => write!(f, "there is no token for {address}: {why}"),
            Fault::Unanswered(why, proxy) => {
                write!(f, "{}; {}", unanswered(address, why, proxy.as_ref()), advice_on(why, proxy.as_ref()))
            }
            Fault::Status { status, said } => {
                let name = http::StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason());
                write!(f, "{address} answers with HTTP {status}")?;
                match (said.as_str(), name) {
                    ("", None) => {}
                    ("", Some(text)) => write!(f, " ({text})")?,
                    (text, _) => write!(f, " ({text})")?,
                }
                write!(f, "; {}", advice(*status))
            }
            Fault::Foreign { status, what } => write!(
                f,
                "{address} answers with HTTP {status} and {what}, which is no message of the protocol; check the \"url\" of \
                 the server, and the proxy if you use one"
            ),
            Fault::Large => write!(f, "the answer of {address} is larger than {} MiB", super::super::MOST >> 20),
            Fault::SessionId(why) => {
                write!(
                    f,
                    "{address} gives the session an id that cannot be used: {why}; report this to those who run the server"
                )
            }
            Fault::Other(why) => write!(f, "{address} cannot be asked: {why}"),
        }
    }
}

impl Error for WebError {}

/// What kept a request to an address from its answer, in a part of a sentence.
pub(crate) fn unanswered(address: &str, why: &Unanswered, proxy: Option<&ProxyUsed>) -> String {
    let root = one_line(&why.root, SHOWN);
    if let Some(proxy) = proxy.filter(|_| why.connects) {
        return format!("{address} cannot be reached through the proxy {proxy}: {root}");
    }
    match why.reason {
        Reason::NoHost => format!("the host of {address} has no address"),
        Reason::Refused => format!("nothing listens at {address} (connection refused)"),
        Reason::Tls => format!("there is no secure connection to {address}: {root}"),
        Reason::TimedOut => format!("{address} does not answer in time"),
        Reason::Other if why.connects => format!("{address} cannot be reached: {root}"),
        Reason::Other => format!("the connection to {address} broke: {root}"),
    }
}

/// What to do about it.
fn advice_on(why: &Unanswered, proxy: Option<&ProxyUsed>) -> &'static str {
    match why.reason {
        _ if proxy.is_some() && why.connects => {
            "check the proxy and its address; NO_PROXY lists the hosts that need none"
        }
        Reason::NoHost => "check the \"url\" of the server, and the network",
        Reason::Refused => "start the server, or correct its \"url\"",
        Reason::Tls => {
            "check the certificate of the server (NODE_EXTRA_CA_CERTS names a file of more that are trusted), and the https \
             of its \"url\""
        }
        Reason::Other if !why.connects => "check that the server still runs, and its log",
        Reason::TimedOut | Reason::Other => "check that the server runs, and the network",
    }
}

/// What to do about a refusal.
fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => "write the address that it leads to into the \"url\" of the server",
        401 | 403 => "check the \"headers\" of the server, and that you may use it",
        404 | 405 | 410 => "check the \"url\" of the server",
        407 => "put the name and the password into the address of the proxy, in httpProxy or HTTPS_PROXY",
        408 | 429 | 500.. => "try again later",
        _ => "check the \"url\" and the \"headers\" of the server",
    }
}

/// An address as it is shown: without name, password and query, and without pieces of the path that may be secrets.
pub(crate) fn shown(address: &Url) -> String {
    let host = address.host_str().unwrap_or_default();
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let pieces = address.path().split('/');
    let path: Vec<&str> = pieces.map(|piece| if piece.chars().count() > PIECE { "…" } else { piece }).collect();
    one_line(&format!("{}://{host}{port}{}", address.scheme(), path.join("/")), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_secrets() {
        let shown = |text: &str| shown(&Url::parse(text).expect("an address"));
        assert_eq!(shown("https://me:pw@example.com:8443/a/mcp?key=1#x"), "https://example.com:8443/a/mcp");
        let secret = "s".repeat(PIECE + 1);
        assert_eq!(shown(&format!("http://[::1]/{secret}/mcp")), "http://[::1]/…/mcp");
    }

    #[test]
    fn a_failure_says_what_happened_where_and_what_to_do() {
        let proxy = ProxyUsed { set_by: "HTTPS_PROXY".to_owned(), host: "box:3128".to_owned() };
        let told = |reason, connects, proxy: Option<&ProxyUsed>| {
            let why = Unanswered { reason, connects, root: "the root".to_owned() };
            let fault = Fault::Unanswered(why, proxy.cloned());
            WebError { address: "https://a/mcp".into(), fault }.to_string()
        };
        for (text, parts) in [
            (told(Reason::Refused, true, None), ["nothing listens at https://a/mcp", "correct its \"url\""]),
            (told(Reason::NoHost, true, None), ["the host of https://a/mcp has no address", "and the network"]),
            (told(Reason::Tls, true, None), ["no secure connection to https://a/mcp: the root", "NODE_EXTRA_CA_CERTS"]),
            (told(Reason::Refused, true, Some(&proxy)), ["through the proxy box:3128 (HTTPS_PROXY)", "NO_PROXY"]),
            (told(Reason::Other, false, Some(&proxy)), ["the connection to https://a/mcp broke: the root", "its log"]),
            (told(Reason::TimedOut, false, None), ["https://a/mcp does not answer in time", "check"]),
        ] {
            assert!(parts.iter().all(|part| text.contains(part)) && !text.contains('\n'), "{text}");
        }
    }
}
