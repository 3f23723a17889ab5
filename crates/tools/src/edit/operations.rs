//! Where files are edited.

use std::path::Path;

use async_trait::async_trait;
use rustix::fs::Access;

use crate::OpError;
use crate::fs::{access, read_regular, write_atomically};
use crate::support::blocking_op;

/// Reads and writes the files that are edited, here or elsewhere.
#[async_trait]
pub trait EditOperations: Send + Sync {
    /// The file's bytes.
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, OpError>;

    /// Makes `content` the content of the file.
    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), OpError>;

    /// Fails unless the file is there and may be read and written.
    async fn access(&self, path: &Path) -> Result<(), OpError>;
}

/// Edits files of this machine, each in one step.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalEdit;

#[async_trait]
impl EditOperations for LocalEdit {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, OpError> {
        let path = path.to_owned();
        blocking_op(move || read_regular(&path)).await
    }

    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), OpError> {
        let (path, content) = (path.to_owned(), content.to_owned());
        blocking_op(move || write_atomically(&path, &content)).await
    }

    async fn access(&self, path: &Path) -> Result<(), OpError> {
        let path = path.to_owned();
        blocking_op(move || access(&path, Access::READ_OK | Access::WRITE_OK)).await
    }
}
