//! JSON schemas as types of TypeScript.

use serde_json::{Map, Value};

use super::comments::comments;
use super::identifier::is_identifier;
use super::schema::resolve;

/// The longest type of arguments and results. What is longer is written without limits of values, or not at all.
const LONGEST: usize = 16_000;
/// How many references are followed in one type.
const REFERENCES: usize = 32;
/// How many schemas are looked at in one type: foreign ones may have any size.
const SCHEMAS: usize = 4096;
const UNKNOWN: &str = "unknown";

/// The type of the arguments of a tool.
pub fn input_type(schema: &Value) -> String {
    typed(schema)
}

/// The type of what a tool gives.
pub fn output_type(schema: &Value) -> String {
    typed(schema)
}

fn typed(schema: &Value) -> String {
    let render = |tags| {
        let mut types = Types { root: schema, resolving: Vec::new(), references: 0, schemas: 0, tags };
        types.of(schema)
    };
    let fits = |text: &String| text.len() <= LONGEST;
    Some(render(true)).filter(fits).or_else(|| Some(render(false)).filter(fits)).unwrap_or_else(|| UNKNOWN.to_owned())
}

struct Types<'a> {
    root: &'a Value,
    /// The references that are being followed.
    resolving: Vec<&'a str>,
    references: usize,
    schemas: usize,
    /// Whether limits of values are written.
    tags: bool,
}

impl<'a> Types<'a> {
    fn of(&mut self, schema: &'a Value) -> String {
        self.schemas += 1;
        if self.schemas > SCHEMAS {
            return UNKNOWN.to_owned();
        }
        let schema = match schema {
            Value::Bool(false) => return "never".to_owned(),
            Value::Object(schema) => schema,
            _ => return UNKNOWN.to_owned(),
        };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.of_reference(reference);
        }
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return union(values.iter().map(Value::to_string).collect());
        }
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        if let Some(variants) = list("anyOf").or_else(|| list("oneOf")) {
            return union(variants.iter().map(|variant| self.of(variant)).collect());
        }
        if let Some(parts) = list("allOf") {
            let parts: Vec<String> = parts.iter().map(|part| self.of(part)).filter(|part| part != UNKNOWN).collect();
            let grouped =
                parts.iter().map(|part| if part.contains(" | ") { format!("({part})") } else { part.clone() });
            let all = grouped.collect::<Vec<_>>().join(" & ");
            return if all.is_empty() { UNKNOWN.to_owned() } else { all };
        }
        match schema.get("type") {
            Some(Value::Array(kinds)) => union(kinds.iter().map(|kind| self.of_kind(kind.as_str(), schema)).collect()),
            Some(kind) => self.of_kind(kind.as_str(), schema),
            None => {
                let has = |names: &[&str]| names.iter().any(|name| schema.contains_key(*name));
                if has(&["properties", "additionalProperties", "required"]) {
                    self.object(schema)
                } else if has(&["items", "prefixItems"]) {
                    self.array(schema)
                } else {
                    UNKNOWN.to_owned()
                }
            }
        }
    }

    fn of_kind(&mut self, kind: Option<&str>, schema: &'a Map<String, Value>) -> String {
        match kind {
            Some("string") => "string".to_owned(),
            Some("number" | "integer") => "number".to_owned(),
            Some("boolean") => "boolean".to_owned(),
            Some("null") => "null".to_owned(),
            Some("array") => self.array(schema),
            Some("object") => self.object(schema),
            _ => UNKNOWN.to_owned(),
        }
    }

    fn of_reference(&mut self, reference: &'a str) -> String {
        if self.references >= REFERENCES || self.resolving.contains(&reference) {
            return UNKNOWN.to_owned();
        }
        let Some(target) = resolve(reference, self.root) else { return UNKNOWN.to_owned() };
        self.references += 1;
        self.resolving.push(reference);
        let text = self.of(target);
        self.resolving.pop();
        text
    }

    fn array(&mut self, schema: &'a Map<String, Value>) -> String {
        let items = schema.get("items");
        if let Some(items) = items.filter(|items| !items.is_array()) {
            return format!("Array<{}>", self.of(items));
        }
        let tuple = schema.get("prefixItems").or(items).and_then(Value::as_array);
        match tuple.filter(|tuple| !tuple.is_empty()) {
            Some(tuple) => format!("[{}]", tuple.iter().map(|item| self.of(item)).collect::<Vec<_>>().join(", ")),
            None => "unknown[]".to_owned(),
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>) -> String {
        let mut properties: Vec<(&String, &Value)> =
            schema.get("properties").and_then(Value::as_object).into_iter().flatten().collect();
        properties.sort_by_key(|(name, _)| *name);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|required| required.iter().any(|known| known.as_str() == Some(name)));
        let mut members: Vec<(Vec<String>, String)> = Vec::new();
        for (name, property) in &properties {
            let key = if is_identifier(name) { (*name).clone() } else { Value::from(name.as_str()).to_string() };
            let optional = if is_required(name) { "" } else { "?" };
            members.push((comments(property, self.tags), format!("{key}{optional}: {};", self.of(property))));
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => members.push((Vec::new(), "[key: string]: unknown;".to_owned())),
            Some(other) => members.push((Vec::new(), format!("[key: string]: {};", self.of(other)))),
            None if properties.is_empty() => members.push((Vec::new(), "[key: string]: unknown;".to_owned())),
            None => {}
        }
        if members.is_empty() {
            return "{}".to_owned();
        }
        if members.iter().all(|(comments, _)| comments.is_empty()) {
            let members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
            return format!("{{ {} }}", members.join(" "));
        }
        let mut text = "{\n".to_owned();
        for (comments, member) in members {
            for comment in comments {
                text.push_str(&format!("  // {comment}\n"));
            }
            text.push_str(&format!("  {}\n", member.replace('\n', "\n  ")));
        }
        text + "}"
    }
}

