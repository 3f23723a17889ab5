//! A short way for the arguments that nearly every call has.
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
