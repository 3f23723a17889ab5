//! A sign-in, from what a server publishes to tokens in the file.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource, OAuthClientConfig,
};
use tau_ai::{CodeWait, LoginUi, Loopback};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::relay::Way;
use super::renew::{InMemory, blocking};
use super::store::Login;
use super::{SignInError, StoredLogins, key};
use crate::config::{OAuthConfig, is_safe};

/// The name to register with.
const NAME: &str = "tau";

/// Who signs in where.
pub struct SignIn<'s> {
    /// The server.
    pub name: &'s str,
    /// Its address.
    pub url: &'s str,
    /// What the user says about signing in.
    pub oauth: &'s OAuthConfig,
    /// The secret of a client that was registered beforehand.
    pub client_secret: Option<String>,
    /// What the server said about signing in.
    pub challenge: Option<String>,
    /// How long the user may take.
    pub patience: Duration,
    /// Who opens the page.
    pub ui: Arc<dyn LoginUi>,
    /// Gives up.
    pub cancel: CancellationToken,
}

/// Signs in and keeps the login.
///
/// # Errors
/// When the server publishes nothing that can be used, the user leaves, or what comes back is not what was asked for.
pub async fn sign_in(logins: &StoredLogins, what: &SignIn<'_>) -> Result<(), SignInError> {
    let way = Way::new(logins.relay());
    signed_in(logins, &way, what).await.map_err(|error| error.because(way.last()))
}

async fn signed_in(logins: &StoredLogins, way: &Arc<Way>, what: &SignIn<'_>) -> Result<(), SignInError> {
    let store = InMemory::default();
    let mut manager = AuthorizationManager::new_with_oauth_http_client(what.url, Arc::clone(way) as _).await?;
    manager.set_credential_store(store.clone());
    let metadata = described(logins, &manager, what).await?;
    check(&metadata)?;
    manager.set_metadata(metadata.clone());

    let wanted = match (&what.oauth.callback_url, what.oauth.callback_port) {
        (Some(url), _) => url.clone(),
        (None, Some(port)) => format!("http://127.0.0.1:{port}/callback"),
        (None, None) => "http://127.0.0.1/callback".to_owned(),
    };
    let mut wanted = Url::parse(&wanted).map_err(|_| SignInError::server("oauth.callbackUrl is no address"))?;
    if wanted.port().is_none()
        && let Some(port) = what.oauth.callback_port
        && wanted.set_port(Some(port)).is_err()
    {
        return Err(SignInError::server("oauth.callbackUrl can have no port"));
    }
    let loopback = Loopback::listen(&wanted).await?;
    let redirect = loopback.url().to_string();

    let scopes = scopes(logins, &manager, what).await?;
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let client = match &what.oauth.client_id {
        Some(id) => {
            let mut client = OAuthClientConfig::new(id.clone(), redirect.clone());
            client.client_secret.clone_from(&what.client_secret);
            manager.configure_client(client.clone())?;
            client
        }
        None => {
            let name = what.oauth.client_name.as_deref().unwrap_or(NAME);
            manager.register_client(name, &redirect, &scopes).await?
        }
    };
    let page = manager.get_authorization_url(&scopes).await?;
    let page = Url::parse(&page)
        .ok()
        .filter(is_safe)
        .ok_or_else(|| SignInError::server("the page to sign in at is not encrypted"))?;
    let state = page.query_pairs().find(|(name, _)| name == "state").map(|(_, value)| value.into_owned());
    let state = state.ok_or_else(|| SignInError::server("the page to sign in at has no mark of this login"))?;
    let wait = CodeWait { page: &page, state: &state, patience: what.patience, ui: &what.ui, cancel: &what.cancel };
    let returned = loopback.code(wait).await?;
    manager.exchange_code_for_token_with_issuer(&returned.code, &state, returned.issuer.as_deref()).await?;

    let credentials = store.take().ok_or_else(|| SignInError::server("the server gave no token"))?;
    let login = Login {
        server: metadata,
        client_id: client.client_id,
        client_secret: client.client_secret,
        redirect,
        credentials: Some(credentials),
    };
    let (file, key) = (logins.file().clone(), key(what.name, what.url));
    blocking(move || {
        let lock = file.lock()?;
        file.put(&lock, &key, &login)
    })
    .await
}

/// The authorization server: as the user says, else as the server publishes.
async fn described(
    logins: &StoredLogins,
    manager: &AuthorizationManager,
    what: &SignIn<'_>,
) -> Result<AuthorizationMetadata, SignInError> {
    if let Some(url) = &what.oauth.metadata_url {
        return fetched(logins, url).await;
    }
    let found = manager.resolve_metadata_from_challenge(what.challenge.as_deref()).await?;
    // Older servers publish nothing and sign in at fixed places of their own.
    if found.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        tracing::debug!(server = what.name, "the server publishes nothing about signing in");
    }
    Ok(found.metadata)
}

async fn fetched(logins: &StoredLogins, url: &str) -> Result<AuthorizationMetadata, SignInError> {
    let url = Url::parse(url).map_err(|_| SignInError::server("oauth.authServerMetadataUrl is no address"))?;
    let body = logins.relay().get(&url).await.map_err(|error| SignInError::server(error.to_string()))?;
    serde_json::from_slice(&body)
        .map_err(|_| SignInError::server("oauth.authServerMetadataUrl describes no authorization server"))
}

/// Every place that gets something of a login has to be safe.
fn check(metadata: &AuthorizationMetadata) -> Result<(), SignInError> {
    let places = [
        Some(&metadata.authorization_endpoint),
        Some(&metadata.token_endpoint),
        metadata.registration_endpoint.as_ref(),
    ];
    for place in places.into_iter().flatten() {
        if !Url::parse(place).is_ok_and(|url| is_safe(&url)) {
            let place = crate::summary::one_line(place, 200);
            return Err(SignInError::server(format!(
                "the server names {place} for signing in, which is not encrypted"
            )));
        }
    }
    Ok(())
}

/// What to ask for: what the user wants, what the server wants now, and what was granted before.
async fn scopes(
    logins: &StoredLogins,
    manager: &AuthorizationManager,
    what: &SignIn<'_>,
) -> Result<Vec<String>, SignInError> {
    let asked = match manager.select_initial_scopes(&[]).await {
        scopes if scopes.is_empty() => manager.select_scopes(None, &[]),
        scopes => scopes,
    };
    let (file, key) = (logins.file().clone(), key(what.name, what.url));
    let before = blocking(move || file.read(&key)).await?;
    let granted = before.and_then(|login| login.credentials).map(|credentials| credentials.granted_scopes);
    let own = what.oauth.scope.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned);
    let mut all: Vec<String> = Vec::new();
    for scope in own.chain(asked).chain(granted.unwrap_or_default()) {
        if !scope.is_empty() && !all.contains(&scope) {
            all.push(scope);
        }
    }
    Ok(all)
}
