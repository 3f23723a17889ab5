//! Writing a file without ever leaving half of it.

use std::path::Path;

use super::ExportError;
use crate::settings::replace_own_file;

/// Puts `text` at `path`, readable by its owner only unless the file was there. What is no regular file, such as a pipe, is written to as it is.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), ExportError> {
    let special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let done = if special { std::fs::write(path, text) } else { replace_own_file(path, text.as_bytes()) };
    done.map_err(|source| ExportError::Io { action: "write", path: path.to_owned(), source })
}

/// Whether both names lead to one file that exists.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
