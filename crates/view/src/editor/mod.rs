//! The text of an editor: several lines, a cursor, and everything that may be done with them.
//!
//! The model knows no keys: a front end calls [`Editor`]'s methods for whatever its bindings say. Positions are
//! byte offsets and never stand inside a grapheme cluster or a paste marker.

mod buffer;
mod history;
mod kill;
mod layout;
mod markers;
mod moving;
mod parts;
mod paste;
mod replace;
mod undo;
pub mod vi;

pub use layout::wrap_line;

use buffer::Buffer;
use history::History;
use markers::Pastes;
use undo::{Snapshot, Steps};

use crate::kill_ring::KillRing;
use crate::words;

/// Where something stands in a text of several lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from zero.
    pub line: usize,
    /// The byte offset in it.
    pub column: usize,
}

/// A row of an editor on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// What it shows.
    pub text: &'a str,
    /// The line it belongs to.
    pub line: usize,
    /// Where in that line it starts.
    pub start: usize,
    /// Where in `text` the cursor stands, if it stands in this row.
    pub cursor: Option<usize>,
}

/// Kinds of actions that go on when they follow each other: kills make one entry, typed words one step of undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Text was deleted that can be put back.
    Kill,
    /// It was put back.
    Yank,
    /// A character of a word was typed.
    TypeWord,
}

/// The model of a text editor of several lines.
#[derive(Debug, Clone)]
pub struct Editor {
    buffer: Buffer,
    pastes: Pastes,
    history: History,
    kill_ring: KillRing,
    undo: Steps,
    /// What was taken back, until something else is done.
    redo: Steps,
    last: Option<Action>,
    /// Columns that text is laid out in.
    width: usize,
    /// The column that vertical movement tries to stay in.
    goal: Option<usize>,
}

impl Default for Editor {
    fn default() -> Self {
        Self {
            buffer: Buffer::default(),
            pastes: Pastes::default(),
            history: History::default(),
            kill_ring: KillRing::default(),
            undo: Steps::default(),
            redo: Steps::default(),
            last: None,
            width: 80,
            goal: None,
        }
    }
}

impl Editor {
    /// An empty editor.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text, with markers for long pastes.
    pub fn text(&self) -> String {
        self.buffer.text()
    }

    /// The text with pastes in place of their markers.
    pub fn expanded_text(&self) -> String {
        self.pastes.expand(&self.text())
    }

    /// The lines; at least one.
    pub fn lines(&self) -> &[String] {
        &self.buffer.lines
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.buffer.lines.iter().all(String::is_empty) && self.buffer.lines.len() == 1
    }

    /// Where the cursor stands.
    pub fn cursor(&self) -> Position {
        self.buffer.cursor
    }

    /// Replaces the text, with the cursor behind it. Line ends become `\n` and tabs four spaces. Undo brings the
    /// old text back.
    pub fn set_text(&mut self, text: &str) {
        let text = normalize(text);
        if text != self.text() {
            self.snapshot();
        }
        self.last = None;
        self.goal = None;
        self.history.leave();
        self.pastes = Pastes::default();
        self.buffer = Buffer::with_text(&text);
    }

    /// Empties the editor and gives what it held, pastes expanded and trimmed. Undo does not go back over this.
    pub fn submit(&mut self) -> String {
        let text = self.expanded_text().trim().to_owned();
        self.buffer = Buffer::default();
        self.pastes = Pastes::default();
        self.history.leave();
        self.undo.clear();
        self.redo.clear();
        self.last = None;
        self.goal = None;
        text
    }

    /// Inserts `text` at the cursor, as one step of undo.
    pub fn insert(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.begin(None);
        self.buffer.insert(&normalize(text));
    }

    /// Inserts what was typed. Typed characters are undone word by word, each with the space before it.
    pub fn type_text(&mut self, text: &str) {
        self.history.leave();
        if self.last != Some(Action::TypeWord) || text.contains(crate::characters::is_space) {
            self.snapshot();
        }
        self.last = Some(Action::TypeWord);
        self.goal = None;
        self.buffer.insert(&normalize(text));
    }

    /// Breaks the line at the cursor.
    pub fn new_line(&mut self) {
        self.begin(None);
        self.buffer.insert("\n");
    }

    /// Deletes the character before the cursor, or joins the line with the one before.
    pub fn delete_backward(&mut self) {
        let before = self.buffer.before();
        if before.is_empty() && self.buffer.cursor.line == 0 {
            self.rest();
            return;
        }
        let unit = layout::units(before, |number| self.pastes.contains(number)).pop();
        let (length, marker) = unit.map_or((0, None), |unit| (unit.text.len(), unit.marker));
        self.begin(None);
        self.buffer.delete_before(length);
        if let Some(number) = marker {
            self.pastes.remove(number, &mut self.buffer);
        }
    }

    /// Deletes the character after the cursor, or joins the line with the next.
    pub fn delete_forward(&mut self) {
        if self.buffer.after().is_empty() && self.buffer.is_on_last_line() {
            self.rest();
            return;
        }
        let length = self.unit_after();
        self.begin(None);
        self.buffer.delete_after(length);
    }

    /// Takes back the last step.
    pub fn undo(&mut self) {
        self.history.leave();
        if let Some(snapshot) = self.undo.pop() {
            self.redo.push(self.state());
            self.restore(snapshot);
        }
    }

    /// Does the step again that was taken back last.
    pub fn redo(&mut self) {
        self.history.leave();
        if let Some(snapshot) = self.redo.pop() {
            let before = self.state();
            self.undo.push(before);
            self.restore(snapshot);
        }
    }

    fn restore(&mut self, Snapshot { buffer, pastes }: Snapshot) {
        self.buffer = buffer;
        self.pastes = pastes;
        self.last = None;
        self.goal = None;
    }

    /// The text as it is, to go back to.
    fn state(&self) -> Snapshot {
        Snapshot { buffer: self.buffer.clone(), pastes: self.pastes.clone() }
    }

    /// Ends typing, killing and yanking that was going on, without doing anything.
    fn rest(&mut self) {
        self.history.leave();
        self.last = None;
    }

    /// Begins a change that can be undone.
    fn begin(&mut self, action: Option<Action>) {
        self.history.leave();
        self.snapshot();
        self.last = action;
        self.goal = None;
    }

    fn snapshot(&mut self) {
        let state = self.state();
        self.undo.push(state);
        self.redo.clear();
    }

    /// Bytes of the character after the cursor in its line.
    fn unit_after(&self) -> usize {
        let after = self.buffer.after();
        layout::units(after, |number| self.pastes.contains(number)).first().map_or(0, |unit| unit.text.len())
    }
}

/// Text as an editor keeps it.
fn normalize(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ")
}

/// The pieces of `text` that the cursor moves over: grapheme clusters, and paste markers whose number is `known`.
pub fn units(text: &str, known: impl Fn(u32) -> bool) -> impl Iterator<Item = &str> {
    layout::units(text, known).into_iter().map(|unit| unit.text)
}

/// Where in `text` the cursor stands after moving from its end one word to the left; `known` markers are words.
pub fn word_left(text: &str, known: impl Fn(u32) -> bool) -> usize {
    text.len() - words::backward(layout::segments(text, known).into_iter())
}

/// Where in `text` the cursor stands after moving from its start one word to the right.
pub fn word_right(text: &str, known: impl Fn(u32) -> bool) -> usize {
    words::forward(layout::segments(text, known).into_iter())
}
