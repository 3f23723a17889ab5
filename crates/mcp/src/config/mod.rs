//! `mcp.json`: the user's and the project's, read, merged, and changed in place.
//!
//! What is wrong with one entry is reported and costs that entry only.

mod edit;
mod entry;
mod exposure;
mod merge;
mod oauth;
mod unknown;
mod values;

use std::path::{Path, PathBuf};

pub use edit::{Edited, put_server, remove_server, update_server};
pub use entry::{ServerConfig, Transport};
pub use exposure::Exposure;
pub use merge::{Config, Entry, Scope};
pub use oauth::OAuthConfig;
pub(crate) use oauth::is_safe;
pub use values::{ResolveError, Resolved, ResolvedTransport, Values, address, resolve};

/// The name of the file, in the user's folder and in a project's.
pub const FILE: &str = "mcp.json";

/// What is wrong with a file or with an entry of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, and with which entry.
    pub problem: String,
}

impl ConfigError {
    fn new(path: &Path, problem: impl Into<String>) -> Self {
        Self { path: path.to_owned(), problem: problem.into() }
    }
}
