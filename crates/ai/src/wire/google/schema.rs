//! Schemas of arguments as Google takes them.

use serde_json::Value;

use crate::JsonMap;

/// Keywords under which names stand, each with a schema of its own.
const NAMES: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/// Keywords under which a schema stands, or several.
const SCHEMAS: [&str; 16] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// The schema with a list of one in place of each `const` that is a text or a number: Google has no `const`.
pub(super) fn without_const(schema: &Value) -> Value {
    match schema {
        Value::Array(list) => list.iter().map(without_const).collect(),
        Value::Object(keywords) => {
            let mut plain = JsonMap::new();
            for (keyword, value) in keywords {
                let value = match value {
                    Value::Object(names) if NAMES.contains(&keyword.as_str()) => {
                        names.iter().map(|(name, schema)| (name.clone(), without_const(schema))).collect()
                    }
                    _ if SCHEMAS.contains(&keyword.as_str()) => without_const(value),
                    _ => value.clone(),
                };
                plain.insert(keyword.clone(), value);
            }
            if !plain.contains_key("enum")
                && let Some(only) = plain.get("const").filter(|only| only.is_string() || only.is_number()).cloned()
            {
                plain.shift_remove("const");
                plain.insert("enum".to_owned(), Value::Array(vec![only]));
            }
            Value::Object(plain)
        }
        _ => schema.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_constant_becomes_a_list_of_one() {
        for (given, plain) in [
            (json!({"const": "a"}), json!({"enum": ["a"]})),
            (json!({"const": 3, "type": "integer"}), json!({"type": "integer", "enum": [3]})),
            (json!({"const": true}), json!({"const": true})),
            (json!({"const": "a", "enum": ["a"]}), json!({"const": "a", "enum": ["a"]})),
            // A property may be called like a keyword, and a value may look like a schema.
            (json!({"properties": {"const": {"const": "x"}}}), json!({"properties": {"const": {"enum": ["x"]}}})),
            (json!({"default": {"const": "x"}}), json!({"default": {"const": "x"}})),
            (
                json!({"$defs": {"a": {"const": "x"}}, "items": true}),
                json!({"$defs": {"a": {"enum": ["x"]}}, "items": true}),
            ),
            (
                json!({"anyOf": [{"const": "a"}, {"items": {"const": "b"}}]}),
                json!({"anyOf": [{"enum": ["a"]}, {"items": {"enum": ["b"]}}]}),
            ),
            (json!(true), json!(true)),
        ] {
            assert_eq!(without_const(&given), plain, "{given}");
        }
    }

    fn schemas() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(json!({"const": "a"})), Just(json!({"const": null})), Just(json!({"type": "string"}))];
        leaf.prop_recursive(4, 20, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(|list| json!({ "anyOf": list })),
                inner.clone().prop_map(|schema| json!({"properties": {"p": schema}, "required": ["p"]})),
                inner.prop_map(|schema| json!({"const": 1, "items": schema})),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_plain_stays_as_it_is(schema in schemas()) {
            let plain = without_const(&schema);
            prop_assert!(!plain.to_string().contains(r#""const":"a""#) && !plain.to_string().contains(r#""const":1"#));
            prop_assert_eq!(without_const(&plain), plain);
        }
    }
}
