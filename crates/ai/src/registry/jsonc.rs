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
///
/// # Errors
/// When it is no JSON even without comments and trailing commas, or no `T`.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, JsonProblem> {
    let plain = without_extras(text.strip_prefix('\u{feff}').unwrap_or(text));
    let plain = if plain.trim().is_empty() { "{}" } else { plain.as_str() };
    serde_json::from_str(plain).map_err(|error| {
        let whole = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = in_plain_words(whole.strip_suffix(&position).unwrap_or(&whole));
        let key = error.is_data().then(|| path_at(plain, error.line(), error.column())).filter(|key| !key.is_empty());
        JsonProblem {
            line: error.line().max(1),
            column: error.column().max(1),
            message: key.map_or(message.clone(), |key| format!("{key}: {message}")),
        }
    })
}

/// What the reader of JSON says, in the words of people who write it. A value is never quoted: it may be a secret.
pub(super) fn in_plain_words(message: &str) -> String {
    let syntax = [
        ("EOF while parsing", "the text ends too early: a bracket, a brace or a quotation mark is not closed"),
        ("key must be a string", "a key in double quotes is expected here"),
        (
            "expected value",
            "a value is expected here: a text in double quotes, a number, true, false, null, {…} or […]",
        ),
        (
            "expected ident",
            "a value is expected here: a text in double quotes, a number, true, false, null, {…} or […]",
        ),
        ("expected `:`", "a colon is expected here, behind the key"),
        ("expected `,` or", "a comma or a closing bracket is expected here"),
        ("trailing comma", "a comma too many"),
        ("trailing characters", "the text has more behind its end: a brace or a bracket too many, or a missing comma"),
        ("control character", "a text holds a line break or another control character; write \\n for a line break"),
        ("invalid escape", "a text holds a backslash with something unknown behind it; write \\\\ for a backslash"),
        ("invalid number", "this is no number"),
        ("number out of range", "this number is too large"),
        ("recursion limit exceeded", "too many brackets in each other"),
    ];
    if let Some((_, plain)) = syntax.iter().find(|(begin, _)| message.starts_with(begin)) {
        return (*plain).to_owned();
    }
    let quoted = |begin: &str| Some(message.strip_prefix(begin)?.split('`').next().unwrap_or_default());
    if let Some(key) = quoted("missing field `") {
        return format!("the key \"{key}\" is missing");
    }
    if let Some(key) = quoted("duplicate field `") {
        return format!("the key \"{key}\" is there twice");
    }
    let is_wrong = message.starts_with("invalid type: ") || message.starts_with("invalid value: ");
    let Some((_, expected)) = message.rsplit_once(", expected ").filter(|_| is_wrong) else {
        return message.to_owned();
    };
    let expected = match expected {
        "a map" => "an object",
        "a sequence" => "a list",
        "a string" | "string" => "a text in double quotes",
        "a boolean" => "true or false",
        struct_of if struct_of.starts_with("struct ") => "an object",
        number if number.len() <= 5 && number.starts_with(['f', 'u', 'i']) => "a number",
        other => other,
    };
    format!("expected {expected}")
}

/// The keys and places that lead to a place in a JSON text, with dots between them.
fn path_at(text: &str, line: usize, column: usize) -> String {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let bytes = &text.as_bytes()[..(start + column).min(text.len())];
    // For each open bracket what was named last in it, and in a list the number of the item.
    let mut open: Vec<(Option<usize>, String)> = Vec::new();
    let (mut at, mut is_key) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                is_key = bytes[at] == b'{';
                open.push(if is_key { (None, String::new()) } else { (Some(0), "0".to_owned()) });
            }
            b'}' | b']' => drop(open.pop()),
            b',' => match open.last_mut() {
                Some((Some(number), name)) => {
                    *number += 1;
                    *name = number.to_string();
                }
                _ => is_key = true,
            },
            b'"' => {
                let from = at + 1;
                at = from;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if let (true, Some((None, name))) = (is_key, open.last_mut()) {
                    *name = String::from_utf8_lossy(&bytes[from..at.min(bytes.len())]).into_owned();
                    is_key = false;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let names: Vec<&str> = open.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty()).collect();
    names.join(".")
}

/// The text with blanks in place of what JSON does not know. Every byte that stays is where it was, and so is every line
/// break.
pub fn without_extras(text: &str) -> String {
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
        assert_eq!(
            problem.to_string(),
            "line 3, column 8: a value is expected here: a text in double quotes, a number, true, false, null, {…} or […]"
        );
        let problem = parse::<Vec<u8>>("[1,\n 300]").expect_err("no byte");
        assert_eq!((problem.line, problem.column), (2, 4));
        type Lists = std::collections::BTreeMap<String, Vec<u8>>;
        let problem = parse::<Lists>("{\"a\": [7], // \"no\"\n\"b\\\"{\": [1, 2, \"x\"]}").expect_err("no bytes");
        assert!(problem.message.starts_with("b\\\"{.2: expected a number"), "{problem}");
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
