//! The order of names in a listing: the one people expect, not the one of bytes.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// ASCII that is neither digit nor letter, in collation order; digits and letters come after.
const PUNCTUATION: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// A key that sorts names without regard to case, accents counting only between names that are otherwise the
/// same. This is the root order of Unicode collation for ASCII and for accented Latin letters; other scripts
/// are sorted by code point.
pub(super) fn key(name: &str) -> (Vec<u32>, Vec<char>, String) {
    let lower = name.to_lowercase();
    let mut primary = Vec::with_capacity(lower.len());
    let mut accents = Vec::new();
    for c in lower.nfd() {
        if is_combining_mark(c) {
            accents.push(c);
        } else {
            primary.push(weight(c));
        }
    }
    (primary, accents, name.to_owned())
}

fn weight(c: char) -> u32 {
    const FIRST: u32 = 0x100;
    match c {
        ' ' => FIRST,
        c if c.is_ascii_control() => u32::from(c),
        c if c.is_ascii_alphanumeric() => FIRST + 0x100 + u32::from(c),
        c => match PUNCTUATION.find(c) {
            Some(place) => FIRST + 1 + place as u32,
            None => FIRST + 0x200 + u32::from(c),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_expect() {
        let sorted = [
            "_a", ".a", "10", "9", "a b", "a_b", "a-b", "a.b", "a1", "ab", "B", "n", "ñ", "nz", "résumé", "Resumes",
            "б",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by_cached_key(|name| key(name));
        assert_eq!(names, sorted);
    }
}
