//! Lines out of bytes: a line ends with LF, and with nothing else. CR in front of it is no part of the line.

use crate::salvage::{About, Scanner};

/// The longest line that is taken, in bytes: room for a text with several pictures, and a limit to the memory that a
/// client can ask for.
pub const MAX_LINE: usize = 64 * 1024 * 1024;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// The line without its end.
    Line(Vec<u8>),
    /// It was too long. The bytes are gone; this is what could be read on the way.
    TooLong(About),
}

/// Cuts a stream into lines.
#[derive(Debug)]
pub struct Framer {
    limit: usize,
    line: Vec<u8>,
    /// Reads along once the line is too long.
    over: Option<Scanner>,
}

impl Default for Framer {
    fn default() -> Self {
        Self::new(MAX_LINE)
    }
}

impl Framer {
    /// Takes lines of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), over: None }
    }

    /// Takes bytes and gives the lines that end in them.
    pub fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(Frame)) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.take(&bytes[..end]);
            emit(self.finish());
            bytes = &bytes[end + 1..];
        }
        self.take(bytes);
    }

    /// The last line, when it has no end.
    pub fn end(mut self) -> Option<Frame> {
        (self.over.is_some() || !self.line.is_empty()).then(|| self.finish())
    }

    fn take(&mut self, bytes: &[u8]) {
        if let Some(over) = &mut self.over {
            return over.feed(bytes);
        }
        if self.line.len() + bytes.len() > self.limit {
            let mut over = Scanner::default();
            over.feed(&std::mem::take(&mut self.line));
            over.feed(bytes);
            self.over = Some(over);
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn finish(&mut self) -> Frame {
        if let Some(over) = self.over.take() {
            return Frame::TooLong(over.finish());
        }
        let mut line = std::mem::take(&mut self.line);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Frame::Line(line)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn frames(limit: usize, pieces: &[&[u8]]) -> Vec<Frame> {
        let (mut framer, mut frames) = (Framer::new(limit), Vec::new());
        pieces.iter().for_each(|piece| framer.push(piece, |frame| frames.push(frame)));
        frames.extend(framer.end());
        frames
    }

    fn line(text: &str) -> Frame {
        Frame::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn only_lf_ends_a_line() {
        let text = "{\"a\":1}\r\n\u{2028}x\u{2029}\u{85}\x0b\r y\n\nlast";
        assert_eq!(
            frames(100, &[text.as_bytes()]),
            [line("{\"a\":1}"), line("\u{2028}x\u{2029}\u{85}\x0b\r y"), line(""), line("last")]
        );
        assert_eq!(frames(100, &[b"a\n"]), [line("a")]);
        assert_eq!(frames(100, &[b""]), []);
    }

    #[test]
    fn a_line_that_is_too_long_costs_only_itself() {
        let long = format!("{{\"type\":\"prompt\",\"message\":\"{}\",\"id\":\"x\"}}\n", "m".repeat(100));
        let about = About { id: Some(json!("x")), kind: Some("prompt".to_owned()) };
        assert_eq!(frames(50, &[b"a\n", long.as_bytes(), b"b"]), [line("a"), Frame::TooLong(about), line("b")]);
        let limit = "1234567890\n";
        assert_eq!(frames(10, &[limit.as_bytes()]), [line("1234567890")]);
    }

    proptest! {
        #[test]
        fn where_the_pieces_end_does_not_matter(text in "[a-c\\r\\n\"{}:]{0,60}", cut in 0_usize..60, limit in 1_usize..70) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            prop_assert_eq!(frames(limit, &[&bytes[..cut], &bytes[cut..]]), frames(limit, &[bytes]));
        }
    }
}
