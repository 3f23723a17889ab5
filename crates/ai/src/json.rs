//! JSON that other programs write and serde_json refuses: nested more than 128 levels deep, with numbers beyond the
//! range of a double, with halves of surrogate pairs, or with a key that stands twice.
//!
//! JavaScript reads all of it, so it turns up in session files and in what models write. Nothing here costs anything
//! until serde_json has said no.

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde_json::{Error, Value};

use crate::JsonMap;

/// How deep a value may nest that is built. What lies deeper becomes a string that holds its JSON text: the functions
/// that copy, compare, write and drop a value call themselves once a level.
pub const MAX_DEPTH: usize = 2_048;

/// The stack on which a type is read from a value that deep, in bytes. The system provides what is used of it.
const STACK: usize = 256 << 20;

/// How deep serde_json reads.
const ORDINARY_DEPTH: usize = 127;

/// What had to be changed in a value to read it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Numbers beyond the range of a double became `null`, which is what JavaScript makes of them.
    pub numbers: bool,
    /// Values nested deeper than [`MAX_DEPTH`] became strings that hold their JSON text.
    pub depth: bool,
}

/// Reads JSON text as JavaScript would.
///
/// # Errors
/// When the text is no JSON or no `T`.
pub fn read<T: DeserializeOwned + Send>(text: &str) -> Result<T, Error> {
    read_noting(text).map(|(value, _)| value)
}

/// As [`read`], and tells what had to be changed.
///
/// # Errors
/// As [`read`].
pub fn read_noting<T: DeserializeOwned + Send>(text: &str) -> Result<(T, Changes), Error> {
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok((value, Changes::default())),
        Err(error) => error,
    };
    let Some((value, changes)) = value_noting(text) else { return Err(error) };
    let read =
        if depth(&value) > ORDINARY_DEPTH { on_large_stack(|| T::deserialize(value)) } else { T::deserialize(value) };
    read.map(|value| (value, changes))
}

/// The value of JSON text, read as JavaScript would; `None` when it is no JSON.
pub fn value(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| Some(value_noting(text)?.0))
}

fn value_noting(text: &str) -> Option<(Value, Changes)> {
    let mut reader = Reader { text, at: 0, changes: Changes::default() };
    let value = reader.whole()?;
    Some((value, reader.changes))
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).map_err(Error::custom)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// How deep a value nests. Does not call itself.
pub(crate) fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    deepest
}

/// A list or an object whose end has not come.
enum Open {
    Array(Vec<Value>),
    /// With the key whose value comes next.
    Object(JsonMap, String),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    changes: Changes,
}

impl Reader<'_> {
    fn whole(&mut self) -> Option<Value> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match self.peek()? {
                b'[' | b'{' if open.len() >= MAX_DEPTH => self.as_text()?,
                b'[' => {
                    self.at += 1;
                    if !self.take(b']') {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    }
                    Value::Array(Vec::new())
                }
                b'{' => {
                    self.at += 1;
                    if !self.take(b'}') {
                        open.push(Open::Object(JsonMap::new(), self.key()?));
                        continue;
                    }
                    Value::Object(JsonMap::new())
                }
                b'"' => Value::String(self.string()?),
                _ => self.scalar()?,
            };
            // What is complete goes into what is around it, which may be complete then.
            loop {
                let Some(around) = open.last_mut() else {
                    return self.peek().is_none().then_some(value);
                };
                let end = match around {
                    Open::Array(items) => {
                        items.push(value);
                        b']'
                    }
                    Open::Object(fields, key) => {
                        // Of a key that stands twice the last value holds, at the place of the first.
                        fields.insert(std::mem::take(key), value);
                        b'}'
                    }
                };
                if self.take(b',') {
                    if let Some(Open::Object(_, key)) = open.last_mut() {
                        *key = self.key()?;
                    }
                    break;
                }
                if !self.take(end) {
                    return None;
                }
                value = match open.pop()? {
                    Open::Array(items) => Value::Array(items),
                    Open::Object(fields, _) => Value::Object(fields),
                };
            }
        }
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(rest.len());
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn key(&mut self) -> Option<String> {
        (self.peek()? == b'"').then_some(())?;
        let key = self.string()?;
        self.take(b':').then_some(key)
    }

    fn string(&mut self) -> Option<String> {
        let text = self.string_text()?;
        serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&replace_lone_surrogates(text)?).ok())
    }

    /// A string as it is written.
    fn string_text(&mut self) -> Option<&str> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        self.text.get(start..self.at)
    }

    /// A number, or one of the three words.
    fn scalar(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
        let token = &rest[..end.unwrap_or(rest.len())];
        self.at += token.len();
        if let Ok(value) = serde_json::from_str(token) {
            return Some(value);
        }
        // serde_json has two reasons to refuse: the grammar, which it also checks when it looks no further, and the size.
        serde_json::from_str::<serde::de::IgnoredAny>(token).ok()?;
        self.changes.numbers = true;
        Some(Value::Null)
    }

    /// A list or an object as its text.
    fn as_text(&mut self) -> Option<Value> {
        let start = self.at;
        let mut stream = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<serde::de::IgnoredAny>();
        stream.next()?.ok()?;
        let length = stream.byte_offset();
        self.at += length;
        self.changes.depth = true;
        Some(Value::String(self.text.get(start..start + length)?.to_owned()))
    }
}

