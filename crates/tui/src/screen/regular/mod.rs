//! The main screen: what is finished belongs to the terminal's scrollback, what is live is repainted.

mod resize;
mod scroll;

pub use resize::Resized;

use std::collections::VecDeque;

use super::dock::Dock;
use super::features::{Features, Position, Size};
use super::frame::finish;
use super::line::Line;
use super::pen::Pen;
use super::pictures::MainPictures;
use super::row::{Writing, write_over};
use super::transcript::Transcript;

/// How many lines are committed in one frame at most, so that a key that comes meanwhile does not wait for all of them.
const BUDGET: usize = 1000;

/// Of so many frames it is known how far they move up.
const FRAMES: usize = 32;

/// Where painting begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// In the row of the cursor, which stands where it is known to stand: in the next row if the cursor is not at the start
    /// of its own.
    At(Position),
    /// In the row below the cursor, wherever that is: the row of the cursor may hold something.
    Cursor,
    /// Below everything that is on the screen, wherever the cursor is.
    Bottom,
}

/// Paints the main screen.
///
/// On the screen stand, from some row on, the *live* rows: the lines of the transcript that are not committed, and the dock
/// under them. Only these are ever written to. Lines that are committed are written over the live rows from their first
/// one on, and the live rows under them; what does not fit scrolls away at the top, by line feeds in the last
/// row, and so gets into the scrollback. Nothing uses scroll regions or clears more than what is below the first
/// live row.
///
/// When fewer rows are needed, rows stay blank below: the editor and what stands above it do not jump, and the next
/// lines fill the rows. Lines that have scrolled away could not be fetched back, so the alternative would be a hole above the
/// editor.
///
/// # The protocol
///
/// [`paint`](Regular::paint) is asked for a frame when the terminal has taken the bytes before, and all bytes that it
/// gives are written, in order. A frame that comes too late is so one that was never asked for: several changes of the
/// transcript and the dock end up in one frame, and no bytes have to be taken back. Lines that are committed
/// are in the frame that follows.
///
/// While the size changes ([`resize`](Regular::resize)), nothing is painted: rows are where the terminal put them.
/// When sizes have settled, [`settle`](Regular::settle) takes the place of the cursor if the terminal told it, and the next
/// frame paints the live rows anew.
#[derive(Debug)]
pub struct Regular {
    size: Size,
    features: Features,
    /// The live rows as they are on the screen; at least one.
    shown: Vec<Line>,
    /// The cursor, from the first live row.
    row: usize,
    column: usize,
    /// Whether the terminal shows its cursor, if that is known.
    visible: Option<bool>,
    /// The first and the last row of the screen on which the first live row can be.
    top: (usize, usize),
    phase: Phase,
    distrusted: bool,
    /// The last lines that were committed, as many as the screen has rows.
    recent: VecDeque<Line>,
    /// They are written again when the live rows are painted anew.
    repeats: bool,
    committed: u64,
    /// How far up the last frames move the cursor, [`FRAMES`] at most.
    ups: VecDeque<usize>,
    pictures: MainPictures,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing of tau is on the screen.
    Away(Start),
    Painting,
    /// The width has changed, and the terminal is asked where the cursor is.
    Settling {
        /// The height for which `top` holds; none if it does not.
        rows: Option<usize>,
    },
    /// The live rows begin so many rows above the cursor, and have to be painted anew.
    Anew {
        up: usize,
        top: (usize, usize),
    },
}

impl Regular {
    /// A painter for a screen on which something of the shell may stand. Writes nothing.
    pub fn new(size: Size, features: Features, start: Start) -> Regular {
        Regular {
            size,
            features,
            shown: Vec::new(),
            row: 0,
            column: 0,
            visible: None,
            top: (0, size.rows - 1),
            phase: Phase::Away(start),
            distrusted: false,
            recent: VecDeque::new(),
            repeats: false,
            committed: 0,
            ups: VecDeque::new(),
            pictures: MainPictures::default(),
        }
    }

    /// How many lines were committed, those that were written again too.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// The size it paints for.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What is known about the terminal, with what was learned from its answers.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Takes what has become known about the terminal.
    pub fn set_features(&mut self, features: Features) {
        self.features = features;
    }

    /// Says that something else has shown or hidden the cursor.
    pub fn forget_cursor(&mut self) {
        self.visible = None;
    }

    /// The live rows as they are on the screen.
    pub fn rows(&self) -> &[Line] {
        &self.shown
    }

    /// How many rows of tau are below the cursor: where a program that ends without a last frame goes down to.
    pub fn rows_below(&self) -> usize {
        self.shown.len().saturating_sub(self.row + 1)
    }

