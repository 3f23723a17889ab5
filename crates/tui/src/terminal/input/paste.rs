//! Pastes: between marks, and without.

/// How much of one paste is kept, in bytes. The rest is dropped.
pub(super) const LONGEST_PASTE: usize = 32 * 1024 * 1024;

const START: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

/// Text that is being pasted, and whether some of it was dropped.
#[derive(Debug, Default)]
pub(super) struct Content {
    bytes: Vec<u8>,
    pub(super) is_cut: bool,
}

impl Content {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let room = LONGEST_PASTE - self.bytes.len();
        self.is_cut |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn into_text(self) -> String {
        match String::from_utf8(self.bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }
}

/// Finds the marks of pastes in bytes that come in pieces. Looks at each byte once.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// How much of a mark was seen.
    seen: usize,
}

/// A mark of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Start,
    End,
}

impl Marks {
    /// The first mark that ends in `bytes`, and how many bytes were read up to its end.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<(Mark, usize)> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.seen == 0 {
                // Marks begin with the only escape in them.
                at += bytes[at..].iter().position(|&byte| byte == START[0])? + 1;
                self.seen = 1;
                continue;
            }
            at += 1;
            // The two differ in the character before the last.
            let fits = match self.seen {
                4 => matches!(byte, b'0' | b'1'),
                5 | 6 => byte == b'~',
                seen => byte == START[seen],
            };
            self.seen = match (fits, self.seen, byte) {
                (true, 4, b'0') => 5,
                (true, 4, _) => 6,
                (true, 5, _) => {
                    self.seen = 0;
                    return Some((Mark::Start, at));
                }
                (true, 6, _) => {
                    self.seen = 0;
                    return Some((Mark::End, at));
                }
                (true, seen, _) => seen + 1,
                (false, _, 0x1b) => 1,
                (false, ..) => 0,
            };
        }
        None
    }

    /// The beginning of a mark that was seen at the end of what was read, and is text if the rest does not come.
    pub(super) fn beginning(&self) -> &'static [u8] {
        match self.seen {
            5 => &START[..5],
            6 => &END[..5],
            seen => &START[..seen],
        }
    }

    /// How long a mark is.
    pub(super) const LENGTH: usize = END.len();
}

/// Whether bytes that came at once are text and line ends only, as text is that was pasted without marks.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| matches!(byte, b'\t' | b'\r' | b'\n' | 0x20..=0x7e | 0x80..))
}

/// Whether bytes that are text hold several lines: something follows the end of the first.
pub(super) fn has_lines(bytes: &[u8]) -> bool {
    let Some(end) = bytes.iter().position(|byte| is_line_end(*byte)) else { return false };
    bytes.len() > 2 && bytes[end..].iter().any(|byte| !is_line_end(*byte))
}

/// The text before a single line end at the end, if there is enough to have been pasted.
pub(super) fn before_line_end(bytes: &[u8]) -> Option<usize> {
    let text =
        bytes.strip_suffix(b"\r\n").or_else(|| bytes.strip_suffix(b"\r")).or_else(|| bytes.strip_suffix(b"\n"))?;
    (text.len() > 1 && !text.iter().any(|byte| is_line_end(*byte))).then_some(text.len())
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_across_pieces_and_after_false_beginnings() {
        let bytes = b"a\x1b\x1b[20\x1b[201~b\x1b[200~";
        for cut in 0..bytes.len() {
            let mut marks = Marks::default();
            let first = marks.find(&bytes[..cut]);
            let (mark, end) = match first {
                Some(found) => found,
                None => {
                    let (mark, end) = marks.find(&bytes[cut..]).expect("a mark");
                    (mark, cut + end)
                }
            };
            assert_eq!((mark, end), (Mark::End, 12), "{cut}");
        }
        let mut marks = Marks::default();
        assert_eq!(marks.find(b"\x1b[200~"), Some((Mark::Start, 6)));
        assert_eq!(marks.find(b"\x1b[20"), None);
        assert_eq!(marks.beginning(), b"\x1b[20");
        assert_eq!(marks.find(b"1"), None);
        assert_eq!(marks.beginning(), b"\x1b[201");
    }

    #[test]
    fn several_lines_are_text_with_something_after_a_line_end() {
        for text in ["a\rb", "\rab", "a\r\n\r\nb", "ä\nö\n"] {
            assert!(is_text(text.as_bytes()) && has_lines(text.as_bytes()), "{text:?}");
        }
        for text in ["", "abc", "\r", "\r\r\r", "a\r", "abc\r\n", "abc\r\r"] {
            assert!(is_text(text.as_bytes()) && !has_lines(text.as_bytes()), "{text:?}");
        }
        assert!(!is_text(b"a\x1b[A\rb") && !is_text(b"a\x03\rb") && !is_text(b"a\x7f\rb"));
        assert_eq!(before_line_end(b"abc\r\n"), Some(3));
        assert_eq!([&b"a\r"[..], b"\r", b"abc", b"a\rb\r", b"abc\r\r"].map(before_line_end), [None; 5]);
    }
}
