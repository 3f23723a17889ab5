//! Reading and writing flat JSON objects without building values for the fields nobody asked for.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use tau_ai::JsonMap;
use tau_ai::json::{self, Changes};

/// The fields of an object in their order, each as JSON text. A repeated key keeps its last value.
#[derive(Debug, Default)]
pub(crate) struct RawFields<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
    /// What had to be changed in the values that were read so far.
    pub(crate) changes: Changes,
}

impl<'a> RawFields<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        // Fields are not looked into here, so it does not matter how deep they nest.
        serde_json::from_str(text)
    }

    /// The text of a field.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, raw)| raw.get())
    }

    /// A string field, if it is one.
    pub(crate) fn str(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|raw| json::read(raw).ok())
    }

    /// Takes a field away.
    pub(crate) fn remove(&mut self, key: &str) -> Option<&'a RawValue> {
        let at = self.fields.iter().position(|(name, _)| name == key)?;
        Some(self.fields.remove(at).1)
    }

    /// Takes a field that must be there.
    pub(crate) fn required<T: DeserializeOwned + Send>(&mut self, key: &'static str) -> Result<T, serde_json::Error> {
        let raw = self.remove(key).ok_or_else(|| serde_json::Error::missing_field(key))?;
        self.read(raw)
    }

    /// The value of a field, and a note of what had to be changed in it.
    fn read<T: DeserializeOwned + Send>(&mut self, raw: &RawValue) -> Result<T, serde_json::Error> {
        let (value, changes) = json::read_noting(raw.get())?;
        self.changes.numbers |= changes.numbers;
        self.changes.depth |= changes.depth;
        Ok(value)
    }

    /// Takes a field that may be absent or null. One of another type stays where it is.
    pub(crate) fn optional<T: DeserializeOwned + Send>(
        &mut self,
        key: &'static str,
    ) -> Result<Option<T>, serde_json::Error> {
        let raw = self.fields.iter().find(|(name, _)| name == key).map(|(_, raw)| *raw);
        match raw.map(|raw| self.read(raw)) {
            Some(Ok(value)) => {
                self.remove(key);
                Ok(value)
            }
            Some(Err(_)) | None => Ok(None),
        }
    }

    /// Like [`Self::optional`], with a default.
    pub(crate) fn or_default<T: DeserializeOwned + Default + Send>(
        &mut self,
        key: &'static str,
    ) -> Result<T, serde_json::Error> {
        Ok(self.optional(key)?.unwrap_or_default())
    }

    /// Takes a field that says yes or no; extensions also write other values there.
    pub(crate) fn truthy(&mut self, key: &'static str) -> Result<bool, serde_json::Error> {
        let value: Option<Value> = self.optional(key)?;
        Ok(value.as_ref().is_some_and(json::is_truthy))
    }

    /// Takes a count; other programs may write it as a float.
    pub(crate) fn count(&mut self, key: &'static str) -> Result<u64, serde_json::Error> {
        let number: Option<Number> = self.optional(key)?;
        Ok(number.and_then(|n| n.as_u64().or_else(|| n.as_f64().map(|float| float as u64))).unwrap_or_default())
    }

    /// What is left, without the keys in `except`.
    pub(crate) fn rest(&mut self, except: &[&str]) -> Result<JsonMap, serde_json::Error> {
        let left = std::mem::take(&mut self.fields).into_iter().filter(|(key, _)| !except.contains(&&**key));
        left.map(|(key, raw)| Ok((key.into_owned(), self.read(raw)?))).collect()
    }

    /// The object as text again, with some values replaced or, where they were missing, added.
    pub(crate) fn with(&self, changes: &[(&str, Box<RawValue>)]) -> Result<String, serde_json::Error> {
        let mut object = ObjectWriter::new();
        for (key, raw) in &self.fields {
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
                Ok(RawFields { fields, changes: Changes::default() })
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

/// Parses `text` and, if that fails, what [`json::replace_lone_surrogates`] makes of it: keys may be cut in the middle of a
/// character too.
pub(crate) fn mending<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, serde_json::Error>,
) -> Result<T, serde_json::Error> {
    parse(text).or_else(|error| match json::replace_lone_surrogates(text) {
        Some(fixed) => parse(&fixed),
        None => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
