//! Removing files and trees.

use std::io::ErrorKind;
use std::time::Duration;

use rustix::io::Errno;

use super::call::{Place, both};
use crate::ops::{OpError, Ops};

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    both!(ops, "fsRmdir", rmdir, path: Place);
    both!(ops, "fsRm", rm, path: Place, recursive: bool, force: bool, retries: u32, delay_ms: f64);
    Ok(())
}

fn rmdir(path: Place) -> Result<(), OpError> {
    std::fs::remove_dir(&path.full).map_err(|error| path.error(&error, "rmdir"))
}

/// Errors that may be over in a moment.
const PASSING: &[Errno] = &[Errno::BUSY, Errno::MFILE, Errno::NFILE, Errno::NOTEMPTY, Errno::PERM];

/// Removes a file, or with `recursive` a tree; with `force` it need not exist.
fn rm(path: Place, recursive: bool, force: bool, retries: u32, delay_ms: f64) -> Result<(), OpError> {
    let missing = |error: &std::io::Error| force && error.kind() == ErrorKind::NotFound;
    let found = match path.full.symlink_metadata() {
        Ok(found) => found,
        Err(error) if missing(&error) => return Ok(()),
        Err(error) => return Err(path.error(&error, "lstat")),
    };
    if found.is_dir() && !recursive {
        let message = format!("Path is a directory: rm returned EISDIR (is a directory) {}", path.given);
        return Err(OpError {
            errno: Some(Errno::ISDIR.raw_os_error()),
            syscall: Some("rm".to_owned()),
            path: Some(path.given),
            ..OpError::new("ERR_FS_EISDIR", message)
        });
    }
    let mut attempt = 0;
    loop {
        let done = if found.is_dir() { std::fs::remove_dir_all(&path.full) } else { std::fs::remove_file(&path.full) };
        let error = match done {
            Ok(()) => return Ok(()),
            Err(error) if missing(&error) => return Ok(()),
            Err(error) => error,
        };
        let passing = PASSING.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()));
        if attempt >= retries || !passing {
            let syscall = if found.is_dir() { "rm" } else { "unlink" };
            return Err(path.error(&error, syscall));
        }
        attempt += 1;
        // Longer each time, as Node waits.
        let wait = Duration::try_from_secs_f64(delay_ms * f64::from(attempt) / 1_000.0).unwrap_or_default();
        std::thread::sleep(wait);
    }
}
