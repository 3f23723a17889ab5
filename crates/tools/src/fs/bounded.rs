//! Reading files that are expected to be small, such as settings and instructions, without trusting that they are.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The largest file that is read as settings or as text for a model, in bytes: many times what any model reads.
pub const MAX_SMALL_FILE: u64 = 16 << 20;

/// Reads a file of at most [`MAX_SMALL_FILE`] bytes.
///
/// # Errors
/// As `std::fs::read`; `FileTooLarge`, with the limit in its text, for a larger file, and `InvalidInput` for a pipe or a
/// socket, which could keep the reader waiting.
pub fn read_small_file(path: &Path) -> io::Result<Vec<u8>> {
    read_bounded(path, MAX_SMALL_FILE)
}

/// [`read_small_file`] as text.
///
/// # Errors
/// As [`read_small_file`]; `InvalidData` for what is not UTF-8.
pub fn read_small_text(path: &Path) -> io::Result<String> {
    let bytes = read_small_file(path)?;
    // The text that `std::fs::read_to_string` has for it.
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// Reads a file of at most `most` bytes. What a device gives is read up to the limit too.
///
/// # Errors
/// As [`read_small_file`].
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, expected) = open(path)?;
    if expected > most {
        return Err(too_large(most));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(expected).unwrap_or(0))?;
    // A byte more than is allowed shows that there are too many: a file may grow, and a device says that it has none.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// A file and its length.
fn open(path: &Path) -> io::Result<(File, u64)> {
    // Opening a pipe waits for a writer otherwise.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    use std::os::unix::fs::FileTypeExt;
    let meta = file.metadata()?;
    let kind = meta.file_type();
    if kind.is_fifo() || kind.is_socket() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a pipe, not a file"));
    }
    Ok((file, meta.len()))
}

fn too_large(most: u64) -> io::Error {
    let message = format!("the file has more than {} MB, the most that is read of such a file", most >> 20);
    io::Error::new(ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_without_end_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large");
        // Sparse: it takes no room.
        File::create(&path).and_then(|file| file.set_len(3 << 20)).expect("a file");
        assert_eq!(read_bounded(&path, 3 << 20).expect("small enough").len(), 3 << 20);
        for path in [&path, Path::new("/dev/zero")] {
            let error = read_bounded(path, 2 << 20).expect_err("too large");
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
            assert_eq!(error.to_string(), "the file has more than 2 MB, the most that is read of such a file");
        }
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("a program");
        assert!(made.success());
        assert_eq!(read_small_file(&path).expect_err("no file").kind(), ErrorKind::InvalidInput);
    }
}
