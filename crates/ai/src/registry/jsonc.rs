//! JSON as people write it: `//` and `/* */` comments, trailing commas, a byte order mark.

use std::fmt;

use serde::de::DeserializeOwned;

/// Why a text could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonProblem {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What was wrong there.
    pub message: String,
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// Reads a text. An empty one is an empty object.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, JsonProblem> {
    let plain = strip(text.strip_prefix('\u{feff}').unwrap_or(text));
    let plain = if plain.trim().is_empty() { "{}" } else { plain.as_str() };
    serde_json::from_str(plain).map_err(|error| {
        let whole = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        JsonProblem {
            line: error.line().max(1),
            column: error.column().max(1),
            message: whole.strip_suffix(&position).unwrap_or(&whole).to_owned(),
        }
    })
}

/// Blanks out what JSON does not know, so that positions stay right.
fn strip(text: &str) -> String {
    let mut out: Vec<u8> = text.as_bytes().to_vec();
    let mut at = 0;
    // A comma that would be a trailing one if a bracket came next.
    let mut comma = None;
    while at < out.len() {
        match out[at] {
            b'"' => {
                comma = None;
                at += 1;
                while at < out.len() && out[at] != b'"' {
                    at += if out[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'/' if matches!(out.get(at + 1), Some(b'/' | b'*')) => {
                let block = out[at + 1] == b'*';
                let rest = &text[at + 2..];
                let length = if block { rest.find("*/").map(|end| end + 2) } else { rest.find('\n') };
                let end = length.map_or(out.len(), |length| at + 2 + length);
                for byte in &mut out[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            byte => {
                match byte {
                    b',' => comma = Some(at),
                    b'}' | b']' => {
                        if let Some(comma) = comma.take() {
                            out[comma] = b' ';
                        }
                    }
                    byte if byte.is_ascii_whitespace() => {}
                    _ => comma = None,
                }
                at += 1;
            }
        }
    }
    // Only ASCII was replaced, and comments as a whole, so this is still UTF-8.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn comments_and_trailing_commas_are_no_matter() {
        let text = "\u{feff}{ // first\n \"a\": [1, 2, /* ü , */ ], \"url\": \"http://x, ]\", /* } */\n}";
        assert_eq!(parse::<Value>(text), Ok(json!({"a": [1, 2], "url": "http://x, ]"})));
        assert_eq!(parse::<Value>(" // nothing"), Ok(json!({})));
    }

    #[test]
    fn problems_have_a_place() {
        let problem = parse::<Value>("{\n  // ü\n  \"a\": oops\n}").expect_err("no JSON");
        assert_eq!(problem.to_string(), "line 3, column 8: expected value");
        let problem = parse::<Vec<u8>>("[1,\n 300]").expect_err("no byte");
        assert_eq!((problem.line, problem.column), (2, 4));
    }

    proptest! {
        #[test]
        fn proper_json_is_untouched(text in any::<String>(), key in any::<String>()) {
            let value = json!({key: [text, {"n": 1}]});
            prop_assert_eq!(parse::<Value>(&value.to_string()), Ok(value));
        }

        #[test]
        fn any_text_is_survived(text in any::<String>(), jsonish in r#"[\{\}\[\]",:\\/*a\n ü]{0,30}"#) {
            let _ = parse::<Value>(&text);
            let _ = parse::<Value>(&jsonish);
        }
    }
}