    /// Adds the bytes that bring the screen up to date to `out`, none if it is; true if there is more to commit and
    /// another frame should follow.
    ///
    /// All bytes must be written, see [`Regular`].
    pub fn paint(&mut self, transcript: &mut Transcript, dock: &Dock, out: &mut Vec<u8>) -> bool {
        if matches!(self.phase, Phase::Settling { .. }) {
            return false;
        }
        let Size { columns, rows } = self.size;
        let (dock, cursor) = dock.window(rows, columns);
        let composed = transcript.compose(columns, rows - dock.len(), BUDGET);
        let mut lines = self.repeated();
        self.recent.extend(composed.committed.iter().rev().take(rows).rev().cloned());
        self.recent.drain(..self.recent.len().saturating_sub(rows));
        lines.extend(composed.committed);
        let committed = lines.len();
        let above = committed + composed.live.len();
        self.committed += committed as u64;
        lines.extend(composed.live);
        lines.extend(dock);
        if lines.len() == committed {
            lines.push(Line::empty());
        }

        let mut pen = Pen::relative(columns, self.row, self.column);
        let begins = if let Phase::Anew { up, .. } = self.phase { up } else { self.row };
        let was_painting = self.phase == Phase::Painting;
        self.begin(&mut pen);
        let mut pictures = self.pictures.begin(&mut lines, committed, (columns, rows), &mut pen);
        let mut old = std::mem::take(&mut self.shown);
        if old != lines {
            // A terminal that got smaller while this was on its way stops moves of the cursor at its edges. Rows that are only
            // written over must not push others into the scrollback then, nor may the cursor end up elsewhere.
            let has_pictures = old.iter().chain(&lines).any(|line| line.slice().is_some());
            if was_painting && committed == 0 && old.len() == lines.len() && !has_pictures {
                pen.save();
            }
            scroll::move_rows(&mut pen, &mut old, &lines, rows);
            let blank = Line::empty();
            let first = lines.iter().enumerate().position(|(row, line)| old.get(row) != Some(line));
            // Everything is blank after a new beginning.
            let written = first.filter(|_| was_painting).unwrap_or(lines.len())..committed;
            for (row, line) in lines.iter().enumerate() {
                let before = old.get(row).unwrap_or(&blank);
                if row >= old.len() {
                    // There is a row above: a screen has one to begin with.
                    pen.move_to(row - 1, 0);
                    pen.line_feeds(1);
                }
                let writing = Writing { marks: self.features.marks, lasts: true, is_final: written.contains(&row) };
                write_over(&mut pen, row, before, line, writing);
                pictures.row_is_written(row, &mut pen);
            }
            if old.len() > lines.len() {
                pen.move_to(lines.len(), 0);
                pen.erase_below();
            }
            pen.restore();
        }
        let painted = !pen.bytes.is_empty();
        let last = lines.len() - 1;
        let (row, column) = cursor.map_or((last, 0), |cursor| (above + cursor.row, cursor.column));
        pen.move_to(row, column);
        self.ups.push_back(begins.max(last.saturating_sub(row)));
        self.ups.drain(..self.ups.len().saturating_sub(FRAMES));
        finish(&pen, painted, cursor, self.features, &mut self.visible, out);

        let scrolled = |top: usize| (top.min(rows.saturating_sub(lines.len())) + committed).min(rows - 1);
        // What was committed may be longer than the screen; the live rows are at its bottom then.
        let scrolled = |top: usize| if lines.len() > rows { rows - (lines.len() - committed) } else { scrolled(top) };
        self.top = (scrolled(self.top.0), scrolled(self.top.1));
        self.shown = lines.split_off(committed);
        (self.row, self.column) = (row - committed, column);
        composed.more
    }

    /// What was committed last, when it is to be written again, as rows of the width that the screen has now.
    fn repeated(&mut self) -> Vec<Line> {
        match self.phase {
            Phase::Anew { .. } if std::mem::take(&mut self.repeats) => {
                self.recent.iter().flat_map(|line| line.broken(self.size.columns)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Goes to the first live row, if that is not clear from where the cursor is.
    fn begin(&mut self, pen: &mut Pen) {
        let last = self.size.rows - 1;
        match self.phase {
            Phase::Painting | Phase::Settling { .. } => return,
            Phase::Away(start) => match start {
                // On a screen of one column the cursor is in the first one even behind a character.
                Start::At(place) if place.column == 0 && self.size.columns > 1 => {
                    self.top = (place.row.min(last), place.row.min(last))
                }
                Start::At(place) => {
                    pen.control("\r\n");
                    self.top = ((place.row + 1).min(last), (place.row + 1).min(last));
                }
                Start::Cursor => {
                    pen.control("\r\n");
                    self.top = (1.min(last), last);
                }
                Start::Bottom => {
                    pen.control(&format!("\x1b[{}B\r\n", self.size.rows));
                    self.top = (last, last);
                }
            },
            Phase::Anew { up, top } => {
                pen.up(up);
                pen.control("\r");
                self.top = top;
            }
        }
        pen.erase_from_here();
        (pen.row, pen.column) = (0, Some(0));
        self.shown = vec![Line::empty()];
        self.phase = Phase::Painting;
    }
}
