//! Finding text in a transcript, a bounded number of lines at a time.

use std::collections::BTreeMap;

use super::tints::Tints;
use super::view::{Place, View};
use crate::screen::line::{Line, each_cell};
use crate::screen::transcript::Transcript;

/// The longest text that is searched for, in bytes.
const LONGEST: usize = 256;

/// A place where the text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hit {
    /// Where it begins: line and column.
    start: (usize, usize),
    /// The line and the column behind it.
    end: (usize, usize),
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// Which of the hits is the current one, from 1 on; 0 without hits.
    pub current: usize,
    /// How many hits there are, so far.
    pub hits: usize,
    /// Whether everything has been searched.
    pub complete: bool,
}

/// A search.
///
/// The case of letters makes no difference, and white space and line breaks are one space.
#[derive(Debug)]
pub(super) struct Search {
    needle: String,
    hits: BTreeMap<usize, Vec<Hit>>,
    current: Option<(usize, usize)>,
    /// Blocks that still have to be searched from a line on, the next one last.
    left: Vec<std::ops::Range<usize>>,
    line: usize,
    /// Where the search began: the first hit from here on is the first to be the current one.
    from: Place,
    jumped: bool,
}

fn fold(text: &str, into: &mut String) {
    for ch in text.chars() {
        if ch.is_whitespace() {
            if !into.ends_with(' ') {
                into.push(' ');
            }
        } else {
            into.extend(ch.to_lowercase());
        }
    }
}

impl Search {
    pub(super) fn new(text: &str, from: Place, blocks: usize) -> Search {
        let mut needle = String::new();
        fold(text, &mut needle);
        needle.truncate(needle.floor_char_boundary(LONGEST));
        let mut search =
            Search { needle, hits: BTreeMap::new(), current: None, left: Vec::new(), line: 0, from, jumped: false };
        search.restart(blocks);
        search
    }

    /// Searches everything again, because everything may be different.
    pub(super) fn restart(&mut self, blocks: usize) {
        if let Some(place) = self.place() {
            self.from = place;
        }
        self.hits.clear();
        self.current = None;
        self.line = 0;
        self.from.block = self.from.block.min(blocks);
        self.left = vec![0..self.from.block, self.from.block..blocks];
        if self.needle.trim().is_empty() {
            self.left.clear();
        }
    }

    /// Searches blocks again that have changed, and those that are new.
    pub(super) fn changed(&mut self, blocks: &[usize]) {
        if self.needle.trim().is_empty() {
            return;
        }
        for block in blocks {
            self.hits.remove(block);
            if self.current.is_some_and(|(current, _)| current == *block) {
                self.current = None;
            }
            if self.left.last().is_some_and(|left| left.start == *block) {
                self.line = 0;
            } else if !self.left.iter().any(|left| left.contains(block)) {
                self.left.insert(0, *block..*block + 1);
            }
        }
    }

    pub(super) fn found(&self) -> Found {
        let hits = self.hits.values().map(Vec::len).sum();
        let current = self
            .current
            .map_or(0, |(block, hit)| self.hits.range(..block).map(|(_, hits)| hits.len()).sum::<usize>() + hit + 1);
        Found { current, hits, complete: self.left.is_empty() }
    }

    /// Searches about `budget` more lines; a place to show if that is clear by now.
    pub(super) fn step(&mut self, transcript: &mut Transcript, view: &mut View, budget: usize) -> Option<Place> {
        let mut budget = budget;
        while budget > 0 {
            let Some(range) = self.left.last().cloned() else { break };
            if range.is_empty() {
                self.left.pop();
                self.line = 0;
                continue;
            }
            let block = range.start;
            let height = view.height(transcript, block);
            let end = height.min(self.line.saturating_add(budget));
            budget = budget.saturating_sub((end - self.line).max(1));
            self.search(transcript, view.width(), block, self.line..end, height);
            if end < height {
                self.line = end;
                continue;
            }
            self.line = 0;
            if let Some(range) = self.left.last_mut() {
                range.start += 1;
            }
            // What lies far from the window is not kept.
            if !view.is_near(block) && !self.hits.contains_key(&block) {
                transcript.forget_lines(block);
            }
        }
        if self.current.is_none() {
            self.current = self.first_from(self.from);
            // Hits above the place where the search began count only when there are none below it.
            if self.left.len() > 1 && self.place().is_some_and(|place| place < self.from) {
                self.current = None;
            }
        }
        if self.jumped || self.current.is_none() {
            return None;
        }
        self.jumped = true;
        self.place()
    }

