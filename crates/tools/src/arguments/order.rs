//! The order in which complaints are listed.

use jsonschema::ValidationError;
use serde_json::Value;

use super::references;

/// Keywords in the order in which the complaints about one value are listed: its type and the values it may have, what
/// a string, a number, an object or a list lacks or has too much, with its parts, and last the keywords that combine
/// schemas.
const KEYWORDS: [&str; 42] = [
    "type",
    "enum",
    "const",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "required",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependencies",
    "dependentSchemas",
    "prefixItems",
    "items",
    "additionalItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    references::KEYWORD,
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// A key that sorts complaints: by keyword, then by position in the schema or in the arguments. Equal keys
/// keep the order in which the checker found them.
pub(super) fn key(error: &ValidationError<'_>, schema: &Value, args: &Value) -> Vec<usize> {
    let mut key = Vec::new();
    let mut schema = Some(schema);
    let root = schema;
    let mut value = Some(args);
    let evaluation = error.evaluation_path().as_str().to_owned();
    let instance = error.instance_path().as_str().to_owned();
    let mut keywords = evaluation.split('/').skip(1).map(unescape);
    let mut places = instance.split('/').skip(1).map(unescape);
    while let Some(keyword) = keywords.next() {
        key.push(KEYWORDS.iter().position(|known| *known == keyword).unwrap_or(KEYWORDS.len()));
        schema = schema.and_then(|schema| schema.get(&keyword));
        match keyword.as_str() {
            "properties" | "patternProperties" => {
                let Some(name) = keywords.next() else { break };
                let place = places.next().unwrap_or_default();
                key.push(if keyword == "properties" { position(schema, &name) } else { position(value, &place) });
                schema = schema.and_then(|schema| schema.get(&name));
                value = step(value, &place);
            }
            "additionalProperties" | "unevaluatedProperties" | "items" | "additionalItems" => {
                if let Some(place) = places.next() {
                    key.push(position(value, &place));
                    value = step(value, &place);
                }
                if schema.is_some_and(Value::is_array) {
                    schema = keywords.next().and_then(|index| step(schema, &index));
                }
            }
            "prefixItems" => {
                let index = keywords.next().unwrap_or_default();
                key.push(index.parse().unwrap_or(usize::MAX));
                schema = step(schema, &index);
                value = places.next().and_then(|place| step(value, &place));
            }
            "allOf" | "anyOf" | "oneOf" => {
                if let Some(index) = keywords.next() {
                    key.push(index.parse().unwrap_or(usize::MAX));
                    schema = step(schema, &index);
                }
            }
            "$ref" => {
                let target = schema.and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
                schema = target.and_then(|target| root?.pointer(target));
            }
            _ => {}
        }
    }
    key
}

fn step<'v>(value: Option<&'v Value>, place: &str) -> Option<&'v Value> {
    match value? {
        Value::Array(items) => items.get(place.parse::<usize>().ok()?),
        Value::Object(map) => map.get(place),
        _ => None,
    }
}

fn position(value: Option<&Value>, place: &str) -> usize {
    let found = match value {
        Some(Value::Object(map)) => map.keys().position(|name| name == place),
        Some(Value::Array(_)) => place.parse().ok(),
        _ => None,
    };
    found.unwrap_or(usize::MAX)
}

pub(super) fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
