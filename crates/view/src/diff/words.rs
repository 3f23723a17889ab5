//! Which words of a changed line are new.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Kind, Part, Row};

/// The longest line whose words are compared, in bytes.
const MAX_LINE: usize = 2048;
/// How many pairs of words may be compared for all lines together.
const MAX_PAIRS: usize = 4_000_000;

/// Marks the words that differ, in lines that replace as many others as they are.
pub(super) fn mark(rows: &mut [Row]) {
    let mut left = MAX_PAIRS;
    let mut at = 0;
    while at < rows.len() {
        let run = |from: usize, kind: Kind| rows[from..].iter().take_while(|row| row.kind == kind).count();
        let removed = run(at, Kind::Removed);
        let added = run(at + removed, Kind::Added);
        if removed > 0 && removed == added {
            let (old, new) = rows[at..at + removed + added].split_at_mut(removed);
            for (old, new) in old.iter_mut().zip(new) {
                mark_pair(old, new, &mut left);
            }
        }
        at += (removed + added).max(1);
    }
}

fn mark_pair(old: &mut Row, new: &mut Row, left: &mut usize) {
    let (before, after) = (text(old), text(new));
    if before.len().max(after.len()) > MAX_LINE {
        return;
    }
    let (from, to) = (words(&before), words(&after));
    let pairs = from.len() * to.len();
    if pairs > *left {
        return;
    }
    *left -= pairs;
    let ops = capture_diff_slices(Algorithm::Myers, &from, &to);
    let same: usize = ops.iter().filter(|op| is_equal(op)).map(|op| from[op.old_range()].concat().trim().len()).sum();
    // Lines that have next to nothing in common are other lines, not changed ones.
    if same * 4 < before.trim().len().min(after.trim().len()) {
        return;
    }
    old.parts = parts(&from, ops.iter().map(|op| (is_equal(op), op.old_range())));
    new.parts = parts(&to, ops.iter().map(|op| (is_equal(op), op.new_range())));
}

fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

fn text(row: &Row) -> String {
    row.parts.iter().map(|part| part.text.as_str()).collect()
}

fn parts(words: &[&str], ranges: impl Iterator<Item = (bool, std::ops::Range<usize>)>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut indentation = true;
    for (same, range) in ranges {
        for word in &words[range] {
            indentation = indentation && word.trim().is_empty();
            // A line that only moved sideways has nothing to mark at its beginning.
            let changed = !same && !indentation;
            match parts.last_mut() {
                Some(last) if last.changed == changed => last.text.push_str(word),
                _ => parts.push(Part { text: (*word).to_owned(), changed }),
            }
        }
    }
    if parts.is_empty() {
        parts.push(Part { text: String::new(), changed: false });
    }
    parts
}

/// Names and numbers, runs of spaces, and single characters.
fn words(line: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Class {
        Word,
        Space,
        Other,
    }
    let class = |ch: char| match ch {
        ch if ch.is_alphanumeric() || ch == '_' => Class::Word,
        ch if ch.is_whitespace() => Class::Space,
        _ => Class::Other,
    };
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let kind = class(first);
        let end = match kind {
            Class::Other => crate::width::graphemes(rest).next().map_or(first.len_utf8(), str::len),
            _ => rest.find(|ch| class(ch) != kind).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}
