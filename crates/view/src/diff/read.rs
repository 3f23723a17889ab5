//! Reading changes that somebody else found.

use super::{Diff, Kind};

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
