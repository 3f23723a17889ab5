//! Finding the first live row again after something other than a frame has changed the screen.

use super::{Phase, Regular, Start};
use crate::screen::features::{Position, Reflow, Size};
use crate::screen::line::Line;
use crate::screen::pen::ERASE_FROM_HERE;

/// What to do after a change of the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resized {
    /// Nothing.
    Nothing,
    /// Paint a frame.
    Paint,
    /// Wait until the size stays as it is, ask the terminal where its cursor is, and call [`Regular::settle`]. Nothing is
    /// painted until then.
    Settle,
}

impl Regular {
    /// Takes a new size.
    ///
    /// A change of the height moves all rows together, and the cursor with them, so that the live rows can be painted anew
    /// at once. With the width, terminals that wrap lines again change how many rows there are between the first live row and
    /// the cursor.
    pub fn resize(&mut self, size: Size) -> Resized {
        let before = std::mem::replace(&mut self.size, size);
        if before == size && !matches!(self.phase, Phase::Settling { .. }) {
            return Resized::Nothing;
        }
        let tall = before.rows == size.rows;
        match &mut self.phase {
            Phase::Away(_) => {
                self.top = (0, size.rows - 1);
                Resized::Nothing
            }
            Phase::Settling { rows } => {
                *rows = rows.filter(|_| tall);
                Resized::Settle
            }
            phase if before.columns != size.columns => {
                let rows = (*phase == Phase::Painting && tall).then_some(size.rows);
                *phase = Phase::Settling { rows };
                Resized::Settle
            }
            phase => {
                let up = if let Phase::Anew { up, .. } = phase { *up } else { self.row };
                *phase = Phase::Anew { up, top: (0, size.rows - 1) };
                Resized::Paint
            }
        }
    }

    /// Takes that the size was another one for a moment and is as it was: the terminal may have wrapped rows and moved them
    /// meanwhile, so they need not be where they were.
    pub fn disturb(&mut self) -> Resized {
        if matches!(self.phase, Phase::Away(_)) {
            return Resized::Nothing;
        }
        self.phase = Phase::Settling { rows: None };
        Resized::Settle
    }

    /// Says that bytes of the last frame were written after the size had changed, so that the terminal may have wrapped
    /// only some of the live rows.
    pub fn distrust(&mut self) {
        self.distrusted = true;
    }

    /// Says that the terminal, which is to be of this size, may have taken the last frames only after that. Where cursor moves
    /// of them would have stopped at its edges, or lines may have wrapped, lines can be written over: the last ones, a screen
    /// at most, are written once more.
    pub fn repeat(&mut self, size: Size) {
        let is_other_width = size.columns != self.size.columns;
        let is_unknown = size == self.size;
        let is_too_small = self.ups.iter().any(|up| *up >= size.rows);
        let is_away = matches!(self.phase, Phase::Away(_));
        self.repeats |= !is_away && (is_other_width || is_unknown || is_too_small);
    }

    /// Takes the place of the cursor, after sizes have settled, or that the terminal did not tell it.
    ///
    /// The first live row is as many rows above the cursor as there were, or on terminals that wrap lines again as many
    /// as these take now. Where nothing tells which it is, it is the former: then rows of tau may stay above the
    /// live ones, but nothing that belongs to someone else is cleared.
    pub fn settle(&mut self, cursor: Option<Position>) {
        let Phase::Settling { rows } = self.phase else { return };
        let up = self.rows_above(rows, cursor);
        let last = self.size.rows - 1;
        let top = cursor.map_or((0, last), |cursor| {
            let top = cursor.row.saturating_sub(up).min(last);
            (top, top)
        });
        self.distrusted = false;
        self.phase = Phase::Anew { up, top };
    }

    /// How many rows the first live row is above the cursor, after a change of the width.
    fn rows_above(&mut self, rows: Option<usize>, cursor: Option<Position>) -> usize {
        let width = self.size.columns;
        let above: usize = self.shown.iter().take(self.row).map(|line| line.wrapped_rows(width)).sum();
        let blank = Line::empty();
        let line = self.shown.get(self.row).unwrap_or(&blank);
        // Behind the end of its line a cursor stays in a column, or is wrapped with the cells that it passed.
        let (offset, column) = if self.column < line.width() {
            line.wrapped_position(self.column, width)
        } else {
            (self.column / width, self.column % width)
        };
        let beyond = self.column >= width;
        let told = cursor.is_some_and(|cursor| beyond && cursor.column == column && column != width - 1);
        let moved = cursor.is_some_and(|cursor| {
            rows == Some(self.size.rows) && self.top.0 == self.top.1 && cursor.row != self.top.0 + self.row
        });
        if self.features.reflow == Reflow::Unknown && (told || moved) && !self.distrusted {
            self.features.reflow = Reflow::Yes;
        }
        if self.features.reflow != Reflow::Yes || self.distrusted {
            return self.row;
        }
        above + if told || !beyond { offset } else { 0 }
    }

    /// Adds bytes to `out` that take the live rows off the screen and show the cursor where the first of them was, so that
    /// a shell or an editor goes on under what is committed. The next frame paints them again, from `start` on.
    pub fn leave(&mut self, start: Start, out: &mut Vec<u8>) {
        let up = match self.phase {
            Phase::Away(_) => None,
            Phase::Painting => Some(self.row),
            Phase::Settling { rows } => Some(self.rows_above(rows, None)),
            Phase::Anew { up, .. } => Some(up),
        };
        if let Some(up) = up {
            if up > 0 {
                out.extend_from_slice(format!("\x1b[{up}A").as_bytes());
            }
            out.push(b'\r');
            out.extend_from_slice(ERASE_FROM_HERE.as_bytes());
        }
        if self.visible == Some(false) {
            out.extend_from_slice(b"\x1b[?25h");
        }
        self.begin_at(start);
    }

    /// Forgets what is on the screen, because something else wrote there: the next frame begins at `start`, and what stood
    /// there stays.
    pub fn begin_at(&mut self, start: Start) {
        self.shown.clear();
        (self.row, self.column) = (0, 0);
        self.visible = None;
        self.distrusted = false;
        self.phase = Phase::Away(start);
    }
}
