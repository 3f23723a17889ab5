//! Why a configuration of providers was refused.

use std::fmt;

use super::jsonc::JsonProblem;
use crate::oauth::OAuthServerError;

/// A part of a `models.json` that can be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelsPart {
    /// The entry of a provider.
    Provider,
    /// A model, with its id if it has one.
    Model(Option<String>),
    /// The changes to the model of this id.
    Change(String),
}

impl fmt::Display for ModelsPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Provider => "this provider",
            Self::Model(_) => "this model",
            Self::Change(_) => "this change",
        })
    }
}

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
    /// A value of `models.json` is not what belongs there, and the part of the file that it is in is left out. The value is
    /// not quoted: it may be a secret.
    #[error("{path}: expected {expected}, found {found}; {part} is left out")]
    Entry {
        /// The keys that lead to the value.
        path: String,
        /// What belongs there.
        expected: String,
        /// Of which kind the value is.
        found: &'static str,
        /// The provider.
        provider: String,
        /// What is left out.
        part: ModelsPart,
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
    /// What an extension says of it has another shape.
    #[error("Provider {provider}: {problem}")]
    Shape {
        /// The provider.
        provider: String,
        /// The key, and what is wrong with it.
        problem: String,
    },
    /// An extension names more models than tau keeps.
    #[error("Provider {provider}: {count} models are too many; leave out all but {} of them", super::MAX_MODELS)]
    TooMany {
        /// The provider.
        provider: String,
        /// How many it names.
        count: usize,
    },
    /// A model has no id.
    #[error("Provider {provider}: every model needs a non-empty \"id\".")]
    NoId {
        /// The provider.
        provider: String,
    },
}

impl ProviderError {
    /// Whether it keeps a model of a provider from being known: any of its models, or that of an id.
    pub(super) fn leaves_out(&self, provider: &str, id: Option<&str>) -> bool {
        let of = match self {
            Self::Entry { part: ModelsPart::Change(_), .. } | Self::Json { .. } | Self::NoName => return false,
            Self::Entry { provider: of, part: ModelsPart::Model(model), .. } => {
                return of == provider && id.is_none_or(|id| model.as_deref() == Some(id));
            }
            Self::Entry { provider, part: ModelsPart::Provider, .. }
            | Self::Empty { provider }
            | Self::OAuthServer { provider, .. }
            | Self::EmptyKey { provider }
            | Self::NoBaseUrl { provider }
            | Self::NoApi { provider, .. }
            | Self::Shape { provider, .. }
            | Self::TooMany { provider, .. }
            | Self::NoId { provider } => provider,
        };
        of == provider
    }
}
