//! Lines and a cursor.

use super::Position;
use super::parts::ENTRY;

/// The text of an editor without its past: lines, of which there is at least one, and the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Buffer {
    pub(super) lines: Vec<String>,
    pub(super) cursor: Position,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { lines: vec![String::new()], cursor: Position::default() }
    }
}

impl Buffer {
    /// A text with the cursor behind it.
    pub(super) fn with_text(text: &str) -> Self {
        let mut buffer = Self::default();
        buffer.insert(text);
        buffer
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// About how much it holds, in bytes.
    pub(super) fn held(&self) -> usize {
        self.lines.iter().map(|line| line.len() + ENTRY).sum()
    }

    pub(super) fn line(&self) -> &str {
        self.lines.get(self.cursor.line).map_or("", String::as_str)
    }

    pub(super) fn before(&self) -> &str {
        &self.line()[..self.cursor.column]
    }

    pub(super) fn after(&self) -> &str {
        &self.line()[self.cursor.column..]
    }

    pub(super) fn is_on_last_line(&self) -> bool {
        self.cursor.line + 1 >= self.lines.len()
    }

    /// Inserts text that may have several lines; the cursor goes behind it.
    pub(super) fn insert(&mut self, text: &str) {
        let tail = self.after().to_owned();
        let mut inserted = text.split('\n');
        let first = inserted.next().unwrap_or_default();
        let Position { line, column } = self.cursor;
        self.lines[line].truncate(column);
        self.lines[line].push_str(first);
        self.cursor.column += first.len();
        for (index, text) in inserted.enumerate() {
            self.cursor = Position { line: line + 1 + index, column: text.len() };
            self.lines.insert(self.cursor.line, text.to_owned());
        }
        self.lines[self.cursor.line].push_str(&tail);
    }

    /// Deletes so many bytes before the cursor; at the start of a line, the line break.
    pub(super) fn delete_before(&mut self, length: usize) {
        let Position { line, column } = self.cursor;
        if column > 0 {
            self.cursor.column = column - length;
            self.lines[line].replace_range(self.cursor.column..column, "");
        } else if line > 0 {
            let tail = self.lines.remove(line);
            self.cursor = Position { line: line - 1, column: self.lines[line - 1].len() };
            self.lines[line - 1].push_str(&tail);
        }
    }

    /// Deletes so many bytes after the cursor; at the end of a line, the line break.
    pub(super) fn delete_after(&mut self, length: usize) {
        let Position { line, column } = self.cursor;
        if !self.after().is_empty() {
            self.lines[line].replace_range(column..column + length, "");
        } else if !self.is_on_last_line() {
            let tail = self.lines.remove(line + 1);
            self.lines[line].push_str(&tail);
        }
    }

    /// Deletes `text`, which stands right before the cursor and may have several lines.
    pub(super) fn delete_text_before(&mut self, text: &str) {
        for (index, line) in text.rsplit('\n').enumerate() {
            if index > 0 {
                self.delete_before(0);
            }
            let length = line.len().min(self.cursor.column);
            if length > 0 {
                self.delete_before(length);
            }
        }
    }
}
