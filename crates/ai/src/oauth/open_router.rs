//! The login of OpenRouter, which any program may use: it gives out a key of the user's account.

use std::sync::Arc;

use async_trait::async_trait;
use oauth2::PkceCodeChallenge;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::callback::Callback;
use super::client::{Connections, host_of};
use super::code::{self, Page};
use super::failure::Failure;
use super::login::{LoginUi, OAuth};
use super::server_login::{FOR_EVER, free_address};
use super::tokens;
use crate::{JsonMap, Model, random_id};

/// Where OpenRouter is.
const ORIGIN: &str = "https://openrouter.ai";

/// The login to `openrouter`.
pub struct OpenRouter {
    origin: String,
    connections: Arc<Connections>,
}

impl OpenRouter {
    /// The provider's name.
    pub const PROVIDER: &'static str = "openrouter";

    /// The login at OpenRouter itself.
    pub fn new(connections: Arc<Connections>) -> Self {
        Self::at(ORIGIN, connections)
    }

    /// The login at a server that does as OpenRouter does.
    pub fn at(origin: &str, connections: Arc<Connections>) -> Self {
        Self { origin: origin.to_owned(), connections }
    }

    fn address(&self, path: &str) -> Result<Url, Failure> {
        Url::parse(&format!("{}{path}", self.origin)).map_err(|error| Failure::Here(error.to_string()))
    }

    async fn key(&self, ui: &Arc<dyn LoginUi>, cancel: &CancellationToken) -> Result<String, Failure> {
        // It takes no `state`, so the path marks this login.
        let callback = Callback::listen(&free_address(&format!("/callback/{}", random_id()))?).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut url = self.address("/auth")?;
        url.query_pairs_mut()
            .append_pair("callback_url", callback.url.as_str())
            .append_pair("code_challenge", challenge.as_str())
            .append_pair("code_challenge_method", "S256");
        let host = host_of(&url);
        let page = Page { url: &url, host: &host, state: None, callback: Some(&callback), patience: code::PATIENCE };
        let code = code::code(page, ui, cancel).await?.text;
        let body = json!({"code": code, "code_verifier": verifier.secret(), "code_challenge_method": "S256"});
        let mut request = reqwest::Request::new(reqwest::Method::POST, self.address("/api/v1/auth/keys")?);
        let json = reqwest::header::HeaderValue::from_static("application/json");
        request.headers_mut().insert(reqwest::header::CONTENT_TYPE, json);
        *request.body_mut() = Some(body.to_string().into());
        let answer = tokio::select! {
            () = cancel.cancelled() => return Err(Failure::Cancelled),
            answer = self.connections.send(request) => answer?,
        };
        let said: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if !answer.status.is_success() {
            return Err(Failure::Refused {
                host,
                code: format!("status {}", answer.status.as_u16()),
                description: reason(&said),
            });
        }
        tokens::check(&said).map_err(|what| Failure::Unusable { host: host.clone(), what })?;
        let key = said["key"].as_str().filter(|key| !key.is_empty());
        key.map(str::to_owned).ok_or(Failure::Incomplete { host, missing: "key" })
    }
}

/// What the server says about a refusal.
pub(super) fn reason(said: &Value) -> Option<String> {
    let places = [&said["error_description"], &said["error"]["message"], &said["message"], &said["error"]];
    places.into_iter().find_map(Value::as_str).map(str::to_owned)
}

#[async_trait]
impl OAuth for OpenRouter {
    fn name(&self) -> &str {
        "OpenRouter"
    }

    fn extension(&self) -> &str {
        "openrouter.ai"
    }

    async fn login(&self, ui: Arc<dyn LoginUi>, cancel: CancellationToken) -> Result<JsonMap, String> {
        let key = self.key(&ui, &cancel).await.map_err(|failure| failure.to_string())?;
        let mut credential = JsonMap::new();
        credential.insert("access".to_owned(), key.into());
        credential.insert("refresh".to_owned(), "".into());
        credential.insert("expires".to_owned(), FOR_EVER.into());
        Ok(credential)
    }

    async fn refresh(&self, credential: &JsonMap, _: CancellationToken) -> Result<JsonMap, String> {
        // A key does not expire.
        Ok(credential.clone())
    }

    async fn api_key(&self, credential: &JsonMap) -> Result<String, String> {
        let key = credential.get("access").and_then(Value::as_str);
        key.map(str::to_owned).ok_or_else(|| "the login has no key".to_owned())
    }

    async fn modify_models(&self, _: &[Arc<Model>], _: &JsonMap) -> Result<Option<Vec<Model>>, String> {
        Ok(None)
    }
}
