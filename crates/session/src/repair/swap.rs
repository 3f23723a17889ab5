//! Putting a repaired file in the place of the damaged one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::SessionError;

/// How a file ends that keeps what was there before a repair. It is no session, so no list shows it.
const ENDING: &str = "before-repair";

/// Keeps `before` beside the file and puts `after` in its place, unless it holds something else than `before` by now. At any
/// moment there is either the old file or the new one.
pub(super) fn swap(path: &Path, before: &[u8], after: &[u8]) -> Result<PathBuf, SessionError> {
    let failed = SessionError::io("repair", path);
    let write = || -> io::Result<(tempfile::NamedTempFile, PathBuf)> {
        let (kept, new) = (written(path, before)?, written(path, after)?);
        new.as_file().set_permissions(fs::metadata(path)?.permissions())?;
        Ok((new, keep(path, kept)?))
    };
    let (new, backup) = write().map_err(failed)?;
    let is_same = fs::read(path).map_err(SessionError::io("read", path))? == before;
    if !is_same {
        return Err(changed(path));
    }
    new.persist(path).map_err(|failed| SessionError::io("repair", path)(failed.error))?;
    if let Err(error) = folder_of(path).and_then(|folder| File::open(folder)?.sync_all()) {
        tracing::debug!(%error, path = %path.display(), "the folder of a repaired session is not flushed");
    }
    Ok(backup)
}

/// A new file beside another one that only the user can read, flushed to the disk.
fn written(path: &Path, text: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(".repair-").tempfile_in(folder_of(path)?)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Gives the copy of a file the first name that is free.
fn keep(path: &Path, mut copy: tempfile::NamedTempFile) -> io::Result<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    for number in 1_u32.. {
        let number = if number == 1 { String::new() } else { format!(".{number}") };
        let name = path.with_file_name(format!("{stem}{number}.{ENDING}"));
        match copy.persist_noclobber(&name) {
            Ok(_) => return Ok(name),
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => copy = failed.file,
            Err(failed) => return Err(failed.error),
        }
    }
    Err(io::Error::other("there are too many copies of it"))
}

fn folder_of(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Another program wrote to the file meanwhile.
pub(super) fn changed(path: &Path) -> SessionError {
    SessionError::io("repair", path)(io::Error::other("another program is writing to it; close that, then try again"))
}
