//! JSON values and JavaScript values, converted directly: several times faster than through text.

pub mod fields;
pub mod same;
pub mod strict;

use rquickjs::{Ctx, Exception, Function, Object, Result, String as JsString, Value};
use serde_json::{Map, Number, Value as Json};

use crate::ops::{Meter, too_large};

/// How deep objects may nest. `JSON.stringify` tells a cycle by remembering every object on its way; here a cycle
/// shows itself as endless depth.
const MAX_DEPTH: usize = 2_000;

/// The error of a value that nests too deep. It begins as the engine's own does for a cycle, which most of them are.
pub fn too_deep(ctx: &Ctx<'_>) -> rquickjs::Error {
    let why = format!("the value contains itself or nests more than {MAX_DEPTH} levels deep");
    Exception::throw_type(ctx, &format!("Converting circular structure to JSON: {why}"))
}

/// A JSON value as JavaScript's plain data: every part has what it says as its own, whatever a program did to the
/// prototypes of objects and arrays.
pub fn to_js<'js>(ctx: &Ctx<'js>, value: &Json) -> Result<Value<'js>> {
    Ok(match value {
        Json::Null => Value::new_null(ctx.clone()),
        Json::Bool(value) => Value::new_bool(ctx.clone(), *value),
        Json::Number(number) => number_to_js(ctx, number),
        Json::String(text) => JsString::from_str(ctx.clone(), text)?.into_value(),
        Json::Array(items) => {
            let items = items.iter().map(|item| to_js(ctx, item)).collect::<Result<Vec<_>>>()?;
            crate::raw::array(ctx, &items)?.into_value()
        }
        Json::Object(fields) => {
            let object = Object::new(ctx.clone())?;
            for (name, field) in fields {
                crate::raw::define(&object, name, &to_js(ctx, field)?)?;
            }
            object.into_value()
        }
    })
}

fn number_to_js<'js>(ctx: &Ctx<'js>, number: &Number) -> Value<'js> {
    match number.as_i64().and_then(|number| i32::try_from(number).ok()) {
        Some(number) => Value::new_int(ctx.clone(), number),
        None => Value::new_float(ctx.clone(), number.as_f64().unwrap_or(f64::NAN)),
    }
}

/// A JavaScript value as `JSON.stringify` sees it: `toJSON` is asked, functions, symbols and `undefined` are left
/// out, numbers that JSON does not have are `null`. `None` is what stringify gives `undefined` for.
///
/// # Errors
/// Whatever getters and `toJSON` throw; a `TypeError` for big integers and for cycles.
pub fn from_js<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Json>> {
    read(ctx, value, "", 0, &mut Way::new(ctx, Asked::Whatever))
}

/// As [`from_js`], but a `toJSON` that somebody added to the prototype of all objects or of all arrays is not asked: what
/// one extension says must not pass through the hands of another.
///
/// # Errors
/// See [`from_js`].
pub fn from_js_alone<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Json>> {
    read(ctx, value, "", 0, &mut Way::new(ctx, Asked::Own))
}

/// A value, with about how many bytes it takes.
///
/// # Errors
/// See [`from_js`].
pub fn from_js_counted<'js>(ctx: &Ctx<'js>, value: &Value<'js>, asked: Asked) -> Result<(Option<Json>, usize)> {
    let mut way = Way::new(ctx, asked);
    let value = read(ctx, value, "", 0, &mut way)?;
    Ok((value, way.meter.counted()))
}

/// Which `toJSON` is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The one that is found.
    Whatever,
    /// The one that is found before the prototype of all objects, or of all arrays.
    Own,
}

/// How a value is read.
struct Way {
    asked: Asked,
    /// What it has come to so far.
    meter: Meter,
}

impl Way {
    fn new(ctx: &Ctx<'_>, asked: Asked) -> Self {
        Self { asked, meter: Meter::new(ctx) }
    }
}

/// What `toJSON` of an object is.
fn to_json_of<'js>(object: &Object<'js>, asked: Asked) -> Result<Value<'js>> {
    if asked == Asked::Own {
        let of_arrays = if object.is_array() { crate::raw::class_prototype(object.as_value()) } else { None };
        let mut at = Some(object.clone());
        while let Some(here) = at.filter(|here| !crate::raw::is_proxy(here.as_value())) {
            let above = crate::raw::prototype(&here)?;
            let common = above.is_none() || of_arrays.as_ref() == Some(&here);
            if common && here != *object {
                return Ok(Value::new_undefined(object.ctx().clone()));
            }
            if !matches!(crate::raw::own(&here, "toJSON")?, crate::raw::Own::Nothing) {
                break;
            }
            at = above;
        }
    }
    object.get(rquickjs::atom::PredefinedAtom::ToJSON)
}

