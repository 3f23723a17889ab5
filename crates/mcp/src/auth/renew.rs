//! Tokens of a login, renewed when they are about to end: once, however many processes use them.

use std::sync::Arc;

use async_trait::async_trait;
use oauth2::TokenResponse;
use parking_lot::Mutex;
use rmcp::transport::auth::{AuthError, AuthorizationManager, CredentialStore, OAuthClientConfig, StoredCredentials};

use super::relay::{Relay, Way};
use super::store::{Login, LoginFile};
use super::{SignInError, key};
use crate::connection::Tokens;

/// A token that ends within so many seconds is renewed.
const MARGIN: u64 = 30;

/// Credentials in memory; the holder of the lock writes the file.
#[derive(Clone, Default)]
pub(super) struct InMemory(Arc<Mutex<Option<StoredCredentials>>>);

impl InMemory {
    pub(super) fn of(credentials: Option<StoredCredentials>) -> Self {
        Self(Arc::new(Mutex::new(credentials)))
    }

    pub(super) fn take(&self) -> Option<StoredCredentials> {
        self.0.lock().take()
    }
}

#[async_trait]
impl CredentialStore for InMemory {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.0.lock().clone())
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        *self.0.lock() = Some(credentials);
        Ok(())
    }

    async fn clear(&self) -> Result<(), AuthError> {
        *self.0.lock() = None;
        Ok(())
    }
}

/// The token of a login.
fn token_of(login: &Login) -> Option<String> {
    Some(login.credentials.as_ref()?.token_response.as_ref()?.access_token().secret().clone())
}

/// Whether a token is about to end, as far as its server said when it does.
fn is_ending(login: &Login) -> bool {
    let Some(credentials) = &login.credentials else { return false };
    let lifetime = credentials.token_response.as_ref().and_then(|tokens| tokens.expires_in());
    let (Some(lifetime), Some(since)) = (lifetime, credentials.token_received_at) else { return false };
    let now = u64::try_from(tau_ai::now_ms() / 1000).unwrap_or_default();
    let left = since.saturating_add(lifetime.as_secs()).saturating_sub(now);
    left < MARGIN.min(lifetime.as_secs() / 2).max(1)
}

/// The tokens of one server.
pub(super) struct Renewed {
    file: LoginFile,
    relay: Arc<Relay>,
    /// The name of the server.
    server: String,
    key: String,
    url: String,
    /// Requests of this process wait for each other here, and not for the lock of the file.
    turn: tokio::sync::Mutex<()>,
}

impl Renewed {
    pub(super) fn new(file: LoginFile, relay: Arc<Relay>, server: &str, url: &str) -> Self {
        let (server, key) = (server.to_owned(), key(server, url));
        Self { file, relay, server, key, url: url.to_owned(), turn: tokio::sync::Mutex::new(()) }
    }

    /// Why there is no token, and what to do.
    fn told(&self, error: SignInError) -> String {
        let text = match error {
            SignInError::Server { what, .. } => what,
            error => error.to_string(),
        };
        format!("{text}; sign in anew: tau mcp login {}", self.server)
    }

    async fn read(&self) -> Result<Option<Login>, SignInError> {
        let (file, key) = (self.file.clone(), self.key.clone());
        blocking(move || file.read(&key)).await
    }

    /// Renews a token unless somebody did meanwhile: the one that is there is another one, and not about to end.
    async fn renew(&self, refused: Option<&str>) -> Result<Option<String>, SignInError> {
        let _turn = self.turn.lock().await;
        let file = self.file.clone();
        let lock = blocking(move || file.lock()).await?;
        let Some(mut login) = self.read().await? else { return Ok(None) };
        let current = token_of(&login);
        let is_fresh = current.is_some() && current.as_deref() != refused && !is_ending(&login);
        if is_fresh || current.is_none() {
            return Ok(current);
        }
        let store = InMemory::of(login.credentials.clone());
        let way = Way::new(&self.relay);
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(self.url.as_str(), Arc::clone(&way) as _).await?;
        manager.set_metadata(login.server.clone());
        manager.set_credential_store(store.clone());
        let mut client = OAuthClientConfig::new(login.client_id.clone(), login.redirect.clone());
        client.client_secret.clone_from(&login.client_secret);
        manager.configure_client(client)?;
        match manager.refresh_token().await {
            Ok(_) => login.credentials = store.take(),
            // The login is over: the user has to sign in anew.
            Err(AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired) => login.credentials = None,
            Err(error) => return Err(SignInError::from(error).because(way.last())),
        }
        let token = token_of(&login);
        let (file, key) = (self.file.clone(), self.key.clone());
        blocking(move || file.put(&lock, &key, &login)).await?;
        Ok(token)
    }
}

/// Files and locks block.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, crate::file::FileError> + Send + 'static,
) -> Result<T, SignInError> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|error| SignInError::server(error.to_string()))??)
}

#[async_trait]
impl Tokens for Renewed {
    async fn token(&self) -> Result<Option<String>, String> {
        let Some(login) = self.read().await.map_err(|error| self.told(error))? else { return Ok(None) };
        if is_ending(&login) { self.renew(None).await.map_err(|error| self.told(error)) } else { Ok(token_of(&login)) }
    }

    async fn instead_of(&self, refused: &str) -> Result<Option<String>, String> {
        self.renew(Some(refused)).await.map_err(|error| self.told(error))
    }
}
