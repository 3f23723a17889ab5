//! Lines of a text with places underlined.

use tau_view::untrusted::visible;
use tau_view::width::{TAB_WIDTH, graphemes, visible_width};

use crate::site::Span;

/// Columns of a line; longer ones are cut around the place.
const WIDTH: usize = 100;

/// Columns in front of the place that stay when a line is cut.
const BEFORE: usize = 30;

/// Lines that are shown of a text.
const LINES: usize = 6;

/// One character as it is shown.
struct Cell {
    shown: String,
    width: usize,
    is_marked: bool,
}

/// The lines that have a part of a place, each with carets below.
pub(super) fn excerpt(text: &str, spans: &[Span]) -> Vec<String> {
    let mut shown = Vec::new();
    let (mut start, mut count) = (0, 0);
    for line in text.split('\n') {
        let end = start + line.len();
        let is_here = |span: &&Span| span.start <= end && (span.end > start || span.start >= start);
        let here: Vec<Span> = spans.iter().filter(is_here).copied().collect();
        if !here.is_empty() {
            count += 1;
            if count <= LINES {
                shown.extend(underlined(line.strip_suffix('\r').unwrap_or(line), start, &here));
            }
        }
        start = end + 1;
    }
    if count > LINES {
        shown.push(format!("  … and {} more lines", count - LINES));
    }
    shown
}

fn underlined(line: &str, start: usize, spans: &[Span]) -> Vec<String> {
    let mut at = start;
    let mut cells: Vec<Cell> = Vec::new();
    for character in graphemes(line) {
        let end = at + character.len();
        let is_marked = spans.iter().any(|span| span.start < end && (span.end > at || span.start == at));
        let shown = if character == "\t" { " ".repeat(TAB_WIDTH) } else { visible(character) };
        cells.push(Cell { width: visible_width(&shown), shown, is_marked });
        at = end;
    }
    // A place behind the last character, or on an empty line.
    if spans.iter().any(|span| span.start == at && span.end <= at + 1) && !cells.iter().any(|cell| cell.is_marked) {
        cells.push(Cell { shown: String::new(), width: 1, is_marked: true });
    }
    let cells = cut(cells);
    let text: String = cells.iter().map(|cell| cell.shown.as_str()).collect();
    let carets: String = cells.iter().map(|cell| if cell.is_marked { "^" } else { " " }.repeat(cell.width)).collect();
    let mut lines = vec![format!("  {text}").trim_end().to_owned()];
    if !carets.trim_end().is_empty() {
        lines.push(format!("  {}", carets.trim_end()));
    }
    lines
}

/// The part of a line around the first place in it.
fn cut(cells: Vec<Cell>) -> Vec<Cell> {
    let total: usize = cells.iter().map(|cell| cell.width).sum();
    if total <= WIDTH {
        return cells;
    }
    let mark = cells.iter().position(|cell| cell.is_marked).unwrap_or(0);
    let before: usize = cells.iter().take(mark).map(|cell| cell.width).sum();
    let skipped = before.saturating_sub(BEFORE);
    let ellipsis = || Cell { shown: "…".to_owned(), width: 1, is_marked: false };
    let mut kept = Vec::new();
    let mut column = 0;
    for cell in cells {
        let begin = column;
        column += cell.width;
        if begin < skipped {
            continue;
        }
        if kept.is_empty() && begin > 0 {
            kept.push(ellipsis());
        }
        if column > skipped + WIDTH {
            kept.push(ellipsis());
            break;
        }
        kept.push(cell);
    }
    kept
}
