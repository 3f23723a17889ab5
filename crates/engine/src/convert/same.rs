//! Comparing what JavaScript has with JSON, without converting it.

use rquickjs::object::Filter;
use rquickjs::{Atom, Object, Result, Value};
use serde_json::Value as Json;

use super::MAX_DEPTH;
use crate::raw::Own;

/// Whether a value is, as `JSON.stringify` sees it, what it was. Not sure of it counts as different: whoever asks converts
/// it then. So this only knows plain data, and runs nothing of a program to look at it.
///
/// # Errors
/// When there is no memory.
pub fn is_same(value: &Value<'_>, before: &Json) -> Result<bool> {
    compare(value, before, 0)
}

fn compare(value: &Value<'_>, before: &Json, depth: usize) -> Result<bool> {
    match before {
        Json::String(text) => value.as_string().map_or(Ok(false), |value| crate::raw::is_text(value, text)),
        Json::Number(number) => Ok(match value.as_int() {
            Some(value) => number.as_i64() == Some(i64::from(value)),
            None => value.as_float().is_some_and(|value| *before == super::float(value)),
        }),
        Json::Bool(before) => Ok(value.as_bool() == Some(*before)),
        Json::Null => Ok(value.is_null()),
        Json::Array(items) => {
            let Some(array) = value.as_array().filter(|array| array.len() == items.len() && depth < MAX_DEPTH) else {
                return Ok(false);
            };
            let whole = |object: &Object<'_>| object.own_keys::<Atom<'_>>(Filter::default()).len() == items.len();
            if !is_plain(array.as_object())? || !whole(array.as_object()) {
                return Ok(false);
            }
            for (index, item) in items.iter().enumerate() {
                if !compare(&array.get(index)?, item, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Json::Object(fields) => {
            let plain = value.type_of() == rquickjs::Type::Object && depth < MAX_DEPTH;
            let Some(object) = value.as_object().filter(|_| plain) else { return Ok(false) };
            if !is_plain(object)? || object.own_keys::<Atom<'_>>(Filter::default()).len() != fields.len() {
                return Ok(false);
            }
            // As many as before, and each of those before is the same: then they are the same.
            for (name, field) in fields {
                let Own::Value(value) = crate::raw::own(object, name)? else { return Ok(false) };
                if !compare(&value, field, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// Whether an object is nothing but data: one that the engine makes of a literal, or without a prototype. Texts and numbers
/// can be objects too, and other classes and `toJSON` have a say in how they look as JSON.
fn is_plain(object: &Object<'_>) -> Result<bool> {
    if crate::raw::is_proxy(object.as_value()) {
        return Ok(false);
    }
    let usual = match crate::raw::prototype(object)? {
        None => true,
        Some(prototype) => {
            let top = object.is_array() || crate::raw::prototype(&prototype)?.is_none();
            top && crate::raw::class_prototype(object.as_value()) == Some(prototype)
        }
    };
    Ok(usual && matches!(crate::raw::own(object, "toJSON")?, Own::Nothing))
}
