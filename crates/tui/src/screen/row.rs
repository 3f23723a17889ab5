//! Writing a line over another one.

use super::line::{Line, Mark, each_cell};
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
}

/// Writes `new` into `row`, where `old` stands.
pub(super) fn write_over(pen: &mut Pen, row: usize, old: &Line, new: &Line, marks: bool) {
    if old == new {
        return;
    }
    if old.is_exact() && new.is_exact() && (old.mark() == new.mark() || !marks) {
        let whole = new.as_str().len();
        if let Some(runs) = changes(old, new, whole) {
            for run in runs {
                pen.move_to(row, run.column);
                pen.text(&run.text, run.width);
            }
        } else {
            write_whole(pen, row, new, marks);
        }
        if old.width() > new.width() {
            pen.move_to(row, new.width());
            pen.erase_to_end_of_line();
        }
        return;
    }
    pen.move_to(row, 0);
    if !old.is_empty() {
        pen.erase_to_end_of_line();
    }
    write_whole(pen, row, new, marks);
    if !new.is_exact() {
        pen.column = None;
    }
}

fn write_whole(pen: &mut Pen, row: usize, line: &Line, marks: bool) {
    pen.move_to(row, 0);
    let mark = line.mark().filter(|_| marks);
    if matches!(mark, Some(Mark::Start | Mark::Whole)) {
        pen.control("\x1b]133;A\x1b\\");
    }
    pen.text(line.as_str(), line.width());
    if matches!(mark, Some(Mark::End | Mark::Whole)) {
        pen.control("\x1b]133;B\x1b\\\x1b]133;C\x1b\\");
    }
}

/// Characters that are written side by side.
struct Run {
    column: usize,
    width: usize,
    text: String,
}

/// The parts of `new` that differ from what stands there; none if they take more than `limit` bytes.
fn changes(old: &Line, new: &Line, limit: usize) -> Option<Vec<Run>> {
    if old.is_empty() {
        return None;
    }
    let (before, after) = (Cells::of(old), Cells::of(new));
    let mut at = 0;
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let mut gap = 0;
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
        match spans.last_mut() {
            Some((_, end)) if gap <= JUMP => *end = index + 1,
            _ => spans.push((index, index + 1)),
        }
        gap = 0;
    }
    let mut runs = Vec::with_capacity(spans.len());
    let mut bytes = 0;
    for (start, end) in spans {
        let cells = after.cells.get(start..end).unwrap_or_default();
        let mut run = Run { column: cells.first().map_or(0, |cell| cell.column), width: 0, text: String::new() };
        let plain = Style::default();
        let mut written = &plain;
        for cell in cells {
            let (text, style) = after.looks(cell);
            style.write_after(written, &mut run.text);
            written = style;
            run.text.push_str(text);
            run.width += cell.width;
        }
        plain.write_after(written, &mut run.text);
        bytes += run.text.len() + JUMP;
        runs.push(run);
    }
    (bytes <= limit + JUMP).then_some(runs)
}
