//! The keys of a line.

use tau_view::input::Input;

use super::typed;
use crate::keymap::Keymap;

/// An action, and what it does.
type Row = (&'static str, fn(&mut Input));

static ACTIONS: &[Row] = &[
    ("tui.editor.cursorLeft", Input::move_left),
    ("tui.editor.cursorRight", Input::move_right),
    ("tui.editor.cursorWordLeft", Input::move_word_left),
    ("tui.editor.cursorWordRight", Input::move_word_right),
    ("tui.editor.cursorLineStart", Input::move_to_start),
    ("tui.editor.cursorLineEnd", Input::move_to_end),
    ("tui.editor.deleteCharBackward", Input::delete_backward),
    ("tui.editor.deleteCharForward", Input::delete_forward),
    ("tui.editor.deleteWordBackward", Input::kill_word_backward),
    ("tui.editor.deleteWordForward", Input::kill_word_forward),
    ("tui.editor.deleteToLineStart", Input::kill_to_start),
    ("tui.editor.deleteToLineEnd", Input::kill_to_end),
    ("tui.editor.yank", Input::yank),
    ("tui.editor.yankPop", Input::yank_pop),
    ("tui.editor.undo", Input::undo),
];

/// Gives a key to a line, undecoded as the terminal sent it; whether it was one for a line.
pub fn edit_line(line: &mut Input, data: &str, keys: &Keymap) -> bool {
    if let Some((_, act)) = ACTIONS.iter().find(|(action, _)| keys.is(data, action)) {
        act(line);
        return true;
    }
    let text = typed(data);
    if let Some(text) = &text {
        line.type_text(text);
    }
    text.is_some()
}
