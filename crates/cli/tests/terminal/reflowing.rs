//! A terminal that wraps its lines again when its width changes.

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Config, Term, TermMode};
use alacritty_terminal::vte::ansi::Processor;

/// What it shows, and what scrolled out of it.
pub(super) struct Reflowing {
    term: Term<VoidListener>,
    parser: Processor,
}

struct Cells {
    columns: usize,
    rows: usize,
}

impl Dimensions for Cells {
    fn total_lines(&self) -> usize {
        self.rows
    }

    fn screen_lines(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }
}

impl Reflowing {
    pub(super) fn new(columns: u16, rows: u16) -> Self {
        let config = Config { scrolling_history: 100_000, ..Config::default() };
        let size = Cells { columns: columns.into(), rows: rows.into() };
        Self { term: Term::new(config, &size, VoidListener), parser: Processor::new() }
    }

    pub(super) fn process(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    pub(super) fn resize(&mut self, columns: u16, rows: u16) {
        self.term.resize(Cells { columns: columns.into(), rows: rows.into() });
    }

    /// Whether lines that are too long wrap, as in a terminal that nobody changed.
    pub(super) fn wraps(&self) -> bool {
        self.term.mode().contains(TermMode::LINE_WRAP)
    }

    /// The rows of the screen, without spaces at their ends.
    pub(super) fn rows(&self) -> Vec<String> {
        (0..self.term.grid().screen_lines()).map(|row| self.row(i32::try_from(row).expect("a screen"))).collect()
    }

    /// The rows of the scrollback and of the screen, without spaces at their ends.
    pub(super) fn all_rows(&self) -> Vec<String> {
        let above = i32::try_from(self.term.grid().history_size()).expect("it is limited");
        let mut rows: Vec<String> = (-above..0).map(|row| self.row(row)).collect();
        rows.extend(self.rows());
        rows
    }

    fn row(&self, row: i32) -> String {
        let grid = self.term.grid();
        let mut text = String::new();
        for column in 0..grid.columns() {
            let cell = &grid[Line(row)][Column(column)];
            if !cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                text.push(cell.c);
                text.extend(cell.zerowidth().unwrap_or_default());
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}
