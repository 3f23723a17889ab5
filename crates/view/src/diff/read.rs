//! Reading changes that somebody else found.

use super::{Diff, Kind};

/// Reads a unified patch.
pub(super) fn patch(patch: &str, diff: &mut Diff) {
    // The next lines, and how many the hunk still has.
    let (mut old, mut new) = (1, 1);
    let (mut old_left, mut new_left) = (0, 0);
    let mut first = true;
    for line in patch.split_inclusive('\n') {
        if old_left > 0 || new_left > 0 {
            let text = line.get(1..).unwrap_or_default();
            match line.as_bytes()[0] {
                b'+' if new_left > 0 => diff.push(Kind::Added, Some(new), text),
                b'-' if old_left > 0 => diff.push(Kind::Removed, Some(old), text),
                b'\\' => continue,
                // Some programs drop the space of an empty line.
                b' ' | b'\n' | b'\r' => diff.push(Kind::Context, Some(new), text),
                _ => {
                    (old_left, new_left) = (0, 0);
                    continue;
                }
            }
            if line.as_bytes()[0] != b'+' {
                old += 1;
                old_left = usize::saturating_sub(old_left, 1);
            }
            if line.as_bytes()[0] != b'-' {
                new += 1;
                new_left = usize::saturating_sub(new_left, 1);
            }
            continue;
        }
        if let Some(name) = line.strip_prefix("+++ ") {
            first = true;
            diff.push(Kind::File, None, name.split('\t').next().unwrap_or(name));
        } else if let Some(((old_start, old_count), (new_start, new_count))) = hunk(line) {
            if !first || new_start > 1 {
                diff.push(Kind::Gap, None, "...");
            }
            first = false;
            (old, new) = (old_start, new_start);
            (old_left, new_left) = (old_count, new_count);
        }
    }
    // One file needs no name.
    if diff.rows.iter().filter(|row| row.kind == Kind::File).count() == 1 {
        diff.rows.retain(|row| row.kind != Kind::File);
    }
}

/// The first lines and the lengths that the head of a hunk names.
fn hunk(line: &str) -> Option<((usize, usize), (usize, usize))> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((range(old)?, range(new)?))
}

/// Reads numbered lines.
pub(super) fn numbered(text: &str, diff: &mut Diff) {
    for line in text.split_inclusive('\n').filter(|_| !text.is_empty()) {
        let kind = match line.as_bytes().first() {
            Some(b'+') => Kind::Added,
            Some(b'-') => Kind::Removed,
            _ => Kind::Context,
        };
        let rest = line.get(1..).unwrap_or_default().trim_start_matches(' ');
        let digits = rest.len() - rest.trim_start_matches(|ch: char| ch.is_ascii_digit()).len();
        let number = rest[..digits].parse().ok();
        match number {
            Some(_) => {
                let text = &rest[digits..];
                diff.push(kind, number, text.strip_prefix(' ').unwrap_or(text));
            }
            None if rest.trim_end() == "..." => diff.push(Kind::Gap, None, "..."),
            None => diff.push(kind, None, line.get(1..).unwrap_or_default()),
        }
    }
}
