//! Where files are read from.

use std::io::{Cursor, Read as _};
use std::path::Path;

use async_trait::async_trait;
use rustix::fs::Access;
use tokio::io::{AsyncRead, AsyncReadExt};

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

    /// The bytes of a text without holding all of them; by default [`Self::read_file`] does hold them.
    async fn open(&self, path: &Path) -> Result<FileStream, OpError> {
        Ok(Box::new(Cursor::new(self.read_file(path).await?)))
    }

    /// The bytes of a picture; by default those of [`Self::read_file`].
    async fn open_picture(&self, path: &Path) -> Result<FileStream, OpError> {
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
        let (file, size) = blocking_op(move || {
            let file = open_regular(&path)?;
            let metadata = file.metadata().map_err(|error| OpError::from_io(&error, "fstat", Some(&path)))?;
            Ok((file, metadata.len()))
        })
        .await?;
        // A file that grows as fast as it is read would never end. Where the system gives no size, as in /proc, only the
        // end of the file tells.
        let most = if size > 0 { size } else { u64::MAX };
        Ok(Box::new(tokio::fs::File::from_std(file).take(most)))
    }

    async fn open_picture(&self, path: &Path) -> Result<FileStream, OpError> {
        self.open(path).await
    }
}
