//! Files and folders that only their owner can read: sessions hold what was said and what tools saw.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and those it lies in, as far as they do not exist. What exists keeps its permissions.
pub(crate) fn create_dir_all(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}

/// Creates a file that must not exist, to be read and appended to.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).append(true).create_new(true).open(path)
}

/// Opens a regular file for reading. Anything else is refused without being opened: a pipe would wait for a writer.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    regular(&std::fs::metadata(path)?)?;
    File::open(path)
}

/// Refuses what is no regular file.
pub(crate) fn regular(meta: &std::fs::Metadata) -> io::Result<()> {
    match meta.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}