    /// The first hit from a place on, or the first of all.
    fn first_from(&self, from: Place) -> Option<(usize, usize)> {
        let here = self.hits.get(&from.block).and_then(|hits| hits.iter().position(|hit| hit.start.0 >= from.line));
        here.map(|hit| (from.block, hit))
            .or_else(|| self.hits.range(from.block + 1..).next().map(|(block, _)| (*block, 0)))
            .or_else(|| self.hits.keys().next().map(|block| (*block, 0)))
    }

    fn place(&self) -> Option<Place> {
        let (block, hit) = self.current?;
        let line = self.hits.get(&block)?.get(hit)?.start.0;
        Some(Place { block, line })
    }

    /// Goes to the next hit or the one before, around the end.
    pub(super) fn go(&mut self, down: bool) -> Option<Place> {
        let (block, hit) = self.current?;
        let next = if down {
            let within = self.hits.get(&block).is_some_and(|hits| hit + 1 < hits.len()).then_some((block, hit + 1));
            within
                .or_else(|| self.hits.range(block + 1..).next().map(|(block, _)| (*block, 0)))
                .or_else(|| self.hits.keys().next().map(|block| (*block, 0)))
        } else {
            let last = |(block, hits): (&usize, &Vec<Hit>)| (*block, hits.len() - 1);
            let within = hit.checked_sub(1).map(|hit| (block, hit));
            within
                .or_else(|| self.hits.range(..block).next_back().map(last))
                .or_else(|| self.hits.iter().next_back().map(last))
        };
        self.current = next;
        self.place()
    }

    /// Searches the lines of `range` for hits that begin there.
    fn search(
        &mut self,
        transcript: &mut Transcript,
        width: usize,
        block: usize,
        range: std::ops::Range<usize>,
        height: usize,
    ) {
        let Some(found) = transcript.at(block) else { return };
        let mut text = String::new();
        // Where each piece of the text stands: offset, line, column, columns.
        let mut pieces: Vec<(usize, usize, usize, usize)> = Vec::new();
        let (mut line, mut within) = (range.start, 0);
        let mut lines = Vec::new();
        // A hit may end in the lines after these.
        while line < height && (line < range.end || text.len() - within < self.needle.len()) {
            lines.clear();
            found.lines(width, line..line + 1, &mut lines);
            for found in &lines {
                let mut column = 0;
                each_cell(found.as_str(), |cell, columns, _| {
                    let offset = text.len();
                    fold(cell, &mut text);
                    if text.len() > offset {
                        pieces.push((offset, line, column, columns));
                    }
                    column += columns;
                    true
                });
            }
            fold("\n", &mut text);
            line += 1;
            if line == range.end {
                within = text.len();
            }
        }
        let at = |offset: usize| pieces.get(pieces.partition_point(|piece| piece.0 <= offset).saturating_sub(1));
        let hits = self.hits.entry(block).or_default();
        for (offset, _) in text.match_indices(&self.needle) {
            let (Some(first), Some(last)) = (at(offset), at(offset + self.needle.len() - 1)) else { continue };
            let hit = Hit { start: (first.1, first.2), end: (last.1, last.2 + last.3) };
            // The hit before this one may reach into these lines.
            if first.1 < range.end && hits.last().is_none_or(|before| before.end <= hit.start) {
                hits.push(hit);
            }
        }
        if hits.is_empty() {
            self.hits.remove(&block);
        }
    }

    /// A line with its hits in their colours and underlined, and the current one inverse.
    pub(super) fn highlight(&self, place: Place, line: &Line, tints: &Tints) -> Line {
        let Some(hits) = self.hits.get(&place.block) else { return line.clone() };
        let first = hits.partition_point(|hit| hit.end.0 < place.line);
        let here: Vec<(usize, Hit)> =
            hits.iter().copied().enumerate().skip(first).take_while(|(_, hit)| hit.start.0 <= place.line).collect();
        if here.is_empty() {
            return line.clone();
        }
        line.restyled(|column, style| {
            let at = (place.line, column);
            let (index, _) = here.iter().find(|(_, hit)| hit.start <= at && at < hit.end)?;
            let current = self.current == Some((place.block, *index));
            let tinted = tints.of_match(style);
            Some(if current { tinted.inverted() } else { tinted.underlined() })
        })
    }
}
