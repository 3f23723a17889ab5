//! Text of several lines that is put together from smaller ones.

use crate::width::visible_width;

/// Lines of the same width, one of which is the line of the formula.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    lines: Vec<String>,
    baseline: usize,
}

impl Block {
    /// One line.
    pub(super) fn line(text: &str) -> Self {
        Self { lines: vec![text.to_owned()], baseline: 0 }
    }

    /// Lines, padded to the same width.
    pub(super) fn new(lines: Vec<String>, baseline: usize) -> Self {
        let width = lines.iter().map(|line| visible_width(line)).max().unwrap_or(0);
        Self { lines: lines.iter().map(|line| pad(line, width, Align::Left)).collect(), baseline }
    }

    pub(super) fn width(&self) -> usize {
        self.lines.first().map_or(0, |line| visible_width(line))
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines
    }

    /// Blocks below each other; the lines of the one at `main` decide on the baseline.
    pub(super) fn stack(blocks: Vec<Block>, main: usize, align: Align) -> Self {
        let width = blocks.iter().map(Block::width).max().unwrap_or(0);
        let above: usize = blocks[..main].iter().map(Block::height).sum();
        let baseline = above + blocks[main].baseline;
        let lines = blocks.iter().flat_map(|block| &block.lines).map(|line| pad(line, width, align)).collect();
        Self { lines, baseline }
    }

    /// Puts a block to the right of this one, on the same line of the formula.
    pub(super) fn append(&mut self, other: Block) {
        if self.lines.is_empty() {
            *self = other;
            return;
        }
        let (own, theirs) = (self.width(), other.width());
        let baseline = self.baseline.max(other.baseline);
        let below = (self.height() - self.baseline).max(other.height() - other.baseline);
        let line = |block: &Block, width: usize, row: usize| {
            let index = (row + block.baseline).checked_sub(baseline);
            index.and_then(|index| block.lines.get(index).cloned()).unwrap_or_else(|| " ".repeat(width))
        };
        self.lines = (0..baseline + below).map(|row| line(self, own, row) + &line(&other, theirs, row)).collect();
        self.baseline = baseline;
    }

    /// The last character on the line of the formula.
    pub(super) fn last_char(&self) -> Option<char> {
        self.lines.get(self.baseline)?.chars().next_back()
    }

    /// Moves what stands on the line of the formula so many lines down from the top of the block.
    pub(super) fn with_baseline(mut self, baseline: usize) -> Self {
        self.baseline = baseline;
        self
    }
}

/// Where a narrower line stands among wider ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Center,
}

/// `text` padded to `width` columns.
pub(super) fn pad(text: &str, width: usize, align: Align) -> String {
    let missing = width.saturating_sub(visible_width(text));
    let before = if align == Align::Center { missing / 2 } else { 0 };
    format!("{}{text}{}", " ".repeat(before), " ".repeat(missing - before))
}
