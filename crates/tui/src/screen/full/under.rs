//! What is under the pointer, and what is selected with it.

use super::flow::continued;
use super::selection::{Area, Point, Selection, Span, Unit, text_of_blocks, text_of_rows};
use super::view::Place;
use super::{Full, Scrollbar};
use crate::screen::block::BlockId;
use crate::screen::line::Line;
use crate::screen::transcript::Transcript;

/// What the last frame showed in a place of the screen. Rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Under {
    /// An overlay.
    Overlay {
        /// Which of those that the frame was painted with.
        index: usize,
        /// The row in it: the index of one of its lines.
        row: usize,
        /// The column in it.
        column: usize,
    },
    /// What leads to the end of the transcript.
    Latest,
    /// The scrollbar, or its column while it does not show.
    Bar,
    /// A line of a block of the transcript.
    Block {
        /// The block.
        block: BlockId,
        /// The line of it.
        line: usize,
        /// The column.
        column: usize,
    },
    /// The dock.
    Dock {
        /// The index of one of its lines, also when the first ones are not shown.
        row: usize,
        /// The column.
        column: usize,
    },
    /// The window, below the end of the transcript.
    Nothing,
}

impl Full {
    /// What the last frame showed in a place.
    pub fn under(&self, transcript: &Transcript, row: usize, column: usize) -> Under {
        let over = self.overlays.iter().enumerate().rev().find(|(_, overlay)| overlay.covers(row, column));
        if let Some((index, overlay)) = over {
            return Under::Overlay { index, row: row - overlay.row, column: column - overlay.column };
        }
        if row >= self.window {
            return Under::Dock { row: self.dock_first + row - self.window, column };
        }
        if self.latest.as_ref().is_some_and(|latest| row + 1 == self.window && latest.contains(&column)) {
            return Under::Latest;
        }
        let has_bar = self.scrollbar != Scrollbar::Hidden && self.thumb().is_some();
        if has_bar && column + 1 == self.size.columns {
            return Under::Bar;
        }
        match self.places.get(row).and_then(|place| Some((transcript.id(place.block)?, place.line))) {
            Some((block, line)) => Under::Block { block, line, column },
            None => Under::Nothing,
        }
    }

    /// The address of the link in a place of the screen.
    pub fn link_at(&self, row: usize, column: usize) -> Option<String> {
        self.shown.as_ref()?.get(row)?.link_at(column)
    }

    /// Begins a selection at a place of the screen, in place of the one there is.
    pub fn select(&mut self, transcript: &mut Transcript, row: usize, column: usize, unit: Unit) {
        self.notice(transcript);
        let area = self.area(transcript, row, column);
        self.selection = None;
        if let Some(span) = self.span(transcript, &area, unit, row, column) {
            self.selection = Some(Selection::new(area, unit, span));
        }
    }

    /// Grows the selection up to a place of the screen.
    pub fn select_to(&mut self, transcript: &mut Transcript, row: usize, column: usize) {
        self.notice(transcript);
        let Some(selection) = &self.selection else { return };
        let (area, unit) = (selection.area.clone(), selection.unit);
        let span = self.span(transcript, &area, unit, row, column);
        if let (Some(selection), Some(span)) = (&mut self.selection, span) {
            selection.extend(span);
        }
    }

    /// Takes the selection away.
    pub fn unselect(&mut self) {
        self.selection = None;
    }

    /// Whether something is selected.
    pub fn selects(&self) -> bool {
        self.selection.as_ref().is_some_and(|selection| selection.span().is_some())
    }

    /// The text that is selected, as its author wrote it: lines that were wrapped are whole, without margins, padding and
    /// frames.
    pub fn selected_text(&mut self, transcript: &mut Transcript) -> Option<String> {
        self.notice(transcript);
        let selection = self.selection.as_ref()?;
        let span = selection.span()?;
        Some(match &selection.area {
            Area::Transcript => text_of_blocks(transcript, self.view.width(), span),
            Area::Screen { columns, .. } => text_of_rows(self.shown.as_deref().unwrap_or_default(), columns, span),
        })
    }

    fn area(&self, transcript: &Transcript, row: usize, column: usize) -> Area {
        match self.under(transcript, row, column) {
            Under::Overlay { index, .. } => {
                let overlay = &self.overlays[index];
                Area::Screen {
                    rows: overlay.row..(overlay.row + overlay.lines.len()).min(self.size.rows),
                    columns: overlay.column..overlay.column.saturating_add(overlay.width),
                }
            }
            Under::Dock { .. } => Area::Screen { rows: self.window..self.size.rows, columns: 0..self.size.columns },
            _ => Area::Transcript,
        }
    }

    /// What of an area is at a place of the screen, or next to it.
    fn span(
        &mut self,
        transcript: &mut Transcript,
        area: &Area,
        unit: Unit,
        row: usize,
        column: usize,
    ) -> Option<Span> {
        match area {
            Area::Screen { rows, columns } => {
                let row = row.clamp(rows.start, rows.end.checked_sub(1)?);
                let column = column.clamp(columns.start, columns.end.saturating_sub(1));
                let point = Point { place: Place { block: 0, line: row }, column };
                Some(Span::of(unit, point, self.shown.as_ref()?.get(row)?))
            }
            Area::Transcript => {
                let last = self.places.len().checked_sub(1)?;
                // Below the last line its end is meant.
                let column = if row > last { usize::MAX - 1 } else { column };
                let point = Point { place: self.places[row.min(last)], column };
                let found = transcript.at(point.place.block)?;
                let mut line = Vec::new();
                found.lines(self.view.width(), point.place.line..point.place.line + 1, &mut line);
                let span = Span::of(unit, point, line.first().unwrap_or(&Line::empty()));
                Some(if unit == Unit::Lines { self.whole_line(transcript, span) } else { span })
            }
        }
    }

    /// All rows of the line that a row belongs to.
    fn whole_line(&self, transcript: &mut Transcript, span: Span) -> Span {
        let (mut span, block, width) = (span, span.start.place.block, self.view.width());
        let Some(found) = transcript.at(block) else { return span };
        let (mut rows, height) = (Vec::new(), found.height(width));
        found.lines(width, 0..height, &mut rows);
        let goes_on = continued(found, &rows);
        let is_continued = |line: usize| goes_on.get(line).is_some_and(Option::is_some);
        while is_continued(span.start.place.line) {
            span.start.place.line -= 1;
        }
        while is_continued(span.end.place.line + 1) {
            span.end.place.line += 1;
        }
        span
    }
}
