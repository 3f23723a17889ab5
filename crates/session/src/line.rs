//! What loading reads of a line. The rest is only checked to be JSON.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::Paid;

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
    pub(crate) message: MessageHead<'a>,
    pub(crate) usage: UsageHead,
}

/// What is read of a message. Nothing, for a value that is no object.
#[derive(Debug, Default)]
pub(crate) struct MessageHead<'a> {
    pub(crate) role: Text<'a>,
    pub(crate) stop_reason: Text<'a>,
    pub(crate) usage: UsageHead,
    pub(crate) content: Calls,
}

/// What is read of tokens and money; `None` for a value that is no object.
#[derive(Debug, Default)]
pub(crate) struct UsageHead(pub(crate) Option<Paid>);

/// How many calls of tools are among the blocks of a content.
#[derive(Debug, Default)]
pub(crate) struct Calls(pub(crate) u32);

/// A number; zero for any other value.
#[derive(Debug, Default)]
struct Amount(f64);

/// The sum of a cost.
#[derive(Debug, Default)]
struct Total(f64);

/// The type of a block.
#[derive(Debug, Default)]
struct BlockType<'a>(Text<'a>);

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
    Message,
    Role,
    StopReason,
    Content,
    Usage,
    Input,
    Output,
    CacheRead,
    CacheWrite,
    Cost,
    Total,
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
                    "message" => Field::Message,
                    "role" => Field::Role,
                    "stopReason" => Field::StopReason,
                    "content" => Field::Content,
                    "usage" => Field::Usage,
                    "input" => Field::Input,
                    "output" => Field::Output,
                    "cacheRead" => Field::CacheRead,
                    "cacheWrite" => Field::CacheWrite,
                    "cost" => Field::Cost,
                    "total" => Field::Total,
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
                        Field::Message => {
                            found.message = map.next_value()?;
                            continue;
                        }
                        Field::Usage => {
                            found.usage = map.next_value()?;
                            continue;
                        }
                        _ => {
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

/// How a value of any type is read for what is wanted of it.
macro_rules! of_any_value {
    ($($name:ident $(<$life:lifetime>)?),*) => { $(
        impl<'de $(: $life, $life)?> Deserialize<'de> for $name $(<$life>)? {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(AnyValue(PhantomData))
            }
        }
    )* };
}

of_any_value!(Text<'a>, MessageHead<'a>, BlockType<'a>, UsageHead, Calls, Amount, Total);

/// Reads a value of any type, and what is wanted of it.
struct AnyValue<T>(PhantomData<T>);

/// What is wanted of a value. The default is nothing.
trait Wanted<'de>: Default {
    fn of_str(_text: Cow<'de, str>) -> Self {
        Self::default()
    }

    fn of_number(_number: f64) -> Self {
        Self::default()
    }

    fn of_map<M: MapAccess<'de>>(mut map: M) -> Result<Self, M::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn of_seq<S: SeqAccess<'de>>(mut seq: S) -> Result<Self, S::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl<'de> Wanted<'de> for Text<'de> {
    fn of_str(text: Cow<'de, str>) -> Self {
        Self(Some(text))
    }
}

impl<'de> Wanted<'de> for MessageHead<'de> {
    fn of_map<M: MapAccess<'de>>(mut map: M) -> Result<Self, M::Error> {
        let mut found = Self::default();
        while let Some(field) = map.next_key()? {
            match field {
                Field::Role => found.role = map.next_value()?,
                Field::StopReason => found.stop_reason = map.next_value()?,
                Field::Usage => found.usage = map.next_value()?,
                Field::Content => found.content = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

impl<'de> Wanted<'de> for UsageHead {
    fn of_map<M: MapAccess<'de>>(mut map: M) -> Result<Self, M::Error> {
        let mut found = Paid::default();
        while let Some(field) = map.next_key()? {
            let count = match field {
                Field::Input => &mut found.input,
                Field::Output => &mut found.output,
                Field::CacheRead => &mut found.cache_read,
                Field::CacheWrite => &mut found.cache_write,
                Field::Cost => {
                    found.cost = map.next_value::<Total>()?.0;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *count = map.next_value::<Amount>()?.0 as u64;
        }
        Ok(Self(Some(found)))
    }
}

impl<'de> Wanted<'de> for Total {
    fn of_map<M: MapAccess<'de>>(mut map: M) -> Result<Self, M::Error> {
        let mut found = Self::default();
        while let Some(field) = map.next_key()? {
            match field {
                Field::Total => found.0 = map.next_value::<Amount>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

impl Wanted<'_> for Amount {
    fn of_number(number: f64) -> Self {
        Self(number)
    }
}

impl<'de> Wanted<'de> for Calls {
    fn of_seq<S: SeqAccess<'de>>(mut seq: S) -> Result<Self, S::Error> {
        let mut found = Self::default();
        while let Some(BlockType(name)) = seq.next_element()? {
            found.0 += u32::from(name.as_deref() == Some("toolCall"));
        }
        Ok(found)
    }
}

impl<'de> Wanted<'de> for BlockType<'de> {
    fn of_map<M: MapAccess<'de>>(mut map: M) -> Result<Self, M::Error> {
        let mut found = Self::default();
        while let Some(field) = map.next_key()? {
            match field {
                Field::Type => found.0 = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

impl<'de, T: Wanted<'de>> Visitor<'de> for AnyValue<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<T, E> {
        Ok(T::of_str(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::of_str(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        Ok(T::of_number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        Ok(T::of_number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        Ok(T::of_number(number))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<T, S::Error> {
        T::of_seq(seq)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
        T::of_map(map)
    }
}
