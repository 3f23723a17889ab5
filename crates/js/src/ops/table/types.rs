//! What the types of parameters and results are in TypeScript.

use std::marker::PhantomData;

use rquickjs::{Ctx, IntoJs, Value};

#[cfg(test)]
use super::Signature;
use crate::ops::{Bytes, Charged, Json, List, Text};

/// Which way a value crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(test), expect(dead_code, reason = "declarations are written by a test"))]
pub(crate) enum Direction {
    /// From JavaScript.
    In,
    /// To JavaScript.
    Out,
}

/// A type that crosses.
pub(crate) trait Type {
    /// The type in TypeScript.
    #[cfg(test)]
    fn write(direction: Direction, signature: &mut Signature) -> String;
}

/// Says what a type is in TypeScript, by a text; two texts when it accepts another type than it gives.
macro_rules! typed {
    ($($type:ty = $text:literal $(, out $out:literal)?;)*) => {$(
        impl $crate::ops::table::Type for $type {
            #[cfg(test)]
            fn write(direction: $crate::ops::table::Direction, _: &mut $crate::ops::table::Signature) -> String {
                let texts = [$text $(, $out)?];
                let place = if direction == $crate::ops::table::Direction::Out { texts.len() - 1 } else { 0 };
                texts[place].to_owned()
            }
        }
    )*};
}
pub(crate) use typed;

typed! {
    String = "string";
    &str = "string";
    Text = "string";
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
    Json = "unknown", out "any";
    Value<'_> = "unknown", out "any";
    rquickjs::Object<'_> = "object", out "any";
    rquickjs::Array<'_> = "readonly unknown[]", out "any[]";
    rquickjs::Function<'_> = "Function", out "(...args: any[]) => any";
}

impl<T: Type> Type for Option<T> {
    #[cfg(test)]
    fn write(direction: Direction, signature: &mut Signature) -> String {
        let text = T::write(direction, signature);
        match direction {
            Direction::In => format!("{text} | null | undefined"),
            Direction::Out => format!("{text} | undefined"),
        }
    }
}

/// The type of a list.
#[cfg(test)]
fn list_of<T: Type>(direction: Direction, signature: &mut Signature) -> String {
    let text = T::write(direction, signature);
    let text = if text.contains([' ', '{']) { format!("({text})") } else { text };
    match direction {
        Direction::In => format!("readonly {text}[]"),
        Direction::Out => format!("{text}[]"),
    }
}

impl<T: Type> Type for Vec<T> {
    #[cfg(test)]
    fn write(direction: Direction, signature: &mut Signature) -> String {
        list_of::<T>(direction, signature)
    }
}

impl<T: Type> Type for List<T> {
    #[cfg(test)]
    fn write(direction: Direction, signature: &mut Signature) -> String {
        list_of::<T>(direction, signature)
    }
}

impl<T: Type> Type for Charged<T> {
    #[cfg(test)]
    fn write(direction: Direction, signature: &mut Signature) -> String {
        T::write(direction, signature)
    }
}

/// A promise of a `T`, as [`OpHost::spawn`](crate::ops::OpHost::spawn) makes it.
pub(crate) struct Promised<'js, T>(Value<'js>, PhantomData<T>);

impl<'js, T> Promised<'js, T> {
    /// A promise whose result is converted from a `T`.
    pub(crate) fn new(promise: Value<'js>) -> Self {
        Self(promise, PhantomData)
    }
}

impl<'js, T> IntoJs<'js> for Promised<'js, T> {
    fn into_js(self, _: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        Ok(self.0)
    }
}

impl<T: Type> Type for Promised<'_, T> {
    #[cfg(test)]
    fn write(direction: Direction, signature: &mut Signature) -> String {
        format!("Promise<{}>", T::write(direction, signature))
    }
}
