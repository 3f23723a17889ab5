//! The logins to model providers that the session has.

use async_trait::async_trait;
use tau_hooks::Api;

use crate::auth::ProviderTokens;

/// Asks the session.
pub(super) struct Providers(pub(super) Api);

#[async_trait]
impl ProviderTokens for Providers {
    async fn token(&self, provider: &str) -> Result<Option<String>, String> {
        let host = self.0.host().map_err(|error| error.to_string())?;
        let models = host.models().ok_or("there are no logins to model providers here")?;
        // A login is that of all models of a provider.
        let all = models.all();
        let model = all.iter().find(|model| model.provider == provider);
        let model = model.ok_or_else(|| format!("auth names the provider \"{provider}\", which has no models here"))?;
        match host.request_auth(model).await {
            Ok(auth) => Ok(auth.api_key.map(|key| key.expose().to_owned())),
            Err(error) => {
                tracing::debug!(%error, provider, "there is no login for an MCP server");
                Ok(None)
            }
        }
    }
}
