//! The text of an input line.

use crate::characters::is_space;
use crate::columns::slice_by_column;
use crate::kill_ring::{KillRing, KillSide};
use crate::width::{graphemes, visible_width};
use crate::words::{word_left, word_right};

/// The model of an input line. Like [`crate::editor::Editor`] it knows no keys; positions are byte offsets.
#[derive(Debug, Clone, Default)]
pub struct Input {
    value: String,
    cursor: usize,
    kill_ring: KillRing,
    undo: Vec<(String, usize)>,
    last: Option<Action>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Kill,
    Yank,
    TypeWord,
}

/// The part of an input line that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// What is shown before the cursor.
    pub before: String,
    /// What is shown from the cursor on.
    pub after: String,
    /// The column of the value that is shown first.
    pub start: usize,
}

impl Input {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Where the cursor stands.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Inserts what was typed. Typed characters are undone word by word, each with the space before it.
    pub fn type_text(&mut self, text: &str) {
        if text.contains(is_space) || self.last != Some(Action::TypeWord) {
            self.snapshot();
        }
        self.last = Some(Action::TypeWord);
        self.insert(text);
    }

    /// Inserts a paste as one line.
    pub fn paste(&mut self, text: &str) {
        self.begin(None);
        self.insert(&text.replace(['\r', '\n'], "").replace('\t', "    "));
    }

    /// Deletes the character before the cursor.
    pub fn delete_backward(&mut self) {
        let start = self.previous();
        self.delete(start, self.cursor);
    }

    /// Deletes the character after the cursor.
    pub fn delete_forward(&mut self) {
        let end = self.next();
        self.delete(self.cursor, end);
    }

    /// Kills the word before the cursor.
    pub fn kill_word_backward(&mut self) {
        self.kill(word_left(&self.value, self.cursor), self.cursor, KillSide::Before);
    }

    /// Kills the word after the cursor.
    pub fn kill_word_forward(&mut self) {
        self.kill(self.cursor, word_right(&self.value, self.cursor), KillSide::After);
    }

    /// Kills everything before the cursor.
    pub fn kill_to_start(&mut self) {
        self.kill(0, self.cursor, KillSide::Before);
    }

    /// Kills everything after the cursor.
    pub fn kill_to_end(&mut self) {
        self.kill(self.cursor, self.value.len(), KillSide::After);
    }

    /// Inserts what was killed last.
    pub fn yank(&mut self) {
        let Some(text) = self.kill_ring.newest().map(str::to_owned) else { return };
        self.begin(Some(Action::Yank));
        self.insert(&text);
    }

    /// Right after a yank: replaces what it inserted with what was killed before that.
    pub fn yank_pop(&mut self) {
        if self.last != Some(Action::Yank) || self.kill_ring.len() < 2 {
            return;
        }
        let length = self.kill_ring.newest().map_or(0, str::len);
        self.begin(Some(Action::Yank));
        self.remove(self.cursor - length, self.cursor);
        self.kill_ring.rotate();
        if let Some(text) = self.kill_ring.newest().map(str::to_owned) {
            self.insert(&text);
        }
    }

    /// Moves to the character before.
    pub fn move_left(&mut self) {
        self.move_to(self.previous());
    }

    /// Moves to the character after.
    pub fn move_right(&mut self) {
        self.move_to(self.next());
    }

    /// Moves to the start of the word before.
    pub fn move_word_left(&mut self) {
        self.move_to(word_left(&self.value, self.cursor));
    }

    /// Moves to the end of the word after.
    pub fn move_word_right(&mut self) {
        self.move_to(word_right(&self.value, self.cursor));
    }

    /// Moves to the start.
    pub fn move_to_start(&mut self) {
        self.move_to(0);
    }

    /// Moves to the end.
    pub fn move_to_end(&mut self) {
        self.move_to(self.value.len());
    }

    /// Takes back the last step.
    pub fn undo(&mut self) {
        if let Some((value, cursor)) = self.undo.pop() {
            self.value = value;
            self.cursor = cursor;
            self.last = None;
        }
    }

    /// What of the line is shown in `width` columns, so that the cursor is in it and has a column of its own.
    pub fn window(&self, width: usize) -> Window {
        let (before, after) = self.value.split_at(self.cursor);
        let total = visible_width(&self.value);
        if total < width {
            return Window { before: before.to_owned(), after: after.to_owned(), start: 0 };
        }
        let columns = if after.is_empty() { width.saturating_sub(1) } else { width };
        if columns == 0 {
            return Window { before: String::new(), after: String::new(), start: 0 };
        }
        let cursor = visible_width(before);
        let half = columns / 2;
        let start = if cursor < half {
            0
        } else if cursor > total.saturating_sub(half) {
            total.saturating_sub(columns)
        } else {
            cursor - half
        };
        let visible = slice_by_column(&self.value, start, columns, true);
        let before = slice_by_column(&self.value, start, cursor.saturating_sub(start), true);
        let after = visible.strip_prefix(before.as_str()).unwrap_or_default().to_owned();
        Window { before, after, start }
    }

    fn previous(&self) -> usize {
        self.cursor - graphemes(&self.value[..self.cursor]).next_back().map_or(0, str::len)
    }

    fn next(&self) -> usize {
        self.cursor + graphemes(&self.value[self.cursor..]).next().map_or(0, str::len)
    }

    fn move_to(&mut self, cursor: usize) {
        self.last = None;
        self.cursor = cursor;
    }

    fn insert(&mut self, text: &str) {
        self.value.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.value.replace_range(start..end, "");
        self.cursor = start;
    }

    fn delete(&mut self, start: usize, end: usize) {
        self.last = None;
        if start < end {
            self.snapshot();
            self.remove(start, end);
        }
    }

    fn kill(&mut self, start: usize, end: usize, side: KillSide) {
        if start < end {
            let accumulate = self.last == Some(Action::Kill);
            self.begin(Some(Action::Kill));
            self.kill_ring.push(&self.value[start..end], side, accumulate);
            self.remove(start, end);
        }
    }

    fn begin(&mut self, action: Option<Action>) {
        self.snapshot();
        self.last = action;
    }

    fn snapshot(&mut self) {
        self.undo.push((self.value.clone(), self.cursor));
    }
}
