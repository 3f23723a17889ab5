//! The schema of what scripts get: a whole result, with the tool's own schema for its structured part.

use serde_json::{Map, Value, json};

/// Keys whose values are data and hold no schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Keys whose values hold schemas by name.
const BY_NAME: [&str; 6] =
    ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];
/// Where the tool's own schema stands.
const PLACE: &str = "#/properties/structuredContent";
/// Deepest schema that is taken over.
const DEEPEST: usize = 64;

/// The schema of the results of a tool.
pub fn result_schema(own: Option<&Value>) -> Value {
    let own = own.and_then(|own| moved(own, 0)).unwrap_or_else(|| json!({}));
    json!({
        "type": "object",
        "properties": {
            "content": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "type": { "enum": ["text", "image", "audio", "resource_link", "resource"] },
                        "text": { "type": "string" },
                        "data": { "type": "string" },
                        "mimeType": { "type": "string" }
                    },
                    "required": ["type"],
                    "additionalProperties": true
                }
            },
            "structuredContent": own,
            "isError": { "type": "boolean" }
        },
        "required": ["content"],
        "additionalProperties": true
    })
}

/// A schema at another place: what it refers to in itself moves with it. `None` when it is too deep.
fn moved(schema: &Value, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    match schema {
        Value::Array(all) => all.iter().map(|one| moved(one, depth + 1)).collect::<Option<Vec<_>>>().map(Value::Array),
        Value::Object(keys) => {
            let mut new = Map::new();
            for (key, value) in keys {
                let value = match (key.as_str(), value) {
                    ("$ref", Value::String(at)) if at == "#" || at.starts_with("#/") => {
                        Value::from(format!("{PLACE}{}", &at[1..]))
                    }
                    (key, value) if DATA.contains(&key) => value.clone(),
                    (key, Value::Object(named)) if BY_NAME.contains(&key) => {
                        let named: Option<Map<String, Value>> =
                            named.iter().map(|(name, one)| Some((name.clone(), moved(one, depth + 1)?))).collect();
                        Value::Object(named?)
                    }
                    (_, value) => moved(value, depth + 1)?,
                };
                new.insert(key.clone(), value);
            }
            Some(Value::Object(new))
        }
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_move_with_the_schema() {
        let own = json!({"properties": {"$ref": {"$ref": "#/$defs/A"}, "b": {"const": {"$ref": "#/x"}}},
            "$defs": {"A": {"items": {"$ref": "#"}}}, "allOf": [{"$ref": "other.json"}]});
        let moved = &result_schema(Some(&own))["properties"]["structuredContent"];
        let expected = json!({"properties": {"$ref": {"$ref": format!("{PLACE}/$defs/A")}, "b": {"const": {"$ref": "#/x"}}},
            "$defs": {"A": {"items": {"$ref": PLACE}}}, "allOf": [{"$ref": "other.json"}]});
        assert_eq!(*moved, expected);
    }

    #[test]
    fn a_bottomless_schema_is_left_out() {
        let deep = (0..100).fold(json!({}), |inner, _| json!({ "items": inner }));
        assert_eq!(result_schema(Some(&deep))["properties"]["structuredContent"], json!({}));
    }
}
