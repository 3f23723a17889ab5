//! Reads JSON that is still arriving, or that a model got slightly wrong.

use serde_json::Value;

use crate::json;

/// What a piece of JSON text turned out to be.
#[derive(Debug, PartialEq)]
pub(crate) enum Parsed {
    /// The text is one whole JSON value, perhaps after mending string escapes.
    Whole(Value),
    /// The text stops early; this is what is certain so far.
    Cut(Value),
    /// The text breaks the grammar of JSON; this is what came before the break.
    Broken(Value),
}

/// The value of a piece of JSON text that may stop anywhere: open strings, arrays and objects are closed,
/// an unfinished key or literal is dropped. Text that is no JSON at all gives an empty object.
pub(crate) fn parse(text: &str) -> Value {
    match classify(text) {
        Parsed::Whole(value) | Parsed::Cut(value) | Parsed::Broken(value) => value,
    }
}

/// Like [`parse`], and tells how much of it was there.
pub(crate) fn classify(text: &str) -> Parsed {
    if let Ok(value) = serde_json::from_str(text) {
        return Parsed::Whole(value);
    }
    let mut scan = Scan::new(text);
    let end = scan.run();
    let value = scan.finish();
    match (end, value) {
        (End::Complete, Some(value)) => Parsed::Whole(value),
        (End::Early, Some(value)) => Parsed::Cut(value),
        (End::Early, None) => Parsed::Cut(empty()),
        (_, Some(value)) => Parsed::Broken(value),
        (_, None) => Parsed::Broken(empty()),
    }
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

#[derive(PartialEq)]
enum End {
    Complete,
    Early,
    Broken,
}

#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
    Nothing,
}

