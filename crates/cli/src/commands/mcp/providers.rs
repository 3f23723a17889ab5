//! The logins to model providers, for servers whose `auth` names one. Read when the first server asks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tau_agent::Logins;
use tau_agent::settings::Environment;
use tau_ai::{HttpSettings, ModelRegistry};
use tau_launch::args::Args;
use tau_launch::models;
use tau_mcp::auth::ProviderTokens;
use tokio::sync::OnceCell;

use crate::diagnostics;

/// What is known without extensions.
pub(super) struct Providers {
    env: Environment,
    http: HttpSettings,
    known: OnceCell<(Arc<ModelRegistry>, Logins)>,
}

impl Providers {
    pub(super) fn new(env: &Environment, http: HttpSettings) -> Self {
        Self { env: env.clone(), http, known: OnceCell::new() }
    }

    fn open(env: &Environment, http: HttpSettings) -> (Arc<ModelRegistry>, Logins) {
        let registry = models::registry(&Args::default(), env, &diagnostics::voice());
        registry.connect_with(http);
        let file: PathBuf = env.agent_dir().join("auth.json");
        let logins = Logins::new(Arc::clone(&registry), file);
        (registry, logins)
    }
}

#[async_trait]
impl ProviderTokens for Providers {
    async fn token(&self, provider: &str) -> Result<Option<String>, String> {
        let (env, http) = (self.env.clone(), self.http.clone());
        let known = self.known.get_or_try_init(|| async move {
            tokio::task::spawn_blocking(move || Self::open(&env, http)).await.map_err(|error| error.to_string())
        });
        let (registry, logins) = known.await?;
        // A login is that of all models of a provider.
        let all = registry.all();
        let model = all.iter().find(|model| model.provider == provider);
        let model = Arc::clone(
            model.ok_or_else(|| format!("auth names the provider \"{provider}\", which has no models here"))?,
        );
        if let Some(warning) = logins.renew(provider, Duration::ZERO).await.map_err(|error| error.to_string())? {
            diagnostics::warning(&warning);
        }
        let registry = Arc::clone(registry);
        let auth = tokio::task::spawn_blocking(move || registry.auth(&model)).await;
        match auth.map_err(|error| error.to_string())? {
            Ok(auth) => Ok(auth.api_key.map(|key| key.expose().to_owned())),
            Err(error) => {
                tracing::debug!(%error, provider, "there is no login for an MCP server");
                Ok(None)
            }
        }
    }
}
