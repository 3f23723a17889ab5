//! Finding the places to change and changing nothing else.

use std::ops::Range;

use super::text::{Line, first_ending, line_ranges, lines, loosened, with_line_feeds};
use super::{Edit, EditError};

/// A file's text before and after, all line endings being `\n`, and after as it goes back to the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) before: String,
    pub(super) after: String,
    pub(super) file: String,
}

struct Replacement {
    edit: usize,
    range: Range<usize>,
    text: String,
}

/// Applies all edits to `original`, each matched against the original text.
///
/// When every old text occurs exactly, only those occurrences change. When one does not, all are looked for in
/// the loosened text; then the lines they touch are taken from the loosened text and all other lines stay as
/// they are. Line endings of lines that stay are never touched.
pub(super) fn apply(original: &str, edits: &[Edit], path: &str) -> Result<Edited, EditError> {
    let many = edits.len() > 1;
    let path = || path.to_owned();
    let wanted: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit {
            old_text: with_line_feeds(&edit.old_text).into_owned(),
            new_text: with_line_feeds(&edit.new_text).into_owned(),
        })
        .collect();
    if let Some(index) = wanted.iter().position(|edit| edit.old_text.is_empty()) {
        return Err(EditError::Empty { path: path(), index: many.then_some(index) });
    }
    let before = with_line_feeds(original).into_owned();
    let loose = loosened(&before);
    let is_loose =
        wanted.iter().any(|edit| !before.contains(&edit.old_text) && find_loosely(&loose, &edit.old_text).is_some());
    let base = if is_loose { &loose } else { &before };
    let mut replacements = Vec::with_capacity(wanted.len());
    for (index, edit) in wanted.into_iter().enumerate() {
        let exact = base.find(&edit.old_text).map(|at| at..at + edit.old_text.len());
        let Some(range) = exact.or_else(|| is_loose.then(|| find_loosely(base, &edit.old_text)).flatten()) else {
            return Err(EditError::NotFound { path: path(), index: many.then_some(index) });
        };
        let count = occurrences(base, &loose, &edit.old_text);
        if count > 1 {
            return Err(EditError::NotUnique { path: path(), index: many.then_some(index), count });
        }
        replacements.push(Replacement { edit: index, range, text: edit.new_text });
    }
    replacements.sort_by_key(|replacement| replacement.range.start);
    if let Some([first, second]) =
        replacements.windows(2).find_map(|pair| <&[Replacement; 2]>::try_from(pair).ok().filter(overlap))
    {
        return Err(EditError::Overlap { path: path(), first: first.edit, second: second.edit });
    }
    let own = lines(original);
    let plain: Vec<Line<'_>> = own
        .iter()
        .map(|line| Line { text: line.text, ending: if line.ending.is_empty() { "" } else { "\n" } })
        .collect();
    let after = render(base, &plain, &replacements, "\n");
    if after == before {
        return Err(EditError::NoChange { path: path(), many });
    }
    let file = render(base, &own, &replacements, first_ending(original));
    Ok(Edited { before, after, file })
}

fn overlap(pair: &&[Replacement; 2]) -> bool {
    pair[0].range.end > pair[1].range.start
}

fn find_loosely(loose: &str, old_text: &str) -> Option<Range<usize>> {
    let old_text = loosened(old_text);
    // Only white space: it would match everywhere.
    if old_text.is_empty() {
        return None;
    }
    loose.find(&old_text).map(|at| at..at + old_text.len())
}

/// How often the text occurs, loosely: two places that differ in a quote only are too alike to choose.
fn occurrences(base: &str, loose: &str, old_text: &str) -> usize {
    let loose_old = loosened(old_text);
    if loose_old.is_empty() { base.matches(old_text).count() } else { loose.matches(&loose_old).count() }
}

/// Puts the file together again. `base` is the text that was searched, line by line in step with `own`.
fn render(base: &str, own: &[Line<'_>], replacements: &[Replacement], new_ending: &str) -> String {
    let ranges = line_ranges(base);
    let mut out = String::with_capacity(base.len());
    let mut next = 0;
    let mut rest = replacements;
    while let Some(first) = rest.first() {
        let group_start = line_of(&ranges, first.range.start);
        let mut group_end = group_start;
        let mut size = 0;
        // Replacements that share a line are one group.
        while let Some(replacement) = rest.get(size)
            && (size == 0 || line_of(&ranges, replacement.range.start) < group_end)
        {
            group_end = group_end.max(line_of(&ranges, replacement.range.end.saturating_sub(1)) + 1);
            size += 1;
        }
        for line in &own[next..group_start] {
            out.push_str(line.text);
            out.push_str(line.ending);
        }
        let mut position = ranges[group_start].start;
        for replacement in &rest[..size] {
            push_base(&mut out, base, position..replacement.range.start, &ranges, own);
            out.push_str(&replacement.text.replace('\n', new_ending));
            position = replacement.range.end;
        }
        push_base(&mut out, base, position..ranges[group_end - 1].end, &ranges, own);
        next = group_end;
        rest = &rest[size..];
    }
    for line in &own[next..] {
        out.push_str(line.text);
        out.push_str(line.ending);
    }
    out
}

/// The text of a touched line that is not replaced itself, with the line endings it had.
fn push_base(out: &mut String, base: &str, range: Range<usize>, ranges: &[Range<usize>], own: &[Line<'_>]) {
    let mut start = range.start;
    while start < range.end {
        let line = line_of(ranges, start);
        let end = ranges[line].end.min(range.end);
        match base[start..end].strip_suffix('\n') {
            Some(text) => {
                out.push_str(text);
                out.push_str(own[line].ending);
            }
            None => out.push_str(&base[start..end]),
        }
        start = end;
    }
}

fn line_of(ranges: &[Range<usize>], position: usize) -> usize {
    ranges.partition_point(|range| range.end <= position).min(ranges.len().saturating_sub(1))
}
