//! Where files are read from.

use std::fs::File;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rustix::fs::Access;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::OpError;
use crate::fs::{access, open_regular, read_regular};
use crate::image::{SNIFF_BYTES, sniff_image};
use crate::paths::spelling_variants;
use crate::support::blocking_op;

/// A file of at most so many bytes is read when it is opened.
const SMALL: u64 = 64 * 1024;

/// The bytes of a file, one after the other.
pub type FileStream = Box<dyn AsyncRead + Send + Unpin>;

/// A file whose reading has begun.
pub struct Opened {
    /// The spelling under which it exists.
    pub path: PathBuf,
    /// The media type of a picture; `None` for what is read as text.
    pub mime_type: Option<String>,
    /// Its bytes, from the first one.
    pub stream: FileStream,
}

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

    /// Finds a file under its name or another spelling of it, looks at what it is, and opens it: by default one step after
    /// the other.
    async fn begin(&self, path: &Path) -> Result<Opened, OpError> {
        let mut path = path.to_owned();
        if !self.exists(&path).await {
            for variant in spelling_variants(&path) {
                if self.exists(&variant).await {
                    path = variant;
                    break;
                }
            }
        }
        self.access(&path).await?;
        let mime_type = self.detect_image_mime_type(&path).await?;
        let stream = match &mime_type {
            Some(_) => self.open_picture(&path).await?,
            None => self.open(&path).await?,
        };
        Ok(Opened { path, mime_type, stream })
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
        let (file, most) = blocking_op(move || open(&path)).await?;
        Ok(Box::new(tokio::fs::File::from_std(file).take(most)))
    }

    async fn open_picture(&self, path: &Path) -> Result<FileStream, OpError> {
        self.open(path).await
    }

    // In one visit to a thread that may block: scripts read hundreds of files.
    async fn begin(&self, path: &Path) -> Result<Opened, OpError> {
        let path = path.to_owned();
        blocking_op(move || begin(path)).await
    }
}

/// A file, and how many bytes of it are read at most.
fn open(path: &Path) -> Result<(File, u64), OpError> {
    let file = open_regular(path)?;
    let metadata = file.metadata().map_err(|error| OpError::from_io(&error, "fstat", Some(path)))?;
    // A file that grows as fast as it is read would never end. Where the system gives no size, as in /proc, only the end of
    // the file tells.
    let most = if metadata.len() > 0 { metadata.len() } else { u64::MAX };
    Ok((file, most))
}

fn begin(path: PathBuf) -> Result<Opened, OpError> {
    let exists = |path: &Path| path.try_exists().unwrap_or(false);
    let other = if exists(&path) { None } else { spelling_variants(&path).into_iter().find(|other| exists(other)) };
    let path = other.unwrap_or(path);
    access(&path, Access::READ_OK)?;
    let (file, most) = open(&path)?;
    let mut start = Vec::new();
    let read = (&file).take(most.min(SMALL)).read_to_end(&mut start);
    read.map_err(|error| OpError::from_io(&error, "read", Some(&path)))?;
    let mime_type = sniff_image(&start[..start.len().min(SNIFF_BYTES)]).map(str::to_owned);
    let rest = most.saturating_sub(SMALL);
    let stream: FileStream = if (start.len() as u64) < SMALL || rest == 0 {
        Box::new(Cursor::new(start))
    } else {
        Box::new(AsyncReadExt::chain(Cursor::new(start), tokio::fs::File::from_std(file).take(rest)))
    };
    Ok(Opened { path, mime_type, stream })
}
