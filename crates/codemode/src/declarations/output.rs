//! What a call from a script gives, in a line, for tools that the model sees anyway.

use serde_json::Value;
use tau_tools::ToolSpec;

use super::identifier::identifier;
use super::schema::follow;
use super::types::output_type;

/// The line that stands below the description of a declared tool while scripts can call it.
pub fn script_line(spec: &ToolSpec) -> String {
    format!("In a codemode script: `tools.{}(args)`, which resolves to {}.", identifier(&spec.name), given(spec))
}

fn given(spec: &ToolSpec) -> String {
    let Some(schema) = &spec.output_schema else { return "a string".to_owned() };
    let fields = fields(schema, schema, 1).or_else(|| variants(schema));
    if let Some(fields) = fields {
        return format!("`{fields}`");
    }
    let text = output_type(schema);
    if text == "string" {
        "a string".to_owned()
    } else if text.contains('\n') || text.len() > 200 {
        format!("a value whose type `await describeTool({})` shows", Value::from(spec.name.as_str()))
    } else {
        format!("`{text}`")
    }
}

/// The names of the fields of an object, those of objects in it as well, so many levels deep.
fn fields(schema: &Value, root: &Value, depth: usize) -> Option<String> {
    let schema = follow(schema, root);
    let properties = schema["properties"].as_object().filter(|_| schema["type"] == "object")?;
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)));
    let field = |(name, property): (&String, &Value)| {
        let optional = if is_required(name) { "" } else { "?" };
        let inner = match follow(property, root).get("const") {
            Some(value) => Some(value.to_string()),
            None if depth > 0 => fields(property, root, depth - 1),
            None => None,
        };
        format!("{name}{optional}{}", inner.map(|inner| format!(": {inner}")).unwrap_or_default())
    };
    Some(format!("{{ {} }}", properties.iter().map(field).collect::<Vec<_>>().join(", ")))
}

/// The same for a choice between objects.
fn variants(schema: &Value) -> Option<String> {
    let found = follow(schema, schema);
    let variants = found["anyOf"].as_array().or_else(|| found["oneOf"].as_array()).filter(|all| !all.is_empty())?;
    let all: Option<Vec<String>> = variants.iter().map(|variant| fields(variant, schema, 0)).collect();
    Some(all?.join(" | "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_says_what_a_call_gives() {
        let line = |schema: Option<Value>| {
            let spec = ToolSpec { name: "a-b".to_owned(), output_schema: schema, ..ToolSpec::default() };
            script_line(&spec)
        };
        let text = |given: &str| format!("In a codemode script: `tools.a_b(args)`, which resolves to {given}.");
        assert_eq!(line(None), text("a string"));
        assert_eq!(line(Some(json!({"type": "string"}))), text("a string"));
        assert_eq!(line(Some(json!({"type": "array", "items": {"type": "string"}}))), text("`Array<string>`"));
        let object = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "object", "properties": {"c": {"type": "object", "properties": {"d": {}}}}}, "b": {"const": "x"}}});
        assert_eq!(line(Some(object.clone())), text("`{ a: { c? }, b?: \"x\" }`"));
        let choice = json!({"anyOf": [{"$ref": "#/$defs/o"}, {"type": "object", "properties": {"z": {}}}], "$defs": {"o": object}});
        assert_eq!(line(Some(choice)), text("`{ a, b?: \"x\" } | { z? }`"));
        let other =
            json!({"type": "array", "items": {"type": "object", "properties": {"a": {"description": "An a."}}}});
        assert_eq!(line(Some(other)), text("a value whose type `await describeTool(\"a-b\")` shows"));
    }
}
