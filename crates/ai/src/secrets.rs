//! Keys and tokens in what others say: providers like to quote the key that they refuse, and whatever they say may end in a
//! message, an event, a log or a session file.

use std::fmt;

use serde_json::Value;

use crate::{AssistantMessage, JsonMap};

/// What stands in the place of a secret.
const HIDDEN: &str = "…";

/// Shorter values are words that mean nothing, such as `none`: taking them out would tear texts apart.
const LEAST: usize = 6;

/// The same for the values of headers, most of which are no secrets.
const LEAST_OF_HEADER: usize = 8;

/// Parts of the names of settings that hold a secret.
const SECRET_NAMES: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];

/// What no text of a provider may quote, as it is or written as JSON or in an address.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Those of a credential in the form of `auth.json`, and of what is in it.
    pub fn of_credential(credential: &JsonMap) -> Self {
        let mut secrets = Self::default();
        for (_, value) in credential.iter().filter(|(name, _)| *name != "type") {
            match value {
                Value::String(text) => secrets.add(text),
                Value::Object(inner) => {
                    let inner = inner.iter().filter(|(name, _)| is_secret_name(name));
                    inner.filter_map(|(_, value)| value.as_str()).for_each(|text| secrets.add(text));
                }
                _ => {}
            }
        }
        secrets
    }

    /// Those of the configuration of a provider, or of the options of a request: `apiKey`, `headers` and `env`.
    pub fn of_config(config: &Value) -> Self {
        let mut secrets = Self::default();
        let headers = config.get("headers").and_then(Value::as_object);
        let headers = headers.into_iter().flat_map(JsonMap::values).filter_map(Value::as_str);
        headers.for_each(|value| secrets.add_header(value));
        let settings = config.get("env").and_then(Value::as_object).into_iter().flatten();
        let settings = settings.filter(|(name, _)| is_secret_name(name)).filter_map(|(_, value)| value.as_str());
        settings.for_each(|value| secrets.add(value));
        config.get("apiKey").and_then(Value::as_str).into_iter().for_each(|key| secrets.add(key));
        secrets
    }

    /// Adds all of others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        others.0.iter().for_each(|secret| self.add(secret));
        self
    }

    /// Adds a value.
    pub fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() >= LEAST && !self.0.iter().any(|known| known == value) {
            // The longest first: what it contains must not tear it apart.
            let place = self.0.partition_point(|known| known.len() >= value.len());
            self.0.insert(place, value.to_owned());
        }
    }

    /// Adds the values of settings that are called like secrets.
    pub(crate) fn add_settings<'s>(&mut self, settings: impl IntoIterator<Item = (&'s String, &'s String)>) {
        let secret = settings.into_iter().filter(|(name, _)| is_secret_name(name));
        secret.for_each(|(_, value)| self.add(value));
    }

    /// Leaves out a word that is no secret.
    pub(crate) fn leave_out(&mut self, word: &str) {
        self.0.retain(|secret| !secret.eq_ignore_ascii_case(word));
    }

    /// Adds the value of a header; of one that begins with a scheme, such as `Bearer`, what follows it.
    pub(crate) fn add_header(&mut self, value: &str) {
        let after_scheme = value.split_once(' ').map(|(_, rest)| rest.trim()).filter(|rest| !rest.contains(' '));
        let value = after_scheme.unwrap_or(value);
        if value.len() >= LEAST_OF_HEADER {
            self.add(value);
        }
    }

    /// A text without them.
    pub fn hide(&self, mut text: String) -> String {
        let is_escaped = text.contains(['\\', '%']);
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), HIDDEN);
            }
            if is_escaped && let Some(hidden) = without_escaped(&text, secret) {
                text = hidden;
            }
        }
        text
    }

    /// Takes them out of all texts of a value.
    pub fn hide_in(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            match value {
                Value::String(text) => *text = self.hide(std::mem::take(text)),
                Value::Array(values) => left.extend(values),
                Value::Object(fields) => {
                    // A name can be one, too.
                    *fields =
                        std::mem::take(fields).into_iter().map(|(name, value)| (self.hide(name), value)).collect();
                    left.extend(fields.values_mut());
                }
                _ => {}
            }
        }
    }

    /// Takes them out of what a provider says of an answer beside the answer itself.
    pub fn hide_in_answer(&self, answer: &mut AssistantMessage) {
        if let Some(text) = &mut answer.error_message {
            *text = self.hide(std::mem::take(text));
        }
        answer.extra.values_mut().for_each(|value| self.hide_in(value));
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// A text without a secret whose characters may be escaped; `None` when it is not there.
fn without_escaped(text: &str, secret: &str) -> Option<String> {
    let mut hidden = String::new();
    let (mut at, mut kept) = (0, 0);
    while at < text.len() {
        if let Some(end) = end_of(text, at, secret) {
            hidden.push_str(&text[kept..at]);
            hidden.push_str(HIDDEN);
            (at, kept) = (end, end);
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    (kept > 0).then(|| hidden + &text[kept..])
}

/// Where a secret ends that begins here, however each of its characters is written.
fn end_of(text: &str, at: usize, secret: &str) -> Option<usize> {
    let mut places = vec![at];
    for character in secret.chars() {
        let mut next = Vec::new();
        for place in places {
            written(text, place, character, |end| {
                if !next.contains(&end) {
                    next.push(end);
                }
            });
        }
        if next.is_empty() {
            return None;
        }
        places = next;
    }
    places.into_iter().max()
}

/// Tells every end of a character that is written here: as it is, as in JSON, once or more often, or as in an address.
fn written(text: &str, at: usize, character: char, mut ends: impl FnMut(usize)) {
    let rest = &text[at..];
    if rest.starts_with(character) {
        ends(at + character.len_utf8());
    }
    if rest.starts_with('%') {
        let mut utf8 = [0; 4];
        let bytes = character.encode_utf8(&mut utf8).as_bytes();
        let is_it = bytes.iter().enumerate().all(|(index, byte)| {
            let piece = rest.get(3 * index..3 * index + 3).and_then(|piece| piece.strip_prefix('%'));
            piece.and_then(|digits| u8::from_str_radix(digits, 16).ok()) == Some(*byte)
        });
        if is_it {
            ends(at + 3 * bytes.len());
        }
    }
    let slashes = slashes(rest);
    if slashes == 0 {
        return;
    }
    if character == '\\' {
        (2..=slashes).for_each(|length| ends(at + length));
    }
    let after = &rest[slashes..];
    let short = match character {
        '\n' => "n",
        '\r' => "r",
        '\t' => "t",
        '\u{8}' => "b",
        '\u{c}' => "f",
        '"' => "\"",
        '/' => "/",
        '\'' => "'",
        _ => "",
    };
    if !short.is_empty() && after.starts_with(short) {
        ends(at + slashes + 1);
    }
    let mut units = [0; 2];
    let mut length = 0;
    for unit in character.encode_utf16(&mut units) {
        let rest = &rest[length..];
        let slashes = self::slashes(rest);
        let digits = rest[slashes..].strip_prefix('u').and_then(|rest| rest.get(..4)).filter(|_| slashes > 0);
        if digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) != Some(*unit) {
            return;
        }
        length += slashes + 5;
    }
    ends(at + length);
}

fn slashes(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'\\').count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(all: &[&str]) -> Secrets {
        let mut secrets = Secrets::default();
        all.iter().for_each(|one| secrets.add(one));
        secrets
    }

    #[test]
    fn a_secret_is_hidden_however_it_is_written() {
        let secrets = secrets(&["sk-a/b+ü𝄞\"z"]);
        for text in [
            "sk-a/b+ü𝄞\"z",
            r#"sk-a\/b+ü𝄞\"z"#,
            r"\u0073\u006B-a/b+\u00fc\uD834\udd1e\u0022z",
            r"\\u0073k-a\\/b+\\u00FC\\ud834\\udd1e\\u0022z",
            "sk-a%2Fb%2b%C3%BC%F0%9D%84%9E%22z",
            "sk%2da/b+ü%f0%9d%84%9e\"z",
        ] {
            assert_eq!(secrets.hide(format!("key {text}!")), "key …!", "{text}");
        }
        for text in ["", "sk-a/b", r"\u", "%", r"\u00", "%zz", r"\\\", "sk-a%2", r"\ud834"] {
            assert_eq!(secrets.hide(text.to_owned()), text);
        }
    }

    #[test]
    fn a_secret_may_look_like_an_escape() {
        let secrets = secrets(&[r"%41\u0041\\x", "%%%%%%"]);
        assert_eq!(secrets.hide(r"a %41\u0041\\x b".to_owned()), "a … b");
        assert_eq!(secrets.hide(r"a %2541\\u0041\\\\x b".to_owned()), "a … b");
        assert_eq!(secrets.hide("%25%25%25%25%25%25".to_owned()), "…");
    }

    #[test]
    fn the_longest_comes_first_and_words_stay() {
        let secrets = secrets(&["abcdef", "none", "abcdefgh"]);
        assert_eq!(secrets.hide("abcdefgh, abcdef, none".to_owned()), "…, …, none");
        let mut value = json!({"a": ["abcdef", 1], "b": {"c abcdef": "x abcdefgh"}});
        secrets.hide_in(&mut value);
        assert_eq!(value, json!({"a": ["…", 1], "b": {"c …": "x …"}}));
        assert_eq!(format!("{secrets:?}"), "Secrets(2)");
    }
}
