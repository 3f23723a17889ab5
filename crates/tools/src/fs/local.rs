//! Reading files without getting stuck on what only looks like one.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{Access, OFlags};

use crate::OpError;
use crate::truncate::format_size;

/// Checks that `path` is a regular file that we may use as `wanted` says.
pub(crate) fn access(path: &Path, wanted: Access) -> Result<(), OpError> {
    let failed = |error: io::Error| OpError::from_io(&error, "access", Some(path));
    let metadata = std::fs::metadata(path).map_err(failed)?;
    rustix::fs::access(path, wanted).map_err(|errno| failed(errno.into()))?;
    require_regular(path, &metadata)
}

/// Opens a regular file for reading. A pipe, socket or device is refused: reading it may never end.
pub(crate) fn open_regular(path: &Path) -> Result<File, OpError> {
    let failed = |error: io::Error| OpError::from_io(&error, "open", Some(path));
    // Not blocking, or opening a pipe would wait for a writer before it can be refused.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(failed)?;
    require_regular(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// The largest file that is read as a whole, in bytes: an edit holds it several times.
const MAX_WHOLE_FILE: u64 = 256 << 20;

/// Reads a regular file.
pub(crate) fn read_regular(path: &Path) -> Result<Vec<u8>, OpError> {
    let mut bytes = Vec::new();
    // A byte more than is allowed shows that there are too many.
    let read = open_regular(path)?.take(MAX_WHOLE_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|error| OpError::from_io(&error, "read", Some(path)))?;
    if bytes.len() as u64 > MAX_WHOLE_FILE {
        let (path, most) = (path.display(), format_size(MAX_WHOLE_FILE));
        return Err(OpError::new(format!("File too large: {path} has more than {most}")));
    }
    Ok(bytes)
}

/// Creates a directory and what is missing above it.
pub(crate) fn create_dirs(path: &Path) -> Result<(), OpError> {
    std::fs::create_dir_all(path).map_err(|error| OpError::from_io(&error, "mkdir", Some(path)))
}

fn require_regular(path: &Path, metadata: &Metadata) -> Result<(), OpError> {
    if metadata.is_dir() {
        return Err(OpError::from_io(&io::ErrorKind::IsADirectory.into(), "read", None));
    }
    if !metadata.is_file() {
        return Err(OpError::new(format!("Not a regular file: {}", path.display())));
    }
    Ok(())
}
