//! What keys do in an editor.

use tau_view::keys::{decode_printable, is_key_release};

use super::EditorView;
use crate::keymap::Keymap;

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Took {
    /// It changed the text.
    Changed,
    /// It moved the cursor, or did nothing that can be seen.
    Moved,
    /// It sends the text.
    Submit,
    /// It is none of the editor's.
    Nothing,
}

impl Took {
    /// What became of a key and another one after it.
    pub(super) fn and(self, next: Self) -> Self {
        if self == Self::Changed && next == Self::Moved { self } else { next }
    }
}

/// Where the character typed next is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Forward,
    Backward,
}

/// An action and what it does with the editor.
type Row = (&'static str, fn(&mut EditorView) -> Took);

fn moved(act: impl FnOnce(&mut EditorView), editor: &mut EditorView) -> Took {
    act(editor);
    Took::Moved
}

fn changed(act: impl FnOnce(&mut EditorView), editor: &mut EditorView) -> Took {
    act(editor);
    Took::Changed
}

/// The keys of an editor, in the order in which they are looked for.
static ACTIONS: &[Row] = &[
    // Before the key that sends: without the Kitty protocol, `ctrl+j` is one of the two bytes that may be `enter`.
    ("tui.input.newLine", |editor| changed(|editor| editor.model.new_line(), editor)),
    ("tui.input.submit", EditorView::enter),
    ("tui.editor.historyPrevious", |editor| changed(|editor| editor.model.history_previous(), editor)),
    ("tui.editor.historyNext", |editor| changed(|editor| editor.model.history_next(), editor)),
    ("tui.editor.cursorUp", EditorView::up),
    ("tui.editor.cursorDown", EditorView::down),
    ("tui.editor.cursorLeft", |editor| moved(|editor| editor.model.move_left(), editor)),
    ("tui.editor.cursorRight", |editor| moved(|editor| editor.model.move_right(), editor)),
    ("tui.editor.cursorWordLeft", |editor| moved(|editor| editor.model.move_word_left(), editor)),
    ("tui.editor.cursorWordRight", |editor| moved(|editor| editor.model.move_word_right(), editor)),
    ("tui.editor.cursorLineStart", |editor| moved(|editor| editor.model.move_to_line_start(), editor)),
    ("tui.editor.cursorLineEnd", |editor| moved(|editor| editor.model.move_to_line_end(), editor)),
    ("tui.editor.jumpForward", |editor| moved(|editor| editor.jump = Some(Jump::Forward), editor)),
    ("tui.editor.jumpBackward", |editor| moved(|editor| editor.jump = Some(Jump::Backward), editor)),
    ("tui.editor.pageUp", |editor| moved(|editor| editor.page(-1), editor)),
    ("tui.editor.pageDown", |editor| moved(|editor| editor.page(1), editor)),
    ("tui.editor.deleteCharBackward", |editor| changed(|editor| editor.model.delete_backward(), editor)),
    ("tui.editor.deleteCharForward", |editor| changed(|editor| editor.model.delete_forward(), editor)),
    ("tui.editor.deleteWordBackward", |editor| changed(|editor| editor.model.kill_word_backward(), editor)),
    ("tui.editor.deleteWordForward", |editor| changed(|editor| editor.model.kill_word_forward(), editor)),
    ("tui.editor.deleteToLineStart", |editor| changed(|editor| editor.model.kill_to_line_start(), editor)),
    ("tui.editor.deleteToLineEnd", |editor| changed(|editor| editor.model.kill_to_line_end(), editor)),
    ("tui.editor.yank", |editor| changed(|editor| editor.model.yank(), editor)),
    ("tui.editor.yankPop", |editor| changed(|editor| editor.model.yank_pop(), editor)),
    ("tui.editor.undo", |editor| changed(|editor| editor.model.undo(), editor)),
];

/// Keys that do the same as another one, whatever the bindings: terminals send them where that one is meant.
const ALSO: &[(&str, &str)] = &[("shift+backspace", "backspace"), ("shift+delete", "delete")];

impl EditorView {
    /// Takes one key, undecoded as the terminal sent it.
    pub fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if is_key_release(data) {
            return Took::Nothing;
        }
        if self.vi.is_some() { self.vi_key(data, keys) } else { self.plain_key(data, keys) }
    }

    /// A key in an editor without the keys of vi.
    pub(super) fn plain_key(&mut self, data: &str, keys: &Keymap) -> Took {
        if let Some(jump) = self.jump.take() {
            let Some(character) = typed(data) else { return Took::Moved };
            match jump {
                Jump::Forward => self.model.jump_forward(&character),
                Jump::Backward => self.model.jump_backward(&character),
            }
            return Took::Moved;
        }
        if let Some((_, act)) = ACTIONS.iter().find(|(id, _)| keys.is(data, id)) {
            return act(self);
        }
        if let Some((_, key)) = ALSO.iter().find(|(also, _)| keys.is_key(data, also)) {
            return match *key {
                "backspace" => changed(|editor| editor.model.delete_backward(), self),
                _ => changed(|editor| editor.model.delete_forward(), self),
            };
        }
        match typed(data) {
            Some(text) => changed(|editor| editor.model.type_text(&text), self),
            None => Took::Nothing,
        }
    }

    /// Takes text that was typed at once.
    pub fn types(&mut self, text: &str) {
        self.jump = None;
        if self.takes_commands() {
            text.chars().for_each(|character| {
                self.character(character);
            });
        } else {
            self.vi_types();
            self.model.type_text(text);
        }
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str) {
        self.jump = None;
        self.vi_types();
        self.model.paste(text);
    }

    /// A backslash right before the cursor makes Enter a new line, for terminals that have no key for one.
    fn enter(&mut self) -> Took {
        let cursor = self.model.cursor();
        let escapes = self.model.lines()[cursor.line][..cursor.column].ends_with('\\');
        if !escapes {
            return Took::Submit;
        }
        self.model.delete_backward();
        self.model.new_line();
        Took::Changed
    }

    /// A row up; on the first one to an earlier prompt.
    fn up(&mut self) -> Took {
        if !self.model.is_on_first_row() {
            return moved(|editor| editor.model.move_rows(-1), self);
        }
        self.above()
    }

    /// Up from the first row: to an earlier prompt when nothing would be lost by that, else to the start.
    pub(super) fn above(&mut self) -> Took {
        let at_start = self.model.cursor().column == 0;
        if self.model.is_empty() || self.model.is_browsing_history() || at_start {
            return changed(|editor| editor.model.history_previous(), self);
        }
        moved(|editor| editor.model.move_to_line_start(), self)
    }

    fn down(&mut self) -> Took {
        if !self.model.is_on_last_row() {
            return moved(|editor| editor.model.move_rows(1), self);
        }
        if self.model.is_browsing_history() {
            return changed(|editor| editor.model.history_next(), self);
        }
        moved(|editor| editor.model.move_to_line_end(), self)
    }

    fn page(&mut self, direction: isize) {
        let rows = isize::try_from(self.shown.max(1)).unwrap_or(isize::MAX);
        self.model.move_rows(direction * rows);
    }
}

/// The text that a key types, if it types some.
pub fn typed(data: &str) -> Option<String> {
    if let Some(character) = decode_printable(data) {
        return Some(character.to_string());
    }
    let is_text = !data.is_empty() && !data.chars().any(char::is_control);
    is_text.then(|| data.to_owned())
}
