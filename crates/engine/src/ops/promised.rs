//! Promises that say what they promise.

use std::marker::PhantomData;

use rquickjs::{Ctx, IntoJs, Value};

/// A promise of a `T`, as [`OpHost::spawn`](crate::ops::OpHost::spawn) makes it.
pub struct Promised<'js, T>(Value<'js>, PhantomData<T>);

impl<'js, T> Promised<'js, T> {
    /// A promise whose result is converted from a `T`.
    pub fn new(promise: Value<'js>) -> Self {
        Self(promise, PhantomData)
    }
}

impl<'js, T> IntoJs<'js> for Promised<'js, T> {
    fn into_js(self, _: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        Ok(self.0)
    }
}
