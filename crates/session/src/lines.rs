//! The lines of a session file, of one in memory and of one that is read piece by piece.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use crate::seen::Seen;
use crate::{Problem, ProblemReason};

/// How much of a file is read at once, in bytes. A line that is longer is read whole.
const WINDOW: usize = 1024 * 1024;

/// One line.
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: usize,
    /// The byte at which it begins.
    pub(crate) start: usize,
    /// Without the newline. What is not UTF-8 has replacement characters in its place, and is owned for that reason.
    pub(crate) text: Cow<'a, str>,
    /// What the file really has.
    pub(crate) original: &'a [u8],
    pub(crate) ends_with_newline: bool,
}

impl Line<'_> {
    pub(crate) fn is_utf8(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.original.iter().all(u8::is_ascii_whitespace)
    }

    pub(crate) fn problem(&self, reason: ProblemReason) -> Problem {
        Problem { line: self.number, offset: self.start, reason }
    }

    /// Why the line cannot be read, when the parser said `error`.
    pub(crate) fn bad(&self, error: &serde_json::Error) -> Problem {
        self.problem(if self.original.contains(&0) {
            ProblemReason::NulBytes
        } else if !self.ends_with_newline {
            ProblemReason::Truncated
        } else if error.is_data() {
            ProblemReason::NotAnObject
        } else {
            // The parser sees one line at a time.
            ProblemReason::InvalidJson(error.to_string().replace(" at line 1 column ", " at column "))
        })
    }
}

/// Takes bytes apart that are not all there yet.
struct Splitter {
    /// The number of the last line.
    number: usize,
    /// Where in the file the next line begins.
    start: usize,
}

impl Splitter {
    /// The first line of `bytes`, which begin where the last line ended; `None` when there is no whole line.
    fn next<'a>(&mut self, bytes: &'a [u8], is_end: bool) -> Option<Line<'a>> {
        let newline = memchr::memchr(b'\n', bytes);
        let len = newline.or_else(|| (is_end && !bytes.is_empty()).then_some(bytes.len()))?;
        let original = &bytes[..len];
        self.number += 1;
        let line = Line {
            number: self.number,
            start: self.start,
            // Nearly every line is, and this is many times faster than looking for what is not.
            text: std::str::from_utf8(original).map_or_else(|_| String::from_utf8_lossy(original), Cow::Borrowed),
            original,
            ends_with_newline: newline.is_some(),
        };
        self.start += len + usize::from(newline.is_some());
        Some(line)
    }
}

/// The lines of a text.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut splitter = Splitter { number: 0, start: 0 };
    std::iter::from_fn(move || splitter.next(&bytes[splitter.start..], true))
}

/// Gives each line of a file to `each`, from the beginning to the end or until that breaks off. Returns what the file was
/// like when it was read.
pub(crate) fn scan(file: &File, mut each: impl FnMut(&Line<'_>) -> ControlFlow<()>) -> io::Result<Seen> {
    let mut seen = Seen::of(b"");
    let mut splitter = Splitter { number: 0, start: 0 };
    let mut window = vec![0; WINDOW];
    // What of the window is filled.
    let mut filled = 0;
    loop {
        let count = match read_at(file, &mut window[filled..], seen.len) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        seen.grow(&window[filled..filled + count]);
        filled += count;
        let mut done = 0;
        while let Some(line) = splitter.next(&window[done..filled], count == 0) {
            if each(&line).is_break() {
                return Ok(seen);
            }
            done += line.original.len() + usize::from(line.ends_with_newline);
        }
        if count == 0 {
            return Ok(seen);
        }
        window.copy_within(done..filled, 0);
        filled -= done;
        if filled == window.len() {
            window.resize(2 * filled, 0);
        }
    }
}

/// Reads at a place without moving the position of the file: several threads may do so.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    // It moves the position, which nobody relies on: files are appended to in append mode.
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Reads so many bytes at a place.
pub(crate) fn read_exact_at(file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    fill_exact_at(file, offset, &mut bytes).map(|()| bytes)
}

/// Reads as many bytes at a place as there is room for.
pub(crate) fn fill_exact_at(file: &File, offset: u64, room: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < room.len() {
        match read_at(file, &mut room[filled..], offset + filled as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    type Parts = (usize, usize, String, Vec<u8>, bool);

    fn of(line: &Line<'_>) -> Parts {
        (line.number, line.start, line.text.to_string(), line.original.to_vec(), line.ends_with_newline)
    }

    fn scanned(bytes: &[u8]) -> Vec<Parts> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        let mut found = Vec::new();
        let seen = scan(&file, |line| {
            found.push(of(line));
            ControlFlow::Continue(())
        });
        assert_eq!(seen.expect("read"), Seen::of(bytes));
        found
    }

    proptest! {
        #[test]
        fn a_file_has_the_lines_of_its_bytes(bytes in prop::collection::vec(prop_oneof![3 => any::<u8>(), 1 => Just(b'\n')], 0..200)) {
            prop_assert_eq!(scanned(&bytes), lines(&bytes).map(|line| of(&line)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lines_that_are_longer_than_a_window_are_whole() {
        let mut bytes = Vec::new();
        for len in [WINDOW - 1, 3, WINDOW, WINDOW + 1, 0, 3 * WINDOW, 5] {
            bytes.extend(std::iter::repeat_n(b'x', len));
            bytes.push(b'\n');
        }
        bytes.push(b'y');
        assert!(scanned(&bytes) == lines(&bytes).map(|line| of(&line)).collect::<Vec<_>>());
    }
}
