//! Whole files.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::sync::Arc;

use rustix::fs::OFlags;

use super::call::{Data, Place};
use super::open::{failed, offset, open};
use crate::engine::Memory;
use crate::ops::table::ops;
use crate::ops::{Charged, OpError, read_to_end};

ops! {
    /// Whole files.
    pub static OPS: watched;

    /// The whole content of a file.
    waits fsReadFile(path, flags, text) = read_file, Recorded;
    /// Writes a whole file.
    waits fsWriteFile(path, data, flags, mode, flush) = write_file, Refused;
    /// Copies a file.
    waits fsCopyFile(from, to, mode) = copy_file, Refused;
    /// Cuts a file to a length.
    waits fsTruncate(path, length) = truncate, Refused;
}

/// The rest of a file; as text, what is not UTF-8 becomes the replacement character.
///
/// # Errors
/// Of reading, and when there is more than fits into memory. `path` is the name that was given, where there is one.
pub(super) fn read_all(
    file: &File,
    path: Option<&str>,
    text: bool,
    memory: &Arc<Memory>,
) -> Result<Charged<Data>, OpError> {
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let limit = memory.limit();
    let too_large = |size: &str| {
        let name = path.map(|path| format!(", read '{path}'")).unwrap_or_default();
        let message = format!("File size ({size}) is greater than what scripts may hold ({} MB){name}", limit >> 20);
        OpError { path: path.map(str::to_owned), ..OpError::range_error("ERR_FS_FILE_TOO_LARGE", message) }
    };
    // Said before anything is read; files that are none have no size, and end where the memory does.
    if size > limit as u64 {
        return Err(too_large(&size.to_string()));
    }
    let read = read_to_end(file, memory).map_err(|error| match error.kind() {
        ErrorKind::OutOfMemory if size == 0 => too_large("not known"),
        ErrorKind::OutOfMemory => too_large(&size.to_string()),
        _ => failed(&error, "read"),
    })?;
    Ok(read.map(|bytes| {
        if text {
            Data::Text(match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            })
        } else {
            Data::Bytes(bytes)
        }
    }))
}

fn read_file(path: Place, flags: i32, text: bool) -> Result<Charged<Data>, OpError> {
    read_all(&open(&path, flags, 0o666)?, Some(&path.given), text, &path.memory)
}

fn write_file(path: Place, data: Data, flags: i32, mode: u32, flush: bool) -> Result<(), OpError> {
    let mut file = open(&path, flags, mode)?;
    file.write_all(data.as_bytes()).map_err(|error| failed(&error, "write"))?;
    if flush { file.sync_all().map_err(|error| failed(&error, "fsync")) } else { Ok(()) }
}

/// Bit of `copyFile`'s mode: the target must not exist.
const EXCLUSIVE: u32 = 1;

fn copy_file(from: Place, to: Place, mode: u32) -> Result<(), OpError> {
    let copy = || -> std::io::Result<()> {
        if mode & EXCLUSIVE != 0 && to.full.symlink_metadata().is_ok() {
            return Err(rustix::io::Errno::EXIST.into());
        }
        // Copying a file onto itself would empty it first.
        if let (Ok(from), Ok(to)) = (from.full.canonicalize(), to.full.canonicalize())
            && from == to
        {
            return Ok(());
        }
        if from.full.is_dir() {
            return Err(rustix::io::Errno::ISDIR.into());
        }
        std::fs::copy(&from.full, &to.full).map(drop)
    };
    copy().map_err(|error| from.error_to(&to, &error, "copyfile"))
}

fn truncate(path: Place, length: f64) -> Result<(), OpError> {
    let flags = i32::try_from(OFlags::RDWR.bits()).unwrap_or(2);
    let file = open(&path, flags, 0o666)?;
    file.set_len(offset(Some(length)).unwrap_or(0)).map_err(|error| failed(&error, "ftruncate"))
}
