//! What a file was like when it was looked at.

/// How much of what was there is compared when somebody else has written, in bytes.
pub(crate) const TAIL: u64 = 64;

/// How long a file was, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) len: u64,
    /// The last bytes.
    pub(crate) tail: Vec<u8>,
}

impl Seen {
    pub(crate) fn of(text: &[u8]) -> Self {
        let tail = &text[text.len().saturating_sub(TAIL as usize)..];
        Self { len: text.len() as u64, tail: tail.to_vec() }
    }

    pub(crate) fn ends_line(&self) -> bool {
        self.tail.last().is_none_or(|byte| *byte == b'\n')
    }

    pub(crate) fn grow(&mut self, text: &[u8]) {
        self.len += text.len() as u64;
        if text.len() >= TAIL as usize {
            self.tail.clear();
        }
        self.tail.extend_from_slice(&text[text.len().saturating_sub(TAIL as usize)..]);
        let excess = self.tail.len().saturating_sub(TAIL as usize);
        self.tail.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_file_is_known_however_it_grew() {
        let mut seen = Seen::of(b"");
        let mut text = Vec::new();
        for piece in [&b"a\n"[..], &[b'b'; 63], &[b'c'; 64], &[b'd'; 200], b"\n"] {
            seen.grow(piece);
            text.extend_from_slice(piece);
            assert_eq!(seen, Seen::of(&text));
        }
        assert!(seen.ends_line() && Seen::of(b"").ends_line());
    }
}
