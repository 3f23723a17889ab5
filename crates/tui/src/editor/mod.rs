//! The editor as it stands on the screen, and the keys that work on it. Its text is a [`tau_view::editor::Editor`].

mod draw;
mod keys;
mod line;
mod vi;

pub use draw::{EditorLook, Rule};
pub use keys::{Took, typed};
pub use line::edit_line;

use tau_view::editor::Editor;
use tau_view::editor::vi::Vi;

/// An editor of several lines.
#[derive(Debug, Default)]
pub struct EditorView {
    /// The text.
    pub model: Editor,
    /// The first row that is shown.
    first: usize,
    /// The next character typed is one to jump to.
    jump: Option<keys::Jump>,
    /// How many rows were shown, for moving by pages.
    shown: usize,
    /// Empty columns beside the text when it was drawn last.
    margin: usize,
    /// The keys of vi, where the user wants them.
    vi: Option<Vi>,
}

impl EditorView {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the user means to send: the text with pastes in place of their markers.
    pub fn text(&self) -> String {
        self.model.expanded_text()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.model.is_empty()
    }

    /// Takes a click on a row of those that were drawn last, with the rules; whether it was one with text.
    pub fn click(&mut self, row: usize, column: usize) -> bool {
        let Some(row) = row.checked_sub(1).filter(|row| *row < self.shown) else { return false };
        self.model.move_to_row(self.first + row, column.saturating_sub(self.margin));
        true
    }

    /// Replaces the text, with the cursor behind it.
    pub fn set_text(&mut self, text: &str) {
        self.vi_is_changed();
        self.model.set_text(text);
    }

    /// Empties the editor and gives what it held, as [`Editor::submit`]. The next text begins by being typed.
    pub fn submit(&mut self) -> String {
        if let Some(vi) = &mut self.vi {
            vi.reset();
        }
        self.model.submit()
    }

    /// Puts text in front of what is written, with a blank line between: what comes back after a failed or aborted prompt
    /// must not cost what was written meanwhile.
    pub fn give_back(&mut self, text: &str) {
        let written = self.model.text();
        if written.trim().is_empty() {
            self.set_text(text);
        } else {
            self.set_text(&format!("{text}\n\n{written}"));
        }
    }
}

#[cfg(test)]
mod tests;