/// One pass over the text. `out` holds what was read, with string escapes corrected; `cut` is the longest
/// length of `out` that becomes valid JSON once the open containers are closed. Containers only open and
/// close at such points, so `open` always fits `cut`.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    out: String,
    cut: Option<usize>,
    cut_in_string: bool,
    open: Vec<u8>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, out: String::with_capacity(text.len()), cut: None, cut_in_string: false, open: Vec::new() }
    }

    fn mark(&mut self) {
        self.cut = Some(self.out.len());
        self.cut_in_string = false;
    }

    fn after_value(&mut self) -> Expect {
        self.mark();
        if self.open.is_empty() { Expect::Nothing } else { Expect::CommaOrClose }
    }

    fn run(&mut self) -> End {
        let mut expect = Expect::Value;
        let bytes = self.text.as_bytes();
        loop {
            let Some(&byte) = bytes.get(self.at) else {
                return if expect == Expect::Nothing { End::Complete } else { End::Early };
            };
            if byte.is_ascii_whitespace() {
                self.at += 1;
                continue;
            }
            let value_wanted = matches!(expect, Expect::Value | Expect::ValueOrClose);
            expect = match (byte, expect) {
                (b'{' | b'[', _) if value_wanted => {
                    self.take(byte);
                    self.open.push(byte);
                    self.mark();
                    if byte == b'{' { Expect::KeyOrClose } else { Expect::ValueOrClose }
                }
                (b'}', Expect::KeyOrClose | Expect::CommaOrClose) if self.open.last() == Some(&b'{') => {
                    self.close(byte)
                }
                (b']', Expect::ValueOrClose | Expect::CommaOrClose) if self.open.last() == Some(&b'[') => {
                    self.close(byte)
                }
                (b',', Expect::CommaOrClose) => {
                    self.take(byte);
                    if self.open.last() == Some(&b'{') { Expect::Key } else { Expect::Value }
                }
                (b':', Expect::Colon) => {
                    self.take(byte);
                    Expect::Value
                }
                (b'"', Expect::Key | Expect::KeyOrClose) => match self.string(false) {
                    End::Complete => Expect::Colon,
                    end => return end,
                },
                (b'"', _) if value_wanted => match self.string(true) {
                    End::Complete => self.after_value(),
                    end => return end,
                },
                (b'-' | b'0'..=b'9', _) if value_wanted => match self.number() {
                    End::Complete => self.after_value(),
                    end => return end,
                },
                (b't' | b'f' | b'n', _) if value_wanted => match self.literal() {
                    End::Complete => self.after_value(),
                    end => return end,
                },
                _ => return End::Broken,
            };
        }
    }

    fn take(&mut self, byte: u8) {
        self.out.push(char::from(byte));
        self.at += 1;
    }

    fn close(&mut self, byte: u8) -> Expect {
        self.take(byte);
        self.open.pop();
        self.after_value()
    }

    fn literal(&mut self) -> End {
        let rest = &self.text[self.at..];
        for word in ["true", "false", "null"] {
            if rest.starts_with(word) {
                self.out.push_str(word);
                self.at += word.len();
                return End::Complete;
            }
            if word.starts_with(rest) {
                return End::Early;
            }
        }
        End::Broken
    }

    fn number(&mut self) -> End {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|b| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')).count();
        let token = &rest[..length];
        let certain = token.trim_end_matches(['-', '+', '.', 'e', 'E']);
        let valid = serde_json::from_str::<serde_json::Number>(certain).is_ok();
        let at_end = length == rest.len();
        if !valid || (certain.len() < length && !at_end) {
            return if at_end && certain.is_empty() { End::Early } else { End::Broken };
        }
        self.out.push_str(certain);
        self.at += length;
        if certain.len() < length {
            self.mark();
            return End::Early;
        }
        End::Complete
    }

    /// Reads a string, mending raw control characters, unknown escapes and lone surrogates. While a value
    /// is read, every character is a point where the text may be cut.
    fn string(&mut self, is_value: bool) -> End {
        self.take(b'"');
        self.mark_string(is_value);
        loop {
            let rest = &self.text[self.at..];
            let Some(next) = rest.chars().next() else { return End::Early };
            match next {
                '"' => {
                    self.take(b'"');
                    return End::Complete;
                }
                '\\' => {
                    if let Some(end) = self.escape(rest) {
                        return end;
                    }
                }
                '\0'..='\x1f' => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(next)));
                    self.at += 1;
                }
                _ => {
                    let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
                    self.out.push_str(&rest[..plain]);
                    self.at += plain;
                }
            }
            self.mark_string(is_value);
        }
    }

    fn mark_string(&mut self, is_value: bool) {
        if is_value {
            self.cut = Some(self.out.len());
            self.cut_in_string = true;
        }
    }

    /// Reads the escape at the start of `rest`; `Some` when the text ends inside it.
    fn escape(&mut self, rest: &str) -> Option<End> {
        let Some(&kind) = rest.as_bytes().get(1) else { return Some(End::Early) };
        match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.out.push_str(&rest[..2]);
                self.at += 2;
            }
            b'u' => {
                let Some(unit) = hex_unit(rest) else {
                    if rest.len() < 6 && rest[2..].bytes().all(|b| b.is_ascii_hexdigit()) {
                        return Some(End::Early);
                    }
                    self.out.push_str("\\\\");
                    self.at += 1;
                    return None;
                };
                let after = &rest[6..];
                if (0xd800..0xdc00).contains(&unit) {
                    match hex_unit(after) {
                        Some(low) if (0xdc00..0xe000).contains(&low) => {
                            self.out.push_str(&rest[..12]);
                            self.at += 12;
                            return None;
                        }
                        None if after.len() < 6 && "\\u".starts_with(after.get(..2).unwrap_or(after)) => {
                            return Some(End::Early);
                        }
                        _ => {}
                    }
                }
                let lone = (0xd800..0xe000).contains(&unit);
                self.out.push_str(if lone { "\\ufffd" } else { &rest[..6] });
                self.at += 6;
            }
            _ => {
                self.out.push_str("\\\\");
                self.at += 1;
            }
        }
        None
    }

    fn finish(mut self) -> Option<Value> {
        self.out.truncate(self.cut?);
        if self.cut_in_string {
            self.out.push('"');
        }
        let closers = self.open.iter().rev().map(|open| if *open == b'{' { '}' } else { ']' });
        self.out.extend(closers);
        // Models nest without a limit too.
        json::value(&self.out)
    }
}