fn read<'js>(ctx: &Ctx<'js>, value: &Value<'js>, key: &str, depth: usize, way: &mut Way) -> Result<Option<Json>> {
    if let Some(text) = value.as_string() {
        let text = text_of(text)?;
        count(ctx, &mut way.meter, text.len())?;
        return Ok(Some(Json::String(text)));
    }
    if let Some(number) = value.as_int() {
        return Ok(Some(Json::from(number)));
    }
    if let Some(number) = value.as_float() {
        return Ok(Some(float(number)));
    }
    if let Some(value) = value.as_bool() {
        return Ok(Some(Json::Bool(value)));
    }
    if value.is_null() {
        return Ok(Some(Json::Null));
    }
    if value.type_of() == rquickjs::Type::BigInt {
        return Err(Exception::throw_type(ctx, "Do not know how to serialize a BigInt"));
    }
    let Some(object) = value.as_object() else { return Ok(None) };
    if depth >= MAX_DEPTH {
        return Err(too_deep(ctx));
    }
    let to_json = to_json_of(object, way.asked)?;
    if let Some(to_json) = to_json.as_function() {
        let plain: Value<'js> = to_json.call((rquickjs::function::This(object.clone()), key))?;
        // What `toJSON` gives is not asked again.
        return match plain.as_object() {
            Some(object) if !plain.is_function() => object_of(ctx, &plain, object, depth + 1, way).map(Some),
            _ => read(ctx, &plain, key, depth + 1, way),
        };
    }
    if value.is_function() {
        return Ok(None);
    }
    object_of(ctx, value, object, depth + 1, way).map(Some)
}

fn object_of<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    object: &Object<'js>,
    depth: usize,
    way: &mut Way,
) -> Result<Json> {
    if value.is_array() {
        let length: usize = object.get("length")?;
        // An array may be far longer than what is in it.
        count(ctx, &mut way.meter, length.saturating_mul(size_of::<Json>()))?;
        let mut items = Vec::with_capacity(length.min(1 << 16));
        for index in 0..length {
            let item: Value<'js> = object.get(index as u32)?;
            items.push(read(ctx, &item, "", depth, way)?.unwrap_or(Json::Null));
        }
        return Ok(Json::Array(items));
    }
    if let Some(boxed) = unboxed(ctx, object)? {
        return Ok(read(ctx, &boxed, "", depth, way)?.unwrap_or(Json::Null));
    }
    let mut fields = Map::new();
    for name in object.keys::<String>() {
        let name = name?;
        count(ctx, &mut way.meter, name.len() + FIELD)?;
        let field: Value<'js> = object.get(name.as_str())?;
        if let Some(field) = read(ctx, &field, &name, depth, way)? {
            fields.insert(name, field);
        }
    }
    Ok(Json::Object(fields))
}

/// What a field takes beside its name and what its value holds, in bytes.
const FIELD: usize = size_of::<Json>() + size_of::<String>() + 16;

/// Throws when a value gets larger than the engine may hold: one that is small in JavaScript may be huge outside, because
/// arrays have holes and objects are shared.
fn count(ctx: &Ctx<'_>, meter: &mut Meter, bytes: usize) -> Result<()> {
    meter.add(bytes).map_err(|full| too_large("the value", &full).throw(ctx))
}

/// The primitive in a `new String(…)` and its like.
fn unboxed<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<Option<Value<'js>>> {
    // Asked of objects that have no keys of their own or a text's: rare, so the lookup costs nothing that matters.
    let Some(prototype) = crate::raw::prototype(object)? else { return Ok(None) };
    if crate::raw::prototype(&prototype)?.is_none() {
        return Ok(None);
    }
    for class in ["String", "Number", "Boolean"] {
        let constructor: Function<'js> = ctx.globals().get(class)?;
        let own: Object<'js> = constructor.get("prototype")?;
        if own == prototype {
            let value_of: Function<'js> = object.get("valueOf")?;
            return value_of.call((rquickjs::function::This(object.clone()),)).map(Some);
        }
    }
    Ok(None)
}

fn float(number: f64) -> Json {
    // Whole numbers print as such: `1`, not `1.0`.
    if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 && !(number == 0.0 && number.is_sign_negative())
    {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range, checked above")]
        return Json::from(number as i64);
    }
    if number == 0.0 {
        return Json::from(0);
    }
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// A text. Half surrogate pairs, which UTF-8 cannot carry, become the replacement character.
pub fn text_of(text: &JsString<'_>) -> Result<String> {
    match text.to_string() {
        Ok(text) => Ok(text),
        Err(rquickjs::Error::Exception) => Err(rquickjs::Error::Exception),
        Err(_) => crate::raw::text_of(text),
    }
}
