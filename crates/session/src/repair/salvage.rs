//! Whole entries in a line that is none: several on one line, as when a program wrote behind a line without an end, behind the
//! rest of a cut entry, or behind bytes of a disk that lost power.

use serde_json::value::RawValue;

use crate::line::Envelope;

/// How an entry may begin.
const BEGINNING: &str = "{\"";
/// Every entry has them, and nothing inside of an entry has all.
const FIELDS: [&str; 2] = ["\"parentId\"", "\"timestamp\""];

/// The entries of a line that `is_whole` finds whole, in their order. What is inside of an entry is none of its own.
pub(super) fn entries(line: &str, is_whole: impl Fn(&Envelope<'_>) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(BEGINNING) {
        let from = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(value))
                if has_fields(value.get()) && serde_json::from_str(value.get()).is_ok_and(|one| is_whole(&one)) =>
            {
                found.push(value.get().to_owned());
                rest = &from[value.get().len()..];
            }
            // It ends before the line does, so nothing in it is whole by itself.
            Some(Ok(value)) => rest = &from[value.get().len()..],
            _ => rest = &from[BEGINNING.len()..],
        }
    }
    found
}

fn has_fields(text: &str) -> bool {
    FIELDS.iter().all(|field| text.contains(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> String {
        format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{{\"role\":\
             \"user\",\"content\":[{{\"type\":\"toolCall\",\"id\":\"x\"}}]}}}}"
        )
    }

    #[test]
    fn whole_entries_are_found_and_parts_are_not() {
        let (one, other) = (entry("a"), entry("b"));
        for (line, expected) in [
            (format!("{one}{other}"), vec![&one, &other]),
            (format!("{}{other}", &one[..one.len() - 9]), vec![&other]),
            (format!("\0\0\0{one}"), vec![&one]),
            (format!("\u{feff}{one} "), vec![&one]),
            (one[..one.len() - 1].to_owned(), vec![]),
            ("{\"type\":\"toolCall\",\"id\":\"x\"}".to_owned(), vec![]),
            (String::new(), vec![]),
        ] {
            let found = entries(&line, |envelope| envelope.id.0.is_some());
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{line}");
        }
    }
}
