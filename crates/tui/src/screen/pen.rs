//! Bytes for a terminal, and where they leave the cursor.

use std::fmt::Write as _;

/// What erases the row of the cursor, which is in its first column, and what is below. It is done from the second column on:
/// where the screen is erased from its first cell on, tmux moves all of it into the scrollback.
pub(super) const ERASE_FROM_HERE: &str = "\x1b[K\x1b[C\x1b[J\r";

/// Writes to a screen and knows where the cursor is.
///
/// Rows are counted from wherever the owner likes: moves from row to row are relative, unless the pen is absolute.
pub(super) struct Pen {
    pub(super) bytes: String,
    pub(super) row: usize,
    /// The column; unknown after a row was filled, and after moves that terminals disagree about.
    pub(super) column: Option<usize>,
    columns: usize,
    absolute: bool,
    /// Where the cursor was when its place was saved.
    saved: Option<(usize, Option<usize>)>,
}

impl Pen {
    /// A pen for a screen of so many columns, with the cursor where it is.
    pub(super) fn relative(columns: usize, row: usize, column: usize) -> Pen {
        Pen { bytes: String::new(), row, column: Some(column), columns, absolute: false, saved: None }
    }

    /// A pen that counts rows from the top of the screen, with the cursor anywhere.
    pub(super) fn absolute(columns: usize) -> Pen {
        Pen { bytes: String::new(), row: usize::MAX, column: None, columns, absolute: true, saved: None }
    }

    fn csi(&mut self, count: usize, last: char) {
        let _ = match count {
            1 => write!(self.bytes, "\x1b[{last}"),
            count => write!(self.bytes, "\x1b[{count}{last}"),
        };
    }

    pub(super) fn move_to(&mut self, row: usize, column: usize) {
        if self.absolute && row != self.row {
            let _ = write!(self.bytes, "\x1b[{};{}H", row + 1, column + 1);
            (self.row, self.column) = (row, Some(column));
            return;
        }
        if self.saved.is_some() && row > self.row {
            self.csi(row - self.row, 'B');
        } else if row == self.row + 1 && column == 0 {
            self.bytes.push_str("\r\n");
            self.column = Some(0);
        } else if row > self.row {
            // Not by moving the cursor: when a terminal got smaller and dropped rows under the cursor before it read this,
            // the screen scrolls then, and what comes next is where it belongs all the same.
            self.bytes.extend(std::iter::repeat_n('\n', row - self.row));
            // The system may make each of them the start of a line.
            self.column = None;
        } else if row < self.row {
            self.csi(self.row - row, 'A');
        }
        self.row = row;
        if self.column != Some(column) {
            if column == 0 {
                self.bytes.push('\r');
            } else {
                self.csi(column + 1, 'G');
            }
            self.column = Some(column);
        }
    }

    /// Saves the place of the cursor. Until it is [restored](Pen::restore), nothing scrolls, whatever the size of the terminal
    /// is by now.
    pub(super) fn save(&mut self) {
        self.bytes.push_str("\x1b7");
        self.saved = Some((self.row, self.column));
    }

    /// Goes back to where the cursor was, also if a move stopped at an edge of the screen since.
    pub(super) fn restore(&mut self) {
        if let Some((row, column)) = self.saved.take() {
            self.bytes.push_str("\x1b8");
            (self.row, self.column) = (row, column);
        }
    }

    /// Makes `count` rows under the last one, where the cursor must be, and goes to the last of them.
    pub(super) fn line_feeds(&mut self, count: usize) {
        if self.column != Some(0) {
            self.bytes.push('\r');
        }
        self.bytes.extend(std::iter::repeat_n('\n', count));
        self.row += count;
        self.column = Some(0);
    }

    /// Writes text that takes `width` columns and has no style left on at its end.
    pub(super) fn text(&mut self, text: &str, width: usize) {
        self.bytes.push_str(text);
        // In the last column the cursor may stand on the character or behind it.
        self.column = self.column.map(|column| column + width).filter(|column| *column < self.columns);
    }

    /// Writes something that takes no column.
    pub(super) fn control(&mut self, sequence: &str) {
        self.bytes.push_str(sequence);
    }

    pub(super) fn erase_to_end_of_line(&mut self) {
        self.bytes.push_str("\x1b[K");
    }

    /// Erases the row of the cursor, which is in its first column, and what is below.
    pub(super) fn erase_from_here(&mut self) {
        self.bytes.push_str(ERASE_FROM_HERE);
        self.column = Some(0);
    }

    pub(super) fn erase_below(&mut self) {
        self.bytes.push_str("\x1b[J");
    }

    /// Moves the rows from here on down; those at the bottom of the screen are gone.
    pub(super) fn insert_rows(&mut self, count: usize) {
        self.csi(count, 'L');
        self.column = None;
    }

    /// Removes rows; those under them move up.
    pub(super) fn delete_rows(&mut self, count: usize) {
        self.csi(count, 'M');
        self.column = None;
    }

    pub(super) fn up(&mut self, rows: usize) {
        if rows > 0 {
            self.csi(rows, 'A');
        }
    }
}
