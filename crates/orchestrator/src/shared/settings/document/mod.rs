//! A JSON object as people write it, with comments and trailing commas: what it says, where, and how one key of it is
//! changed without touching the rest.

mod scan;

use std::fmt;
use std::ops::Range;

use serde_json::Value;
use tau_ai::jsonc;

use self::scan::scan;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column, from 1.
    pub(crate) column: usize,
    /// What is wrong there.
    pub(crate) message: String,
}

/// A key of the object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) value: Value,
    /// The line of the key, from 1.
    pub(crate) line: usize,
    /// The key and its value are at these bytes.
    at: usize,
    span: Range<usize>,
}

/// The object, in the order of the text. A key may be there twice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    has_mark: bool,
    text: String,
    pub(crate) fields: Vec<Field>,
    /// Where the braces of the object are.
    braces: Range<usize>,
}

/// Why one key was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    #[error("line {line}: \"{key}\" is there twice; remove one of them first")]
    Twice { line: usize, key: String },
    /// The change would have changed something else.
    #[error("the key cannot be set without changing the rest of the file; set it with an editor")]
    Unsafe,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl Document {
    /// Reads a text.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let problem = |line, column, message: &str| Problem { line, column, message: message.to_owned() };
        let whole = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
            problem(before.matches('\n').count() + 1, column, "the file is not UTF-8 text")
        })?;
        let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
        let plain = jsonc::without_extras(text);
        if plain.trim().is_empty() {
            // Somebody may be about to write it.
            return Err(problem(1, 1, "the file is empty; write {} into it, or remove it"));
        }
        let value: Value = jsonc::parse(text).map_err(|jsonc::JsonProblem { line, column, message }| Problem {
            line,
            column,
            message,
        })?;
        if !value.is_object() {
            return Err(problem(1, 1, "settings must be a JSON object: {…}"));
        }
        let (fields, braces) = scan(&plain).ok_or_else(|| problem(1, 1, "the object cannot be taken apart"))?;
        Ok(Self { has_mark: whole.len() > text.len(), text: text.to_owned(), fields, braces })
    }

    /// The text with another value of a key. Everything else stays as it is, byte by byte.
    pub(crate) fn with(&self, key: &str, value: &Value) -> Result<String, EditError> {
        let mut known = self.fields.iter().filter(|field| field.key == key);
        let text = match (known.next(), known.next()) {
            (Some(_), Some(second)) => return Err(EditError::Twice { line: second.line, key: key.to_owned() }),
            (Some(field), None) => {
                format!("{}{value}{}", &self.text[..field.span.start], &self.text[field.span.end..])
            }
            (None, _) => self.with_new(&format!("{}: {value}", Value::from(key))),
        };
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        let text = format!("{mark}{text}");
        if self.differs_only_in(key, value, &text) { Ok(text) } else { Err(EditError::Unsafe) }
    }

    /// The text with one more field.
    fn with_new(&self, field: &str) -> String {
        let end_of_line = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let close = self.braces.end - 1;
        let (Some(first), Some(last)) = (self.fields.first(), self.fields.last()) else {
            let inside = &self.text[self.braces.start + 1..close];
            // A comment stays.
            let inside =
                if inside.trim().is_empty() { String::new() } else { format!("{}{end_of_line}", inside.trim_end()) };
            let inside = if inside.is_empty() { end_of_line.to_owned() } else { inside };
            let (before, after) = (&self.text[..=self.braces.start], &self.text[close..]);
            return format!("{before}{inside}  {field}{end_of_line}{after}");
        };
        let comma_at = self.comma_behind(last);
        // The comma stands right behind the last value, so that a comment behind it stays a comment on that value.
        let (values, rest, comma) = match comma_at {
            Some(_) => (&self.text[..last.span.end], &self.text[last.span.end..close], ","),
            None => (&self.text[..last.span.end], &self.text[last.span.end..close], ""),
        };
        let between = if comma_at.is_some() { "" } else { "," };
        let after = &self.text[close..];
        match rest.rfind('\n').filter(|at| rest[at + 1..].trim().is_empty()) {
            Some(at) => {
                let (rest, before_brace) = rest.split_at(at + 1);
                let indent = self.indent_of(first);
                format!("{values}{between}{rest}{indent}{field}{comma}{end_of_line}{before_brace}{after}")
            }
            None => {
                let gap = if rest.ends_with(char::is_whitespace) { "" } else { " " };
                format!("{values}{between}{rest}{gap}{field}{after}")
            }
        }
    }

    /// Where a comma stands behind the last value.
    fn comma_behind(&self, last: &Field) -> Option<usize> {
        // With one more value behind it, a trailing comma is no trailing one, and stays.
        let close = self.braces.end - 1;
        let probe = format!("{}0{}", &self.text[..close], &self.text[close..]);
        let plain = jsonc::without_extras(&probe);
        plain[last.span.end..close].find(',').map(|at| last.span.end + at)
    }

    /// The blanks in front of a field that begins its line.
    fn indent_of(&self, field: &Field) -> &str {
        let begin = self.text[..field.at].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.text[begin..field.at];
        if begin > 0 && before.trim().is_empty() { before } else { "  " }
    }

    /// Whether another text says the same, but for one key.
    fn differs_only_in(&self, key: &str, value: &Value, text: &str) -> bool {
        let Ok(new) = Self::read(text.as_bytes()) else { return false };
        let others = |document: &Self| {
            let fields = document.fields.iter().filter(|field| field.key != key);
            fields.map(|field| (field.key.clone(), field.value.clone())).collect::<Vec<_>>()
        };
        let mut set = new.fields.iter().filter(|field| field.key == key);
        set.next().is_some_and(|field| field.value == *value) && set.next().is_none() && others(self) == others(&new)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Document {
        Document::read(text.as_bytes()).unwrap_or_else(|problem| panic!("{text}: {problem}"))
    }

    fn set(text: &str) -> String {
        read(text).with("co_author", &json!(true)).expect("an edit")
    }

    #[test]
    fn fields_have_lines() {
        let text =
            "\u{feff}// a\n{ \"a\": [1, {\"b\": \"}\"}], /* \"x\": 1,\n */ \"c\\u0064\": -1.5e1,\n\n\"e\" : null , }\n";
        let fields: Vec<_> = read(text).fields.into_iter().map(|field| (field.key, field.value, field.line)).collect();
        let expected = [("a", json!([1, {"b": "}"}]), 2), ("cd", json!(-15.0), 3), ("e", json!(null), 5)];
        assert_eq!(fields, expected.map(|(key, value, line)| (key.to_owned(), value, line)));
    }

    #[test]
    fn what_is_no_object_has_a_place() {
        for (bytes, place) in [
            (&b"{\n  \"co_author\": oops\n}"[..], "2:16: a value is expected"),
            (b"[1]", "1:1: settings must be"),
            (b" // nothing\n", "1:1: the file is empty"),
            (b"", "1:1: the file is empty"),
            (b"{\n \"a\": \"\xff\"}", "2:8: the file is not UTF-8"),
            (b"{\"a\": 1} x", "1:10: "),
            (b"{\"a\": 1 /* no end", "1:"),
        ] {
            let problem = Document::read(bytes).expect_err("no object").to_string();
            assert!(problem.starts_with(place), "{problem}");
        }
    }

    #[test]
    fn a_key_is_set_and_everything_else_stays() {
        for (before, after) in [
            ("{}", "{\n  \"co_author\": true\n}"),
            ("{ }\n", "{\n  \"co_author\": true\n}\n"),
            ("{\n  // none\n}\n", "{\n  // none\n  \"co_author\": true\n}\n"),
            ("{\"a\": 1}", "{\"a\": 1, \"co_author\": true}"),
            ("{ \"a\": 1, }", "{ \"a\": 1, \"co_author\": true}"),
            (
                "{\n    \"a\": 1 // one\n    // end\n}\n",
                "{\n    \"a\": 1, // one\n    // end\n    \"co_author\": true\n}\n",
            ),
            ("{\n\t\"a\": 1, // one\n}", "{\n\t\"a\": 1, // one\n\t\"co_author\": true,\n}"),
            ("{\r\n  \"a\": \"}\"\r\n}\r\n", "{\r\n  \"a\": \"}\",\r\n  \"co_author\": true\r\n}\r\n"),
            ("{\n  \"a\": 1 /* x,\n */ }", "{\n  \"a\": 1, /* x,\n */ \"co_author\": true}"),
            (
                "\u{feff}{\"co_author\" : /* why */ false /* not */, \"b\": {\"co_author\": 0}}",
                "\u{feff}{\"co_author\" : /* why */ true /* not */, \"b\": {\"co_author\": 0}}",
            ),
            ("{\"co_author\": [\"no\", {\"x\": 1}],}", "{\"co_author\": true,}"),
        ] {
            assert_eq!(set(before), after, "{before:?}");
            // Once it is set, nothing changes.
            assert_eq!(set(after), after);
        }
    }

    #[test]
    fn of_two_equal_keys_none_is_chosen() {
        let error = read("{\"co_author\": true,\n\"co_author\": false}").with("co_author", &json!(true));
        assert_eq!(error, Err(EditError::Twice { line: 2, key: "co_author".to_owned() }));
    }
}
