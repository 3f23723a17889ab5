//! Moving the cursor, over the rows that the screen shows.

use std::ops::Range;

use super::layout::{Unit, segments, units, wrap_line};
use super::{Editor, Position, Row};
use crate::width::{grapheme_width, graphemes, visible_width};
use crate::words;

/// A row: the line it belongs to, and which bytes of it.
type RowRange = (usize, Range<usize>);

impl Editor {
    /// Sets the columns that text is laid out in, which is what vertical movement goes by.
    pub fn set_width(&mut self, width: usize) {
        self.width = width.max(1);
    }

    /// The text as rows, with the cursor in one of them.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let rows = self.row_ranges();
        let current = self.current_row(&rows);
        let row = |(index, (line, range)): (usize, &RowRange)| Row {
            text: &self.buffer.lines[*line][range.clone()],
            line: *line,
            start: range.start,
            cursor: (index == current).then(|| self.buffer.cursor.column - range.start),
        };
        rows.iter().enumerate().map(row).collect()
    }

    /// Whether the cursor stands in the first row.
    pub fn is_on_first_row(&self) -> bool {
        self.current_row(&self.row_ranges()) == 0
    }

    /// Whether the cursor stands in the last row.
    pub fn is_on_last_row(&self) -> bool {
        let rows = self.row_ranges();
        self.current_row(&rows) + 1 == rows.len()
    }

    /// Puts the cursor at a place, or at the last one before it where it can stand.
    pub fn place(&mut self, place: Position) {
        let line = place.line.min(self.buffer.lines.len() - 1);
        let mut column = 0;
        for unit in units(&self.buffer.lines[line], |number| self.pastes.contains(number)) {
            if column + unit.text.len() > place.column {
                break;
            }
            column += unit.text.len();
        }
        self.buffer.cursor = Position { line, column };
        (self.last, self.goal) = (None, None);
    }

    /// Moves by rows, down if positive, as far as there are any. The cursor stays in its column where it can, and
    /// gets back to it where rows are long enough again.
    pub fn move_rows(&mut self, rows: isize) {
        self.last = None;
        let ranges = self.row_ranges();
        let current = self.current_row(&ranges);
        let target = current.saturating_add_signed(rows).min(ranges.len() - 1);
        if target == current {
            return;
        }
        let (line, range) = &ranges[current];
        let before = &self.buffer.lines[*line][range.start..self.buffer.cursor.column];
        let goal = self.goal.unwrap_or_else(|| visible_width(before));
        self.goal = Some(goal);
        self.buffer.cursor = self.position_in_row(&ranges, target, goal, target > current);
    }

    /// Moves to a column of a row, as a click does; behind its end, to the end. Below the last row is the last one.
    pub fn move_to_row(&mut self, row: usize, column: usize) {
        (self.last, self.goal) = (None, None);
        let ranges = self.row_ranges();
        self.buffer.cursor = self.position_in_row(&ranges, row.min(ranges.len() - 1), column, true);
    }

    /// Where `column` is in a row, or the end of the row. Markers are entered at their start only.
    fn position_in_row(&self, rows: &[RowRange], target: usize, column: usize, down: bool) -> Position {
        let (line, range) = &rows[target];
        let text = &self.buffer.lines[*line];
        let mut offset = range.start + offset_at_column(&text[range.clone()], column);
        // Behind a row that goes on is the start of the next one.
        if offset == range.end && !is_last_of_line(rows, target) {
            offset = graphemes(&text[range.clone()]).next_back().map_or(range.start, |last| range.end - last.len());
        }
        let mut start = 0;
        for Unit { text: unit, marker } in units(text, |number| self.pastes.contains(number)) {
            let end = start + unit.len();
            if marker.is_some() && start < offset && offset < end {
                // A marker that takes several rows was visited at its start: going down leaves it.
                let beyond = (start < range.start && down)
                    .then(|| rows[target..].iter().position(|(other, range)| other != line || range.start >= end))
                    .flatten();
                return match beyond {
                    Some(skipped) => self.position_in_row(rows, target + skipped, column, down),
                    None => Position { line: *line, column: start },
                };
            }
            start = end;
        }
        Position { line: *line, column: offset }
    }

    /// Moves to the character before, over line breaks.
    pub fn move_left(&mut self) {
        let length =
            units(self.buffer.before(), |number| self.pastes.contains(number)).pop().map(|unit| unit.text.len());
        match length {
            Some(length) => self.move_to_column(self.buffer.cursor.column - length),
            None => self.move_to_previous_line(),
        }
    }

    /// Moves to the character after, over line breaks.
    pub fn move_right(&mut self) {
        match self.unit_after() {
            0 => self.move_to_next_line(),
            length => self.move_to_column(self.buffer.cursor.column + length),
        }
    }

    /// Moves to the start of the word before, or to the end of the previous line.
    pub fn move_word_left(&mut self) {
        let before = self.buffer.before();
        if before.is_empty() {
            return self.move_to_previous_line();
        }
        let moved = words::backward(segments(before, |number| self.pastes.contains(number)).into_iter());
        self.move_to_column(self.buffer.cursor.column - moved);
    }

    /// Moves to the end of the word after, or to the start of the next line.
    pub fn move_word_right(&mut self) {
        let after = self.buffer.after();
        if after.is_empty() {
            return self.move_to_next_line();
        }
        let moved = words::forward(segments(after, |number| self.pastes.contains(number)).into_iter());
        self.move_to_column(self.buffer.cursor.column + moved);
    }

    /// Moves to the start of the line.
    pub fn move_to_line_start(&mut self) {
        self.move_to_column(0);
    }

    /// Moves to the end of the line.
    pub fn move_to_line_end(&mut self) {
        self.move_to_column(self.buffer.line().len());
    }

    /// Moves to the next place after the cursor where `text` stands, over lines; nowhere if there is none.
    pub fn jump_forward(&mut self, text: &str) {
        let Position { line, .. } = self.buffer.cursor;
        let skipped = self.buffer.cursor.column + self.unit_after();
        let here = self.buffer.line().get(skipped..).and_then(|rest| rest.find(text)).map(|index| skipped + index);
        let found = here.map(|column| Position { line, column }).or_else(|| {
            let rest = self.buffer.lines.iter().enumerate().skip(line + 1);
            rest.filter_map(|(line, content)| Some(Position { line, column: content.find(text)? })).next()
        });
        self.jump(found);
    }

    /// Moves to the last place before the cursor where `text` stands, over lines; nowhere if there is none.
    pub fn jump_backward(&mut self, text: &str) {
        let Position { line, .. } = self.buffer.cursor;
        let here = self.buffer.before().rfind(text);
        let found = here.map(|column| Position { line, column }).or_else(|| {
            let rest = self.buffer.lines[..line].iter().enumerate().rev();
            rest.filter_map(|(line, content)| Some(Position { line, column: content.rfind(text)? })).next()
        });
        self.jump(found);
    }

    fn jump(&mut self, target: Option<Position>) {
        self.last = None;
        if let Some(target) = target {
            self.buffer.cursor = target;
            self.goal = None;
        }
    }

    fn move_to_column(&mut self, column: usize) {
        self.last = None;
        self.goal = None;
        self.buffer.cursor.column = column;
    }

    fn move_to_previous_line(&mut self) {
        self.last = None;
        if let Some(line) = self.buffer.cursor.line.checked_sub(1) {
            self.buffer.cursor.line = line;
            self.move_to_line_end();
        }
    }

    fn move_to_next_line(&mut self) {
        self.last = None;
        if !self.buffer.is_on_last_line() {
            self.buffer.cursor.line += 1;
            self.move_to_line_start();
        }
    }

    fn row_ranges(&self) -> Vec<RowRange> {
        let rows = |(index, line): (usize, &String)| {
            wrap_line(line, self.width, |number| self.pastes.contains(number)).into_iter().map(move |row| (index, row))
        };
        self.buffer.lines.iter().enumerate().flat_map(rows).collect()
    }

    /// The row the cursor stands in; between two, the second.
    fn current_row(&self, rows: &[RowRange]) -> usize {
        let Position { line, column } = self.buffer.cursor;
        rows.iter().rposition(|(index, range)| *index == line && range.start <= column).unwrap_or(0)
    }
}

fn is_last_of_line(rows: &[RowRange], index: usize) -> bool {
    rows.get(index + 1).is_none_or(|(line, _)| *line != rows[index].0)
}

/// The byte offset of the cluster at `column` of `text`, or its end.
fn offset_at_column(text: &str, column: usize) -> usize {
    let mut columns = 0;
    let mut offset = 0;
    for cluster in graphemes(text) {
        columns += grapheme_width(cluster);
        if columns > column {
            return offset;
        }
        offset += cluster.len();
    }
    offset
}
