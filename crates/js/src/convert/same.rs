//! Comparing what JavaScript has with JSON, without converting it.

use rquickjs::atom::PredefinedAtom;
use rquickjs::object::Filter;
use rquickjs::{Atom, Result, Value};
use serde_json::Value as Json;

use super::MAX_DEPTH;

/// Whether a value is, as `JSON.stringify` sees it, what it was. Not sure of it counts as different: whoever asks converts
/// it then. So this only knows plain data.
///
/// # Errors
/// Whatever getters throw.
pub(crate) fn is_same(value: &Value<'_>, before: &Json) -> Result<bool> {
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
            if !array.as_object().get::<_, Value<'_>>(PredefinedAtom::ToJSON)?.is_undefined() {
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
            // Texts and numbers can be objects too.
            let boxed = object.get_prototype().is_some_and(|prototype| prototype.get_prototype().is_some());
            let names = object.own_keys::<Atom<'_>>(Filter::default());
            if boxed
                || names.len() != fields.len()
                || !object.get::<_, Value<'_>>(PredefinedAtom::ToJSON)?.is_undefined()
            {
                return Ok(false);
            }
            // As many as before, and each of those before is the same: then they are the same.
            for (name, field) in fields {
                if !compare(&object.get(name.as_str())?, field, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}
