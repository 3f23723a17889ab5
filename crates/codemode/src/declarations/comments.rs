//! What stands in comments above the properties of a type: descriptions, and limits of values.

use serde_json::{Map, Value};

/// The longest limit of a value that is written.
const LONGEST_TAG: usize = 80;
/// Limits of values, in the order in which they are written.
const TAGS: [&str; 11] = [
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
];

/// The lines about a property; `tags` says whether limits of its values are among them.
pub(super) fn comments(property: &Value, tags: bool) -> Vec<String> {
    let description = property["description"].as_str().unwrap_or_default();
    let lines = description.split(is_line_end).map(str::trim).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    let tags = if tags { limits(property) } else { String::new() };
    if !tags.is_empty() {
        lines.push(tags);
    }
    lines
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{2028}' | '\u{2029}')
}

/// The limits of a value, in a line.
fn limits(property: &Value) -> String {
    let Value::Object(own) = property else { return String::new() };
    let variants = own.get("anyOf").or_else(|| own.get("oneOf")).and_then(Value::as_array);
    let mut real = variants.into_iter().flatten().filter(|variant| variant["type"] != "null");
    // A value that may also be absent has the limits of what it is otherwise.
    let only = real.next().filter(|_| real.next().is_none()).and_then(Value::as_object);
    let schemas: Vec<&Map<String, Value>> = std::iter::once(own).chain(only).collect();
    let mut tags: Vec<String> = Vec::new();
    let is_integer = |schema: &&Map<String, Value>| match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "integer"),
        kind => kind.is_some_and(|kind| kind == "integer"),
    };
    if schemas.iter().any(is_integer) {
        tags.push("@integer".to_owned());
    }
    for name in TAGS {
        let mut values: Vec<&Value> = Vec::new();
        for value in schemas.iter().filter_map(|schema| schema.get(name)) {
            if (value.is_number() || value.is_string()) && !values.contains(&value) {
                values.push(value);
            }
        }
        tags.extend(values.into_iter().map(|value| match value {
            Value::String(text) => format!("@{name} {text}"),
            other => format!("@{name} {other}"),
        }));
    }
    if schemas.iter().any(|schema| schema.get("uniqueItems") == Some(&Value::Bool(true))) {
        tags.push("@uniqueItems".to_owned());
    }
    if let Some(default) = own.get("default").filter(|default| !default.is_null()) {
        tags.push(format!("@default {default}"));
    }
    if own.get("deprecated") == Some(&Value::Bool(true)) {
        tags.push("@deprecated".to_owned());
    }
    tags.retain(|tag| tag.chars().count() <= LONGEST_TAG && !tag.contains(is_line_end));
    tags.join(" ")
}
