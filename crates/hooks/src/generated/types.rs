//! JSON schemas as TypeScript types.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::catalogue::{DEFINITIONS, lists};

/// A schema as a type on one line, without comments.
pub(super) fn inline(schema: &Value) -> String {
    convert(schema, None).text
}

/// How tightly a type holds together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Union,
    Intersection,
    Atom,
}

pub(super) struct Type {
    pub(super) text: String,
    binding: Binding,
}

impl Type {
    fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), binding: Binding::Atom }
    }

    /// The text as a part of something that holds as tightly as `binding`.
    fn within(self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text }
    }
}

/// How a type is written: on one line, or with comments and this many levels of indentation.
pub(super) type Layout = Option<usize>;

pub(super) fn convert(schema: &Value, layout: Layout) -> Type {
    let Value::Object(map) = schema else {
        return Type::atom(if *schema == Value::Bool(false) { "never" } else { "unknown" });
    };
    if let Some(value) = map.get("const") {
        return Type::atom(value.to_string());
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        return union(values.iter().map(|value| Type::atom(value.to_string())).collect());
    }
    let mut parts = Vec::new();
    if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(DEFINITIONS)) {
        parts.push(Type::atom(name));
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(Value::Array(variants)) = map.get(keyword) {
            parts.push(alternatives(variants, layout));
        }
    }
    if let Some(Value::Array(all)) = map.get("allOf") {
        parts.extend(all.iter().map(|part| convert(part, layout)));
    }
    // Next to a reference, `type: object` only repeats what is known.
    if map.contains_key("type") && (parts.is_empty() || map.contains_key("properties")) {
        let types = match &map["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        parts.push(union(types.into_iter().map(|name| of_type(name, map, schema, layout)).collect()));
    }
    match parts.len() {
        0 => Type::atom("unknown"),
        1 => parts.remove(0),
        _ => {
            let parts = parts.into_iter().map(|part| part.within(Binding::Intersection)).collect::<Vec<_>>();
            Type { text: parts.join(" & "), binding: Binding::Intersection }
        }
    }
}

/// A schema with the given `type`.
fn of_type(name: &str, map: &Map<String, Value>, schema: &Value, layout: Layout) -> Type {
    match name {
        "null" | "boolean" | "string" => Type::atom(name),
        "integer" | "number" => Type::atom("number"),
        "array" => {
            let items = map.get("items").map_or_else(|| Type::atom("unknown"), |items| convert(items, layout));
            Type::atom(format!("{}[]", items.within(Binding::Atom)))
        }
        "object" => match (map.get("properties").and_then(Value::as_object), map.get("additionalProperties")) {
            (Some(fields), _) => Type::atom(object(schema, fields, layout)),
            (None, Some(values)) => Type::atom(format!("Record<string, {}>", convert(values, layout).text)),
            (None, None) => Type::atom("Record<string, unknown>"),
        },
        _ => Type::atom("unknown"),
    }
}

pub(super) fn object(schema: &Value, fields: &Map<String, Value>, layout: Layout) -> String {
    let inner = layout.map(|level| level + 1);
    let mut members = Vec::new();
    for (name, field) in fields {
        let optional = if lists(schema.get("required"), name) { "" } else { "?" };
        let comment = inner.map(|level| comment(field, level)).unwrap_or_default();
        let text = convert(field, inner).text;
        members.push((comment, format!("{}{optional}:{}{text}", key(name), gap(&text))));
    }
    // Fields that nobody declared are kept, whatever they are.
    if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        members.push((String::new(), "[key: string]: unknown".to_owned()));
    }
    match layout {
        _ if members.is_empty() => "{}".to_owned(),
        None => format!("{{ {} }}", members.into_iter().map(|(_, member)| member).collect::<Vec<_>>().join("; ")),
        Some(level) => {
            let mut text = String::from("{\n");
            for (comment, member) in members {
                let _ = writeln!(text, "{comment}{}{member};", indent(level + 1));
            }
            text + &indent(level) + "}"
        }
    }
}

