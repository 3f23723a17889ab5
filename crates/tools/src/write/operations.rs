//! Where files are written to.

use std::path::Path;

use async_trait::async_trait;

use crate::OpError;
use crate::fs::{create_dirs, write_atomically};
use crate::support::blocking_op;

/// Writes files, here or elsewhere.
#[async_trait]
pub trait WriteOperations: Send + Sync {
    /// Makes `content` the content of the file.
    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), OpError>;

    /// Creates a directory and what is missing above it.
    async fn mkdir(&self, path: &Path) -> Result<(), OpError>;
}

/// Writes files of this machine, each in one step.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalWrite;

#[async_trait]
impl WriteOperations for LocalWrite {
    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), OpError> {
        let (path, content) = (path.to_owned(), content.to_owned());
        blocking_op(move || write_atomically(&path, &content)).await
    }

    async fn mkdir(&self, path: &Path) -> Result<(), OpError> {
        let path = path.to_owned();
        blocking_op(move || create_dirs(&path)).await
    }
}
