//! What a file says about the program that runs it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The longest first line that names an interpreter.
const SHEBANG: u64 = 512;

/// The interpreter that the first line of a file names, with its one argument.
pub(crate) fn interpreter_of(path: &Path) -> Option<Vec<String>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(SHEBANG)).read_until(b'\n', &mut line).ok()?;
    let line = std::str::from_utf8(line.strip_prefix(b"#!")?).ok()?.trim();
    let (program, argument) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let words = [program, argument.trim()].into_iter().filter(|word| !word.is_empty());
    Some(words.map(str::to_owned).collect::<Vec<_>>()).filter(|words| !words.is_empty())
}
