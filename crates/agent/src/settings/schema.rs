//! The JSON Schema of a settings file, made of the tables of keys.

use serde_json::{Map, Value, json};

use super::table::{Kind, SETTINGS, Setting, UsedBy};

/// The schema. Keys that no table knows are allowed: other programs share the file.
pub fn schema() -> Value {
    let mut properties = Map::new();
    for row in SETTINGS {
        put(&mut properties, row);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of tau",
        "type": "object",
        "properties": properties,
    })
}

fn put(properties: &mut Map<String, Value>, row: &Setting) {
    let mut names: Vec<&str> = row.key.split('.').collect();
    let last = names.pop().unwrap_or_default();
    let mut at = properties;
    for name in names {
        let section = at.entry(name).or_insert_with(|| json!({"type": "object"}));
        let Value::Object(section) = section else { return };
        let inner = section.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(inner) = inner else { return };
        at = inner;
    }
    let mut entry = of_kind(row.kind);
    entry.insert("description".to_owned(), description(row).into());
    entry.extend(row.default.value().map(|default| ("default".to_owned(), default)));
    // A key may also be the section of others.
    match at.get_mut(last) {
        Some(Value::Object(section)) => section.extend(entry),
        _ => drop(at.insert(last.to_owned(), Value::Object(entry))),
    }
}

/// What a setting is for, with what keeps it from having an effect.
fn description(row: &Setting) -> String {
    let note = match row.used_by {
        UsedBy::Tau => "",
        UsedBy::Pi => " Used by pi; tau does not use it.",
        UsedBy::Renamed(_) => return format!("An older name of {}.", row.doc),
    };
    let first = row.doc.chars().next().into_iter().flat_map(char::to_uppercase);
    format!("{}{}.{note}", first.collect::<String>(), row.doc.get(1..).unwrap_or_default())
}

fn of_kind(kind: Kind) -> Map<String, Value> {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let boolean = || json!({"type": "boolean"});
    let count = || json!({"type": "integer", "minimum": 0});
    let within = |least: u64, most: u64| json!({"type": "integer", "minimum": least, "maximum": most});
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
        Kind::Within(least, most) => within(least, most),
        Kind::WithinOr(least, most, words) => json!({"anyOf": [within(least, most), {"enum": words}]}),
        Kind::CountOr(words) => json!({"anyOf": [count(), {"enum": words}]}),
        Kind::BoolOr(words) => json!({"anyOf": [boolean(), {"enum": words}]}),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}
