//! A short way for the schemas that nearly every tool has, and for the arguments that nearly every call has.
//!
//! Compiling a schema costs a few milliseconds and as many megabytes, and most tools have a flat one whose arguments
//! are right at once. Anything else, and everything that is wrong, goes the long way.

use serde_json::{Map, Value};

/// Whether `args` certainly are what `schema` asks for. `false` says nothing.
pub(super) fn certainly_valid(schema: &Value, args: &Value) -> bool {
    let (Some(schema), Some(args)) = (schema.as_object(), args.as_object()) else { return false };
    let Some(properties) = properties(schema) else { return false };
    let required = match schema.get("required") {
        None => true,
        Some(Value::Array(names)) => names.iter().all(|name| name.as_str().is_some_and(|name| args.contains_key(name))),
        Some(_) => false,
    };
    required
        && properties.values().all(|property| kind(property).is_some())
        && args.iter().all(|(name, value)| properties.get(name).and_then(kind).is_none_or(|kind| fits(kind, value)))
}

/// Whether `schema` certainly is one that can be compiled. `false` says nothing.
pub(super) fn certainly_a_schema(schema: &Value) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(schema) => schema.iter().all(|(key, value)| is_right(key, value)),
        _ => false,
    }
}

/// Whether a keyword certainly may have this value. Keywords that refer to something or have a language of their own
/// are not known here.
fn is_right(key: &str, value: &Value) -> bool {
    let schemas = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(certainly_a_schema));
    match key {
        "type" => value.as_str().is_some_and(|kind| TYPES.contains(&kind)),
        "description" | "title" => value.is_string(),
        "const" | "default" => true,
        "enum" => value.is_array(),
        "required" => value.as_array().is_some_and(|names| {
            let mut seen = names.iter().enumerate();
            seen.all(|(at, name)| name.is_string() && !names[..at].contains(name))
        }),
        "properties" => value.as_object().is_some_and(|properties| properties.values().all(certainly_a_schema)),
        "items" | "additionalProperties" => certainly_a_schema(value),
        "anyOf" | "oneOf" | "allOf" => schemas(value) && value.as_array().is_some_and(|all| !all.is_empty()),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" => value.is_u64(),
        _ => false,
    }
}

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The properties of a schema that says nothing else than what they are and which are needed.
fn properties(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let flat = schema.iter().all(|(key, value)| match key.as_str() {
        "type" => value == "object",
        "properties" => value.is_object(),
        "required" => value.is_array(),
        "description" | "title" => value.is_string(),
        _ => false,
    });
    schema.get("properties").filter(|_| flat && schema.contains_key("type"))?.as_object()
}

/// The type of a property that is no more than a type.
fn kind(property: &Value) -> Option<&str> {
    let property = property.as_object()?;
    let bare = property.iter().all(|(key, value)| match key.as_str() {
        "type" | "description" | "title" => value.is_string(),
        _ => false,
    });
    let kind = property.get("type").filter(|_| bare)?.as_str()?;
    matches!(kind, "string" | "number" | "integer" | "boolean").then_some(kind)
}

fn fits(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => value.is_boolean(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from),
            Just(json!([1])),
            Just(json!({})),
        ]
    }

    fn property() -> impl Strategy<Value = Value> {
        prop_oneof![
            prop::sample::select(vec!["string", "number", "integer", "boolean", "array", "object", "null"])
                .prop_map(|kind| json!({"type": kind, "description": "d"})),
            Just(json!({"type": "string", "minLength": 2})),
            Just(json!({"enum": ["a"]})),
            Just(json!({})),
            Just(json!(true)),
        ]
    }

    proptest! {
        #[test]
        fn it_never_says_more_than_the_long_way(
            properties in prop::collection::btree_map("[abc]", property(), 0..3),
            required in prop::collection::btree_set("[abc]", 0..3),
            args in prop::collection::btree_map("[abcd]", value(), 0..4),
            strict in any::<bool>(),
        ) {
            let mut schema = json!({"type": "object", "properties": properties, "required": required});
            if strict {
                schema["additionalProperties"] = json!(false);
            }
            let args = json!(args);
            if certainly_valid(&schema, &args) {
                let validator = super::super::compiled::validator(&schema).expect("a schema");
                prop_assert!(validator.is_valid(&args));
            }
        }
    }

    /// Schemas of a few keywords, right and wrong ones.
    fn schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            prop::sample::select(vec!["string", "number", "integer", "boolean", "array", "object", "null", "any"])
                .prop_map(|kind| json!({"type": kind, "description": "d"})),
            any::<bool>().prop_map(Value::from),
            Just(json!("string")),
        ];
        let keywords = [
            "type",
            "description",
            "title",
            "const",
            "default",
            "enum",
            "required",
            "properties",
            "items",
            "additionalProperties",
            "anyOf",
            "oneOf",
            "allOf",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "pattern",
            "$ref",
        ];
        leaf.prop_recursive(3, 24, 3, move |inner| {
            let some = prop_oneof![
                value(),
                inner.clone(),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map)),
                prop::collection::vec("[ab]", 0..3).prop_map(Value::from),
                (0u64..9).prop_map(Value::from),
            ];
            prop::collection::btree_map(prop::sample::select(keywords.to_vec()), some, 0..3).prop_map(|map| json!(map))
        })
    }

    proptest! {
        #[test]
        fn what_is_certainly_a_schema_compiles(schema in schema()) {
            if certainly_a_schema(&schema) {
                prop_assert_eq!(super::super::compiled::validator(&schema).map(|_| ()), Ok(()));
            }
        }
    }

    #[test]
    fn schemas_of_tools_are_known_without_being_compiled() {
        let schema = json!({"type": "object", "required": ["edits", "path"], "additionalProperties": false, "properties": {
            "path": {"type": "string", "description": "where"},
            "mode": {"anyOf": [{"const": "a"}, {"type": "string", "enum": ["b"]}], "default": "a"},
            "edits": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"line": {"minimum": 0}}}}}});
        assert!(certainly_a_schema(&schema));
        let wrong = [
            json!({"type": "text"}),
            json!({"required": ["a", "a"]}),
            json!({"properties": {"a": {"items": 1}}}),
            json!({"anyOf": []}),
            json!({"minLength": -1}),
            json!({"$ref": "https://example.com"}),
            json!("object"),
        ];
        assert!(wrong.iter().all(|schema| !certainly_a_schema(schema)));
    }

    #[test]
    fn flat_arguments_go_the_short_way() {
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string", "description": "where"}, "limit": {"type": "number"}}});
        assert!(certainly_valid(&schema, &json!({"path": "a", "limit": 3, "more": [1]})));
        assert!(!certainly_valid(&schema, &json!({"limit": 3})));
        assert!(!certainly_valid(&schema, &json!({"path": "a", "limit": "3"})));
        assert!(!certainly_valid(&schema, &json!("a")));
    }
}
