//! What loading reads of a line. The rest is only checked to be JSON.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The fields of an entry that the tree is built from, borrowed from the line.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) kind: Text<'a>,
    pub(crate) id: Text<'a>,
    pub(crate) parent_id: Text<'a>,
    pub(crate) timestamp: Text<'a>,
    pub(crate) custom_type: Text<'a>,
    pub(crate) target_id: Text<'a>,
    pub(crate) label: Text<'a>,
    pub(crate) name: Text<'a>,
}

/// A string, or `None` for a value of any other type: unknown kinds of entries may use these names otherwise.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl Text<'_> {
    pub(crate) fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

enum Field {
    Type,
    Id,
    ParentId,
    Timestamp,
    CustomType,
    TargetId,
    Label,
    Name,
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;

        impl Visitor<'_> for Names {
            type Value = Field;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Field, E> {
                Ok(match name {
                    "type" => Field::Type,
                    "id" => Field::Id,
                    "parentId" => Field::ParentId,
                    "timestamp" => Field::Timestamp,
                    "customType" => Field::CustomType,
                    "targetId" => Field::TargetId,
                    "label" => Field::Label,
                    "name" => Field::Name,
                    _ => Field::Other,
                })
            }
        }

        deserializer.deserialize_identifier(Names)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut found = Envelope::default();
                while let Some(field) = map.next_key()? {
                    let slot = match field {
                        Field::Type => &mut found.kind,
                        Field::Id => &mut found.id,
                        Field::ParentId => &mut found.parent_id,
                        Field::Timestamp => &mut found.timestamp,
                        Field::CustomType => &mut found.custom_type,
                        Field::TargetId => &mut found.target_id,
                        Field::Label => &mut found.label,
                        Field::Name => &mut found.name,
                        Field::Other => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *slot = map.next_value()?;
                }
                Ok(found)
            }
        }

        deserializer.deserialize_map(Object)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl<'de> Visitor<'de> for AnyValue {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Text(None))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Text(None))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Text(None))
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Text(None))
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Text(None))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Text(None))
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Text(None))
            }
        }

        deserializer.deserialize_any(AnyValue)
    }
}
