//! Two terminals: one that wraps lines again when its width changes, and one that does not.

use std::fmt::Write as _;
use std::num::NonZeroU16;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Config, TermMode};
use alacritty_terminal::vte::ansi::Processor;
use tau_tui::screen::{Position, Size};

/// A row of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The characters.
    pub text: String,
    /// The characters with everything that is known about how they look.
    pub looks: String,
}

/// A terminal.
pub trait Terminal {
    fn new(size: Size) -> Self;
    fn write(&mut self, bytes: &[u8]);
    fn resize(&mut self, size: Size);
    fn cursor(&self) -> Position;
    fn shows_cursor(&self) -> bool;
    /// All rows, and which of them is the first on the screen.
    fn rows(&mut self) -> (Vec<Row>, usize);
    fn reflows() -> bool;

    /// The rows of the screen.
    fn screen(&mut self) -> Vec<Row> {
        let (rows, first) = self.rows();
        rows[first..].to_vec()
    }

    /// The screen as text.
    fn picture(&mut self) -> String {
        self.screen().iter().fold(String::new(), |picture, row| picture + &row.text + "\n")
    }
}

#[derive(Default)]
struct RowBuilder {
    row: (String, String),
    blanks: usize,
}

impl RowBuilder {
    fn push(&mut self, text: &str, looks: &str) {
        if looks.is_empty() && (text.is_empty() || text == " ") {
            self.blanks += 1;
            return;
        }
        for _ in 0..std::mem::take(&mut self.blanks) {
            self.row.0.push(' ');
            self.row.1.push(' ');
        }
        self.row.0.push_str(text);
        let _ = write!(self.row.1, "{text}{looks}");
    }

    fn finish(self) -> Row {
        Row { text: self.row.0.trim_end().to_owned(), looks: self.row.1 }
    }
}

struct Cells(Size);

impl Dimensions for Cells {
    fn total_lines(&self) -> usize {
        self.0.rows
    }

    fn screen_lines(&self) -> usize {
        self.0.rows
    }

    fn columns(&self) -> usize {
        self.0.columns
    }
}

/// A terminal that wraps lines again.
pub struct Alacritty {
    term: alacritty_terminal::Term<VoidListener>,
    parser: Processor,
}

impl Terminal for Alacritty {
    fn new(size: Size) -> Alacritty {
        let config = Config { scrolling_history: 100_000, ..Config::default() };
        Alacritty { term: alacritty_terminal::Term::new(config, &Cells(size), VoidListener), parser: Processor::new() }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
        assert_eq!(self.parser.sync_bytes_count(), 0, "a frame ends");
        assert!(self.term.mode().contains(TermMode::LINE_WRAP), "lines wrap again after a frame");
    }

    fn resize(&mut self, size: Size) {
        self.term.resize(Cells(size));
    }

    fn cursor(&self) -> Position {
        let point = self.term.grid().cursor.point;
        Position { row: usize::try_from(point.line.0).expect("on the screen"), column: point.column.0 }
    }

    fn shows_cursor(&self) -> bool {
        self.term.mode().contains(TermMode::SHOW_CURSOR)
    }

    fn rows(&mut self) -> (Vec<Row>, usize) {
        let grid = self.term.grid();
        let history = grid.history_size();
        let first = -i32::try_from(history).expect("a small number");
        let last = i32::try_from(grid.screen_lines()).expect("a small number");
        let rows = (first..last).map(|line| {
            let mut row = RowBuilder::default();
            for column in 0..grid.columns() {
                let cell = &grid[Line(line)][Column(column)];
                if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                    continue;
                }
                let mut text = String::from(cell.c);
                text.extend(cell.zerowidth().unwrap_or_default());
                let flags = cell.flags - Flags::WRAPLINE - Flags::WIDE_CHAR;
                let mut looks = String::new();
                let plain = alacritty_terminal::term::cell::Cell::default();
                if (cell.fg, cell.bg, flags) != (plain.fg, plain.bg, plain.flags) || cell.hyperlink().is_some() {
                    let link = cell.hyperlink().map(|link| link.uri().to_owned());
                    looks = format!("<{:?} {:?} {flags:?} {link:?}>", cell.fg, cell.bg);
                }
                // The colour of a space that is not inverse cannot be seen.
                if text == " "
                    && cell.bg == plain.bg
                    && link_free(cell)
                    && !flags.intersects(Flags::INVERSE | Flags::ALL_UNDERLINES | Flags::STRIKEOUT)
                {
                    looks.clear();
                }
                row.push(&text, &looks);
            }
            row.finish()
        });
        (rows.collect(), history)
    }

    fn reflows() -> bool {
        true
    }
}

fn link_free(cell: &alacritty_terminal::term::cell::Cell) -> bool {
    cell.hyperlink().is_none()
}

/// A terminal that cuts lines off.
pub struct Vt100 {
    parser: vt100::Parser,
}

fn number(number: usize) -> NonZeroU16 {
    NonZeroU16::new(u16::try_from(number).expect("a small number")).expect("not zero")
}

impl Terminal for Vt100 {
    fn new(size: Size) -> Vt100 {
        Vt100 { parser: vt100::Parser::new(number(size.rows), number(size.columns), 100_000) }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
    }

    fn resize(&mut self, size: Size) {
        self.parser.set_size(number(size.rows), number(size.columns));
    }

    fn cursor(&self) -> Position {
        let (row, column) = self.parser.screen().cursor_position();
        Position { row: row.into(), column: column.into() }
    }

    fn shows_cursor(&self) -> bool {
        !self.parser.screen().hide_cursor()
    }

    fn rows(&mut self) -> (Vec<Row>, usize) {
        let screen = self.parser.screen_mut();
        let history = screen.scrollback_len();
        let visible = usize::from(screen.size().0.get());
        let mut rows = Vec::new();
        for index in 0..history + visible {
            screen.set_scrollback(history.saturating_sub(index));
            let line = u16::try_from(index.saturating_sub(history)).expect("a small number");
            let mut row = RowBuilder::default();
            for column in 0.. {
                let Some(cell) = screen.cell(line, column) else { break };
                if cell.is_wide_continuation() {
                    continue;
                }
                let mut looks = String::new();
                let default = vt100::Color::Default;
                if (cell.fgcolor(), cell.bgcolor()) != (default, default)
                    || cell.bold()
                    || cell.dim()
                    || cell.italic()
                    || cell.underline()
                    || cell.inverse()
                {
                    let attributes = [cell.bold(), cell.dim(), cell.italic(), cell.underline(), cell.inverse()];
                    looks = format!("<{:?} {:?} {attributes:?}>", cell.fgcolor(), cell.bgcolor());
                }
                if matches!(cell.contents(), "" | " ")
                    && cell.bgcolor() == default
                    && !cell.inverse()
                    && !cell.underline()
                {
                    looks.clear();
                }
                row.push(if cell.contents().is_empty() { " " } else { cell.contents() }, &looks);
            }
            rows.push(row.finish());
        }
        screen.set_scrollback(0);
        (rows, history)
    }

    fn reflows() -> bool {
        false
    }
}
