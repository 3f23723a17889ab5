//! Reading text as the other programs that share these files do.

use std::io;
use std::path::Path;

/// Reads a file; bytes that are not UTF-8 become replacement characters, a byte order mark is dropped.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let text = String::from_utf8_lossy(&tau_tools::read_small_file(path)?).into_owned();
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

pub(crate) use tau_hooks::is_argument_space as is_space;

/// Without white space at both ends.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}
