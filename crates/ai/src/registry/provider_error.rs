//! Why a configuration of providers was refused.

use super::jsonc::JsonProblem;
use crate::oauth::OAuthServerError;

/// Why a configuration was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The text is not what it should be.
    #[error("{file}, {problem}")]
    Json {
        /// Name of the file the text belongs to.
        file: &'static str,
        /// What is wrong, and where.
        problem: JsonProblem,
    },
    /// A provider has no name.
    #[error("A provider must have a name.")]
    NoName,
    /// A provider changes nothing.
    #[error(
        "Provider {provider}: must specify \"baseUrl\", \"apiKey\", \"headers\", \"compat\", \"modelOverrides\", or \"models\"."
    )]
    Empty {
        /// The provider.
        provider: String,
    },
    /// Nobody can log in at its server.
    #[error("Provider {provider}, \"oauthServer\": {error}.")]
    OAuthServer {
        /// The provider.
        provider: String,
        /// What is wrong.
        error: OAuthServerError,
    },
    /// A key is empty.
    #[error("Provider {provider}: \"apiKey\" must not be empty. For a server that needs no key, any text will do.")]
    EmptyKey {
        /// The provider.
        provider: String,
    },
    /// Nobody says where the models are.
    #[error("Provider {provider}: \"baseUrl\" is required when defining custom models.")]
    NoBaseUrl {
        /// The provider.
        provider: String,
    },
    /// Nobody says how to talk to a model.
    #[error("Provider {provider}, model {model}: no \"api\" specified. Set at provider or model level.")]
    NoApi {
        /// The provider.
        provider: String,
        /// The model.
        model: String,
    },
    /// A wire format without a name.
    #[error("Provider {provider}: \"api\" is required when registering a stream function.")]
    NoStreamApi {
        /// The provider.
        provider: String,
    },
    /// A model has no id.
    #[error("Provider {provider}: every model needs a non-empty \"id\".")]
    NoId {
        /// The provider.
        provider: String,
    },
}
