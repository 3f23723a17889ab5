//! The editor as it stands on the screen, and the keys that work on it. Its text is a [`tau_view::editor::Editor`].

mod draw;
mod keys;
mod line;

pub use draw::{EditorLook, Rule};
pub use keys::{Took, typed};
pub use line::edit_line;

use tau_view::editor::Editor;

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

    /// Replaces the text, with the cursor behind it.
    pub fn set_text(&mut self, text: &str) {
        self.model.set_text(text);
    }

    /// Puts text in front of what is written, with a blank line between: what comes back after a failed or aborted prompt
    /// must not cost what was written meanwhile.
    pub fn give_back(&mut self, text: &str) {
        let written = self.model.text();
        if written.trim().is_empty() {
            self.model.set_text(text)
        } else {
            self.model.set_text(&format!("{text}\n\n{written}"))
        }
    }
}

#[cfg(test)]
mod tests;