/// One of several variants, on a line each if they are explained.
fn alternatives(variants: &[Value], layout: Layout) -> Type {
    // A variant for kinds that are not known yet would keep TypeScript from telling the others apart.
    let known = variants.iter().filter(|variant| !is_any_object(variant)).collect::<Vec<_>>();
    let variants = if known.is_empty() { variants.iter().collect() } else { known };
    let explained = variants.len() > 1 && variants.iter().any(|variant| variant.get("description").is_some());
    let Some(level) = layout.filter(|_| explained) else {
        return union(variants.into_iter().map(|variant| convert(variant, layout)).collect());
    };
    let literals = variants.iter().any(|variant| variant.get("const").is_some());
    let lines = variants.into_iter().map(|variant| {
        let text = open_string(convert(variant, Some(level + 1)), literals).within(Binding::Intersection);
        format!("\n{}{}| {text}", comment(variant, level + 1), indent(level + 1))
    });
    Type { text: lines.collect(), binding: Binding::Union }
}

fn union(mut types: Vec<Type>) -> Type {
    if types.len() == 1 {
        return types.remove(0);
    }
    let literals = types.iter().any(|one| one.text.starts_with('"'));
    let types = types.into_iter().map(|one| open_string(one, literals).within(Binding::Intersection));
    Type { text: types.collect::<Vec<_>>().join(" | "), binding: Binding::Union }
}

/// Beside literals `string` would swallow them; written this way, an editor still proposes them.
fn open_string(one: Type, beside_literals: bool) -> Type {
    if beside_literals && one.text == "string" { Type::atom("(string & {})") } else { one }
}

fn is_any_object(schema: &Value) -> bool {
    schema.get("type").is_some_and(|one| one == "object")
        && schema.get("additionalProperties") == Some(&Value::Bool(true))
        && schema.get("properties").is_none()
        && schema.get("$ref").is_none()
}

/// The description as a comment, or nothing.
pub(super) fn comment(schema: &Value, level: usize) -> String {
    let Some(text) = schema.get("description").and_then(Value::as_str) else { return String::new() };
    format!("{}/** {} */\n", indent(level), text.replace("*/", "*\\/"))
}

/// What stands before a type; one that begins with a line break needs nothing.
pub(super) fn gap(text: &str) -> &'static str {
    if text.starts_with('\n') { "" } else { " " }
}

fn indent(level: usize) -> String {
    "    ".repeat(level)
}

/// A name as a key, quoted if it has to be.
pub(super) fn key(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { name.to_owned() } else { Value::from(name).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_types() {
        let cases = [
            (json!(true), "unknown"),
            (json!(false), "never"),
            (json!({}), "unknown"),
            (json!({"description": "anything"}), "unknown"),
            (json!({"type": "integer"}), "number"),
            (json!({"type": ["string", "null"]}), "string | null"),
            (json!({"const": "a\"b"}), r#""a\"b""#),
            (json!({"type": "string", "enum": ["a", "b", null]}), r#""a" | "b" | null"#),
            (json!({"$ref": "#/$defs/Message"}), "Message"),
            (json!({"type": "array", "items": {"type": ["string", "null"]}}), "(string | null)[]"),
            (json!({"type": "array"}), "unknown[]"),
            (json!({"type": ["array", "null"], "items": {"$ref": "#/$defs/A"}}), "A[] | null"),
            (json!({"type": "object"}), "Record<string, unknown>"),
            (json!({"type": "object", "properties": {}}), "{}"),
            (
                json!({"type": "object", "additionalProperties": {"type": ["string", "null"]}}),
                "Record<string, string | null>",
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b-c": true}, "required": ["a"], "additionalProperties": true}),
                r#"{ a: string; "b-c"?: unknown; [key: string]: unknown }"#,
            ),
            (
                json!({"$ref": "#/$defs/A", "type": "object", "properties": {"k": {"const": 1}}, "required": ["k"]}),
                "A & { k: 1 }",
            ),
            (json!({"allOf": [{"$ref": "#/$defs/A"}, {"oneOf": [{"const": 1}, {"const": 2}]}]}), "A & (1 | 2)"),
            (json!({"anyOf": [{"const": "a", "description": "A."}, {"type": "string"}]}), r#""a" | (string & {})"#),
            (json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "object", "additionalProperties": true}]}), "A"),
            (json!({"anyOf": [{"type": "object", "additionalProperties": true}]}), "Record<string, unknown>"),
            (json!({"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}}), "(A | null)[]"),
        ];
        for (schema, text) in cases {
            assert_eq!(inline(&schema), text, "{schema}");
        }
    }
}
