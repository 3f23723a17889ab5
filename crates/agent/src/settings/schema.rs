//! The JSON Schema of a settings file, made of the tables of keys.

use serde_json::{Map, Value, json};

use super::known::{KNOWN_KEYS, Kind, KnownKey};
use super::shared::{OLDER_KEYS, SHARED_KEYS};

/// The schema. Keys that no table knows are allowed: other programs share the file.
pub fn schema() -> Value {
    let mut properties = Map::new();
    let rows = [(KNOWN_KEYS, None), (SHARED_KEYS, Some("Has no effect in tau.")), (OLDER_KEYS, Some("An older name."))];
    for (keys, note) in rows {
        for known in keys {
            put(&mut properties, known, note);
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of tau",
        "type": "object",
        "properties": properties,
    })
}

fn put(properties: &mut Map<String, Value>, known: &KnownKey, note: Option<&str>) {
    let mut names: Vec<&str> = known.key.split('.').collect();
    let last = names.pop().unwrap_or_default();
    let mut at = properties;
    for name in names {
        let section = at.entry(name).or_insert_with(|| json!({"type": "object"}));
        let Value::Object(section) = section else { return };
        let inner = section.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(inner) = inner else { return };
        at = inner;
    }
    let mut entry = of_kind(known.kind);
    entry.extend(note.map(|note| ("description".to_owned(), Value::from(note))));
    // A key may also be the section of others.
    match at.get_mut(last) {
        Some(Value::Object(section)) => section.extend(entry),
        _ => drop(at.insert(last.to_owned(), Value::Object(entry))),
    }
}

fn of_kind(kind: Kind) -> Map<String, Value> {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let boolean = || json!({"type": "boolean"});
    let count = || json!({"type": "integer", "minimum": 0});
    let schema = match kind {
        Kind::Bool => boolean(),
        Kind::Count | Kind::Limit => count(),
        Kind::Text => json!({"type": "string"}),
        Kind::OneOf(words) => json!({"enum": words}),
        Kind::TextList | Kind::ToolList => texts(),
        Kind::TextOrList => json!({"anyOf": [{"type": "string"}, texts()]}),
        Kind::BoolOrText => json!({"type": ["boolean", "string"]}),
        Kind::BoolOrTextList => json!({"anyOf": [boolean(), texts()]}),
        Kind::BoolOrObject => json!({"type": ["boolean", "object"]}),
        Kind::Object => json!({"type": "object"}),
        Kind::List => json!({"type": "array"}),
        Kind::CountOr(words) => json!({"anyOf": [count(), {"enum": words}]}),
        Kind::BoolOr(words) => json!({"anyOf": [boolean(), {"enum": words}]}),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}
