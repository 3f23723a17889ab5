//! What the cells of a table need.

use crate::characters::is_space;
use crate::width::visible_width;

/// Columns get room for words up to this width before other columns get more than they need.
const MAX_WORD_WIDTH: usize = 30;

/// What the rows above the first one of a part need.
#[derive(Debug, Clone)]
pub(super) struct Above {
    pub(super) measures: Measures,
    pub(super) widths: Vec<usize>,
}

/// A table that is laid out, or the rest of one.
#[derive(Debug)]
pub(super) struct LaidTable {
    /// What its header and the rows above it need.
    pub(super) above: Measures,
    pub(super) rows: Vec<Vec<String>>,
    pub(super) widths: Vec<usize>,
}

impl LaidTable {
    /// What the rows below the first `rows` need to know.
    pub(super) fn above(&self, rows: usize) -> Above {
        let mut measures = self.above.clone();
        self.rows.iter().take(rows).for_each(|row| measures.add(row));
        Above { measures, widths: self.widths.clone() }
    }
}

/// The width of the widest cell and of the longest word of each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Measures(pub(super) Vec<(usize, usize)>);

impl Measures {
    pub(super) fn new(columns: usize) -> Self {
        Self(vec![(0, 1); columns])
    }

    pub(super) fn add(&mut self, cells: &[String]) {
        for ((natural, word), cell) in self.0.iter_mut().zip(cells) {
            *natural = (*natural).max(visible_width(cell));
            *word = (*word).max(longest_word(cell).min(MAX_WORD_WIDTH));
        }
    }
}

fn longest_word(text: &str) -> usize {
    text.split(is_space).map(visible_width).max().unwrap_or(0)
}
