//! A login at an authorization server: code with PKCE or a code for another device, and refresh tokens.

use std::sync::Arc;

use async_trait::async_trait;
use oauth2::basic::{BasicClient, BasicTokenResponse};
use oauth2::{
    AuthUrl, AuthorizationCode, ClientId, CsrfToken, PkceCodeChallenge, RedirectUrl, RefreshToken, Scope,
    TokenResponse, TokenUrl,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::callback::Callback;
use super::client::{Connections, Relay, host_of};
use super::code::{self, Page};
use super::device::{self, Device};
use super::failure::Failure;
use super::login::{LoginNotice, LoginQuestion, LoginUi, OAuth};
use super::server::OAuthServer;
use crate::{JsonMap, Model, now_ms};

/// A login at a server that was described in `models.json` or by an extension. The access token is the key.
pub struct ServerLogin {
    name: String,
    server: OAuthServer,
    host: String,
    relay: Relay,
}

const BROWSER: &str = "browser";
const DEVICE: &str = "device";

impl ServerLogin {
    /// A login to a provider. The server was [checked](OAuthServer::check).
    pub fn new(provider: &str, server: OAuthServer, connections: Arc<Connections>) -> Self {
        let name = server.name.clone().unwrap_or_else(|| provider.to_owned());
        let host = host_of(&server.token_url);
        Self { name, server, host, relay: Relay(connections) }
    }

    async fn sign_in(&self, ui: &Arc<dyn LoginUi>, cancel: &CancellationToken) -> Result<BasicTokenResponse, Failure> {
        match (&self.server.authorization_url, &self.server.device_authorization_url) {
            (Some(page), None) => self.by_code(page, ui, cancel).await,
            (None, Some(url)) => self.by_device(url, ui, cancel).await,
            (Some(page), Some(url)) => match self.way(ui).await? {
                BROWSER => self.by_code(page, ui, cancel).await,
                _ => self.by_device(url, ui, cancel).await,
            },
            (None, None) => Err(Failure::Here(super::OAuthServerError::NoWay.to_string())),
        }
    }

    async fn way(&self, ui: &Arc<dyn LoginUi>) -> Result<&'static str, Failure> {
        if !ui.has_browser() {
            return Ok(DEVICE);
        }
        let options = [(BROWSER, "In a browser on this machine"), (DEVICE, "With a code on another device")];
        let options = options.map(|(id, label)| (id.to_owned(), label.to_owned())).to_vec();
        let question = LoginQuestion::Choice { message: format!("How to sign in with {}", self.name), options };
        match ui.ask(question).await.as_deref() {
            Some(BROWSER) => Ok(BROWSER),
            Some(DEVICE) => Ok(DEVICE),
            _ => Err(Failure::Cancelled),
        }
    }

    async fn by_code(
        &self,
        page: &Url,
        ui: &Arc<dyn LoginUi>,
        cancel: &CancellationToken,
    ) -> Result<BasicTokenResponse, Failure> {
        let wanted = match &self.server.redirect_url {
            Some(url) => url.clone(),
            None => free_address("/callback")?,
        };
        let callback = match Callback::listen(&wanted).await {
            Ok(callback) => Some(callback),
            // The code of a fixed address can still be pasted.
            Err(failure) if self.server.redirect_url.is_some() => {
                ui.show(LoginNotice::Progress(format!("{failure}. Paste the address that the browser ends at.")));
                None
            }
            Err(failure) => return Err(failure),
        };
        let redirect = callback.as_ref().map_or(wanted, |callback| callback.url.clone());
        let client = BasicClient::new(self.client_id())
            .set_auth_uri(AuthUrl::from_url(page.clone()))
            .set_token_uri(TokenUrl::from_url(self.server.token_url.clone()))
            .set_redirect_uri(RedirectUrl::from_url(redirect));
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut asked = client
            .authorize_url(CsrfToken::new_random)
            .set_pkce_challenge(challenge)
            .add_scopes(self.server.scopes.iter().cloned().map(Scope::new));
        for (name, value) in &self.server.parameters {
            asked = asked.add_extra_param(name, value);
        }
        let (url, state) = asked.url();
        let host = host_of(page);
        let page = Page {
            url: &url,
            host: &host,
            state: Some(state.secret()),
            callback: callback.as_ref(),
            patience: code::PATIENCE,
        };
        let code = code::code(page, ui, cancel).await?.text;
        let exchange = client.exchange_code(AuthorizationCode::new(code)).set_pkce_verifier(verifier);
        tokio::select! {
            () = cancel.cancelled() => Err(Failure::Cancelled),
            given = exchange.request_async(&self.relay) => given.map_err(|error| self.failure(error)),
        }
    }

    async fn by_device(
        &self,
        url: &Url,
        ui: &Arc<dyn LoginUi>,
        cancel: &CancellationToken,
    ) -> Result<BasicTokenResponse, Failure> {
        let OAuthServer { client_id, token_url, scopes, .. } = &self.server;
        device::sign_in(Device { client_id, url, token_url, scopes }, &self.relay, ui, cancel).await
    }

    async fn renew(&self, token: &str) -> Result<BasicTokenResponse, Failure> {
        let client =
            BasicClient::new(self.client_id()).set_token_uri(TokenUrl::from_url(self.server.token_url.clone()));
        let token = RefreshToken::new(token.to_owned());
        client.exchange_refresh_token(&token).request_async(&self.relay).await.map_err(|error| self.failure(error))
    }

    fn client_id(&self) -> ClientId {
        ClientId::new(self.server.client_id.clone())
    }

    fn failure(&self, error: oauth2::basic::BasicRequestTokenError<Failure>) -> Failure {
        Failure::of(&self.host, error, "access token")
    }
}

