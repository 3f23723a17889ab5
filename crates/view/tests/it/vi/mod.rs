//! The keys of vi: many sequences of keys, and what holds whatever is typed.

mod properties;
mod sequences;

use tau_view::editor::vi::{Did, Key, Mode, Vi};
use tau_view::editor::{Editor, Position};

const ESCAPE: char = '\u{1b}';
const REDO: char = '\u{12}';
const BACKSPACE: char = '\u{7f}';

/// An editor and its keys.
struct Seat {
    editor: Editor,
    vi: Vi,
}

impl Seat {
    /// In normal mode. The cursor stands at the `|` of the text.
    fn new(marked: &str) -> Self {
        let before = marked.split_once('|').map_or(marked, |(before, _)| before);
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        Self::at(&marked.replacen('|', "", 1), Position { line, column })
    }

    fn at(text: &str, place: Position) -> Self {
        let mut editor = Editor::new();
        editor.set_width(1000);
        editor.set_text(text);
        let mut vi = Vi::new();
        vi.key(&mut editor, Key::Escape);
        editor.place(place);
        vi.settle(&mut editor);
        Self { editor, vi }
    }

    fn key(&mut self, key: char) -> Did {
        let meaning = match key {
            ESCAPE => Key::Escape,
            REDO => Key::Redo,
            BACKSPACE => Key::Backspace,
            other => Key::Character(other),
        };
        let did = self.vi.key(&mut self.editor, meaning);
        if did == Did::Nothing && self.vi.mode() == Mode::Insert {
            match key {
                BACKSPACE => self.editor.delete_backward(),
                ESCAPE | REDO => {}
                _ => self.editor.type_text(&key.to_string()),
            }
        }
        did
    }

    fn types(&mut self, keys: &str) {
        for key in keys.chars() {
            self.key(key);
        }
    }

    /// The text with `|` at the cursor.
    fn shown(&self) -> String {
        let Position { line, column } = self.editor.cursor();
        let mut lines = self.editor.lines().to_vec();
        lines[line].insert(column, '|');
        lines.join("\n")
    }
}
