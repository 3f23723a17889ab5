//! Writing a line over another one.

use std::ops::Range;

use super::line::{Line, Mark, each_cell, is_settled};
use super::pen::Pen;
use super::style::Style;

/// Characters between two changes are written again if that takes fewer bytes than a jump over them.
const JUMP: usize = 6;

struct Cell<'t> {
    text: &'t str,
    column: usize,
    width: usize,
    style: usize,
}

struct Cells<'t> {
    cells: Vec<Cell<'t>>,
    styles: Vec<Style>,
}

impl<'t> Cells<'t> {
    fn of(line: &'t Line) -> Cells<'t> {
        let mut found = Cells { cells: Vec::with_capacity(line.width()), styles: vec![Style::default()] };
        let (mut column, mut current) = (0, 0);
        each_cell(line.as_str(), |text, width, style| {
            let hidden = text == " " && style.hides_spaces();
            if !hidden && found.styles[current] != *style {
                current = found.styles.iter().position(|known| known == style).unwrap_or_else(|| {
                    found.styles.push(style.clone());
                    found.styles.len() - 1
                });
            }
            found.cells.push(Cell { text, column, width, style: if hidden { 0 } else { current } });
            column += width;
            true
        });
        found
    }

    fn looks(&self, cell: &Cell<'t>) -> (&'t str, &Style) {
        (cell.text, &self.styles[cell.style])
    }

    /// The columns before the first character whose width terminals dispute.
    fn known_columns(&self) -> usize {
        let disputed = self.cells.iter().find(|cell| !is_settled(cell.text));
        disputed.map_or(usize::MAX, |cell| cell.column)
    }

    /// Some of the characters, as they are written.
    fn run(&self, range: Range<usize>) -> Run {
        let cells = self.cells.get(range).unwrap_or_default();
        let mut run = Run { column: cells.first().map_or(0, |cell| cell.column), width: 0, text: String::new() };
        let plain = Style::default();
        let mut written = &plain;
        for cell in cells {
            let (text, style) = self.looks(cell);
            style.write_after(written, &mut run.text);
            written = style;
            run.text.push_str(text);
            run.width += cell.width;
        }
        plain.write_after(written, &mut run.text);
        run
    }
}

/// What a row has to be written for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writing {
    /// The terminal takes marks.
    pub(super) marks: bool,
    /// The row may become part of the scrollback, or be wrapped again. Some terminals (tmux) keep cells that were erased one
    /// by one as a part of the line, and wrap them into blank rows when they get narrower: only a line that is erased
    /// whole has none.
    pub(super) lasts: bool,
    /// Nobody writes the row again: it is right after this whatever stands there, which may be another row than is known
    /// while the size of the terminal changes.
    pub(super) is_final: bool,
}

/// Writes `new` into `row`, where `old` stands.
///
/// Behind a character whose width terminals dispute nobody knows the columns: from the first of them on, either nothing has
/// changed or all is written again.
pub(super) fn write_over(pen: &mut Pen, row: usize, old: &Line, new: &Line, writing: Writing) {
    if old == new && !writing.is_final {
        return;
    }
    let other_mark = writing.marks && old.mark() != new.mark();
    let is_shorter = writing.lasts && old.width() > new.width();
    let is_picture = |line: &Line| line.slice().is_some() && !line.is_exact();
    if writing.is_final || old.is_empty() || other_mark || is_shorter || is_picture(old) || is_picture(new) {
        return write_anew(pen, row, old, new, writing);
    }
    let Some(Changes { runs, rest }) = changes(old, new, new.as_str().len()) else {
        return write_anew(pen, row, old, new, writing);
    };
    for run in runs {
        pen.move_to(row, run.column);
        pen.text(&run.text, run.width);
    }
    if let Some(run) = rest {
        pen.move_to(row, run.column);
        pen.erase_to_end_of_line();
        pen.text(&run.text, run.width);
        pen.column = None;
    } else if old.width() > new.width() {
        pen.move_to(row, new.width());
        pen.erase_to_end_of_line();
    }
}

fn write_anew(pen: &mut Pen, row: usize, old: &Line, line: &Line, writing: Writing) {
    pen.move_to(row, 0);
    let is_covered = old.is_exact() && line.is_exact() && line.width() >= old.width();
    if writing.is_final || (!old.is_empty() && !is_covered) {
        pen.erase_to_end_of_line();
    }
    let mark = line.mark().filter(|_| writing.marks);
    if matches!(mark, Some(Mark::Start | Mark::Whole)) {
        pen.control("\x1b]133;A\x1b\\");
    }
    pen.text(line.as_str(), line.width());
    if matches!(mark, Some(Mark::End | Mark::Whole)) {
        pen.control("\x1b]133;B\x1b\\\x1b]133;C\x1b\\");
    }
    if !line.is_exact() {
        pen.column = None;
    }
}

/// Characters that are written side by side.
struct Run {
    column: usize,
    width: usize,
    text: String,
}

/// What has to be written over a line.
struct Changes {
    runs: Vec<Run>,
    /// All from the first character of a disputed width on, for which the rest of the row has to be blank.
    rest: Option<Run>,
}

/// The parts of `new` that differ from what stands there; none if they take more than `limit` bytes.
fn changes(old: &Line, new: &Line, limit: usize) -> Option<Changes> {
    let (before, after) = (Cells::of(old), Cells::of(new));
    let known = before.known_columns().min(after.known_columns());
    // A wide character may reach over the end of what is known.
    let rest =
        after.cells.iter().position(|cell| cell.column.max((cell.column + cell.width).saturating_sub(1)) >= known);
    let rest = rest.unwrap_or(after.cells.len());
    let mut at = 0;
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let mut gap = 0;
    let mut rest_differs = new.width() > known && old.width() > new.width();
    for (index, cell) in after.cells.iter().enumerate() {
        while before.cells.get(at).is_some_and(|other| other.column < cell.column) {
            at += 1;
        }
        let same = match before.cells.get(at) {
            Some(other) => other.column == cell.column && before.looks(other) == after.looks(cell),
            // Nothing was written behind the end of the line.
            None => cell.column >= old.width() && after.looks(cell) == (" ", &Style::default()),
        };
        if same {
            gap += cell.text.len();
            continue;
        }
        if index >= rest {
            rest_differs = true;
            break;
        }
        match spans.last_mut() {
            Some((_, end)) if gap <= JUMP => *end = index + 1,
            _ => spans.push((index, index + 1)),
        }
        gap = 0;
    }
    let runs: Vec<Run> = spans.into_iter().map(|(start, end)| after.run(start..end)).collect();
    let rest = rest_differs.then(|| after.run(rest..after.cells.len()));
    let bytes: usize = runs.iter().chain(&rest).map(|run| run.text.len() + JUMP).sum();
    (bytes <= limit + JUMP).then_some(Changes { runs, rest })
}
