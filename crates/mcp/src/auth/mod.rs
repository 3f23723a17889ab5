//! Signing in at servers of the web: found by what they publish, with PKCE, as a client that is registered on the spot.
//!
//! Logins have a file of tau's own: a refresh token belongs to the client that got it, so nobody else's is used, and nobody
//! else gets these. A token is renewed by one process at a time, and the others take what it got.

mod login;
mod relay;
mod renew;
mod store;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rmcp::transport::auth::AuthError;
use tau_http::Clients;
use url::Url;

pub use login::{SignIn, sign_in};
pub use store::LoginFile;

use self::relay::Relay;
use self::renew::Renewed;
use crate::config::{Entry, Transport, Values, address, is_safe};
use crate::connection::Tokens;
use crate::file::FileError;
use crate::manager::Logins;
use crate::summary::one_line;

/// Why somebody is not signed in. No text holds a code or a token.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The file of logins cannot be used.
    #[error(transparent)]
    Store(#[from] FileError),
    /// What comes back from the browser.
    #[error(transparent)]
    Browser(#[from] tau_ai::LoopbackError),
    /// The servers, or what they publish.
    #[error("{what}{}", step.map(|step| format!("; {step}")).unwrap_or_default())]
    Server {
        /// What happened.
        what: String,
        /// What to do about it.
        step: Option<NextStep>,
    },
}

/// What to do about a login that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// It may be over in a moment.
    Again,
    /// The authorization server registers no clients by itself.
    ClientId,
    /// It is not known where to sign in.
    Metadata,
    /// Somebody may be in between.
    Report,
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Again => "sign in again once that is fixed",
            Self::ClientId => {
                "ask those who run the server for a client, and set \"oauth\": {\"clientId\": \"…\"} of the server"
            }
            Self::Metadata => {
                "check the \"url\" of the server, or set \"oauth\": {\"authServerMetadataUrl\": \"…\"} of it"
            }
            Self::Report => "this is not safe, so it was given up; report it to those who run the server",
        })
    }
}

impl SignInError {
    /// Something that is wrong and says what to do.
    fn server(what: impl Into<String>) -> Self {
        Self::Server { what: what.into(), step: None }
    }

    /// With what went wrong last on the way, which the library may not say.
    fn because(self, last: Option<String>) -> Self {
        match (self, last) {
            (Self::Server { what, step }, Some(last)) if !what.contains(&last) => {
                Self::Server { what: one_line(&format!("{what}: {last}"), 500), step }
            }
            (error, _) => error,
        }
    }
}

impl From<AuthError> for SignInError {
    fn from(error: AuthError) -> Self {
        let step = match &error {
            AuthError::RegistrationFailed(_) => NextStep::ClientId,
            AuthError::NoAuthorizationSupport
            | AuthError::MetadataError(_)
            | AuthError::DiscoveryRequestFailed { .. }
            | AuthError::ProtectedResourceMetadataInvalid { .. }
            | AuthError::AuthorizationServersUnavailable { .. } => NextStep::Metadata,
            AuthError::PkceUnsupported
            | AuthError::AuthorizationServerMismatch { .. }
            | AuthError::AuthorizationServerMissingIssuer { .. } => NextStep::Report,
            _ => NextStep::Again,
        };
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        Self::Server { what: one_line(&text, 500), step: Some(step) }
    }
}

/// Who has the tokens of logins to model providers, which `auth` of an entry sends.
#[async_trait]
pub trait ProviderTokens: Send + Sync {
    /// The token of a provider; `None` without a login.
    ///
    /// # Errors
    /// When there is a login and no token can be had now.
    async fn token(&self, provider: &str) -> Result<Option<String>, String>;
}

/// The token of one provider.
struct OfProvider {
    provider: String,
    from: Arc<dyn ProviderTokens>,
}

#[async_trait]
impl Tokens for OfProvider {
    async fn token(&self) -> Result<Option<String>, String> {
        self.from.token(&self.provider).await
    }

    async fn instead_of(&self, refused: &str) -> Result<Option<String>, String> {
        Ok(self.token().await?.filter(|token| token != refused))
    }
}

/// The logins of the user.
pub struct StoredLogins {
    file: LoginFile,
    relay: Arc<Relay>,
    providers: Option<Arc<dyn ProviderTokens>>,
}

impl StoredLogins {
    /// Those below the folder of the user's settings.
    pub fn new(agent_dir: &Path, clients: Arc<Clients>) -> Self {
        Self { file: LoginFile::of(agent_dir), relay: Arc::new(Relay::new(clients)), providers: None }
    }

    /// With the logins to model providers.
    #[must_use]
    pub fn with_providers(self, providers: Arc<dyn ProviderTokens>) -> Self {
        Self { providers: Some(providers), ..self }
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }

    pub(crate) fn relay(&self) -> &Arc<Relay> {
        &self.relay
    }

    /// The file.
    pub fn file(&self) -> &LoginFile {
        &self.file
    }
}

/// What a login belongs to: the name of a server and its address.
pub fn key(name: &str, url: &str) -> String {
    format!("mcp__{name}|{url}")
}

/// Whether a server may want a login that is kept here: one of the web, without a header of its own and without the login
/// of a provider.
pub fn uses_oauth(entry: &Entry) -> bool {
    match &entry.config.transport {
        Transport::Http { headers, oauth, auth_provider, .. } => {
            let has_header = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
            oauth.is_some() && auth_provider.is_none() && !has_header
        }
        Transport::Stdio { .. } => false,
    }
}

impl Logins for StoredLogins {
    fn tokens(&self, entry: &Entry, url: &str, _: Option<&str>) -> Option<Arc<dyn Tokens>> {
        if let Transport::Http { auth_provider: Some(provider), .. } = &entry.config.transport {
            // The entry was checked as it is written; what variables made of the address was not.
            let is_fit = |url: Url| is_safe(&url) && url.username().is_empty() && url.password().is_none();
            let from = self.providers.clone().filter(|_| Url::parse(url).is_ok_and(is_fit))?;
            return Some(Arc::new(OfProvider { provider: provider.clone(), from }));
        }
        let renewed = || Renewed::new(self.file.clone(), Arc::clone(&self.relay), &entry.name, url);
        uses_oauth(entry).then(|| Arc::new(renewed()) as _)
    }

    fn stamp(&self, entry: &Entry, values: &dyn Values) -> u64 {
        address(&entry.config, values).map_or(0, |url| self.file.stamp(&key(&entry.name, &url)))
    }
}
