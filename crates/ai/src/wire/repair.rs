//! Mends JSON that servers write carelessly.

use crate::json::replace_lone_surrogates;

/// The text with control characters in its strings escaped, backslashes that escape nothing doubled, and halves of
/// surrogate pairs replaced; `None` when there is nothing of that.
pub(super) fn repaired(text: &str) -> Option<String> {
    let corrected = corrected(text);
    replace_lone_surrogates(corrected.as_deref().unwrap_or(text)).or(corrected)
}

fn corrected(text: &str) -> Option<String> {
    let mut corrected = String::new();
    let (mut copied, mut in_string) = (0, false);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => in_string = !in_string,
            _ if !in_string => {}
            '\\' if is_escape(&text[at + 1..]) => {
                characters.next();
            }
            '\\' => {
                corrected.push_str(&text[copied..at]);
                corrected.push_str("\\\\");
                copied = at + 1;
            }
            '\0'..='\x1f' => {
                corrected.push_str(&text[copied..at]);
                corrected.push_str(&format!("\\u{:04x}", u32::from(c)));
                copied = at + 1;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return None;
    }
    corrected.push_str(&text[copied..]);
    Some(corrected)
}

/// Whether what follows a backslash makes an escape of it.
fn is_escape(rest: &str) -> bool {
    match rest.as_bytes() {
        [b'u', digits @ ..] => digits.get(..4).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)),
        [next, ..] => br#""\/bfnrt"#.contains(next),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn careless_json_can_be_read() {
        for (text, value) in [
            ("{\"a\": \"one\ntwo\t\u{1}\"}", json!({"a": "one\ntwo\t\u{1}"})),
            (r#"["C:\dir\\x", "\u12", "\"\u00e9"]"#, json!(["C:\\dir\\x", "\\u12", "\"é"])),
            (r#""\ud83d""#, json!("\u{fffd}")),
            ("\"\n\\ud83d\"", json!("\n\u{fffd}")),
        ] {
            let corrected = repaired(text).expect("something is wrong with it");
            assert_eq!(serde_json::from_str::<Value>(&corrected).expect("JSON"), value, "{corrected}");
        }
        assert_eq!(repaired("{\n\"a\": \"\\ud83d\\ude00\"}"), None);
        assert_eq!(repaired("\"\\").as_deref(), Some("\"\\\\"));
    }

    proptest! {
        #[test]
        fn what_is_right_stays(text in "\\PC*") {
            prop_assert_eq!(repaired(&json!([text]).to_string()), None);
        }
    }
}
