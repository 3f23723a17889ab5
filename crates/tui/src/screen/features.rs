//! What is known about a terminal, and its size.

/// The size of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns, at least one.
    pub columns: usize,
    /// Rows, at least one.
    pub rows: usize,
}

impl Size {
    /// A size as the system reports it. Zero means that nobody knows: then it is 80 columns, 24 rows.
    pub fn new(columns: usize, rows: usize) -> Size {
        Size { columns: if columns == 0 { 80 } else { columns }, rows: if rows == 0 { 24 } else { rows } }
    }
}

/// A place on the screen, counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The row, from the top.
    pub row: usize,
    /// The column, from the left.
    pub column: usize,
}

/// Whether a terminal wraps the lines on its screen again when its width changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reflow {
    /// Nobody knows. What the terminal reports after the first change can tell.
    #[default]
    Unknown,
    /// It does.
    Yes,
    /// It cuts them off.
    No,
}

/// What is known about a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features {
    /// It shows a frame at once that stands between the marks of synchronized output (mode 2026).
    pub synchronized: bool,
    /// It wraps lines again.
    pub reflow: Reflow,
    /// It takes marks of prompts (OSC 133).
    pub marks: bool,
}
