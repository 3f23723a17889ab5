//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

/// Why a session could not be opened, written or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The file system refused. When an append fails with this, neither the tree nor the file has the entry; what
    /// [`crate::Session::keep`] adds stays in the tree.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb phrase.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file has no valid header, so it is not touched.
    #[error("{} is not a session file: {reason}", path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// What is wrong with its first line.
        reason: String,
    },
    /// The file is of a version that a newer program writes. It is not touched: what is appended in today's form could be
    /// wrong there.
    #[error(
        "{} is a session of format {version}; this version of tau reads formats up to {}. Update tau to open it.",
        path.display(),
        crate::FORMAT_VERSION
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// The file that was to be created is already there.
    #[error("session file {} already exists", .0.display())]
    AlreadyExists(PathBuf),
    /// A session has the file open, so it cannot be repaired from elsewhere.
    #[error("{} is open in another session, here or in another tau; close that, then try again", .0.display())]
    InUse(PathBuf),
    /// The session is in memory, or nothing of it was written yet.
    #[error("the session has no file yet")]
    NoFile,
    /// The id cannot be part of a file name.
    #[error(
        "session id `{0}` must begin and end with an ASCII letter or digit, with only letters, digits, `.`, `_` and `-` between"
    )]
    InvalidId(String),
    /// There is no entry of that id.
    #[error("Entry {0} not found")]
    EntryNotFound(String),
    /// The entry exists, but not between the root and the leaf.
    #[error("Entry {0} is not on the active branch")]
    NotOnBranch(String),
    /// Only messages that the model sees can be edited out of the context.
    #[error("Entry {0} does not contribute editable model content")]
    NotEditable(String),
    /// An entry or a header has no JSON form.
    #[error("cannot write the entry as JSON: {0}")]
    Serialize(#[from] serde_json::Error),
}

impl SessionError {
    /// For `map_err` on file operations.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}
