//! From positions in compiled code back to the source.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Code begins on the second line of what is compiled.
const HEAD_LINES: u32 = 1;

/// Where the code of one engine's modules came from.
///
/// Kept as the mappings of source maps are written: a tenth of what they would take unpacked, and reading through them
/// to one position takes no longer than unpacking them once.
#[derive(Default)]
pub struct Positions {
    mappings: RefCell<HashMap<String, Box<str>>>,
}

impl Positions {
    /// Remembers the mappings of a compiled file.
    pub fn add(&self, file: &str, mappings: Box<str>) {
        self.mappings.borrow_mut().insert(file.to_owned(), mappings);
    }

    /// The place in the source; lines and columns count from one.
    pub fn original(&self, file: &str, line: u32, column: u32) -> (u32, u32) {
        let all = self.mappings.borrow();
        // The head belongs to the first statement.
        let (own, at) = match line.checked_sub(1 + HEAD_LINES) {
            Some(own) => (own, column.saturating_sub(1)),
            None => (0, 0),
        };
        let found = all.get(file).and_then(|mappings| find(mappings, own, at));
        found.unwrap_or((line, column))
    }
}

/// The source position of the last segment of a line that is not behind a column. Without one, the rest of the line
/// belongs to the same statement, else what is in front of it does, else what comes next. All count from zero, the result from one.
fn find(mappings: &str, line: u32, column: u32) -> Option<(u32, u32)> {
    // A segment is written as the difference to the one before: column, source, source line, source column, name.
    let (mut source_line, mut source_column) = (0_i64, 0_i64);
    let (mut own, mut rest, mut front, mut next) = (None, None, None, None);
    for (index, segments) in (0_u32..).zip(mappings.split(';')) {
        let mut generated = 0_i64;
        for segment in segments.split(',') {
            let mut numbers = Numbers(segment.bytes());
            generated += numbers.next().unwrap_or(0);
            let (Some(_), Some(lines), Some(columns)) = (numbers.next(), numbers.next(), numbers.next()) else {
                continue;
            };
            source_line += lines;
            source_column += columns;
            let place = Some((source_line, source_column));
            match (index.cmp(&line), generated <= i64::from(column)) {
                (Ordering::Less, _) => front = place,
                (Ordering::Equal, true) => own = place,
                (Ordering::Equal, false) => rest = place,
                (Ordering::Greater, _) => next = next.or(place),
            }
        }
        if index >= line && own.or(rest).or(front).or(next).is_some() {
            break;
        }
    }
    let (line, column) = own.or(rest).or(front).or(next)?;
    Some((u32::try_from(line + 1).ok()?, u32::try_from(column + 1).ok()?))
}

/// Numbers in base 64, five bits a digit, the least first; the lowest bit of a number is its sign.
struct Numbers<'a>(std::str::Bytes<'a>);

impl Iterator for Numbers<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let (mut value, mut shift) = (0_i64, 0_u32);
        loop {
            let digit = match self.0.next()? {
                byte @ b'A'..=b'Z' => byte - b'A',
                byte @ b'a'..=b'z' => byte - b'a' + 26,
                byte @ b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            value |= i64::from(digit & 31).checked_shl(shift)?;
            shift += 5;
            if digit & 32 == 0 {
                return Some(if value & 1 == 0 { value >> 1 } else { -(value >> 1) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Numbers, find};

    #[test]
    fn numbers_have_a_sign_and_may_be_long() {
        let read = |text: &str| Numbers(text.bytes()).collect::<Vec<_>>();
        assert_eq!(read("ADCgBhB"), [0, -1, 1, 16, -16]);
        assert_eq!(read("g////////////////"), Vec::<i64>::new(), "no end");
    }

    #[test]
    fn the_last_segment_before_a_column_tells_where_it_came_from() {
        // Line 0: columns 0 and 4 of source line 0; line 1: nothing; line 2: column 2 is column 1 of source line 3.
        let mappings = "AAAA,IAAI;;EAGH";
        assert_eq!(find(mappings, 0, 0), Some((1, 1)));
        assert_eq!(find(mappings, 0, 3), Some((1, 1)));
        assert_eq!(find(mappings, 0, 90), Some((1, 5)));
        assert_eq!(find(mappings, 1, 0), Some((1, 5)), "a line without segments belongs to what is in front of it");
        assert_eq!(find(mappings, 2, 1), Some((4, 2)), "before the first segment of its line");
        assert_eq!(find(mappings, 2, 2), Some((4, 2)));
        assert_eq!(find(";;EAGC,CAAC", 0, 7), Some((4, 2)), "in front of everything");
        assert_eq!(find("", 0, 0), None);
    }
}
