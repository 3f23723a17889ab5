//! Parts of strings, as expansions take them.

use brush_parser::word::SubstringMatchKind;

use super::pattern;

/// Without the shortest or longest start or end that matches.
pub(super) fn trimmed(text: &str, pattern: &str, at_start: bool, is_longest: bool) -> Option<String> {
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    // The first that matches is taken: the shortest part that goes away, or the longest.
    if at_start == is_longest {
        cuts.reverse();
    }
    for cut in cuts {
        let (head, tail) = text.split_at(cut);
        let (part, rest) = if at_start { (head, tail) } else { (tail, head) };
        if pattern::matches(pattern, part)? {
            return Some(rest.to_owned());
        }
    }
    Some(text.to_owned())
}

pub(super) fn substring(text: &str, offset: i64, length: Option<Option<i64>>) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let count = i64::try_from(chars.len()).ok()?;
    let start = if offset < 0 { count + offset } else { offset };
    if start < 0 || start > count {
        return Some(String::new());
    }
    let end = match length {
        None => count,
        Some(None) => return None,
        Some(Some(length)) if length < 0 => count + length,
        Some(Some(length)) => start.saturating_add(length).min(count),
    };
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end.max(start)).ok()?);
    Some(chars.get(start..end)?.iter().collect())
}

/// A replacement of what matches: the longest part that does, from the left.
pub(super) fn replaced(text: &str, pattern: &str, with: &str, kind: &SubstringMatchKind) -> Option<String> {
    if with.contains('&') || with.contains('\\') || text.len() > 1_000 {
        return None;
    }
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut new = String::new();
    let mut from = 0;
    let mut done = false;
    while from < text.len() {
        let mut found = None;
        if !done {
            for end in cuts.iter().rev().filter(|cut| **cut > from) {
                if matches!(kind, SubstringMatchKind::Suffix) && *end != text.len() {
                    break;
                }
                if pattern::matches(pattern, text.get(from..*end)?)? {
                    found = Some(*end);
                    break;
                }
            }
        }
        match found {
            Some(end) => {
                new.push_str(with);
                from = end;
                done = !matches!(kind, SubstringMatchKind::Anywhere);
            }
            None => {
                let ch = text.get(from..)?.chars().next()?;
                new.push(ch);
                from += ch.len_utf8();
                done |= matches!(kind, SubstringMatchKind::Prefix);
            }
        }
    }
    Some(new)
}
