//! Where grep looks beyond its own search.

use std::path::Path;

use async_trait::async_trait;

use crate::OpError;

/// Swaps parts of a search. The search itself always runs on this machine.
#[async_trait]
pub trait GrepOperations: Send + Sync {
    /// Whether `path` is a directory; fails when there is nothing.
    async fn is_directory(&self, path: &Path) -> Result<bool, OpError>;
}
