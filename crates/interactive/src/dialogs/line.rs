//! One line that is edited.

use tau_tui::editor::edit_line;
use tau_tui::keymap::Keymap;
use tau_view::input::Input;
use tau_view::keys::is_key_release;
use tau_view::width::visible_width;

/// What stands for a character of a secret.
const HIDDEN: &str = "•";

/// A line that is edited; the characters of a secret are not shown.
#[derive(Debug, Default)]
pub(crate) struct LineInput {
    input: Input,
    is_secret: bool,
}

impl LineInput {
    /// A line for a secret.
    pub(crate) fn secret() -> Self {
        Self { is_secret: true, ..Self::default() }
    }

    /// What is in it.
    pub(crate) fn value(&self) -> &str {
        self.input.value()
    }

    /// Takes a key, undecoded as the terminal sent it; whether it was one for a line.
    pub(crate) fn key(&mut self, data: &str, keys: &Keymap) -> bool {
        if is_key_release(data) {
            return false;
        }
        edit_line(&mut self.input, data, keys)
    }

    /// Takes a paste.
    pub(crate) fn paste(&mut self, text: &str) {
        self.input.paste(text);
    }

    /// The part around the cursor that fits into `width` columns, and the column of the cursor in it.
    pub(crate) fn draw(&self, width: usize) -> (String, usize) {
        if self.is_secret {
            let before = self.value()[..self.input.cursor()].chars().count();
            let all = self.value().chars().count();
            return (HIDDEN.repeat(all.min(width)), before.min(width.saturating_sub(1)));
        }
        let window = self.input.window(width);
        let column = visible_width(&window.before);
        (window.before + &window.after, column)
    }
}
