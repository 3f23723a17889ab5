//! Both ends of a text in bounded memory.

/// How much is kept of each end, in bytes.
const KEPT: usize = 512 * 1024;

/// The first and the last [`KEPT`] bytes of a text that comes piece by piece. The cost of a piece depends on its own size
/// only.
#[derive(Debug)]
pub(super) struct BothEnds {
    kept: usize,
    head: String,
    tail: String,
    /// How much of the tail had to go, in bytes.
    dropped: usize,
}

/// What was kept of a text.
#[derive(Debug)]
pub(super) struct Ends {
    pub(super) text: String,
    /// Whether a part of it is missing.
    pub(super) is_cut: bool,
}

impl Default for BothEnds {
    fn default() -> Self {
        Self::keeping(KEPT)
    }
}

impl BothEnds {
    fn keeping(kept: usize) -> Self {
        Self { kept, head: String::new(), tail: String::new(), dropped: 0 }
    }

    /// Adds a piece.
    pub(super) fn push(&mut self, text: &str) {
        // Once something went to the tail, everything does.
        let room = if self.tail.is_empty() { self.kept - self.head.len() } else { 0 };
        let (head, tail) = text.split_at(text.floor_char_boundary(room));
        self.head.push_str(head);
        self.tail.push_str(tail);
        // Trimming only when twice over keeps the cost of a byte constant.
        if self.tail.len() > 2 * self.kept {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let surplus = self.tail.len().saturating_sub(self.kept);
        let start = self.tail.ceil_char_boundary(surplus);
        self.tail.drain(..start);
        self.dropped += start;
    }

    /// The text; a line in the place of a part that is missing says how much that is.
    pub(super) fn finish(mut self) -> Ends {
        self.trim();
        let Self { mut head, tail, dropped, .. } = self;
        if dropped > 0 {
            head.push_str(&format!("\n\n[... {dropped} bytes omitted ...]\n\n"));
        }
        head.push_str(&tail);
        Ends { text: head, is_cut: dropped > 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text that comes in pieces of this many characters.
    fn kept(kept: usize, text: &str, piece: usize) -> (String, bool) {
        let mut ends = BothEnds::keeping(kept);
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(piece).for_each(|piece| ends.push(&piece.iter().collect::<String>()));
        let Ends { text, is_cut } = ends.finish();
        (text, is_cut)
    }

    #[test]
    fn what_fits_is_whole() {
        for piece in [1, 3, 100] {
            assert_eq!(kept(4, "abcdefgh", piece), ("abcdefgh".to_owned(), false));
            assert_eq!(kept(4, "", piece), (String::new(), false));
        }
    }

    #[test]
    fn the_middle_goes() {
        for piece in [1, 3, 100] {
            let text = "abcdefghijklmnopqrstuvwxyz";
            assert_eq!(kept(4, text, piece), ("abcd\n\n[... 18 bytes omitted ...]\n\nwxyz".to_owned(), true));
        }
    }

    #[test]
    fn no_character_is_divided() {
        for piece in [1, 2, 100] {
            let (text, cut) = kept(4, "aéébcdefghéé", piece);
            assert_eq!((text.as_str(), cut), ("aé\n\n[... 9 bytes omitted ...]\n\néé", true));
        }
    }
}
