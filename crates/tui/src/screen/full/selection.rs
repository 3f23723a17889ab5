//! What is selected with the mouse.

use std::ops::Range;

use super::flow::{Continued, continued};
use super::view::Place;
use super::words::word_at;
use crate::screen::line::Line;
use crate::screen::transcript::Transcript;

/// What a selection grows by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Characters, as a drag does.
    Characters,
    /// Words, as a drag after a double click does.
    Words,
    /// Whole lines, as a drag after a triple click does.
    Lines,
}

/// Where a selection is. It does not leave the area in which it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Area {
    /// In the transcript: it moves with the lines.
    Transcript,
    /// On rows and columns of the screen: the dock or an overlay.
    Screen { rows: Range<usize>, columns: Range<usize> },
}

/// A column of a line: of a block, or of the screen, where the block is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) place: Place,
    pub(super) column: usize,
}

/// From a column on, up to before another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: Point,
    pub(super) end: Point,
}

/// A selection.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    pub(super) area: Area,
    pub(super) unit: Unit,
    /// What was clicked.
    anchor: Span,
    /// What is under the pointer now.
    head: Span,
    is_begun: bool,
}

impl Span {
    /// The characters, the word or the row at a point of a line.
    pub(super) fn of(unit: Unit, point: Point, line: &Line) -> Span {
        let columns = match unit {
            Unit::Characters => point.column..point.column + 1,
            Unit::Words => word_at(line, point.column),
            Unit::Lines => 0..usize::MAX,
        };
        let at = |column| Point { column, ..point };
        Span { start: at(columns.start), end: at(columns.end) }
    }
}

impl Selection {
    pub(super) fn new(area: Area, unit: Unit, anchor: Span) -> Selection {
        Selection { area, unit, anchor, head: anchor, is_begun: unit != Unit::Characters }
    }

    /// The pointer is over this now.
    pub(super) fn extend(&mut self, head: Span) {
        self.is_begun |= head != self.anchor;
        self.head = head;
    }

    /// What is selected; nothing before the pointer has moved from the first character.
    pub(super) fn span(&self) -> Option<Span> {
        let span = Span { start: self.anchor.start.min(self.head.start), end: self.anchor.end.max(self.head.end) };
        self.is_begun.then_some(span)
    }

    /// The columns of a line that are selected.
    pub(super) fn columns(&self, place: Place) -> Option<Range<usize>> {
        let Span { start, end } = self.span()?;
        if place < start.place || place > end.place {
            return None;
        }
        let first = if place == start.place { start.column } else { 0 };
        let last = if place == end.place { end.column } else { usize::MAX };
        (first < last).then_some(first..last)
    }
}

/// A line with its selected columns inverse.
pub(super) fn highlighted(line: &Line, columns: &Range<usize>) -> Line {
    let from = columns.start.max(line.margin());
    line.restyled(|column, style| (from..columns.end).contains(&column).then(|| style.inverted()))
}

/// The text of a selection in the transcript, as its author wrote it, as far as that can be known: rows that were wrapped are
/// one line, and what is layout is left out.
pub(super) fn text_of_blocks(transcript: &mut Transcript, width: usize, span: Span) -> String {
    let mut text = String::new();
    let mut is_apart = false;
    for block in span.start.place.block..=span.end.place.block {
        let Some(found) = transcript.at(block).filter(|found| found.in_pager()) else { continue };
        let height = found.height(width);
        let first = if block == span.start.place.block { span.start.place.line } else { 0 };
        let last = if block == span.end.place.block { span.end.place.line + 1 } else { height }.min(height);
        let mut rows = Vec::new();
        found.lines(width, 0..height, &mut rows);
        let continued = if last > first + 1 { continued(found, &rows) } else { Vec::new() };
        let lines = lines_of(block, &rows, &continued, first..last, span);
        let blank = |line: &&String| line.trim().is_empty();
        let above = lines.iter().take_while(blank).count();
        let below = lines.iter().rev().take_while(blank).count();
        if above < lines.len() {
            if !text.is_empty() {
                text.push_str(if is_apart || above > 0 { "\n\n" } else { "\n" });
            }
            text.push_str(&lines[above..lines.len() - below].join("\n"));
            is_apart = false;
        }
        is_apart |= below > 0 || above == lines.len();
    }
    text
}

fn lines_of(
    block: usize,
    rows: &[Line],
    continued: &[Option<Continued>],
    selected: Range<usize>,
    span: Span,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in selected {
        let Some(row) = rows.get(line) else { break };
        let place = Place { block, line };
        let from = if place == span.start.place { span.start.column } else { 0 };
        let to = if place == span.end.place { span.end.column } else { usize::MAX };
        let goes_on = continued.get(line).and_then(Option::as_ref).filter(|_| place != span.start.place);
        let text = row.plain_in(from.max(goes_on.map_or(row.margin(), |row| row.skip))..to);
        let text = if to == usize::MAX || to >= row.width() { text.trim_end() } else { &text };
        match (goes_on, lines.last_mut()) {
            (Some(goes_on), Some(last)) => {
                last.push_str(&goes_on.gap);
                last.push_str(text);
            }
            _ => lines.push(text.to_owned()),
        }
    }
    lines
}

/// The text of a selection of rows of the screen, without what frames them.
pub(super) fn text_of_rows(rows: &[Line], columns: &Range<usize>, span: Span) -> String {
    let mut lines = Vec::new();
    for row in span.start.place.line..=span.end.place.line {
        let Some(line) = rows.get(row) else { break };
        let from = if row == span.start.place.line { span.start.column } else { 0 };
        let to = if row == span.end.place.line { span.end.column } else { usize::MAX };
        let text = line.plain_in(from.max(columns.start)..to.min(columns.end));
        let is_frame = |ch: char| ('\u{2500}'..='\u{257f}').contains(&ch);
        let inner = text.trim_start_matches(is_frame).trim_end().trim_end_matches(is_frame);
        if !inner.trim().is_empty() || !text.contains(is_frame) {
            lines.push(if inner.len() < text.trim_end().len() { inner.trim() } else { inner }.to_owned());
        }
    }
    let blank = |line: &&String| line.trim().is_empty();
    let above = lines.iter().take_while(blank).count();
    let below = lines.iter().rev().take_while(blank).count().min(lines.len() - above);
    lines[above..lines.len() - below].join("\n")
}