/// Whether JavaScript takes a value for true in a condition.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Reads a field that says yes or no: authors in JavaScript also write other values there, by which a condition goes.
///
/// # Errors
/// When the field is no JSON value.
pub fn truthy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Value::deserialize(deserializer).map(|value| is_truthy(&value))
}

/// The text with every escaped surrogate that has no partner replaced, or `None` if there is none.
///
/// JavaScript strings may be cut in the middle of a character; JSON written from one then holds half of a
/// surrogate pair, which no Rust string can hold.
pub fn replace_lone_surrogates(text: &str) -> Option<String> {
    let escape = |at: usize| -> Option<u16> {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut repaired = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match escape(at) {
            Some(0xD800..=0xDBFF) if matches!(escape(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                repaired.push_str(&text[copied..at]);
                repaired.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // The backslash and what it escapes, so that a literal backslash before a `u` is no escape.
            _ => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&text[copied..]);
    Some(repaired)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Message;

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_nothing_else() {
        assert_eq!(replace_lone_surrogates(r#"{"a":"\ud83d\ude00 \\ud83d \n"}"#), None);
        assert_eq!(replace_lone_surrogates(r#""\ud83d""#).as_deref(), Some(r#""\ufffd""#));
        assert_eq!(
            replace_lone_surrogates(r#""\ude00\ud83d\ud83d\ude00x""#).as_deref(),
            Some(r#""\ufffd\ufffd\ud83d\ude00x""#)
        );
        assert_eq!(replace_lone_surrogates("\\"), None);
        assert_eq!(replace_lone_surrogates("\\\u{e9}\\ud8"), None);
    }

    #[test]
    fn what_javascript_reads_is_read() {
        let text = r#"{"a":1e400,"b":"\ud83d","a":[2,-1E999,123456789012345678901234567890],"c":{"d":{}}}"#;
        let (value, changes) = read_noting::<Value>(text).expect("JSON");
        assert_eq!(value, json!({"a": [2, null, 1.2345678901234568e29], "b": "\u{fffd}", "c": {"d": {}}}));
        assert_eq!(changes, Changes { numbers: true, depth: false });
        let twice = r#"{"role":"user","content":"first","timestamp":1,"content":"last"}"#;
        let message: Message = read(twice).expect("a message");
        assert_eq!(serde_json::to_value(&message).expect("JSON")["content"], "last");
    }

    #[test]
    fn depth_is_no_reason_to_refuse() {
        for depth in [1, 100, 127, 128, 129, 1000, MAX_DEPTH] {
            let (value, changes) = read_noting::<Value>(&nested(depth)).expect("JSON");
            let text = value.to_string();
            assert!(text == nested(depth) && !changes.depth, "{depth}");
            assert!(value.clone() == value, "copied and compared");
        }
        let depth = 100_000;
        let text = nested(depth);
        let value = value(&text).expect("JSON");
        let mut inner = &value;
        while let Value::Array(items) = inner {
            inner = &items[0];
        }
        assert!(*inner == json!(nested(depth - MAX_DEPTH)));
        let call = format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"1","name":"x","arguments":{{"a":{}}}}}]}}"#,
            nested(1500)
        );
        let message: Message = read(&call).expect("a message");
        let again = serde_json::to_string(&message.clone()).expect("JSON");
        assert!(again.contains(&nested(1500)));
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in
            [" ,", "[", "[1,]", "{\"a\"}", "{\"a\":1,}", "[1 2]", "1e", "01", "nul", "[\"\\x\"]", "\u{feff}1", "1 1"]
        {
            assert_eq!(value(text), None, "{text:?}");
            assert_eq!(value(&format!("{}{text}{}", "[".repeat(200), "]".repeat(200))), None, "{text:?}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
            "\\PC*".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("\\PC*", inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_reads_what_serde_json_reads(value in any_value()) {
            let text = serde_json::to_string_pretty(&value).expect("JSON");
            let ordinary: Value = serde_json::from_str(&text).expect("JSON");
            prop_assert_eq!(value_noting(&text), Some((ordinary, Changes::default())));
        }

        #[test]
        fn it_refuses_what_serde_json_refuses(text in "[\\[\\]{}:,\"0-9a-e.\\\\ -]{0,24}") {
            let ordinary: Option<Value> = serde_json::from_str(&text).ok();
            prop_assert_eq!(value_noting(&text).map(|(value, _)| value), ordinary);
        }
    }
}
