//! Moving rows that are on the screen already instead of writing them again.

use crate::screen::line::Line;
use crate::screen::pen::Pen;

/// What it costs to move rows, in bytes: about what the sequences take.
const COST: usize = 24;

/// How many rows a text scrolls at most in one frame for its rows to be looked for.
const FARTHEST: usize = 8;

fn bytes(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.as_str().len() + 4).sum()
}

fn common_start(old: &[Line], new: &[Line]) -> usize {
    old.iter().zip(new).take_while(|(old, new)| old == new).count()
}

fn common_end(old: &[Line], new: &[Line]) -> usize {
    old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count()
}

/// Moves rows of `old`, which stand on the screen, to where `new` has them, if that takes fewer bytes than to write
/// them. Rows are only inserted and removed, never scrolled in a region; what leaves the screen at the top is what `new`
/// has there. The first row is never removed: it may be the first of the screen, and some terminals put that into the
/// scrollback.
pub(super) fn move_rows(pen: &mut Pen, old: &mut Vec<Line>, new: &[Line], rows: usize) {
    let start = common_start(old, new);
    let end = common_end(&old[start..], &new[start..]);
    if old.len() < new.len() {
        let added = new.len() - old.len();
        if end > 0 && new.len() - start <= rows && bytes(&old[old.len() - end..]) > COST {
            let place = old.len() - end;
            pen.move_to(old.len() - 1, 0);
            pen.line_feeds(added);
            pen.move_to(place, 0);
            pen.insert_rows(added);
            old.splice(place..place, std::iter::repeat_n(Line::empty(), added));
        }
    } else if old.len() > new.len() {
        let removed = old.len() - new.len();
        let place = new.len() - end;
        if place > 0 && end > 0 && bytes(&old[old.len() - end..]) > COST {
            pen.move_to(place, 0);
            pen.delete_rows(removed);
            old.drain(place..place + removed);
        }
    }
    if old.len() == new.len() {
        let end = new.len() - common_end(old, new);
        let start = common_start(old, new).max(1).min(end);
        if let Some(run) = scrolled(&old[start..end], &new[start..end]) {
            let (from, to) = (start + run.start, start + run.end);
            pen.move_to(from, 0);
            pen.delete_rows(run.by);
            pen.move_to(to, 0);
            pen.insert_rows(run.by);
            old.drain(from..from + run.by);
            old.splice(to..to, std::iter::repeat_n(Line::empty(), run.by));
        }
    }
}

/// Rows `start..end` of the new screen that stand `by` rows lower on the old one.
struct Scrolled {
    start: usize,
    end: usize,
    by: usize,
}

fn scrolled(old: &[Line], new: &[Line]) -> Option<Scrolled> {
    let mut best: Option<(usize, Scrolled)> = None;
    for by in 1..old.len().min(FARTHEST + 1) {
        let (mut start, mut saved) = (0, 0);
        for row in 0..=old.len() - by {
            if old.get(row + by).is_some_and(|line| *line == new[row]) {
                if old[row] != new[row] {
                    saved += bytes(&new[row..=row]);
                }
                continue;
            }
            if saved > COST && best.as_ref().is_none_or(|(most, _)| saved > *most) {
                best = Some((saved, Scrolled { start, end: row, by }));
            }
            (start, saved) = (row + 1, 0);
        }
    }
    best.map(|(_, run)| run)
}
