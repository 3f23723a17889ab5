//! What a part of the screen looks like.

/// Lines of styled text, and where the cursor stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The lines, none wider than was asked for.
    pub lines: Vec<String>,
    /// The row and the column of the cursor, if this part has the focus.
    pub cursor: Option<(usize, usize)>,
}

impl Drawn {
    /// Lines without a cursor.
    pub fn lines(lines: Vec<String>) -> Self {
        Self { lines, cursor: None }
    }

    /// Adds a part below. The cursor of the part is the cursor of the whole, if it has one.
    pub fn append(&mut self, below: Self) {
        let above = self.lines.len();
        if let Some((row, column)) = below.cursor {
            self.cursor = Some((above + row, column));
        }
        self.lines.extend(below.lines);
    }
}
