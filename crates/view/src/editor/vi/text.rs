//! A text as motions see it: one row of characters, in which line ends have a place.

use super::command::Word;
use crate::characters::{is_emoji, is_space};
use crate::editor::layout::{Unit, units};
use crate::editor::{Editor, Position};

/// A character, a paste marker, or the end of a line, which has no text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    pub(super) place: Position,
    class: Class,
}

/// What belongs to one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Blank,
    Letters,
    /// Punctuation and symbols.
    Marks,
    Emoji,
    Han,
    Hiragana,
    Katakana,
    Hangul,
    /// A paste marker: each is a word of its own.
    Paste(u32),
}

/// See the module. There is at least one cell: the end of the last line.
pub(super) struct Text<'a> {
    cells: Vec<Cell<'a>>,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(super) fn of(editor: &'a Editor) -> Self {
        let (mut cells, mut starts) = (Vec::new(), Vec::new());
        for (line, content) in editor.buffer.lines.iter().enumerate() {
            starts.push(cells.len());
            let mut column = 0;
            for unit in units(content, |number| editor.pastes.contains(number)) {
                cells.push(Cell { text: unit.text, place: Position { line, column }, class: class(unit) });
                column += unit.text.len();
            }
            cells.push(Cell { text: "", place: Position { line, column }, class: Class::Blank });
        }
        Self { cells, starts }
    }

    /// The last place: the end of the last line.
    pub(super) fn last(&self) -> usize {
        self.cells.len() - 1
    }

    pub(super) fn cell(&self, at: usize) -> Cell<'a> {
        self.cells[at.min(self.last())]
    }

    /// The place in the editor; behind everything, the end.
    pub(super) fn place(&self, at: usize) -> Position {
        self.cell(at).place
    }

    /// The cell at a place of the editor, or the one before.
    pub(super) fn at(&self, place: Position) -> usize {
        let line = place.line.min(self.lines() - 1);
        let cells = &self.cells[self.starts[line]..=self.end(line)];
        self.starts[line] + cells.partition_point(|cell| cell.place.column <= place.column).saturating_sub(1)
    }

    pub(super) fn lines(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.place(at).line
    }

    /// Where a line begins.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts[line.min(self.lines() - 1)]
    }

    /// The cell of the end of a line.
    pub(super) fn end(&self, line: usize) -> usize {
        self.starts.get(line + 1).map_or(self.last(), |next| next - 1)
    }

    pub(super) fn is_end(&self, at: usize) -> bool {
        self.cell(at).text.is_empty()
    }

    pub(super) fn is_empty_line(&self, line: usize) -> bool {
        self.start(line) == self.end(line)
    }

    /// Whether this is the end of a line without characters.
    pub(super) fn is_empty_at(&self, at: usize) -> bool {
        self.is_end(at) && self.place(at).column == 0
    }

    /// Whether a line has only blanks.
    pub(super) fn is_blank_line(&self, line: usize) -> bool {
        (self.start(line)..self.end(line)).all(|at| self.class(at, Word::Small) == Class::Blank)
    }

    /// The first character of a line that is no blank, or the last one.
    pub(super) fn first_non_blank(&self, line: usize) -> usize {
        let found = (self.start(line)..self.end(line)).find(|at| !self.is_blank(*at));
        found.unwrap_or_else(|| self.on_character(self.end(line)))
    }

    /// Whether only blanks stand before a place in its line.
    pub(super) fn is_indent(&self, at: usize) -> bool {
        (self.start(self.line(at))..at).all(|before| self.is_blank(before))
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        self.cell(at).class == Class::Blank
    }

    pub(super) fn class(&self, at: usize, word: Word) -> Class {
        match (word, self.cell(at).class) {
            (Word::Small, class) => class,
            (Word::Big, Class::Blank) => Class::Blank,
            (Word::Big, _) => Class::Letters,
        }
    }

    /// The place, or the last character where it is the end of a line that has some.
    pub(super) fn on_character(&self, at: usize) -> usize {
        if self.is_end(at) && !self.is_empty_at(at) { at - 1 } else { at }
    }

    /// Whether this is the character, and none that is written with it.
    pub(super) fn is(&self, at: usize, ch: char) -> bool {
        let mut chars = self.cell(at).text.chars();
        chars.next() == Some(ch) && chars.next().is_none()
    }
}

fn class(unit: Unit<'_>) -> Class {
    if let Some(number) = unit.marker {
        return Class::Paste(number);
    }
    let Some(first) = unit.text.chars().next() else { return Class::Blank };
    match first {
        _ if is_space(first) => Class::Blank,
        '_' => Class::Letters,
        _ if first.is_ascii_alphanumeric() => Class::Letters,
        _ if first.is_ascii() => Class::Marks,
        '\u{3041}'..='\u{309f}' => Class::Hiragana,
        '\u{30a1}'..='\u{30ff}' => Class::Katakana,
        '\u{ac00}'..='\u{d7a3}' => Class::Hangul,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            Class::Han
        }
        _ if first.is_alphanumeric() => Class::Letters,
        _ if is_emoji(unit.text) => Class::Emoji,
        _ => Class::Marks,
    }
}
