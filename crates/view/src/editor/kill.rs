//! Deleting by word and line, and getting it back.

use super::{Action, Editor, word_left, word_right};
use crate::kill_ring::KillSide;

impl Editor {
    /// Kills the word before the cursor; at the start of a line, the line break.
    pub fn kill_word_backward(&mut self) {
        let before = self.buffer.before();
        let length = before.len() - word_left(before, |number| self.pastes.contains(number));
        self.kill_before(length);
    }

    /// Kills the word after the cursor; at the end of a line, the line break.
    pub fn kill_word_forward(&mut self) {
        let length = word_right(self.buffer.after(), |number| self.pastes.contains(number));
        self.kill_after(length);
    }

    /// Kills up to the start of the line; there, the line break.
    pub fn kill_to_line_start(&mut self) {
        self.kill_before(self.buffer.before().len());
    }

    /// Kills up to the end of the line; there, the line break.
    pub fn kill_to_line_end(&mut self) {
        self.kill_after(self.buffer.after().len());
    }

    fn kill_before(&mut self, length: usize) {
        let before = self.buffer.before();
        let killed = if before.is_empty() { "\n" } else { &before[before.len() - length..] }.to_owned();
        if before.is_empty() && self.buffer.cursor.line == 0 {
            self.history.leave();
            return;
        }
        self.kill(&killed, KillSide::Before);
        self.buffer.delete_before(length);
    }

    fn kill_after(&mut self, length: usize) {
        let after = self.buffer.after();
        let killed = if after.is_empty() { "\n" } else { &after[..length] }.to_owned();
        if after.is_empty() && self.buffer.is_on_last_line() {
            self.history.leave();
            return;
        }
        self.kill(&killed, KillSide::After);
        self.buffer.delete_after(length);
    }

    fn kill(&mut self, text: &str, side: KillSide) {
        let accumulate = self.last == Some(Action::Kill);
        self.begin(Some(Action::Kill));
        self.kill_ring.push(text, side, accumulate);
    }

    /// Inserts what was killed last.
    pub fn yank(&mut self) {
        let Some(text) = self.kill_ring.newest().map(str::to_owned) else { return };
        self.begin(Some(Action::Yank));
        self.buffer.insert(&text);
    }

    /// Right after a yank: replaces what it inserted with what was killed before that.
    pub fn yank_pop(&mut self) {
        if self.last != Some(Action::Yank) || self.kill_ring.len() < 2 {
            return;
        }
        let Some(yanked) = self.kill_ring.newest().map(str::to_owned) else { return };
        self.begin(Some(Action::Yank));
        self.buffer.delete_text_before(&yanked);
        self.kill_ring.rotate();
        if let Some(text) = self.kill_ring.newest() {
            self.buffer.insert(text);
        }
    }
}
