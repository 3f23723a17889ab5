//! Lists of models that a provider does not know beforehand.

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::HandlerError;

/// Asks a provider which models it has now.
#[async_trait]
pub trait ModelSource: Send + Sync {
    /// What has changed of the provider, in the form of [`crate::Provider::config`]: `models` replaces all models of the
    /// provider, and what is not given stays. `None` changes nothing.
    ///
    /// # Errors
    /// When the provider does not say. Its models stay as they were, and the user reads why.
    async fn now(&self, asked: ModelListRequest) -> Result<Option<Value>, HandlerError>;
}

/// What a provider may want to know when it is asked for its models.
#[derive(Debug, Clone)]
pub struct ModelListRequest {
    /// The credential in the form of `auth.json`, if there is one.
    pub credential: Option<Value>,
    /// The configured address of the provider.
    pub base_url: Option<String>,
    /// Whether it may ask a server: there is a credential, and tau is not offline.
    pub allow_network: bool,
    /// Whether tau is not offline, for a provider that finds a credential itself.
    pub online: bool,
    /// The user asked for it.
    pub force: bool,
    /// Nobody waits any more.
    pub cancel: CancellationToken,
}
