//! Killed text, ready to be yanked.

use std::collections::VecDeque;

/// Which side of an accumulating entry a kill adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillSide {
    /// The kill went backwards, so its text stood before what was killed so far.
    Before,
    /// The kill went forwards.
    After,
}

/// The texts that were deleted by word and line, most recent last, as in Emacs.
#[derive(Debug, Clone, Default)]
pub struct KillRing {
    entries: VecDeque<String>,
}

impl KillRing {
    /// Adds `text`: to the newest entry if it `accumulate`s, else as a new one. Empty text is ignored.
    pub fn push(&mut self, text: &str, side: KillSide, accumulate: bool) {
        if text.is_empty() {
            return;
        }
        match self.entries.back_mut() {
            Some(newest) if accumulate => match side {
                KillSide::Before => newest.insert_str(0, text),
                KillSide::After => newest.push_str(text),
            },
            _ => self.entries.push_back(text.to_owned()),
        }
    }

    /// All entries, newest last.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(String::as_str)
    }

    /// The newest entry.
    pub fn newest(&self) -> Option<&str> {
        self.entries.back().map(String::as_str)
    }

    /// Makes the newest entry the oldest, so that the one before it comes next.
    pub fn rotate(&mut self) {
        self.entries.rotate_right(1.min(self.entries.len()));
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The newest is the last.
impl FromIterator<String> for KillRing {
    fn from_iter<Entries: IntoIterator<Item = String>>(entries: Entries) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}
