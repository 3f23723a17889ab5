//! Reads objects that say what they are in one of their fields.
//!
//! The derived way to do this buffers the whole object before it looks at the tag, which makes opening a long session
//! several times slower. Messages and blocks are nearly always written with their tag first, and then nothing needs
//! to be buffered.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::JsonMap;

/// A type with one variant per tag, and one for tags nobody knows.
pub(crate) trait Tagged: Sized {
    /// The field with the tag.
    const TAG: &'static str;

    /// Reads the variant of a tag from the other fields.
    fn read<'de, A: MapAccess<'de>>(tag: &str, rest: A) -> Result<Read<Self, A>, A::Error>;

    /// Keeps an object with an unknown tag, or none.
    fn other(fields: JsonMap) -> Self;
}

/// What a tag gives.
pub(crate) enum Read<T, A> {
    /// The variant, from all other fields.
    Known(T),
    /// Nobody knows the tag: the other fields are still to be read.
    Unknown(A),
}

pub(crate) fn deserialize<'de, T: Tagged, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Tagged> Visitor<'de> for Reader<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object with a field `{}`", T::TAG)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
            let mut fields = JsonMap::new();
            match map.next_key::<Cow<'_, str>>()? {
                Some(key) if key == T::TAG => {
                    let tag: Value = map.next_value()?;
                    let known = tag.as_str().unwrap_or_default().to_owned();
                    fields.insert(T::TAG.to_owned(), tag);
                    match T::read(&known, map)? {
                        Read::Known(value) => return Ok(value),
                        Read::Unknown(rest) => map = rest,
                    }
                }
                Some(key) => {
                    let value = map.next_value()?;
                    fields.insert(key.into_owned(), value);
                }
                None => {}
            }
            while let Some((key, value)) = map.next_entry::<String, Value>()? {
                fields.insert(key, value);
            }
            let Some(tag) = fields.get(T::TAG).and_then(Value::as_str).map(str::to_owned) else {
                return Ok(T::other(fields));
            };
            let mut rest = fields.clone();
            rest.shift_remove(T::TAG);
            let rest = de::value::MapDeserializer::new(rest.into_iter());
            match T::read(&tag, rest).map_err(de::Error::custom::<serde_json::Error>)? {
                Read::Known(value) => Ok(value),
                Read::Unknown(_) => Ok(T::other(fields)),
            }
        }
    }

    deserializer.deserialize_map(Reader(PhantomData))
}

/// Reads a struct from the fields of an object.
pub(crate) fn fields<'de, T: DeserializeOwned, A: MapAccess<'de>>(rest: A) -> Result<T, A::Error> {
    T::deserialize(MapAccessDeserializer::new(rest))
}

/// Implements reading for an enum whose variants each hold a struct.
macro_rules! tagged {
    ($type:ident by $field:literal { $($tag:literal => $variant:ident,)* }) => {
        impl crate::tagged::Tagged for $type {
            const TAG: &'static str = $field;

            fn read<'de, A: serde::de::MapAccess<'de>>(
                tag: &str,
                rest: A,
            ) -> Result<crate::tagged::Read<Self, A>, A::Error> {
                use crate::tagged::Read;

                Ok(match tag {
                    $($tag => Read::Known(Self::$variant(crate::tagged::fields(rest)?)),)*
                    _ => Read::Unknown(rest),
                })
            }

            fn other(fields: crate::JsonMap) -> Self {
                Self::Other(fields)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::tagged::deserialize(deserializer)
            }
        }
    };
}

pub(crate) use tagged;

#[cfg(test)]
mod tests {
    use crate::{ContentBlock, Message};
    use serde_json::json;

    #[test]
    fn the_place_of_the_tag_does_not_matter() {
        let first: Message =
            serde_json::from_str(r#"{"role":"user","content":"x","timestamp":1,"new":[1]}"#).expect("read");
        let last: Message =
            serde_json::from_str(r#"{"content":"x","timestamp":1,"new":[1],"role":"user"}"#).expect("read");
        assert_eq!(first, last);
        assert_eq!(
            serde_json::to_value(&first).expect("json"),
            json!({"role": "user", "content": "x", "timestamp": 1, "new": [1]})
        );
    }

    #[test]
    fn what_nobody_knows_is_kept() {
        for text in
            [r#"{"type":"hologram","rays":[1,2]}"#, r#"{"rays":1,"type":"hologram"}"#, r#"{"rays":1}"#, r#"{"type":7}"#]
        {
            let block: ContentBlock = serde_json::from_str(text).expect("read");
            assert!(matches!(block, ContentBlock::Other(_)), "{text}");
            assert_eq!(serde_json::to_string(&block).expect("json"), text);
        }
    }

    #[test]
    fn a_known_tag_with_wrong_fields_is_an_error_that_names_them() {
        let error = serde_json::from_value::<ContentBlock>(json!({"type": "text"})).expect_err("no text");
        assert_eq!(error.to_string(), "missing field `text`");
    }
}
