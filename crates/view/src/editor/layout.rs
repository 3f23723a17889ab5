//! How an editor's lines break on the screen.

use std::ops::Range;

use super::markers::{Chunk, chunks};
use crate::characters::{is_cjk, is_space};
use crate::width::{grapheme_width, graphemes, visible_width};
use crate::words::{self, Segment, SegmentKind};

/// The smallest pieces the cursor moves over: grapheme clusters, and markers whose number is known.
pub(crate) fn units(text: &str, known: impl Fn(u32) -> bool) -> Vec<Unit<'_>> {
    chunks(text, known)
        .into_iter()
        .flat_map(|chunk| match chunk {
            Chunk::Marker(text, number) => vec![Unit { text, marker: Some(number) }],
            Chunk::Text(text) => graphemes(text).map(|text| Unit { text, marker: None }).collect(),
        })
        .collect()
}

/// See [`units`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    pub(crate) text: &'a str,
    pub(crate) marker: Option<u32>,
}

impl Unit<'_> {
    fn is_space(self) -> bool {
        self.marker.is_none() && self.text.contains(is_space)
    }

    fn is_cjk(self) -> bool {
        self.marker.is_none() && self.text.chars().any(is_cjk)
    }

    fn width(self) -> usize {
        if self.marker.is_some() { visible_width(self.text) } else { grapheme_width(self.text) }
    }
}

/// The word segments of `text`, with known markers as atoms.
pub(crate) fn segments(text: &str, known: impl Fn(u32) -> bool) -> Vec<Segment<'_>> {
    chunks(text, known)
        .into_iter()
        .flat_map(|chunk| match chunk {
            Chunk::Marker(text, _) => vec![Segment { text, kind: SegmentKind::Atom }],
            Chunk::Text(text) => words::segments(text).collect(),
        })
        .collect()
}

/// Breaks a line into rows of at most `width` columns, after spaces where possible. The rows follow each other
/// without a gap, as byte ranges of `line`; spaces stay at the end of their row.
///
/// Markers with a known number are not broken, unless one alone is wider than a row.
pub fn wrap_line(line: &str, width: usize, known: impl Fn(u32) -> bool) -> Vec<Range<usize>> {
    if line.is_empty() || width == 0 {
        return std::iter::once(0..0).collect();
    }
    if visible_width(line) <= width {
        return std::iter::once(0..line.len()).collect();
    }
    let units = units(line, known);
    let mut rows = Rows { width, rows: Vec::new(), start: 0, used: 0, opportunity: None };
    let mut index = 0;
    for (position, unit) in units.iter().enumerate() {
        rows.place(*unit, index);
        index += unit.text.len();
        if let Some(next) = units.get(position + 1) {
            let after_space = unit.is_space() && !next.is_space();
            let between_cjk = !unit.is_space() && !next.is_space() && (unit.is_cjk() || next.is_cjk());
            if unit.width() <= width && (after_space || between_cjk) {
                rows.opportunity = Some((index, rows.used));
            }
        }
    }
    rows.rows.push(rows.start..line.len());
    rows.rows
}

struct Rows {
    width: usize,
    rows: Vec<Range<usize>>,
    /// Where the current row starts, and its columns so far.
    start: usize,
    used: usize,
    /// The last place in the current row where it may end, and its columns up to there.
    opportunity: Option<(usize, usize)>,
}

impl Rows {
    fn place(&mut self, unit: Unit<'_>, index: usize) {
        let columns = unit.width();
        if self.used + columns > self.width {
            match self.opportunity.take() {
                Some((end, before)) if self.used - before + columns <= self.width => {
                    self.end_row(end);
                    self.used -= before;
                }
                _ if self.start < index => {
                    self.end_row(index);
                    self.used = 0;
                }
                _ => {}
            }
        }
        if columns > self.width {
            self.split(unit.text, index);
        } else {
            self.used += columns;
        }
    }

    fn end_row(&mut self, end: usize) {
        self.rows.push(self.start..end);
        self.start = end;
    }

    /// Breaks a unit that alone is wider than a row, where its clusters break.
    fn split(&mut self, text: &str, index: usize) {
        let single = graphemes(text).nth(1).is_none();
        let parts =
            if single { std::iter::once(0..text.len()).collect() } else { wrap_line(text, self.width, |_| false) };
        let last = parts.last().cloned().unwrap_or(0..text.len());
        for part in &parts[..parts.len() - 1] {
            self.end_row(index + part.end);
        }
        self.start = index + last.start;
        self.used = visible_width(&text[last]);
        self.opportunity = None;
    }
}
