//! Why a project is trusted or not.

use std::fmt;
use std::path::PathBuf;

use super::fingerprint::FileChange;
use super::store::TrustError;

/// Where the answer came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// `--approve` or `--no-approve`.
    Flag,
    /// Nobody decided: the project has nothing that needs trust so far.
    NothingToTrust,
    /// A handler of `project_trust`.
    Handler,
    /// A handler of `project_trust` that failed: the extension, and how.
    HandlerFailed(String, String),
    /// A remembered answer, for this folder or one above it.
    Remembered(PathBuf),
    /// The setting `defaultProjectTrust`.
    Default,
    /// The user, just now.
    User,
    /// Nobody could be asked.
    NobodyToAsk,
    /// The remembered answers cannot be read, so they may well say no.
    Unreadable(TrustError),
    /// Files changed since they were trusted, and nobody could be asked.
    Changed(Vec<FileChange>),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("by a command line flag"),
            Self::NothingToTrust => f.write_str("nothing has needed trust so far"),
            Self::Handler => f.write_str("decided by an extension"),
            Self::HandlerFailed(extension, error) => write!(f, "{extension} could not decide: {error}"),
            Self::Remembered(folder) => write!(f, "remembered for {}", folder.display()),
            Self::Default => f.write_str("by the setting defaultProjectTrust"),
            Self::User => f.write_str("you chose not to trust it"),
            Self::NobodyToAsk => f.write_str("the folder is not trusted yet"),
            Self::Changed(changes) => {
                write!(f, "changed since the folder was trusted: ")?;
                list(f, changes)
            }
            Self::Unreadable(error) => write!(f, "the remembered answers cannot be read: {error}"),
        }
    }
}

/// How many changes are named.
const NAMED: usize = 5;

/// Names the first few changes and counts the rest.
fn list(f: &mut fmt::Formatter<'_>, changes: &[FileChange]) -> fmt::Result {
    let named: Vec<String> = changes.iter().take(NAMED).map(ToString::to_string).collect();
    f.write_str(&named.join(", "))?;
    match changes.len().saturating_sub(NAMED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}
