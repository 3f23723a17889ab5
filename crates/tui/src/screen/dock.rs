//! What stays at the bottom: the editor, what stands around it, dialogs.

use super::line::Line;

/// Where the terminal's cursor is to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The row, counted from the first line of the dock.
    pub row: usize,
    /// The column.
    pub column: usize,
    /// Whether the terminal shows its cursor. Hidden, it still tells input methods where to open their window.
    pub visible: bool,
}

/// The lines under the transcript, and the cursor in them.
#[derive(Debug, Clone, Default)]
pub struct Dock {
    /// The lines. They are cut at the width of the screen; if they are too many for it, those around the cursor are shown.
    pub lines: Vec<Line>,
    /// The cursor; without one it is hidden.
    pub cursor: Option<Cursor>,
}

impl Dock {
    /// A dock of these lines, with a cursor.
    pub fn new(lines: Vec<Line>, cursor: Option<Cursor>) -> Dock {
        Dock { lines, cursor }
    }

    fn cursor(&self) -> Option<Cursor> {
        self.cursor.filter(|cursor| cursor.row < self.lines.len())
    }

    /// The first line that is shown in `rows` rows.
    pub(super) fn first(&self, rows: usize) -> usize {
        let first = self.lines.len().saturating_sub(rows);
        self.cursor().map_or(first, |cursor| first.min(cursor.row))
    }

    /// The lines that fit into `rows` rows, cut to `columns`, and the cursor in them.
    pub(super) fn window(&self, rows: usize, columns: usize) -> (Vec<Line>, Option<Cursor>) {
        let cursor = self.cursor();
        let first = self.first(rows);
        let lines = self.lines.iter().skip(first).take(rows).map(|line| line.clamped(columns)).collect();
        let cursor = cursor.map(|cursor| Cursor {
            row: cursor.row - first,
            column: cursor.column.min(columns.saturating_sub(1)),
            visible: cursor.visible,
        });
        (lines, cursor)
    }
}
