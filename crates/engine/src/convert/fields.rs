//! The fields of something that serialises as an object, without making all of it.

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};
use serde_json::{Error, Value};

/// Gets the fields of an object, one after another.
pub trait Each {
    /// The next field.
    ///
    /// # Errors
    /// What ends it.
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error>;
}

/// Gives `each` the fields of an object in their order. None of them is made for that.
///
/// # Errors
/// When the value does not serialise as an object, and those of `each`.
pub fn each_field<T: Serialize>(value: &T, each: &mut impl Each) -> Result<(), Error> {
    value.serialize(Fields { each, key: None })
}

/// The value of one field; `None` when there is none of that name.
///
/// # Errors
/// When the value does not serialise as an object, or the field does not serialise.
pub fn field<T: Serialize>(value: &T, name: &str) -> Result<Option<Value>, Error> {
    struct One<'a>(&'a str, Option<Value>);

    impl Each for One<'_> {
        fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
            if self.1.is_none() && name == self.0 {
                self.1 = Some(serde_json::to_value(value)?);
            }
            Ok(())
        }
    }

    let mut one = One(name, None);
    each_field(value, &mut one)?;
    Ok(one.1)
}

struct Fields<'a, E> {
    each: &'a mut E,
    key: Option<String>,
}

impl<E: Each> SerializeStruct for Fields<'_, E> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.each.field(key, value)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

impl<E: Each> SerializeMap for Fields<'_, E> {
    type Ok = ();
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
        self.each.field(&key, value)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
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

type Never = Impossible<(), Error>;

impl<'a, E: Each> Serializer for Fields<'a, E> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Fields<'a, E>;
    type SerializeStruct = Fields<'a, E>;
    type SerializeStructVariant = Never;

    no_object! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
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

    /// All fields, and their names as they came.
    #[derive(Default)]
    struct Found(tau_ai::JsonMap, Vec<String>);

    impl Each for Found {
        fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
            self.1.push(name.to_owned());
            self.0.insert(name.to_owned(), serde_json::to_value(value)?);
            Ok(())
        }
    }

    #[test]
    fn fields_are_those_of_the_json_form_in_its_order() {
        for json in [
            json!({ "role": "user", "content": "hi", "timestamp": 5, "mine": { "a": [1] } }),
            json!({ "role": "toolResult", "toolCallId": "t", "toolName": "read", "content": [], "isError": false, "timestamp": 1 }),
            json!({ "role": "nobody knows", "anything": null }),
        ] {
            let message: Message = serde_json::from_value(json).expect("a message");
            let Value::Object(all) = serde_json::to_value(&message).expect("JSON") else { panic!("an object") };
            let mut found = Found::default();
            each_field(&message, &mut found).expect("fields");
            assert_eq!(Value::Object(found.0), Value::Object(all.clone()));
            assert_eq!(found.1, all.keys().cloned().collect::<Vec<_>>());
            for (name, value) in &all {
                assert_eq!(field(&message, name).expect("a field"), Some(value.clone()));
            }
            assert_eq!(field(&message, "absent").expect("no field"), None);
        }
    }
}
