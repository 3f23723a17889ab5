//! Where files are looked for.

use std::path::Path;

use async_trait::async_trait;

use crate::OpError;

/// Finds files elsewhere.
#[async_trait]
pub trait FindOperations: Send + Sync {
    /// Whether there is anything at `path`.
    async fn exists(&self, path: &Path) -> bool;

    /// Paths below `cwd` that match the glob `pattern` and none of the globs in `ignore`, absolute or relative
    /// to `cwd`, at most `limit`.
    async fn glob(&self, pattern: &str, cwd: &Path, ignore: &[&str], limit: usize) -> Result<Vec<String>, OpError>;
}
