//! Writing a file without ever leaving half of it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use super::ExportError;
use crate::settings::replace_own_file;

/// Puts `text` at `path`, readable by its owner only unless the file was there. What is no regular file, such as a pipe, is written to as it is.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), ExportError> {
    let special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let done = if special { std::fs::write(path, text) } else { replace_own_file(path, text.as_bytes()) };
    done.map_err(|source| ExportError::Io { action: "write", path: path.to_owned(), source })
}

/// The first line of a session file is short; a longer line begins something else.
const MOST_OF_A_HEADER: u64 = 1 << 16;

/// The id of the session whose file this is; `None` when the file holds no session, is not there or cannot be read.
pub(super) fn session_in(path: &Path) -> Option<String> {
    // Opening a pipe would wait for its other end.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(MOST_OF_A_HEADER)).read_until(b'\n', &mut line).ok()?;
    let header: Value = serde_json::from_slice(&line).ok()?;
    if header.get("type")? != "session" {
        return None;
    }
    header.get("id")?.as_str().map(str::to_owned)
}

/// Whether both names lead to one file that exists.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
