//! What the types of parameters and results are in TypeScript.

use std::marker::PhantomData;

use rquickjs::{Ctx, FromJs, IntoJs, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::signature::Signature;
use crate::ops::{Bytes, Charged, Json, List, OpError, OrNull, Pair, Promised, Text, Words};

/// Which way a value crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From JavaScript.
    In,
    /// To JavaScript.
    Out,
}

/// A type that crosses.
pub trait Type {
    /// The type in TypeScript.
    fn write(direction: Direction, signature: &mut Signature) -> String;
}

/// Says what a type is in TypeScript, by a text; two texts when it accepts another type than it gives.
#[macro_export]
#[doc(hidden)]
macro_rules! __typed {
    ($($type:ty = $text:literal $(, out $out:literal)?;)*) => {$(
        impl $crate::ops::table::Type for $type {
            fn write(direction: $crate::ops::table::Direction, _: &mut $crate::ops::table::Signature) -> String {
                let texts = [$text $(, $out)?];
                let place = if direction == $crate::ops::table::Direction::Out { texts.len() - 1 } else { 0 };
                texts[place].to_owned()
            }
        }
    )*};
}
pub use crate::__typed as typed;

typed! {
    String = "string";
    &str = "string";
    Text = "string";
    Words = "string | null | undefined";
    rquickjs::String<'_> = "string";
    bool = "boolean";
    f64 = "number";
    u16 = "number";
    i32 = "number";
    u32 = "number";
    u64 = "number";
    usize = "number";
    () = "unknown", out "void";
    Bytes = "Uint8Array | ArrayBuffer | string", out "Uint8Array";
    Json = "unknown";
    serde_json::Value = "unknown";
    Value<'_> = "unknown";
    rquickjs::Object<'_> = "object";
    rquickjs::Array<'_> = "readonly unknown[]", out "unknown[]";
    rquickjs::Function<'_> = "Function";
}

impl<T: Type> Type for Option<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        let text = T::write(direction, signature);
        match direction {
            Direction::In => format!("{text} | null | undefined"),
            Direction::Out => format!("{text} | undefined"),
        }
    }
}

/// The type of a list.
fn list_of<T: Type>(direction: Direction, signature: &mut Signature) -> String {
    let text = T::write(direction, signature);
    let text = if text.contains([' ', '{']) { format!("({text})") } else { text };
    match direction {
        Direction::In => format!("readonly {text}[]"),
        Direction::Out => format!("{text}[]"),
    }
}

impl<T: Type> Type for Vec<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        list_of::<T>(direction, signature)
    }
}

impl<T: Type> Type for List<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        list_of::<T>(direction, signature)
    }
}

impl<T: Type> Type for OrNull<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        format!("{} | null", T::write(direction, signature))
    }
}

impl<A: Type, B: Type> Type for Pair<A, B> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        format!("[{}, {}]", A::write(direction, signature), B::write(direction, signature))
    }
}

impl<T: Type> Type for Charged<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        T::write(direction, signature)
    }
}

impl<T: Type> Type for Promised<'_, T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        format!("Promise<{}>", T::write(direction, signature))
    }
}

/// A record: plain data on the other side, with the fields that [`record!`] lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Typed<T>(pub T);

impl<'js, T: Serialize> IntoJs<'js> for Typed<T> {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let json = serde_json::to_value(self.0).map_err(|error| OpError::message(error.to_string()).throw(ctx))?;
        Json(json).into_js(ctx)
    }
}

impl<'js, T: DeserializeOwned> FromJs<'js> for Typed<T> {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        let Json(json) = Json::from_js(ctx, value)?;
        let read = serde_json::from_value(json);
        read.map(Self).map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(ctx))
    }
}

impl<T: Type> Type for Typed<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        T::write(direction, signature)
    }
}

/// A record that is read later, so that its reader says what is wrong with it.
pub struct Unread<T>(serde_json::Value, PhantomData<T>);

impl<T: DeserializeOwned> Unread<T> {
    /// The record.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(self) -> serde_json::Result<T> {
        serde_json::from_value(self.0)
    }
}

impl<'js, T> FromJs<'js> for Unread<T> {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        Json::from_js(ctx, value).map(|json| Self(json.0, PhantomData))
    }
}

impl<T: Type> Type for Unread<T> {
    fn write(direction: Direction, signature: &mut Signature) -> String {
        T::write(direction, signature)
    }
}

/// Makes a struct that crosses as plain data, with a type in TypeScript made of the types of its fields. Their names are
/// in camel case there.
#[macro_export]
#[doc(hidden)]
macro_rules! __record {
    ($($(#[$attribute:meta])* $visibility:vis struct $name:ident {
        $($(#[$about:meta])* $field_visibility:vis $field:ident: $type:ty),* $(,)?
    })*) => {$(
        $(#[$attribute])*
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        $visibility struct $name { $($(#[$about])* $field_visibility $field: $type),* }

        impl $crate::ops::table::Type for $name {
            fn write(
                direction: $crate::ops::table::Direction,
                signature: &mut $crate::ops::table::Signature,
            ) -> String {
                let fields = [$((stringify!($field), <$type as $crate::ops::table::Type>::write(direction, signature))),*];
                $crate::ops::table::record_of(direction, &fields)
            }
        }
    )*};
}
pub use crate::__record as record;

/// The type of a record. Of a field that may be missing JSON says `null` on the way to JavaScript.
pub fn record_of(direction: Direction, fields: &[(&str, String)]) -> String {
    let field = |(name, text): &(&str, String)| {
        let mut words = name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        let name = words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..]);
        match (direction, text.strip_suffix(" | undefined")) {
            (Direction::In, Some(_)) => format!("{name}?: {text}"),
            (Direction::Out, Some(there)) => format!("{name}: {there} | null"),
            (_, None) => format!("{name}: {text}"),
        }
    };
    format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join("; "))
}