/// The UTF-16 unit of a `\uXXXX` at the start of `text`.
fn hex_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn unfinished_text_gives_what_is_certain() {
        for (text, value) in [
            (r#"{"a":1,"b":"x"}"#, json!({"a": 1, "b": "x"})),
            (r#"{"a":1,"b":"x"#, json!({"a": 1, "b": "x"})),
            (r#"{"a":1,"b":"#, json!({"a": 1})),
            (r#"{"a":1,"b"#, json!({"a": 1})),
            (r#"{"a":1,"#, json!({"a": 1})),
            (r#"{"a":[1,{"c":"d\"#, json!({"a": [1, {"c": "d"}]})),
            (r#"{"a":"x\u00e"#, json!({"a": "x"})),
            (r#"{"a":"x\ud83d"#, json!({"a": "x"})),
            (r#"{"a":"x\ud83d\ude0"#, json!({"a": "x"})),
            (r#"{"a":tr"#, json!({})),
            (r#"{"a":-"#, json!({})),
            (r#"{"a":1.5e"#, json!({"a": 1.5})),
            (r#"{"a":12"#, json!({"a": 12})),
            (r#"[1,[2,"#, json!([1, [2]])),
            ("", json!({})),
            ("nonsense", json!({})),
        ] {
            assert_eq!(parse(text), value, "{text}");
        }
    }

    #[test]
    fn small_mistakes_of_models_are_corrected() {
        for (text, value) in [
            ("{\"a\":\"two\nlines\t\"}", json!({"a": "two\nlines\t"})),
            (r#"{"a":"C:\dir \d+"}"#, json!({"a": "C:\\dir \\d+"})),
            (r#"{"a":"\ud83d!","b":"\ude00"}"#, json!({"a": "\u{fffd}!", "b": "\u{fffd}"})),
            (r#"{"a":"\uzzzz"}"#, json!({"a": "\\uzzzz"})),
        ] {
            assert_eq!(classify(text), Parsed::Whole(value), "{text}");
        }
    }

    #[test]
    fn whole_cut_and_broken_text_are_told_apart() {
        for (text, parsed) in [
            (r#" {"a":1} "#, Parsed::Whole(json!({"a": 1}))),
            (r#"{"a":1"#, Parsed::Cut(json!({"a": 1}))),
            ("", Parsed::Cut(json!({}))),
            (r#"{"a":1]"#, Parsed::Broken(json!({"a": 1}))),
            (r#"{"a":1} {"b":2}"#, Parsed::Broken(json!({"a": 1}))),
            (r#"{"a":1.2.3}"#, Parsed::Broken(json!({}))),
            ("nonsense", Parsed::Broken(json!({}))),
        ] {
            assert_eq!(classify(text), parsed, "{text}");
        }
    }

    #[test]
    fn long_text_that_breaks_at_its_end_is_read_once() {
        // Quadratic work would take minutes here.
        let text = format!("{{\"a\":[{}\"b\" x", "\"v\",".repeat(400_000));
        assert_eq!(parse(&text)["a"].as_array().map(Vec::len), Some(400_001));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Whether `part` is a beginning of `whole`.
    fn begins(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, value)| whole.get(key).is_some_and(|other| begins(value, other)))
            }
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| begins(part, whole))
            }
            (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
            (Value::Number(part), Value::Number(whole)) => whole.to_string().starts_with(&part.to_string()),
            _ => part == whole,
        }
    }

    proptest! {
        #[test]
        fn every_beginning_of_an_object_gives_a_beginning_of_its_value(value in any_json(), cut in any::<prop::sample::Index>()) {
            let whole = json!({"v": value});
            let text = whole.to_string();
            let mut at = cut.index(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            prop_assert!(begins(&parse(&text[..at]), &whole));
            prop_assert_eq!(parse(&text), whole);
        }

        #[test]
        fn any_text_is_survived(text in any::<String>(), jsonish in r#"[\{\}\[\]",:\\u0-9a-f tn.e-]{0,40}"#) {
            parse(&text);
            parse(&jsonish);
        }
    }
}
