//! Files that tau changes while other programs read them: replaced in one step, by one program at a time.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tau_sys::lock::{FileLock, LockError};

/// Why a file cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It holds something else than it should.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what becomes of it. Never a part of a file of logins.
        problem: String,
    },
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// Another program holds it.
    #[error(transparent)]
    Locked(#[from] LockError),
}

impl FileError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }
}

/// Puts a file in the place of another in one step: readers see the old one or the new one. A link stays, and so does who
/// can read the file; a new one can be read by its owner only. The folder is made when it is missing.
pub(crate) fn replace(file: &Path, content: &[u8], lock: &FileLock) -> Result<(), FileError> {
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = target.parent().unwrap_or(Path::new("."));
    let written = || {
        std::fs::create_dir_all(folder)?;
        let mode = std::fs::metadata(&target).map_or(0o600, |about| about.permissions().mode());
        let mut new = tempfile::Builder::new().prefix(".mcp-").suffix(".tmp").tempfile_in(folder)?;
        new.as_file().set_permissions(std::fs::Permissions::from_mode(mode & 0o777))?;
        new.write_all(content)?;
        new.as_file().sync_all()?;
        Ok(new)
    };
    let new = written().map_err(|error| FileError::io(file, error))?;
    // Another program may have thought that this one died.
    lock.verify()?;
    new.persist(&target).map_err(|error| FileError::io(file, error.error))?;
    Ok(())
}
