//! The fields of something that serialises as an object, without making all of it.

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};
use serde_json::{Error, Value};

/// A field and, where it was wanted, its value.
pub(crate) type Field = (String, Option<Value>);

/// The fields of an object in their order, with the values of those that `wanted` names.
///
/// # Errors
/// When it does not serialise as an object, or a wanted value does not serialise.
pub(crate) fn fields<T: Serialize>(value: &T, wanted: &[&str]) -> Result<Vec<Field>, Error> {
    value.serialize(Fields { wanted, found: Vec::new(), key: None })
}

/// The value of one field; `None` when there is none of that name.
///
/// # Errors
/// As [`fields`].
pub(crate) fn field<T: Serialize>(value: &T, name: &str) -> Result<Option<Value>, Error> {
    let found = fields(value, &[name])?;
    Ok(found.into_iter().find(|(found, _)| found == name).and_then(|(_, value)| value))
}

struct Fields<'a> {
    wanted: &'a [&'a str],
    found: Vec<Field>,
    key: Option<String>,
}

impl Fields<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), Error> {
        let value = match self.wanted.contains(&name.as_str()) {
            true => Some(serde_json::to_value(value)?),
            false => None,
        };
        self.found.push((name, value));
        Ok(())
    }
}

impl SerializeStruct for Fields<'_> {
    type Ok = Vec<Field>;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.add(key.to_owned(), value)
    }

    fn end(self) -> Result<Vec<Field>, Error> {
        Ok(self.found)
    }
}

impl SerializeMap for Fields<'_> {
    type Ok = Vec<Field>;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = match serde_json::to_value(key)? {
            Value::String(key) => Some(key),
            other => Some(other.to_string()),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = self.key.take().unwrap_or_default();
        self.add(key, value)
    }

    fn end(self) -> Result<Vec<Field>, Error> {
        Ok(self.found)
    }
}

/// Everything that is no object.
macro_rules! no_object {
    ($($name:ident($($arg:ty),*) -> $ok:ty;)*) => {
        $(fn $name(self, $(_: $arg),*) -> Result<$ok, Error> {
            Err(Error::custom("an object is needed"))
        })*
    };
}

type Never = Impossible<Vec<Field>, Error>;

impl<'a> Serializer for Fields<'a> {
    type Ok = Vec<Field>;
    type Error = Error;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Fields<'a>;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = Never;

    no_object! {
        serialize_bool(bool) -> Vec<Field>;
        serialize_i8(i8) -> Vec<Field>;
        serialize_i16(i16) -> Vec<Field>;
        serialize_i32(i32) -> Vec<Field>;
        serialize_i64(i64) -> Vec<Field>;
        serialize_u8(u8) -> Vec<Field>;
        serialize_u16(u16) -> Vec<Field>;
        serialize_u32(u32) -> Vec<Field>;
        serialize_u64(u64) -> Vec<Field>;
        serialize_f32(f32) -> Vec<Field>;
        serialize_f64(f64) -> Vec<Field>;
        serialize_char(char) -> Vec<Field>;
        serialize_str(&str) -> Vec<Field>;
        serialize_bytes(&[u8]) -> Vec<Field>;
        serialize_none() -> Vec<Field>;
        serialize_unit() -> Vec<Field>;
        serialize_unit_struct(&'static str) -> Vec<Field>;
        serialize_unit_variant(&'static str, u32, &'static str) -> Vec<Field>;
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<Field>, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Vec<Field>, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Vec<Field>, Error> {
        Err(Error::custom("an object is needed"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tau_ai::Message;

    use super::*;

    #[test]
    fn fields_are_those_of_the_json_form_in_its_order() {
        for json in [
            json!({ "role": "user", "content": "hi", "timestamp": 5, "mine": { "a": [1] } }),
            json!({ "role": "toolResult", "toolCallId": "t", "toolName": "read", "content": [], "isError": false, "timestamp": 1 }),
            json!({ "role": "nobody knows", "anything": null }),
        ] {
            let message: Message = serde_json::from_value(json).expect("a message");
            let Value::Object(all) = serde_json::to_value(&message).expect("JSON") else { panic!("an object") };
            let found = fields(&message, &["role", "timestamp"]).expect("fields");
            let expected: Vec<Field> = all
                .iter()
                .map(|(name, value)| {
                    (name.clone(), ["role", "timestamp"].contains(&name.as_str()).then(|| value.clone()))
                })
                .collect();
            assert_eq!(found, expected);
            for (name, value) in &all {
                assert_eq!(field(&message, name).expect("a field"), Some(value.clone()));
            }
            assert_eq!(field(&message, "absent").expect("no field"), None);
        }
    }
}
