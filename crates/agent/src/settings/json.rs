//! Settings as JSON, with the keys that are there twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::key::KeyPath;

/// Reads a text; of a key that is there twice the last one is used, as everywhere.
///
/// # Errors
/// When it is no JSON.
pub(super) fn parse(text: &str) -> serde_json::Result<(Value, Vec<KeyPath>)> {
    let mut reading = Reading::default();
    let mut input = serde_json::Deserializer::from_str(text);
    let value = (&mut reading).deserialize(&mut input)?;
    input.end()?;
    Ok((value, reading.twice))
}

/// A value that is being read.
#[derive(Default)]
struct Reading {
    /// The names around it; those of objects inside lists are not kept apart.
    names: Vec<String>,
    twice: Vec<KeyPath>,
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
                let key = KeyPath::of(self.names.iter());
                if !self.twice.contains(&key) {
                    self.twice.push(key);
                }
            }
            self.names.pop();
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
