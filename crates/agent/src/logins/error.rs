//! Why a login or logout did not work.

use super::file::AuthFileError;

/// Why somebody is not logged in or out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// Nobody knows how to log in there.
    #[error("There is no login for {provider}; it takes an API key.")]
    Unknown {
        /// The provider.
        provider: String,
    },
    /// There is nobody to be asked.
    #[error("Logging in to {provider} needs somebody to answer.")]
    NoUser {
        /// The provider.
        provider: String,
    },
    /// The login was ended from outside.
    #[error("The login to {provider} was cancelled.")]
    Cancelled {
        /// The provider.
        provider: String,
    },
    /// It failed, or the user left.
    #[error("The login to {provider} failed: {}", if reason.contains(extension) { reason.clone() } else { format!("{extension}: {reason}") })]
    Failed {
        /// The provider.
        provider: String,
        /// The extension whose login it is.
        extension: String,
        /// What it said.
        reason: String,
    },
    /// There is nothing to store.
    #[error("An API key for {provider} cannot be empty.")]
    NoKey {
        /// The provider.
        provider: String,
    },
    /// The credentials could not be stored or removed.
    #[error(transparent)]
    File(#[from] AuthFileError),
}
