//! One line of the output of a command.

use super::pieces::is_style;
use crate::ansi::{Piece, StyleState, pieces};
use crate::width::grapheme_width;

/// How far a sequence may move past the end of a line.
const FARTHEST: usize = 1000;
/// The longest line whose beginning a sequence may erase, as that leaves the line as long as it is.
const LONGEST_ERASED: usize = 256;
const TAB_STOP: usize = 8;
/// How long a cell may be, in bytes; further characters without a column of their own are dropped.
const LONGEST_CELL: usize = 64;
const RESET: &str = "\x1b[0m";

/// A line that is being written. As long as nothing moves in it, it is only text.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    /// The styles that are on where the line begins.
    begin: StyleState,
    /// The styles that are on now.
    style: StyleState,
    cells: Option<Cells>,
    /// A carriage return that matters only if something follows it.
    returned: bool,
}

#[derive(Debug, Default)]
struct Cells {
    cells: Vec<Cell>,
    column: usize,
    /// The styles of the cells, as sequences.
    styles: Vec<String>,
}

#[derive(Debug, Clone)]
struct Cell {
    /// Empty for the second half of a wide character.
    text: CellText,
    style: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum CellText {
    SecondHalf,
    Char(char),
    Marked(String),
}

impl Line {
    /// Writes characters that have a look.
    pub(super) fn text(&mut self, run: &str) {
        match self.moved() {
            Some(cells) => run.chars().for_each(|ch| cells.put(ch)),
            None => self.text.push_str(run),
        }
    }

    /// Writes a character, or a tab.
    pub(super) fn put(&mut self, ch: char) {
        self.text(ch.encode_utf8(&mut [0; 4]));
    }

    /// Goes back to the start of the line.
    pub(super) fn back_to_start(&mut self) {
        self.returned = true;
    }

    /// Goes one character back.
    pub(super) fn backspace(&mut self) {
        self.cells().back(1);
    }

    /// Follows a control sequence that styles text, moves in the line, or erases in it.
    pub(super) fn control(&mut self, parameters: &str, last: char) {
        if last == 'm' {
            let Some(sequence) = styling(parameters) else { return };
            self.style.process(&sequence);
            match &mut self.cells {
                Some(cells) => cells.set_style(&self.style),
                None => self.text.push_str(&sequence),
            }
            return;
        }
        if !matches!(last, 'C' | 'D' | 'G' | 'K') || !parameters.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let number = parameters.parse::<usize>().ok();
        let count = number.unwrap_or(1).clamp(1, FARTHEST);
        let cells = self.cells();
        match last {
            'C' => cells.move_to(cells.column + count),
            'D' => cells.back(count),
            'G' => cells.move_to(count - 1),
            _ => cells.erase(number.unwrap_or(0)),
        }
    }

    /// The cells, once something has moved.
    fn moved(&mut self) -> Option<&mut Cells> {
        if self.returned || self.cells.is_some() { Some(self.cells()) } else { None }
    }

    fn cells(&mut self) -> &mut Cells {
        let cells = self.cells.get_or_insert_with(|| Cells::of(&std::mem::take(&mut self.text), &self.begin));
        if std::mem::take(&mut self.returned) {
            cells.column = 0;
        }
        cells
    }

    /// Writes the line, and begins the next.
    pub(super) fn finish(&mut self, to: &mut String) {
        match self.cells.take() {
            Some(cells) => cells.write(&self.begin.active_codes(), &self.style.active_codes(), to),
            None => to.push_str(&self.text),
        }
        self.text.clear();
        self.returned = false;
        self.begin = self.style.clone();
    }
}

impl Cells {
    /// The cells of text that nothing has moved in.
    fn of(text: &str, begin: &StyleState) -> Self {
        let mut style = begin.clone();
        let mut cells = Self::default();
        cells.set_style(&style);
        for piece in pieces(text) {
            match piece {
                Piece::Escape(escape) => {
                    style.process(escape);
                    cells.set_style(&style);
                }
                Piece::Text(text) => text.chars().for_each(|ch| cells.put(ch)),
            }
        }
        cells
    }

    fn set_style(&mut self, style: &StyleState) {
        let codes = style.active_codes();
        if self.styles.last() != Some(&codes) {
            self.styles.push(codes);
        }
    }

    fn blank(&self) -> Cell {
        Cell { text: CellText::Char(' '), style: 0 }
    }

