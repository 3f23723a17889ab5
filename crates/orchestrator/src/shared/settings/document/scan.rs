//! Where the fields of an object are in its text.

use std::ops::Range;

use super::Field;

/// Takes an object apart. `plain` is JSON without extras.
pub(super) fn scan(plain: &str) -> Option<(Vec<Field>, Range<usize>)> {
    let bytes = plain.as_bytes();
    let blank = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let open = blank(0);
    let (mut at, mut fields, mut lines) = (blank(open + 1), Vec::new(), Lines::default());
    while *bytes.get(at)? == b'"' {
        let key_end = end_of(bytes, at)?;
        let key = serde_json::from_str(plain.get(at..key_end)?).ok()?;
        let colon = blank(key_end);
        let start = blank(colon + 1);
        let end = end_of(bytes, start)?;
        let value = serde_json::from_str(plain.get(start..end)?).ok()?;
        fields.push(Field { key, value, line: lines.of(bytes, at), at, span: start..end });
        at = blank(end);
        if *bytes.get(at)? == b',' {
            at = blank(at + 1);
        }
    }
    (*bytes.get(at)? == b'}').then_some((fields, open..at + 1))
}

/// Counts lines up to places that come one after the other.
#[derive(Default)]
struct Lines {
    at: usize,
    breaks: usize,
}

impl Lines {
    fn of(&mut self, bytes: &[u8], place: usize) -> usize {
        self.breaks += bytes[self.at..place].iter().filter(|byte| **byte == b'\n').count();
        self.at = place;
        self.breaks + 1
    }
}

/// Where the value ends that begins here.
fn end_of(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match *bytes.get(at)? {
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b',' if depth == 0 => return Some(at),
            byte if depth == 0 && byte.is_ascii_whitespace() => return Some(at),
            _ => {}
        }
        at += 1;
    }
}
