//! A message as an object: its light fields are values, and the others are made when somebody looks at them.

use std::rc::Weak;

use rquickjs::{Ctx as JsCtx, Object, Value};
use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Error, Value as Json};
use tau_ai::Message;

use super::Bridge;
use crate::convert::fields::{Each, each_field};
use crate::ops::defect;
use crate::raw::Own;

/// Fields that are made at once, where they are no lists or objects: short ones that handlers filter by.
const LIGHT: &[&str] =
    &["role", "timestamp", "toolCallId", "toolName", "isError", "customType", "display", "stopReason"];

/// What makes the accessors of heavy fields.
const MESSAGE: &str = "messageAccessor";

/// The value of a light field; `None` for one that is made later.
fn light<T: Serialize + ?Sized>(name: &str, value: &T) -> Result<Option<Json>, Error> {
    if !LIGHT.contains(&name) {
        return Ok(None);
    }
    Ok(Some(serde_json::to_value(value)?).filter(|value| !value.is_array() && !value.is_object()))
}

/// Gives an object the fields of a message.
struct Maker<'a, 'js> {
    js: &'a JsCtx<'js>,
    bridge: &'a Bridge,
    object: &'a Object<'js>,
    failed: Option<rquickjs::Error>,
}

impl Maker<'_, '_> {
    fn put(&self, name: &str, light: Option<Json>) -> rquickjs::Result<()> {
        match light {
            Some(value) => crate::raw::define(self.object, name, &crate::convert::to_js(self.js, &value)?),
            None => self.bridge.accessors().get(self.js, self.bridge, MESSAGE, name)?.define(self.object, name),
        }
    }
}

impl Each for Maker<'_, '_> {
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        let light = light(name, value)?;
        self.put(name, light).map_err(|error| {
            self.failed = Some(error);
            Error::custom("the engine failed")
        })
    }
}

/// A message as an object.
pub(super) fn make<'js>(js: &JsCtx<'js>, bridge: &Weak<Bridge>, message: &Message) -> rquickjs::Result<Object<'js>> {
    let bridge = bridge.upgrade().ok_or_else(|| defect(js, "the engine has ended"))?;
    let object = Object::new(js.clone())?;
    let mut maker = Maker { js, bridge: &bridge, object: &object, failed: None };
    let made = each_field(message, &mut maker);
    match (maker.failed, made) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(defect(js, &format!("a message has no JSON form: {error}"))),
        (None, Ok(())) => Ok(object),
    }
}

/// Looks whether an object is as [`make`] made it.
struct Checker<'a, 'js> {
    bridge: &'a Bridge,
    object: &'a Object<'js>,
    fields: usize,
    is_same: bool,
    failed: Option<rquickjs::Error>,
}

impl Checker<'_, '_> {
    fn is_as_made(&self, name: &str, light: Option<Json>) -> rquickjs::Result<bool> {
        match light {
            Some(value) => match crate::raw::own(self.object, name)? {
                Own::Value(now) => is_scalar(&now, &value),
                _ => Ok(false),
            },
            // A look at a heavy field leaves a value there, and a program may put a getter of its own in its place.
            None => {
                let accessor = self.bridge.accessors().get(self.object.ctx(), self.bridge, MESSAGE, name)?;
                Ok(crate::raw::late_getter(self.object, name)?.as_ref() == Some(accessor.get.as_value()))
            }
        }
    }
}

impl Each for Checker<'_, '_> {
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.fields += 1;
        if self.is_same {
            let light = light(name, value)?;
            self.is_same = self.is_as_made(name, light).map_err(|error| {
                self.failed = Some(error);
                Error::custom("the engine failed")
            })?;
        }
        Ok(())
    }
}

/// Whether nobody has looked at a heavy field of an object that [`make`] made of the message, or changed anything of it.
pub(super) fn is_untouched(bridge: &Bridge, object: &Object<'_>, message: &Message) -> rquickjs::Result<bool> {
    let mut checker = Checker { bridge, object, fields: 0, is_same: true, failed: None };
    let checked = each_field(message, &mut checker);
    if let Some(error) = checker.failed {
        return Err(error);
    }
    Ok(checked.is_ok() && checker.is_same && object.keys::<rquickjs::Atom<'_>>().count() == checker.fields)
}

fn is_scalar(now: &Value<'_>, value: &Json) -> rquickjs::Result<bool> {
    Ok(match value {
        Json::String(text) => match now.as_string() {
            Some(now) => crate::raw::is_text(now, text)?,
            None => false,
        },
        Json::Number(number) => now.as_number().is_some_and(|now| Some(now) == number.as_f64()),
        Json::Bool(value) => now.as_bool() == Some(*value),
        Json::Null => now.is_null(),
        Json::Array(_) | Json::Object(_) => false,
    })
}
