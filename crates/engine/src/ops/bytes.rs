//! How values cross between ops and JavaScript.

use rquickjs::{ArrayBuffer, Ctx, Error, FromJs, IntoJs, Result, TypedArray, Value};

use super::Account;
use crate::convert::Asked;

/// Bytes: a `Uint8Array` on the other side. Copied both ways, so nothing aliases the engine's memory, and what JavaScript
/// holds lies in its own heap, which has a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let bytes = Self::read(ctx, value)?;
        Account::add_argument(ctx, bytes.0.len());
        Ok(bytes)
    }
}

impl Bytes {
    fn read<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if let Ok(array) = TypedArray::<u8>::from_js(ctx, value.clone()) {
            return crate::raw::bytes_of(&array).map(Bytes).ok_or(Error::new_from_js("detached buffer", "Uint8Array"));
        }
        if let Some(buffer) = ArrayBuffer::from_value(value.clone()) {
            let array = TypedArray::<u8>::from_arraybuffer(buffer)?;
            return crate::raw::bytes_of(&array).map(Bytes).ok_or(Error::new_from_js("detached buffer", "Uint8Array"));
        }
        if let Some(text) = value.as_string() {
            return Ok(Bytes(text.to_string()?.into_bytes()));
        }
        Err(Error::new_from_js(value.type_name(), "Uint8Array"))
    }
}

impl<'js> IntoJs<'js> for Bytes {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        Ok(TypedArray::<u8>::new_copy(ctx.clone(), &self.0)?.into_value())
    }
}

/// A JSON value: plain data on the other side; what comes back is read as `JSON.stringify` would, but for a `toJSON` that
/// somebody gave to all objects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Json(pub serde_json::Value);

impl<'js> IntoJs<'js> for Json {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        crate::convert::to_js(ctx, &self.0)
    }
}

impl<'js> FromJs<'js> for Json {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let (json, bytes) = crate::convert::from_js_counted(ctx, &value, Asked::Own)?;
        Account::add_argument(ctx, bytes);
        Ok(Json(json.unwrap_or_default()))
    }
}

/// A text that counts as long as what it is an argument of is at work, or keeps it.
pub struct Text(pub String);

impl<'js> FromJs<'js> for Text {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let text = String::from_js(ctx, value)?;
        Account::add_argument(ctx, text.len());
        Ok(Self(text))
    }
}

/// A text that programs give; what is no text counts as none. It counts as [`Text`] does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(pub Option<String>);

impl Words {
    /// The text; none is empty.
    pub fn text(self) -> String {
        self.0.unwrap_or_default()
    }
}

impl<'js> FromJs<'js> for Words {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let Some(text) = value.as_string() else { return Ok(Self(None)) };
        let text = crate::convert::text_of(text)?;
        Account::add_argument(ctx, text.len());
        Ok(Self(Some(text)))
    }
}

/// A value, or `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrNull<T>(pub Option<T>);

impl<'js, T: IntoJs<'js>> IntoJs<'js> for OrNull<T> {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        self.0.map_or_else(|| Ok(Value::new_null(ctx.clone())), |value| value.into_js(ctx))
    }
}

/// Two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair<A, B>(pub A, pub B);

impl<'js, A: IntoJs<'js>, B: IntoJs<'js>> IntoJs<'js> for Pair<A, B> {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let items = [self.0.into_js(ctx)?, self.1.into_js(ctx)?];
        Ok(crate::raw::array(ctx, &items)?.into_value())
    }
}

/// A list whose items cross one by one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List<T>(pub Vec<T>);

impl<'js, T: IntoJs<'js>> IntoJs<'js> for List<T> {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let items = self.0.into_iter().map(|item| item.into_js(ctx)).collect::<Result<Vec<_>>>()?;
        Ok(crate::raw::array(ctx, &items)?.into_value())
    }
}
