//! References that lead nowhere. A schema that holds one still serves: only a value that is checked against the
//! reference is wrong.

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

use crate::paths::percent_decode;

/// The keyword that takes the place of a dead `$ref`; no schema of a tool uses that name.
pub(super) const KEYWORD: &str = "tau:unresolved";

/// Keywords that hold values, not schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Refuses every value.
pub(super) struct Unresolved(pub(super) String);

impl<'i> Keyword<'i> for Unresolved {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        Err(ValidationError::custom(format!("unresolved reference {}", self.0)))
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        false
    }
}

/// The schema with its dead references replaced; `None` when there is none.
pub(super) fn without_dead(schema: &Value) -> Option<Value> {
    let mut names = Vec::new();
    collect_names(schema, &mut names);
    let mut copy = schema.clone();
    replace(&mut copy, schema, &names).then_some(copy)
}

/// Everything that a reference other than a path can name.
fn collect_names(node: &Value, names: &mut Vec<String>) {
    match node {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("$id" | "id", Value::String(id)) => names.push(id.trim_end_matches('#').to_owned()),
                    ("$anchor" | "$dynamicAnchor", Value::String(anchor)) => names.push(format!("#{anchor}")),
                    (key, Value::Object(schemas)) if NAMED.contains(&key) => {
                        schemas.values().for_each(|schema| collect_names(schema, names));
                    }
                    (key, _) if DATA.contains(&key) => {}
                    _ => collect_names(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// Replaces dead references below `node`; whether there was one.
fn replace(node: &mut Value, root: &Value, names: &[String]) -> bool {
    let mut replaced = false;
    match node {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match value {
                    Value::Object(schemas) if NAMED.contains(&key.as_str()) => {
                        schemas.values_mut().for_each(|schema| replaced |= replace(schema, root, names));
                    }
                    _ if DATA.contains(&key.as_str()) => {}
                    _ => replaced |= replace(value, root, names),
                }
            }
            if map.get("$ref").and_then(Value::as_str).is_some_and(|target| is_dead(target, root, names))
                && let Some(target) = map.shift_remove("$ref")
            {
                map.insert(KEYWORD.to_owned(), target);
                replaced = true;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replaced |= replace(item, root, names)),
        _ => {}
    }
    replaced
}

fn is_dead(target: &str, root: &Value, names: &[String]) -> bool {
    let (document, fragment) = target.split_once('#').unwrap_or((target, ""));
    if document.is_empty() {
        return if fragment.is_empty() || fragment.starts_with('/') {
            root.pointer(&percent_decode(fragment)).is_none()
        } else {
            !names.iter().any(|name| name == target)
        };
    }
    // What a part of the schema calls itself may be meant, and the compiler knows the schemas of schemas.
    let ours = |name: &String| name == document || (!name.is_empty() && name.ends_with(&format!("/{document}")));
    let known = ["http://json-schema.org/", "https://json-schema.org/"];
    !names.iter().any(ours) && !known.iter().any(|known| document.starts_with(known))
}
