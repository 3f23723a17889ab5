//! Failures of the operations under the tools.

use std::io;
use std::path::Path;

use crate::ToolFailure;

/// Why an operation on a file or a process failed. Extensions that swap operations build their own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OpError {
    /// A symbolic code such as `ENOENT`, where there is one.
    pub code: Option<String>,
    /// What went wrong, for the model.
    pub message: String,
}

impl OpError {
    /// A failure without a code.
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into() }
    }

    /// Describes a failed system call the way extensions and models know it from Node:
    /// `CODE: description, call 'path'`. An `OpError` that travelled as an I/O error stays as it is.
    pub(crate) fn from_io(error: &io::Error, call: &str, path: Option<&Path>) -> Self {
        if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return own.clone();
        }
        let Some((code, description)) = describe(error) else {
            return Self::new(match path {
                Some(path) => format!("{error}, {call} '{}'", path.display()),
                None => format!("{error}, {call}"),
            });
        };
        let message = match path {
            Some(path) => format!("{code}: {description}, {call} '{}'", path.display()),
            None => format!("{code}: {description}, {call}"),
        };
        Self { code: Some(code.to_owned()), message }
    }
}

impl From<OpError> for ToolFailure {
    fn from(error: OpError) -> Self {
        Self::new(error.message)
    }
}

fn describe(error: &io::Error) -> Option<(&'static str, &'static str)> {
    use io::ErrorKind as Kind;
    Some(match error.kind() {
        Kind::NotFound => ("ENOENT", "no such file or directory"),
        // Both are `PermissionDenied`; the numbers are the same on every Unix.
        Kind::PermissionDenied if error.raw_os_error() == Some(1) => ("EPERM", "operation not permitted"),
        Kind::PermissionDenied => ("EACCES", "permission denied"),
        Kind::AlreadyExists => ("EEXIST", "file already exists"),
        Kind::NotADirectory => ("ENOTDIR", "not a directory"),
        Kind::IsADirectory => ("EISDIR", "illegal operation on a directory"),
        Kind::DirectoryNotEmpty => ("ENOTEMPTY", "directory not empty"),
        Kind::ReadOnlyFilesystem => ("EROFS", "read-only file system"),
        Kind::StorageFull => ("ENOSPC", "no space left on device"),
        Kind::QuotaExceeded => ("EDQUOT", "disk quota exceeded"),
        Kind::FileTooLarge => ("EFBIG", "file too large"),
        Kind::ResourceBusy => ("EBUSY", "resource busy or locked"),
        Kind::ExecutableFileBusy => ("ETXTBSY", "text file is busy"),
        Kind::CrossesDevices => ("EXDEV", "cross-device link not permitted"),
        Kind::InvalidFilename => ("ENAMETOOLONG", "name too long"),
        Kind::ArgumentListTooLong => ("E2BIG", "argument list too long"),
        Kind::InvalidInput => ("EINVAL", "invalid argument"),
        _ => {
            let number = error.raw_os_error().map(rustix::io::Errno::from_raw_os_error)?;
            match number {
                rustix::io::Errno::LOOP => ("ELOOP", "too many symbolic links encountered"),
                rustix::io::Errno::MFILE => ("EMFILE", "too many open files"),
                rustix::io::Errno::IO => ("EIO", "i/o error"),
                rustix::io::Errno::NXIO => ("ENXIO", "no such device or address"),
                _ => return None,
            }
        }
    })
}
