//! What hosts read and set piece by piece, where others than the methods of the editor change it.

use std::sync::Arc;

use super::{Action, Editor, Position};

impl Editor {
    /// Replaces the lines and puts the cursor where it fits best, without a step of undo.
    pub fn set_lines(&mut self, lines: impl IntoIterator<Item = String>, cursor: Position) {
        // A line break inside of a line would be one that the cursor cannot get to.
        let lines = lines.into_iter().flat_map(|line| line.split('\n').map(str::to_owned).collect::<Vec<_>>());
        self.buffer.lines = lines.collect();
        if self.buffer.lines.is_empty() {
            self.buffer.lines.push(String::new());
        }
        self.put_cursor(cursor);
    }

    /// Puts the cursor at a place, or where that is nearest to in the text.
    pub fn put_cursor(&mut self, cursor: Position) {
        let line = cursor.line.min(self.buffer.lines.len() - 1);
        let column = self.buffer.lines[line].floor_char_boundary(cursor.column);
        self.buffer.cursor = Position { line, column };
        self.goal = None;
    }

    /// Inserts text as a part of the step that is being taken.
    pub fn insert_further(&mut self, text: &str) {
        self.history.leave();
        self.goal = None;
        self.buffer.insert(&super::normalize(text));
    }

    /// Begins a step: undo comes back to what is there now.
    pub fn begin_step(&mut self) {
        self.snapshot();
    }

    /// How many steps undo can go back.
    pub fn steps(&self) -> usize {
        self.undo.len()
    }

    /// Undo does not go back behind what is there now.
    pub fn forget_steps(&mut self) {
        self.undo.clear();
        self.redo.clear();
    }

    /// The pasted texts that markers stand for, by their number.
    pub fn pastes(&self) -> impl Iterator<Item = (u32, &str)> {
        self.pastes.0.iter().map(|(number, text)| (*number, &**text))
    }

    /// Replaces the pasted texts.
    pub fn set_pastes(&mut self, pastes: impl IntoIterator<Item = (u32, String)>) {
        self.pastes.0 = pastes.into_iter().map(|(number, text)| (number, Arc::from(text))).collect();
    }

    /// Whether a marker with this number stands for a pasted text.
    pub fn has_paste(&self, number: u32) -> bool {
        self.pastes.contains(number)
    }

    /// How many bytes [`Editor::expand`] gives.
    pub fn expanded_length(&self, text: &str) -> usize {
        self.pastes.expanded(text).map(str::len).sum()
    }

    /// `text` with what its markers stand for.
    pub fn expand(&self, text: &str) -> String {
        self.pastes.expand(text)
    }

    /// What goes on when it is done once more.
    pub fn action(&self) -> Option<Action> {
        self.last
    }

    /// Says what goes on when it is done once more.
    pub fn set_action(&mut self, action: Option<Action>) {
        self.last = action;
    }

    /// The killed texts, newest last.
    pub fn kills(&self) -> impl Iterator<Item = &str> {
        self.kill_ring.entries()
    }

    /// Replaces the killed texts; the newest is the last.
    pub fn set_kills(&mut self, kills: impl IntoIterator<Item = String>) {
        self.kill_ring = kills.into_iter().collect();
    }

    /// About how much all of it holds, in bytes.
    pub fn held(&self) -> usize {
        let kills: usize = self.kill_ring.entries().map(|text| text.len() + ENTRY).sum();
        self.buffer.held()
            + self.pastes.held_beside(None)
            + self.history.held()
            + kills
            + self.undo.held()
            + self.redo.held()
    }
}

impl Editor {
    /// The most that all of it may hold after one more step that brings so many bytes along.
    pub fn held_after(&self, more: usize) -> usize {
        // The step keeps the text as it was, and a kill keeps a part of it.
        self.held().saturating_add(more.saturating_mul(2)).saturating_add(self.buffer.held().saturating_mul(2))
    }
}

/// What a text takes beside its characters, in bytes.
pub(super) const ENTRY: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn the_cursor_is_put_where_the_text_has_a_place_for_it() {
        let mut editor = Editor::new();
        editor.set_lines(["aé".to_owned(), "two\nlines".to_owned()], at(9, 9));
        assert_eq!(editor.lines(), ["aé", "two", "lines"]);
        assert_eq!(editor.cursor(), at(2, 5));
        editor.put_cursor(at(0, 2));
        assert_eq!(editor.cursor(), at(0, 1), "not inside a character");
        editor.set_lines([], at(3, 3));
        assert!(editor.is_empty());
        assert_eq!(editor.cursor(), at(0, 0));
    }

    #[test]
    fn steps_are_begun_and_forgotten() {
        let mut editor = Editor::new();
        editor.insert("one");
        editor.begin_step();
        editor.set_lines(["two".to_owned()], at(0, 0));
        assert_eq!(editor.steps(), 2);
        editor.undo();
        assert_eq!(editor.text(), "one");
        editor.forget_steps();
        editor.undo();
        assert_eq!(editor.text(), "one");
    }

    #[test]
    fn pastes_and_kills_can_be_replaced() {
        let mut editor = Editor::new();
        editor.set_pastes([(3, "three".to_owned())]);
        assert_eq!(editor.expand("a [paste #3] [paste #1]"), "a three [paste #1]");
        assert_eq!(editor.expanded_length("a [paste #3] [paste #1]"), "a three [paste #1]".len());
        editor.paste(&"x".repeat(2000));
        assert_eq!(editor.pastes().map(|(number, _)| number).collect::<Vec<_>>(), [3, 4]);
        editor.set_kills(["older".to_owned(), "newer".to_owned()]);
        editor.set_text("");
        editor.yank();
        assert_eq!(editor.text(), "newer");
        assert_eq!(editor.action(), Some(Action::Yank));
        editor.yank_pop();
        assert_eq!(editor.text(), "older");
        assert_eq!(editor.kills().collect::<Vec<_>>(), ["newer", "older"]);
    }

    #[test]
    fn everything_that_is_kept_counts() {
        let mut editor = Editor::new();
        let empty = editor.held();
        let text = "x".repeat(10_000);
        editor.insert(&text);
        let with_text = editor.held();
        assert!(with_text >= empty + 10_000);
        editor.kill_to_line_start();
        assert!(editor.held() >= with_text + 10_000, "the kill and the step");
        editor.add_to_history(&text);
        editor.paste(&text);
        assert!(editor.held() >= with_text + 30_000);
    }
}
