//! Why a forge gives no answer.

use std::time::Duration;

use tau_hooks::ActionError;

/// Why there is no list of issues or pull requests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForgeError {
    /// The program is not there.
    #[error("`gh` is not installed, or not on the PATH; install it from https://cli.github.com")]
    Missing,
    /// It has no login for the host.
    #[error("`gh` is not signed in to {host}; run `gh auth login --hostname {host}`")]
    SignedOut {
        /// The host.
        host: String,
    },
    /// It took too long.
    #[error("`gh {what}` did not answer within {limit:?}; check the network")]
    TimedOut {
        /// What it was asked.
        what: String,
        /// How long it had.
        limit: Duration,
    },
    /// The repository has no issues, or no pull requests.
    #[error("{repository} has none")]
    Disabled {
        /// The repository.
        repository: String,
    },
    /// It failed.
    #[error("`gh {what}` failed: {why}")]
    Failed {
        /// What it was asked.
        what: String,
        /// The first line of what it said.
        why: String,
    },
    /// It answered something else than was asked for.
    #[error("`gh {what}` gave an answer that tau cannot read: {why}; update `gh`")]
    Unreadable {
        /// What it was asked.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The session ended, or the work for it did.
    #[error("the session ended meanwhile")]
    Ended,
}

impl From<ActionError> for ForgeError {
    fn from(error: ActionError) -> Self {
        tracing::debug!(%error, "the forge is not asked");
        Self::Ended
    }
}
