//! Where directories are listed.

use std::path::Path;

use async_trait::async_trait;

use crate::OpError;
use crate::support::blocking_op;

/// What a listing needs to know about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LsStat {
    /// Whether it is a directory, links being followed.
    pub is_directory: bool,
}

/// Lists directories, here or elsewhere.
#[async_trait]
pub trait LsOperations: Send + Sync {
    /// Whether there is anything at `path`.
    async fn exists(&self, path: &Path) -> bool;

    /// What is at `path`, links being followed.
    async fn stat(&self, path: &Path) -> Result<LsStat, OpError>;

    /// The names in a directory, in any order.
    async fn readdir(&self, path: &Path) -> Result<Vec<String>, OpError>;
}

/// Lists directories of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalLs;

#[async_trait]
impl LsOperations for LocalLs {
    async fn exists(&self, path: &Path) -> bool {
        tokio::fs::try_exists(path).await.unwrap_or(false)
    }

    async fn stat(&self, path: &Path) -> Result<LsStat, OpError> {
        let metadata = tokio::fs::metadata(path).await.map_err(|error| OpError::from_io(&error, "stat", Some(path)))?;
        Ok(LsStat { is_directory: metadata.is_dir() })
    }

    async fn readdir(&self, path: &Path) -> Result<Vec<String>, OpError> {
        let path = path.to_owned();
        blocking_op(move || {
            let failed = |error: std::io::Error| OpError::from_io(&error, "scandir", Some(&path));
            std::fs::read_dir(&path)
                .map_err(failed)?
                .map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned()))
                .collect()
        })
        .await
    }
}
