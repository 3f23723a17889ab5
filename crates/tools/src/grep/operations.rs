//! Where grep looks beyond its own search.

use std::path::Path;

use async_trait::async_trait;

use crate::OpError;

/// Swaps parts of a search. The search itself always runs on this machine; files read here supply the lines
/// around a match.
#[async_trait]
pub trait GrepOperations: Send + Sync {
    /// Whether `path` is a directory; fails when there is nothing.
    async fn is_directory(&self, path: &Path) -> Result<bool, OpError>;

    /// The file's text.
    async fn read_file(&self, path: &Path) -> Result<String, OpError>;
}