/// An address of this machine whose port is not chosen yet.
pub(super) fn free_address(path: &str) -> Result<Url, Failure> {
    Url::parse(&format!("http://127.0.0.1{path}")).map_err(|error| Failure::Here(error.to_string()))
}

/// What is kept of an answer. What it does not say stays as it was: not every server gives a new refresh token.
fn credential(mut kept: JsonMap, given: &BasicTokenResponse) -> JsonMap {
    kept.insert("access".to_owned(), given.access_token().secret().as_str().into());
    let refresh = given.refresh_token().map(|token| token.secret().as_str());
    match refresh {
        Some(refresh) => drop(kept.insert("refresh".to_owned(), refresh.into())),
        None => drop(kept.entry("refresh").or_insert_with(|| "".into())),
    }
    // A server that names no time wants to be asked until it refuses.
    let expires = given.expires_in().map_or(FOR_EVER, |time| {
        now_ms().saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)).min(FOR_EVER)
    });
    kept.insert("expires".to_owned(), expires.into());
    kept
}

/// The largest number that every reader of `auth.json` reads alike.
pub(super) const FOR_EVER: i64 = (1 << 53) - 1;

#[async_trait]
impl OAuth for ServerLogin {
    fn name(&self) -> &str {
        &self.name
    }

    fn extension(&self) -> &str {
        &self.host
    }

    async fn login(&self, ui: Arc<dyn LoginUi>, cancel: CancellationToken) -> Result<JsonMap, String> {
        let given = self.sign_in(&ui, &cancel).await.map_err(|failure| failure.to_string())?;
        Ok(credential(JsonMap::new(), &given))
    }

    async fn refresh(&self, old: &JsonMap, cancel: CancellationToken) -> Result<JsonMap, String> {
        let token = old.get("refresh").and_then(Value::as_str).filter(|token| !token.is_empty());
        let token = token.ok_or_else(|| "the server gave nothing to renew the login with".to_owned())?;
        tokio::select! {
            () = cancel.cancelled() => Err(Failure::Cancelled.to_string()),
            given = self.renew(token) => match given {
                Ok(given) => Ok(credential(old.clone(), &given)),
                Err(failure) => Err(failure.to_string()),
            },
        }
    }

    async fn api_key(&self, credential: &JsonMap) -> Result<String, String> {
        let access = credential.get("access").and_then(Value::as_str);
        access.map(str::to_owned).ok_or_else(|| "the login has no access token".to_owned())
    }

    async fn modify_models(&self, _: &[Arc<Model>], _: &JsonMap) -> Result<Option<Vec<Model>>, String> {
        Ok(None)
    }
}
