//! Brackets, characters of a line and paragraphs.

use super::command::Find;
use super::text::Text;

const PAIRS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

/// The bracket that belongs to the one at the cursor, or to the first behind it in the line.
pub(super) fn matching(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = text.end(text.line(at));
    (at..end).find_map(|at| {
        let (open, close) = *PAIRS.iter().find(|(open, close)| text.is(at, *open) || text.is(at, *close))?;
        Some(if text.is(at, open) { closing(text, at, open, close, 1) } else { opening(text, at, open, close, 1) })
    })?
}

/// Behind a place, the bracket that closes as many as `depth`.
pub(super) fn closing(text: &Text<'_>, at: usize, open: char, close: char, depth: usize) -> Option<usize> {
    nested(text, at + 1..=text.last(), (open, close), depth)
}

/// Before a place, the bracket that opens as many as `depth`.
pub(super) fn opening(text: &Text<'_>, at: usize, open: char, close: char, depth: usize) -> Option<usize> {
    nested(text, (0..at).rev(), (close, open), depth)
}

fn nested(
    text: &Text<'_>,
    mut places: impl Iterator<Item = usize>,
    (deeper, back): (char, char),
    mut depth: usize,
) -> Option<usize> {
    places.find(|at| {
        if text.is(*at, deeper) {
            depth += 1;
        } else if text.is(*at, back) {
            depth -= 1;
        }
        depth == 0
    })
}

/// Where a character stands in the line, for the so-manieth time. `again` goes past one that is next to the cursor.
pub(super) fn in_line(text: &Text<'_>, at: usize, find: Find, count: usize, again: bool) -> Option<usize> {
    let line = text.line(at);
    let skipped = usize::from(again && find.till && count == 1);
    let found = |at: &usize| text.is(*at, find.what);
    if find.back {
        let from = at.saturating_sub(skipped).max(text.start(line));
        let at = (text.start(line)..from).rev().filter(found).nth(count - 1)?;
        Some(if find.till { at + 1 } else { at })
    } else {
        let at = (at + 1 + skipped..text.end(line)).filter(found).nth(count - 1)?;
        Some(if find.till { at - 1 } else { at })
    }
}

/// The empty line behind so many paragraphs, or the end of the text.
pub(super) fn paragraph(text: &Text<'_>, at: usize, count: usize) -> Option<usize> {
    let mut line = text.line(at);
    for left in (0..count).rev() {
        let mut was_in_text = !text.is_empty_line(line);
        loop {
            line += 1;
            if line == text.lines() {
                return (left == 0).then(|| text.last());
            }
            if text.is_empty_line(line) && was_in_text {
                break;
            }
            was_in_text |= !text.is_empty_line(line);
        }
    }
    Some(text.start(line))
}

/// The empty line before so many paragraphs, or the start of the text.
pub(super) fn paragraph_back(text: &Text<'_>, at: usize, count: usize) -> Option<usize> {
    let mut line = text.line(at);
    for left in (0..count).rev() {
        let mut was_in_text = !text.is_empty_line(line);
        loop {
            let Some(above) = line.checked_sub(1) else { return (left == 0).then_some(0) };
            line = above;
            if text.is_empty_line(line) && was_in_text {
                break;
            }
            was_in_text |= !text.is_empty_line(line);
        }
    }
    Some(text.start(line))
}
