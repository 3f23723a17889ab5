//! What a line is about that cannot be read as a whole: too long, cut off, or broken somewhere. Only the members of the
//! outermost object count, and memory does not grow with the line.

use serde_json::Value;

/// The longest id or type that is noticed, in bytes.
const LONGEST: usize = 1024;

/// What is known of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// Its `id`: a text or a number.
    pub id: Option<Value>,
    /// Its `type`.
    pub kind: Option<String>,
}

impl About {
    /// Looks at a line.
    pub fn line(line: &[u8]) -> Self {
        let mut scanner = Scanner::default();
        scanner.feed(line);
        scanner.finish()
    }
}

/// Reads along.
#[derive(Debug, Default)]
pub struct Scanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    at: At,
    /// Of a key, or of a value that is wanted.
    token: Option<Vec<u8>>,
    wanted: Option<Wanted>,
    about: About,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum At {
    #[default]
    Key,
    Colon,
    Value,
    Comma,
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    Id,
    Kind,
}

impl Scanner {
    /// Takes a piece of the line.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if self.in_string && !self.escaped && self.token.is_none() {
                // The inside of a text that nobody wants: most of a long line.
                let end = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\'));
                let Some(end) = end else { return };
                self.byte(bytes[end]);
                bytes = &bytes[end + 1..];
            } else {
                self.byte(byte);
                bytes = rest;
            }
        }
    }

    /// What was found.
    pub fn finish(mut self) -> About {
        self.end_of_value();
        self.about
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            self.collect(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_string = false;
                    match self.at {
                        At::Key if self.depth == 1 => self.end_of_key(),
                        At::Value if self.depth == 1 => {
                            self.end_of_value();
                            self.at = At::Comma;
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.depth == 1 && (self.at == At::Key || self.at == At::Value && self.wanted.is_some()) {
                    self.token = Some(vec![byte]);
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                if self.depth == 1 {
                    // What is no object has no members.
                    self.at = if byte == b'{' { At::Key } else { At::Comma };
                }
                self.token = None;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_of_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            _ if self.depth != 1 => {}
            b':' if self.at == At::Colon => self.at = At::Value,
            b',' if matches!(self.at, At::Value | At::Comma) => {
                self.end_of_value();
                self.at = At::Key;
            }
            _ if byte.is_ascii_whitespace() => {}
            _ if self.at == At::Value && self.wanted.is_some() => {
                self.token.get_or_insert_default();
                self.collect(byte);
            }
            _ => {}
        }
    }

    fn collect(&mut self, byte: u8) {
        if let Some(token) = self.token.as_mut() {
            token.push(byte);
        }
        if self.token.as_ref().is_some_and(|token| token.len() > LONGEST) {
            self.token = None;
        }
    }

    fn end_of_key(&mut self) {
        let key = self.token.take().and_then(|token| serde_json::from_slice::<String>(&token).ok());
        self.wanted = match key.as_deref() {
            Some("id") => Some(Wanted::Id),
            Some("type") => Some(Wanted::Kind),
            _ => None,
        };
        self.at = At::Colon;
    }

    fn end_of_value(&mut self) {
        let value = self.token.take().and_then(|token| serde_json::from_slice::<Value>(&token).ok());
        match (self.wanted.take(), value) {
            (Some(Wanted::Id), Some(id @ (Value::String(_) | Value::Number(_)))) => self.about.id = Some(id),
            (Some(Wanted::Kind), Some(Value::String(kind))) => self.about.kind = Some(kind),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn about(id: Value, kind: &str) -> About {
        About { id: Some(id).filter(|id| !id.is_null()), kind: Some(kind.to_owned()).filter(|kind| !kind.is_empty()) }
    }

    #[test]
    fn broken_lines_are_known_by_what_can_be_read() {
        for (line, wanted) in [
            (r#"{"id":"a","type":"prompt","message":"#, about(json!("a"), "prompt")),
            (r#"{ "message" : {"id":"no"}, "type":"x", "id" : 12 "#, about(json!(12), "x")),
            (r#"{"message":"\"id\":\"no\"","id":"y\"z"}"#, about(json!("y\"z"), "")),
            (r#"{"id":["a"],"type":null}"#, about(json!(null), "")),
            (r#"[{"id":"a"}]"#, about(json!(null), "")),
            (r#"["id","a"]"#, about(json!(null), "")),
            (r#"{"id":"a" nonsense "type":"b"}"#, about(json!("a"), "")),
            (r#""id""#, about(json!(null), "")),
            (r#"{"id":"a","id":"b"}"#, about(json!("b"), "")),
            (r#"{"id":"a"#, about(json!(null), "")),
        ] {
            assert_eq!(About::line(line.as_bytes()), wanted, "{line}");
        }
        let mut line = b"{\"id\":\"a\",\"message\":\"".to_vec();
        line.extend([0xff, 0xfe, 0xc3]);
        line.extend(b"\",\"type\":\"prompt\"}");
        assert_eq!(About::line(&line), about(json!("a"), "prompt"));
        let long = format!("{{\"id\":\"{}\"}}", "x".repeat(LONGEST));
        assert_eq!(About::line(long.as_bytes()), About::default());
    }

    proptest! {
        #[test]
        fn what_is_whole_is_found_wherever_it_stands(
            id in "\\PC{0,20}", kind in "[a-z_]{1,20}", text in "\\PC{0,40}", n in any::<i64>(), order in 0_usize..3
        ) {
            let mut members = [json!({"id": id}), json!({"type": kind}), json!({"more": {"id": n, "t": [text]}})];
            members.rotate_left(order);
            let parts: Vec<String> = members.iter().map(|part| part.to_string()).collect();
            let line = parts.join("").replace("}{", ",");
            prop_assume!(serde_json::from_str::<Value>(&line).is_ok_and(|value| value["id"] == json!(id)));
            prop_assert_eq!(About::line(line.as_bytes()), about(json!(id), &kind));
        }

        #[test]
        fn nothing_breaks_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            About::line(&bytes);
        }
    }
}
