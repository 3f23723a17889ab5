//! Conversion of arguments that have the wrong type but a plain meaning.

use serde_json::{Map, Number, Value};

use super::compiled::validator;
use crate::support::js_number;

/// References deeper than this are left alone; it only stops schemas that refer to themselves in a circle.
const MAX_REFERENCES: usize = 32;

/// Values and schemas within each other, as deep as JSON is read.
const MAX_DEPTH: usize = 128;

/// Parts of schemas that are looked at for one call.
const MAX_STEPS: usize = 100_000;

/// Whether `value` holds a null anywhere, so that [`drop_optional_nulls`] could matter.
pub(super) fn may_drop_nulls(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(may_drop_nulls),
        Value::Object(map) => map.values().any(may_drop_nulls),
        _ => false,
    }
}

/// Removes properties that are null, optional, and not allowed to be null.
pub(super) fn drop_optional_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Array(values) => match schema.get("items") {
            Some(Value::Array(schemas)) => {
                for (value, schema) in values.iter_mut().zip(schemas) {
                    drop_optional_nulls(value, schema);
                }
            }
            Some(schema) => {
                for value in values {
                    drop_optional_nulls(value, schema);
                }
            }
            None => {}
        },
        Value::Object(map) => {
            let Some(Value::Object(properties)) = schema.get("properties") else { return };
            for (name, property) in properties {
                match map.get_mut(name) {
                    Some(Value::Null) if !is_required(schema, name) && !allows_null(property) => {
                        map.shift_remove(name);
                    }
                    Some(value) => drop_optional_nulls(value, property),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n == name))
}

/// What cannot be judged alone, because it refers to a place elsewhere, counts as allowing null.
fn allows_null(schema: &Value) -> bool {
    schema.get("$ref").is_some() || validator(schema).map_or(true, |validator| validator.is_valid(&Value::Null))
}

/// Conversions by one schema. A schema may refer to itself, and each step may wrap or copy the value, so both the depth and
/// the number of steps are bounded; what is left is checked as it is.
pub(super) struct Coercion<'s> {
    /// The document that references point into.
    root: &'s Value,
    depth: usize,
    steps: usize,
}

impl<'s> Coercion<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, depth: 0, steps: 0 }
    }

    /// Converts `value` as far as it plainly can be.
    pub(super) fn coerce(&mut self, value: Value, schema: &'s Value) -> Value {
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            return value;
        }
        self.depth += 1;
        self.steps += 1;
        let value = self.converted(value, schema);
        self.depth -= 1;
        value
    }

    fn converted(&mut self, value: Value, schema: &'s Value) -> Value {
        let Some(Value::Object(schema)) = dereference(schema, self.root) else { return value };
        let mut value = value;
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            for part in parts {
                value = self.coerce(value, part);
            }
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(members)) = schema.get(union) {
                value = self.fit_member(value, members);
            }
        }
        if let Some(wanted) = schema.get("const") {
            value = to_literal(value, std::slice::from_ref(wanted));
        } else if let Some(Value::Array(wanted)) = schema.get("enum") {
            value = to_literal(value, wanted);
        } else {
            value = match schema.get("type") {
                Some(Value::String(name)) => to_type(value, name),
                Some(Value::Array(names)) => to_one_of(value, names),
                _ => value,
            };
        }
        match &mut value {
            Value::Object(map) => self.coerce_properties(map, schema),
            Value::Array(items) => self.coerce_items(items, schema),
            _ => {}
        }
        value
    }

    fn coerce_properties(&mut self, map: &mut Map<String, Value>, schema: &'s Map<String, Value>) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties").filter(|additional| additional.is_object());
        // A record is an object whose every property has one schema.
        let record = schema
            .get("patternProperties")
            .and_then(Value::as_object)
            .filter(|patterns| patterns.len() == 1)
            .and_then(|patterns| patterns.iter().next())
            .filter(|(pattern, _)| matches!(pattern.as_str(), "^.*$" | "^(.*)$" | ".*"))
            .map(|(_, schema)| schema);
        for (name, value) in map {
            if let Some(schema) = properties.and_then(|properties| properties.get(name)).or(record).or(additional) {
                *value = self.coerce(value.take(), schema);
            }
        }
    }

    fn coerce_items(&mut self, items: &mut [Value], schema: &'s Map<String, Value>) {
        let tuple = schema.get("prefixItems").or_else(|| schema.get("items").filter(|items| items.is_array()));
        let tuple = tuple.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let rest = schema.get("items").filter(|items| items.is_object());
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(schema) = tuple.get(index).or(rest) {
                *item = self.coerce(item.take(), schema);
            }
        }
    }

    /// A value that already fits a member stays; else the first member that it can be converted to wins.
    fn fit_member(&mut self, value: Value, members: &'s [Value]) -> Value {
        let root = self.root;
        let fits = |member: &Value, value: &Value| {
            dereference(member, root).is_some_and(|member| validator(member).is_ok_and(|known| known.is_valid(value)))
        };
        if members.iter().any(|member| fits(member, &value)) {
            return value;
        }
        members
            .iter()
            .map(|member| (member, self.coerce(value.clone(), member)))
            .find(|(member, candidate)| fits(member, candidate))
            .map_or(value, |(_, candidate)| candidate)
    }
}

