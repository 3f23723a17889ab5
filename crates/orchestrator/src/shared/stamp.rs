//! Whether a file is the one that was read.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

/// What shows that a file is another one than before, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp([i64; 7]);

impl Stamp {
    /// The stamp of a file as it is now.
    pub(crate) fn of(file: &fs::Metadata) -> Self {
        let number = |value: u64| value.cast_signed();
        Self([
            number(file.dev()),
            number(file.ino()),
            number(file.len()),
            file.mtime(),
            file.mtime_nsec(),
            file.ctime(),
            file.ctime_nsec(),
        ])
    }
}