    fn put(&mut self, ch: char) {
        if ch == '\t' {
            self.move_to((self.column / TAB_STOP + 1) * TAB_STOP);
            return;
        }
        let columns = grapheme_width(ch.encode_utf8(&mut [0; 4]));
        if columns == 0 {
            self.mark(ch);
            return;
        }
        while self.cells.len() < self.column {
            self.cells.push(self.blank());
        }
        let style = self.styles.len() - 1;
        for index in 0..columns {
            let text = if index == 0 { CellText::Char(ch) } else { CellText::SecondHalf };
            self.set(self.column + index, Cell { text, style });
        }
        self.column += columns;
    }

    fn set(&mut self, column: usize, cell: Cell) {
        let whole = cell.text != CellText::SecondHalf;
        match self.cells.get_mut(column) {
            Some(old) => *old = cell,
            None => self.cells.push(cell),
        }
        // Half of a wide character is nothing.
        if whole && column > 0 && self.is_orphan(column - 1) {
            self.cells[column - 1] = self.blank();
        }
        if self.cells.get(column + 1).is_some_and(|next| next.text == CellText::SecondHalf) {
            self.cells[column + 1] = self.blank();
        }
    }

    /// Whether a wide character has lost its second half.
    fn is_orphan(&self, column: usize) -> bool {
        let width = match &self.cells[column].text {
            CellText::SecondHalf => return false,
            CellText::Char(ch) => grapheme_width(ch.encode_utf8(&mut [0; 4])),
            CellText::Marked(text) => text.chars().next().map_or(0, |ch| grapheme_width(ch.encode_utf8(&mut [0; 4]))),
        };
        width > 1 && self.cells.get(column + 1).is_none_or(|next| next.text != CellText::SecondHalf)
    }

    /// Adds a character without a column of its own to the one before it.
    fn mark(&mut self, ch: char) {
        let end = self.column.min(self.cells.len());
        let before = self.cells[..end].iter_mut();
        let Some(cell) = before.rev().find(|cell| cell.text != CellText::SecondHalf) else { return };
        match &mut cell.text {
            CellText::Char(base) => cell.text = CellText::Marked(String::from_iter([*base, ch])),
            CellText::Marked(text) if text.len() < LONGEST_CELL => text.push(ch),
            CellText::Marked(_) | CellText::SecondHalf => {}
        }
    }

    fn move_to(&mut self, column: usize) {
        self.column = column.min(self.cells.len().max(FARTHEST));
    }

    fn back(&mut self, columns: usize) {
        self.column = self.column.saturating_sub(columns);
    }

    fn erase(&mut self, what: usize) {
        match what {
            0 => {
                self.cells.truncate(self.column);
                if self.column > 0 && self.column == self.cells.len() && self.is_orphan(self.column - 1) {
                    self.cells[self.column - 1] = self.blank();
                }
            }
            1 if self.cells.len() <= LONGEST_ERASED => {
                for column in 0..=self.column.min(self.cells.len().saturating_sub(1)) {
                    if column < self.cells.len() {
                        self.set(column, self.blank());
                    }
                }
            }
            2 => self.cells.clear(),
            _ => {}
        }
    }

    fn write<'a>(&'a self, begin: &'a str, end: &'a str, to: &mut String) {
        let mut on = begin;
        let mut switch = |codes: &'a str, to: &mut String| {
            if on != codes {
                to.push_str(RESET);
                to.push_str(codes);
                on = codes;
            }
        };
        for cell in &self.cells {
            let codes = self.styles[cell.style].as_str();
            match &cell.text {
                CellText::SecondHalf => continue,
                CellText::Char(ch) => {
                    switch(codes, to);
                    to.push(*ch);
                }
                CellText::Marked(text) => {
                    switch(codes, to);
                    to.push_str(text);
                }
            }
        }
        switch(end, to);
    }
}

/// The sequence for the styles of `parameters` that are kept; nothing when none is.
fn styling(parameters: &str) -> Option<String> {
    if !is_style(parameters) {
        return None;
    }
    if parameters.is_empty() {
        return Some(RESET.to_owned());
    }
    let mut kept = Vec::new();
    let mut parts = parameters.split(';');
    while let Some(part) = parts.next() {
        kept.push(part);
        match part.split(':').next().unwrap_or(part).trim_start_matches('0') {
            // Concealed text hides what is there, and blinking text moves.
            "5" | "6" | "8" => drop(kept.pop()),
            "38" | "48" | "58" if !part.contains(':') => {
                let count = match parts.clone().next() {
                    Some("5") => 2,
                    Some("2") => 4,
                    _ => 0,
                };
                kept.extend(parts.by_ref().take(count));
            }
            _ => {}
        }
    }
    let kept = (!kept.is_empty()).then(|| kept.join(";"))?;
    Some(if kept.is_empty() { RESET.to_owned() } else { format!("\x1b[{kept}m") })
}
