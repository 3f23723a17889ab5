//! Reading and writing flat JSON objects without building values for the fields nobody asked for.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;
use tau_ai::JsonMap;

/// The fields of an object in their order, each as JSON text. A repeated key keeps its last value.
#[derive(Debug, Default)]
pub(crate) struct RawFields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> RawFields<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The text of a field.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, raw)| raw.get())
    }

    /// A string field, if it is one.
    pub(crate) fn str(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|raw| serde_json::from_str(raw).ok())
    }

    /// Takes a field away.
    pub(crate) fn remove(&mut self, key: &str) -> Option<&'a RawValue> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Takes a field that must be there.
    pub(crate) fn required<T: DeserializeOwned>(&mut self, key: &'static str) -> Result<T, serde_json::Error> {
        let raw = self.remove(key).ok_or_else(|| serde_json::Error::missing_field(key))?;
        serde_json::from_str(raw.get())
    }

    /// Takes a field that may be absent or null. One of another type stays where it is.
    pub(crate) fn optional<T: DeserializeOwned>(&mut self, key: &'static str) -> Result<Option<T>, serde_json::Error> {
        match self.get(key).map(serde_json::from_str) {
            Some(Ok(value)) => {
                self.remove(key);
                Ok(value)
            }
            Some(Err(_)) | None => Ok(None),
        }
    }

    /// Like [`Self::optional`], with a default.
    pub(crate) fn or_default<T: DeserializeOwned + Default>(
        &mut self,
        key: &'static str,
    ) -> Result<T, serde_json::Error> {
        Ok(self.optional(key)?.unwrap_or_default())
    }

    /// Takes a count; other programs may write it as a float.
    pub(crate) fn count(&mut self, key: &'static str) -> Result<u64, serde_json::Error> {
        let number: Option<Number> = self.optional(key)?;
        Ok(number.and_then(|n| n.as_u64().or_else(|| n.as_f64().map(|float| float as u64))).unwrap_or_default())
    }

    /// What is left, without the keys in `except`. A value that is nested too deeply to be built is left out.
    pub(crate) fn rest(self, except: &[&str]) -> JsonMap {
        let wanted = self.0.into_iter().filter(|(key, _)| !except.contains(&&**key));
        wanted.filter_map(|(key, raw)| Some((key.into_owned(), serde_json::from_str(raw.get()).ok()?))).collect()
    }

    /// The object as text again, with some values replaced or, where they were missing, added.
    pub(crate) fn with(&self, changes: &[(&str, Box<RawValue>)]) -> Result<String, serde_json::Error> {
        let mut object = ObjectWriter::new();
        for (key, raw) in &self.0 {
            match changes.iter().find(|(name, _)| name == key) {
                Some((_, value)) => object.field(key, value)?,
                None => object.field(key, raw)?,
            }
        }
        for (key, value) in changes.iter().filter(|(key, _)| self.get(key).is_none()) {
            object.field(key, value)?;
        }
        Ok(object.finish())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = RawFields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields: Vec<(Cow<'de, str>, &RawValue)> = Vec::new();
                while let Some((Key(key), raw)) = map.next_entry()? {
                    match fields.iter_mut().find(|(name, _)| *name == key) {
                        Some(field) => field.1 = raw,
                        None => fields.push((key, raw)),
                    }
                }
                Ok(RawFields(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Writes an object field by field, so that the order is the one asked for.
pub(crate) struct ObjectWriter(Vec<u8>);

impl ObjectWriter {
    pub(crate) fn new() -> Self {
        Self(vec![b'{'])
    }

    pub(crate) fn field(&mut self, key: &str, value: &(impl Serialize + ?Sized)) -> Result<(), serde_json::Error> {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, key)?;
        self.0.push(b':');
        serde_json::to_writer(&mut self.0, value)
    }

    /// Fields this version does not know, except those whose names are `taken`.
    pub(crate) fn extra(&mut self, extra: &JsonMap, taken: &[&str]) -> Result<(), serde_json::Error> {
        for (key, value) in extra.iter().filter(|(key, _)| !taken.contains(&key.as_str())) {
            self.field(key, value)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push(b'}');
        String::from_utf8(self.0).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// Parses `text` and, if that fails, what [`mend_surrogates`] makes of it.
pub(crate) fn mending<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, serde_json::Error>,
) -> Result<T, serde_json::Error> {
    parse(text).or_else(|error| match mend_surrogates(text) {
        Some(mended) => parse(&mended),
        None => Err(error),
    })
}

/// The text with every escaped surrogate that has no partner replaced, or `None` if there is none.
///
/// JavaScript strings may be cut in the middle of a character; JSON written from one then holds half of a
/// surrogate pair, which no Rust string can hold.
pub(crate) fn mend_surrogates(text: &str) -> Option<String> {
    let escape = |at: usize| -> Option<u16> {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match escape(at) {
            Some(0xD800..=0xDBFF) if matches!(escape(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&text[copied..at]);
                mended.push_str("\\ufffd");
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
    mended.push_str(&text[copied..]);
    Some(mended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_nothing_else() {
        assert_eq!(mend_surrogates(r#"{"a":"\ud83d\ude00 \\ud83d \n"}"#), None);
        assert_eq!(mend_surrogates(r#""\ud83d""#).as_deref(), Some(r#""\ufffd""#));
        assert_eq!(
            mend_surrogates(r#""\ude00\ud83d\ud83d\ude00x""#).as_deref(),
            Some(r#""\ufffd\ufffd\ud83d\ude00x""#)
        );
        assert_eq!(mend_surrogates("\\"), None);
        assert_eq!(mend_surrogates("\\\u{e9}\\ud8"), None);
    }

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    #[test]
    fn changed_fields_keep_their_place_and_the_others_their_text() {
        let fields = RawFields::parse(r#"{"a":1.0,"b":[ 1 ],"a":2e0}"#).expect("an object");
        let text = fields.with(&[("b", raw("null")), ("c", raw("true"))]).expect("text");
        assert_eq!(text, r#"{"a":2e0,"b":null,"c":true}"#);
    }
}
