//! The part of a transcript that is on the screen.

use std::collections::VecDeque;

use super::heights::Heights;
use crate::screen::line::Line;
use crate::screen::transcript::Transcript;

/// How far from the first block on the window blocks keep their lines in any case.
const NEAR: usize = 64;

/// How many blocks keep their lines.
const KEPT: usize = 512;

/// A line of a transcript: a line of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Place {
    pub(super) block: usize,
    pub(super) line: usize,
}

/// A window on the lines of a transcript.
///
/// It holds on to a line of a block, not to a number of lines from the start: what is learned about the heights of blocks above
/// does not move it. Only blocks that come near the window are laid out.
#[derive(Debug, Default)]
pub(super) struct View {
    heights: Heights,
    width: usize,
    revision: u64,
    /// The first line of the window, unless it follows the end.
    top: Place,
    follows: bool,
    /// Blocks that have been laid out, the oldest first.
    laid: VecDeque<usize>,
}

/// A row of the window.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) place: Place,
    pub(super) line: Line,
}

impl View {
    /// A window that follows the end.
    pub(super) fn new() -> View {
        View { follows: true, ..View::default() }
    }

    pub(super) fn follows(&self) -> bool {
        self.follows
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether a block is on the window or near it.
    pub(super) fn is_near(&self, block: usize) -> bool {
        block.abs_diff(self.top.block) <= NEAR
    }

    pub(super) fn top(&self) -> Place {
        self.top
    }

    /// Takes notice of what has changed in the transcript; gives the blocks that did, or nothing if all may have.
    pub(super) fn notice(&mut self, transcript: &mut Transcript, width: usize) -> Option<Vec<usize>> {
        let changed: Option<Vec<usize>> =
            transcript.changed_since(self.revision).filter(|_| width == self.width).map(Iterator::collect);
        self.revision = transcript.revision();
        match &changed {
            Some(changed) => changed.iter().for_each(|block| self.heights.doubt(*block)),
            None => {
                // The line on top stays about where it is in its block.
                let before = self.heights.known(self.top.block).filter(|_| width != self.width);
                self.heights.clear();
                self.width = width;
                self.fill(transcript);
                if let Some(before) = before {
                    let now = self.height(transcript, self.top.block);
                    self.top.line = self.top.line * now / before.max(1);
                }
            }
        }
        self.fill(transcript);
        if self.top.block >= transcript.len() {
            self.top = Place { block: transcript.len().saturating_sub(1), line: 0 };
        }
        changed
    }

    fn fill(&mut self, transcript: &Transcript) {
        for block in self.heights.len()..transcript.len() {
            let estimate = match transcript.look_at(block) {
                Some(block) if block.in_pager() => block.estimate(self.width),
                _ => 0,
            };
            self.heights.push(estimate);
        }
    }

    /// The height of a block, which is laid out for that if need be.
    pub(super) fn height(&mut self, transcript: &mut Transcript, block: usize) -> usize {
        if let Some(height) = self.heights.known(block) {
            return height;
        }
        let Some(found) = transcript.at(block) else { return 0 };
        let height = if found.in_pager() { found.height(self.width) } else { 0 };
        self.heights.set(block, height);
        self.keep(transcript, block);
        height
    }

    /// Remembers that a block has lines, and gives up those of one that nobody has looked at for long.
    fn keep(&mut self, transcript: &mut Transcript, block: usize) {
        if self.laid.back() == Some(&block) || self.laid.contains(&block) {
            return;
        }
        self.laid.push_back(block);
        let oldest = if self.laid.len() > KEPT { self.laid.pop_front() } else { None };
        if let Some(oldest) = oldest.filter(|oldest| !self.is_near(*oldest)) {
            transcript.forget_lines(oldest);
        }
    }

    /// Lines, and how many of them are above the window; both are estimates as far as blocks have not been laid out.
    pub(super) fn extent(&self) -> (usize, usize) {
        (self.heights.total(), self.heights.before(self.top.block) + self.top.line)
    }

    /// The rows of the window.
    pub(super) fn rows(&mut self, transcript: &mut Transcript, rows: usize) -> Vec<Shown> {
        if rows == 0 {
            return Vec::new();
        }
        if !self.follows {
            self.clamp(transcript);
            let found = self.collect(transcript, rows);
            if found.len() == rows {
                let last = found.last().map(|last| last.place);
                self.follows = last.is_some_and(|last| self.is_last(transcript, last));
                return found;
            }
        }
        // There is nothing left below: the last line is at the bottom.
        self.follows = true;
        self.top = self.above_end(transcript, rows);
        self.collect(transcript, rows)
    }

    /// Whether there is no line after this one.
    fn is_last(&mut self, transcript: &mut Transcript, place: Place) -> bool {
        place.line + 1 >= self.height(transcript, place.block)
            && (place.block + 1..transcript.len()).all(|block| self.height(transcript, block) == 0)
    }

    fn clamp(&mut self, transcript: &mut Transcript) {
        let height = self.height(transcript, self.top.block);
        self.top.line = self.top.line.min(height.saturating_sub(1));
    }

    fn collect(&mut self, transcript: &mut Transcript, rows: usize) -> Vec<Shown> {
        let mut found: Vec<Shown> = Vec::with_capacity(rows);
        let mut lines = Vec::new();
        let (mut block, mut line) = (self.top.block, self.top.line);
        while found.len() < rows && block < transcript.len() {
            let height = self.height(transcript, block);
            let end = height.min(line + rows - found.len());
            if let Some(shown) = transcript.at(block).filter(|_| line < end) {
                shown.lines(self.width, line..end, &mut lines);
            }
            self.keep(transcript, block);
            let places = (line..end).map(|line| Place { block, line });
            found.extend(places.zip(lines.drain(..)).map(|(place, line)| Shown { place, line }));
            (block, line) = (block + 1, 0);
        }
        // Blocks without lines are not what the user sees on top.
        if let Some(first) = found.first() {
            self.top = first.place;
        }
        found
    }

    /// The line from which on `rows` lines are left.
    fn above_end(&mut self, transcript: &mut Transcript, rows: usize) -> Place {
        let end = Place { block: transcript.len(), line: 0 };
        self.up(transcript, end, rows)
    }

    fn up(&mut self, transcript: &mut Transcript, from: Place, mut lines: usize) -> Place {
        let mut place = from;
        while lines > place.line {
            if place.block == 0 {
                return Place { block: 0, line: 0 };
            }
            lines -= place.line;
            place.block -= 1;
            place.line = self.height(transcript, place.block);
        }
        place.line -= lines;
        place
    }

    fn down(&mut self, transcript: &mut Transcript, from: Place, lines: usize) -> Place {
        let mut place = Place { block: from.block, line: from.line + lines };
        while place.block < transcript.len() {
            let height = self.height(transcript, place.block);
            if place.line < height {
                return place;
            }
            place = Place { block: place.block + 1, line: place.line - height };
        }
        Place { block: transcript.len().saturating_sub(1), line: usize::MAX }
    }

    /// Moves the window, which has `rows` rows, by lines: up if negative.
    pub(super) fn scroll(&mut self, transcript: &mut Transcript, rows: usize, lines: isize) {
        if lines < 0 {
            let last = self.above_end(transcript, rows);
            self.top = self.up(transcript, self.top.min(last), lines.unsigned_abs());
            self.follows = self.top >= last;
        } else if !self.follows {
            self.top = self.down(transcript, self.top, lines.unsigned_abs());
            self.settle(transcript, rows);
        }
    }

    /// Shows a line at the top, or the end if there is not enough below it.
    pub(super) fn show(&mut self, transcript: &mut Transcript, rows: usize, place: Place) {
        self.top = place;
        self.settle(transcript, rows);
    }

    /// Shows a line somewhere, if it is not on the window.
    pub(super) fn reveal(&mut self, transcript: &mut Transcript, rows: usize, place: Place) {
        let end = self.down(transcript, self.top, rows);
        let whole = end.line == usize::MAX;
        if place < self.top || (place >= end && !whole) {
            let top = self.up(transcript, place, rows / 3);
            self.show(transcript, rows, top);
        }
    }

    fn settle(&mut self, transcript: &mut Transcript, rows: usize) {
        let last = self.above_end(transcript, rows);
        self.follows = self.top >= last;
        self.top = self.top.min(last);
    }

    /// Shows the end, and what comes there.
    pub(super) fn follow(&mut self) {
        self.follows = true;
    }

    /// Shows what is at about this line of all.
    pub(super) fn seek(&mut self, transcript: &mut Transcript, rows: usize, line: usize) {
        let (block, line) = self.heights.find(line);
        self.show(transcript, rows, Place { block, line });
    }

    /// The next block from here that is a prompt, up or down.
    pub(super) fn prompt(&self, transcript: &Transcript, down: bool) -> Option<Place> {
        let is_prompt =
            |block: &usize| transcript.look_at(*block).is_some_and(|block| block.is_prompt() && block.in_pager());
        let block = if down {
            (self.top.block + 1..transcript.len()).find(is_prompt)
        } else {
            let end = if self.top.line > 0 { self.top.block + 1 } else { self.top.block };
            (0..end).rev().find(is_prompt)
        };
        block.map(|block| Place { block, line: 0 })
    }
}
