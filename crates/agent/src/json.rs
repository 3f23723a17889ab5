//! JSON, with the fields that are there twice.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// An entry as it is in the file.
pub(crate) fn entry_json(entry: &tau_session::Entry) -> Value {
    entry.to_value().map(Value::Object).unwrap_or_default()
}

/// Reads a text. Of a field that is there twice the last one is used, as everywhere; such fields come with the value, each
/// as the names that lead to it.
///
/// # Errors
/// When it is no JSON.
pub(crate) fn parse(text: &str) -> serde_json::Result<(Value, BTreeSet<Vec<String>>)> {
    let mut reading = Reading::default();
    let mut input = serde_json::Deserializer::from_str(text);
    let value = (&mut reading).deserialize(&mut input)?;
    input.end()?;
    Ok((value, reading.twice))
}

/// A value in which no object has a field twice. Programs differ in which of two they take, so a `deny` could be lost
/// behind an `allow`.
#[derive(Debug)]
pub(crate) struct Unique(pub(crate) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut reading = Reading::default();
        let value = (&mut reading).deserialize(deserializer)?;
        match reading.twice.first().and_then(|names| names.last()) {
            Some(name) => Err(D::Error::custom(format_args!("the field `{name}` is there twice"))),
            None => Ok(Self(value)),
        }
    }
}

/// A value that is being read.
#[derive(Default)]
struct Reading {
    /// The names around it; those of objects inside lists are not kept apart.
    names: Vec<String>,
    twice: BTreeSet<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for &mut Reading {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Reading {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(&mut *self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            self.names.push(name.clone());
            let value = entries.next_value_seed(&mut *self)?;
            if fields.contains_key(&name) {
                self.twice.insert(self.names.clone());
            }
            self.names.pop();
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map(".{0,4}", inner, 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn everything_else_is_read_as_usual(value in any_json()) {
            let Unique(read) = serde_json::from_str(&value.to_string()).expect("JSON");
            prop_assert_eq!(read, value);
        }
    }

    #[test]
    fn a_field_that_is_there_twice_is_an_error() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"{"b": [{"a": 1, "a": 2}]}"#] {
            let error = serde_json::from_str::<Unique>(text).expect_err("twice").to_string();
            assert!(error.starts_with("the field `a` is there twice"), "{error}");
        }
        let Unique(read) = serde_json::from_str(r#"{"a": {"a": 1}, "b": {"a": 2}}"#).expect("JSON");
        assert_eq!(read, json!({"a": {"a": 1}, "b": {"a": 2}}));
    }
}