fn dereference<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = schema.get("$ref") else { return Some(schema) };
        schema = root.pointer(reference.as_str()?.strip_prefix('#')?)?;
    }
    None
}

fn to_literal(value: Value, wanted: &[Value]) -> Value {
    if wanted.contains(&value) {
        return value;
    }
    let matching = wanted.iter().find(|wanted| to_type(value.clone(), type_name(wanted)) == **wanted);
    matching.cloned().unwrap_or(value)
}

fn to_one_of(value: Value, names: &[Value]) -> Value {
    let mut names = names.iter().filter_map(Value::as_str);
    if names.clone().any(|name| has_type(&value, name)) {
        return value;
    }
    names
        .find_map(|name| {
            let candidate = to_type(value.clone(), name);
            (candidate != value).then_some(candidate)
        })
        .unwrap_or(value)
}

fn to_type(value: Value, name: &str) -> Value {
    if has_type(&value, name) {
        return value;
    }
    match name {
        "string" => to_string(value),
        "number" => to_number(&value).and_then(number).unwrap_or(value),
        "integer" => to_number(&value).and_then(|n| number(n.trunc())).unwrap_or(value),
        "boolean" => to_boolean(&value).map_or(value, Value::Bool),
        "null" => to_null(value),
        "array" => Value::Array(vec![value]),
        _ => value,
    }
}

fn to_string(value: Value) -> Value {
    match value {
        Value::Null => Value::String("null".to_owned()),
        Value::Bool(flag) => Value::String(flag.to_string()),
        Value::Number(number) => Value::String(match (number.is_f64(), number.as_f64()) {
            (true, Some(float)) => js_number(float),
            _ => number.to_string(),
        }),
        other => other,
    }
}

fn to_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        },
        Value::String(text) => match text.to_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn to_null(value: Value) -> Value {
    let nothing = match &value {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.to_lowercase().as_str(), "" | "0" | "null" | "undefined"),
        _ => false,
    };
    if nothing { Value::Null } else { value }
}

fn to_number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::Bool(flag) => Some(if *flag { 1.0 } else { 0.0 }),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => parse_number(text.trim()),
        _ => None,
    }
}

/// Reads what JavaScript's `Number()` reads, and `true` and `false`.
fn parse_number(text: &str) -> Option<f64> {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(|n| n as f64);
    match text.to_lowercase().as_str() {
        "" | "false" => Some(0.0),
        "true" => Some(1.0),
        lower if lower.starts_with("0x") => radix(&lower[2..], 16),
        lower if lower.starts_with("0o") => radix(&lower[2..], 8),
        lower if lower.starts_with("0b") => radix(&lower[2..], 2),
        // Rust also reads `inf` and `nan`.
        lower if lower.contains(['n', 'i']) => None,
        lower => lower.parse().ok().filter(|n: &f64| n.is_finite()),
    }
}

/// Whole numbers become integers, so that they print without a fraction.
fn number(n: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if n.fract() == 0.0 && n.abs() <= EXACT {
        return Some(Value::from(n as i64));
    }
    Number::from_f64(n).map(Value::Number)
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
        name => type_name(value) == name,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
