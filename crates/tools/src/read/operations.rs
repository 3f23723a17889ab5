//! Where files are read from.

use std::io::{Cursor, Read};
use std::path::Path;

use async_trait::async_trait;
use rustix::fs::Access;
use tokio::io::AsyncRead;

use crate::OpError;
use crate::fs::{access, open_regular, read_regular};
use crate::image::{SNIFF_BYTES, sniff_image};
use crate::support::blocking_op;

/// The bytes of a file, one after the other.
pub type FileStream = Box<dyn AsyncRead + Send + Unpin>;

/// Reads files, here or elsewhere.
#[async_trait]
pub trait ReadOperations: Send + Sync {
    /// The file's bytes.
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, OpError>;

    /// Fails unless the file is there and may be read.
    async fn access(&self, path: &Path) -> Result<(), OpError>;

    /// The media type of a picture; `None` for everything that is read as text, which is also the default.
    async fn detect_image_mime_type(&self, _path: &Path) -> Result<Option<String>, OpError> {
        Ok(None)
    }

    /// The file's bytes without holding all of them; by default [`Self::read_file`] does hold them.
    async fn open(&self, path: &Path) -> Result<FileStream, OpError> {
        Ok(Box::new(Cursor::new(self.read_file(path).await?)))
    }

    /// Whether a path exists, for trying other spellings of it.
    async fn exists(&self, path: &Path) -> bool {
        tokio::fs::try_exists(path).await.unwrap_or(false)
    }
}

/// Reads files of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalRead;

#[async_trait]
impl ReadOperations for LocalRead {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, OpError> {
        let path = path.to_owned();
        blocking_op(move || read_regular(&path)).await
    }

    async fn access(&self, path: &Path) -> Result<(), OpError> {
        let path = path.to_owned();
        blocking_op(move || access(&path, Access::READ_OK)).await
    }

    async fn detect_image_mime_type(&self, path: &Path) -> Result<Option<String>, OpError> {
        let path = path.to_owned();
        blocking_op(move || {
            let mut start = Vec::with_capacity(SNIFF_BYTES);
            open_regular(&path)?
                .take(SNIFF_BYTES as u64)
                .read_to_end(&mut start)
                .map_err(|error| OpError::from_io(&error, "read", Some(&path)))?;
            Ok(sniff_image(&start).map(str::to_owned))
        })
        .await
    }

    async fn open(&self, path: &Path) -> Result<FileStream, OpError> {
        let path = path.to_owned();
        let file = blocking_op(move || open_regular(&path)).await?;
        Ok(Box::new(tokio::fs::File::from_std(file)))
    }
}
