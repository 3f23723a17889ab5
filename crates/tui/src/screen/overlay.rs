//! Something that lies over a screen.

use super::dock::Cursor;
use super::line::{Builder, Line, each_cell};

/// Lines that lie over others.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    /// The lines. They are cut and filled up to the width.
    pub lines: Vec<Line>,
    /// The row of the screen on which the first one lies.
    pub row: usize,
    /// The column at which they begin.
    pub column: usize,
    /// How many columns they cover.
    pub width: usize,
    /// The cursor in them, counted from their first row and column. The last overlay that has one has the cursor of the
    /// screen.
    pub cursor: Option<Cursor>,
}

impl Overlay {
    /// Whether it covers a place of the screen.
    pub(super) fn covers(&self, row: usize, column: usize) -> bool {
        (self.row..self.row + self.lines.len()).contains(&row)
            && (self.column..self.column.saturating_add(self.width)).contains(&column)
    }

    /// Lays the lines over `rows`, which are rows of a screen of `columns` columns. What lies beside or under it is left
    /// out.
    pub(crate) fn lay_over(&self, rows: &mut [Line], columns: usize) {
        for (row, line) in rows.iter_mut().skip(self.row).zip(&self.lines) {
            *row = over(row, line, self.column, self.width, columns);
        }
    }
}

/// `base` with `width` columns of `top` from `column` on. A wide character that an edge cuts becomes a space; what a side has
/// of styles and links ends at its edge.
fn over(base: &Line, top: &Line, column: usize, width: usize, columns: usize) -> Line {
    let column = column.min(columns);
    let end = column.saturating_add(width).min(columns);
    let mut builder = Builder::new(columns);
    let mut at = 0;
    each_cell(base.as_str(), |text, width, style| {
        let fits = at + width <= column;
        if fits {
            builder.push(text, width, style);
        }
        at += width;
        fits
    });
    builder.fill(column);
    each_cell(top.as_str(), |text, width, style| {
        let fits = builder.width() + width <= end;
        if fits {
            builder.push(text, width, style);
        }
        fits
    });
    builder.fill(end);
    let mut at = 0;
    each_cell(base.as_str(), |text, width, style| {
        // Marks stay with the character before them.
        if at >= end && (width > 0 || at > end) {
            builder.fill(at);
            builder.push(text, width, style);
        }
        at += width;
        true
    });
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(base: &str, top: &str, column: usize, width: usize) -> String {
        over(&Line::new(base, 10), &Line::new(top, 10), column, width, 10).as_str().to_owned()
    }

    #[test]
    fn lines_lie_over_others() {
        assert_eq!(laid("0123456789", "ab", 3, 3), "012ab 6789");
        assert_eq!(laid("01", "ab", 4, 2), "01  ab");
        assert_eq!(laid("0123456789", "abcdef", 7, 9), "0123456abc");
        assert_eq!(laid("0123456789", "abc", 12, 3), "0123456789");
        assert_eq!(laid("0123456789", "", 0, 10), "");
        assert_eq!(laid("", "x", 0, 0), "");
    }

    #[test]
    fn wide_characters_are_cut_at_both_edges() {
        assert_eq!(laid("你你你你你", "ab", 3, 2), "你 ab 你你");
        assert_eq!(laid("0123456789", "你你", 2, 3), "01你 56789");
        assert_eq!(laid("e\u{301}e\u{301}e\u{301}", "x", 1, 1), "e\u{301}xe\u{301}");
    }

    #[test]
    fn styles_and_links_end_at_the_edges() {
        let base = "\x1b[41m0123456789";
        assert_eq!(laid(base, "\x1b[1mab", 3, 3), "\x1b[41m012\x1b[0;1mab \x1b[0;41m6789\x1b[m");
        let link = "\x1b]8;;u:\x1b\\0123456789";
        assert_eq!(laid(link, "ab", 3, 2), "\x1b]8;;u:\x1b\\012\x1b]8;;\x1b\\ab\x1b]8;;u:\x1b\\56789\x1b]8;;\x1b\\");
    }
}
