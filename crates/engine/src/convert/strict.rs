//! Reading data that decides something: what JSON leaves out or turns into `null` is an error here.

use rquickjs::{Type, Value};
use serde_json::{Map, Value as Json};

use super::MAX_DEPTH;

/// Why a value is not read.
#[derive(Debug, thiserror::Error)]
pub enum StrictError {
    /// A getter threw.
    #[error(transparent)]
    Thrown(#[from] rquickjs::Error),
    /// It, or a part of it, is no data: the words behind its name, for people.
    #[error("{0}")]
    NoData(String),
}

/// A value as data. Objects give the fields of their own that can be listed, each read once; `toJSON` is a field like any
/// other. A field that is `undefined` is not there.
///
/// # Errors
/// Whatever getters throw, and when the value, or a part of it, is no data.
pub fn read(value: &Value<'_>) -> Result<Json, StrictError> {
    part(value, 0)
}

fn part<'js>(value: &Value<'js>, depth: usize) -> Result<Json, StrictError> {
    let no_data = |why| Err(StrictError::NoData(why));
    if let Some(text) = value.as_string() {
        return Ok(Json::String(super::text_of(text)?));
    }
    if let Some(number) = value.as_int() {
        return Ok(Json::from(number));
    }
    if let Some(number) = value.as_float() {
        return if number.is_finite() { Ok(super::float(number)) } else { no_data(format!("is {}", shown(number))) };
    }
    if let Some(value) = value.as_bool() {
        return Ok(Json::Bool(value));
    }
    if value.is_null() || value.is_undefined() {
        return Ok(Json::Null);
    }
    let Some(object) = value.as_object().filter(|_| !value.is_function()) else {
        return no_data(format!("is {}", kind(value)));
    };
    if depth >= MAX_DEPTH {
        return no_data("contains itself".to_owned());
    }
    if let Some(array) = value.as_array() {
        let mut items = Vec::new();
        for index in 0..array.len() {
            items.push(part(&array.get(index)?, depth + 1)?);
        }
        return Ok(Json::Array(items));
    }
    let mut fields = Map::new();
    for name in object.keys::<String>() {
        let name = name?;
        let field: Value<'js> = object.get(name.as_str())?;
        if field.is_undefined() {
            continue;
        }
        match part(&field, depth + 1) {
            Ok(field) => fields.insert(name, field),
            Err(StrictError::NoData(why)) => return no_data(format!("has a field `{name}` that {why}")),
            Err(thrown) => return Err(thrown),
        };
    }
    Ok(Json::Object(fields))
}

fn shown(number: f64) -> &'static str {
    match number {
        number if number.is_nan() => "NaN",
        number if number > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}

/// What a value that is no data is called.
pub fn kind(value: &Value<'_>) -> &'static str {
    match value.type_of() {
        Type::Symbol => "a symbol",
        Type::BigInt => "a BigInt",
        _ if value.is_function() => "a function",
        Type::Float => value.as_float().map_or("no number", shown),
        _ => "no data",
    }
}