/// The different ones of several types.
fn union(types: Vec<String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for one in types {
        if one == UNKNOWN {
            return one;
        }
        if !unique.contains(&one) {
            unique.push(one);
        }
    }
    if unique.is_empty() { "never".to_owned() } else { unique.join(" | ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_are_types() {
        let cases = [
            (json!(true), "unknown"),
            (json!(false), "never"),
            (json!({"type": ["string", "null"]}), "string | null"),
            (json!({"enum": ["a", 1, "a"]}), "\"a\" | 1"),
            (json!({"const": {"a": 1}}), "{\"a\":1}"),
            (json!({"type": "array", "items": {"type": "integer"}}), "Array<number>"),
            (json!({"prefixItems": [{"type": "string"}, true]}), "[string, unknown]"),
            (json!({"type": "array"}), "unknown[]"),
            (json!({"type": "object"}), "{ [key: string]: unknown; }"),
            (json!({"type": "object", "additionalProperties": false}), "{}"),
            (json!({"additionalProperties": {"type": "string"}}), "{ [key: string]: string; }"),
            (
                json!({"properties": {"b-c": {"type": "string"}, "a": {}}, "required": ["a"]}),
                "{ a: unknown; \"b-c\"?: string; }",
            ),
            (
                json!({"allOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "number"}, true]}),
                "(string | null) & number",
            ),
            (json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}), "boolean"),
            (json!({"properties": {"next": {"$ref": "#"}}}), "{ next?: { next?: unknown; }; }"),
            (json!({"anyOf": []}), "never"),
            (json!([1]), "unknown"),
        ];
        for (schema, expected) in cases {
            assert_eq!(input_type(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn descriptions_and_limits_are_comments() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {
            "n": {"type": "integer", "description": "How many.\n Never none. ", "minimum": 1, "default": 3},
            "inner": {"type": "object", "properties": {"x": {"type": "string", "description": "An x.", "pattern": "^a"}}},
            "maybe": {"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 5}]},
        }});
        let expected = "{\n  inner?: {\n    // An x.\n    // @pattern ^a\n    x?: string;\n  };\n  // @maxLength 5\n  maybe?: null | string;\n  // How many.\n  // Never none.\n  // @integer @minimum 1 @default 3\n  n: number;\n}";
        assert_eq!(input_type(&schema), expected);
    }

    #[test]
    fn a_schema_without_end_and_one_of_any_size_have_short_types() {
        let doubled: Map<String, Value> = (0..40)
            .map(|n| {
                (
                    format!("d{n}"),
                    json!({"type": "object", "properties": {
                "a": {"$ref": format!("#/$defs/d{}", n + 1)}, "b": {"$ref": format!("#/$defs/d{}", n + 1)}}}),
                )
            })
            .collect();
        let schema = json!({"$ref": "#/$defs/d0", "$defs": doubled});
        assert!(input_type(&schema).len() <= LONGEST);
        let wide: Map<String, Value> = (0..20_000).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
        assert_eq!(input_type(&json!({"properties": wide})), "unknown");
    }
}
