use serde_json::{Value, json};
use tau_tools::arguments::{check_schema, validate};

/// What becomes of arguments: the converted ones, or the lines of complaint.
fn outcome(schema: &Value, args: Value) -> String {
    match validate("T", schema, args) {
        Ok(args) => args.to_string(),
        Err(failure) => {
            let (complaints, _) = failure.message.split_once("\n\nReceived arguments:\n").unwrap();
            complaints.strip_prefix("Validation failed for tool \"T\":\n").unwrap().to_owned()
        }
    }
}

fn check(schema: Value, cases: &[(Value, &str)]) {
    for (args, expected) in cases {
        assert_eq!(outcome(&schema, args.clone()), *expected, "{args}");
    }
}

#[test]
fn the_failure_repeats_the_arguments_as_received() {
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}}});
    let failure = validate("demo", &schema, json!({"c": [1], "d": {}})).unwrap_err();
    insta::assert_snapshot!(failure.message, @r#"
    Validation failed for tool "demo":
      - a: must have required properties a, b

    Received arguments:
    {
      "c": [
        1
      ],
      "d": {}
    }
    "#);
}

#[test]
fn plain_types() {
    let schema = json!({
        "type": "object",
        "required": ["a", "b"],
        "properties": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "boolean"}},
    });
    check(
        schema,
        &[
            (json!({}), "  - a: must have required properties a, b"),
            (json!({"a": 1, "b": "7"}), r#"{"a":"1","b":7}"#),
            (json!({"a": null, "b": null, "c": null}), r#"{"a":"null","b":0}"#),
            (
                json!({"a": {}, "b": "x", "c": 2}),
                "  - a: must be string\n  - b: must be number\n  - c: must be boolean",
            ),
            (json!({"a": "", "b": "", "c": "TRUE"}), r#"{"a":"","b":0,"c":true}"#),
            (json!({"a": 1.5e-7, "b": " 7 "}), r#"{"a":"1.5e-7","b":7}"#),
            (json!({"a": true, "b": true, "c": "1", "d": 3}), r#"{"a":"true","b":1,"c":true,"d":3}"#),
            (json!({"a": 1e21, "b": "0x10"}), r#"{"a":"1e+21","b":16}"#),
            (json!({"a": 123456789.125, "b": "1.5"}), r#"{"a":"123456789.125","b":1.5}"#),
            (json!({"a": 5.0, "b": 1, "c": 0}), r#"{"a":"5","b":1,"c":false}"#),
            (json!({"a": "x", "b": "12abc"}), "  - b: must be number"),
            (json!({"a": "x", "b": "infinity"}), "  - b: must be number"),
            (json!([]), "  - root: must be object"),
            (json!(null), "  - root: must be object"),
            (json!("str"), "  - root: must be object"),
        ],
    );
}

#[test]
fn integers_and_lists() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    check(
        schema,
        &[
            (json!({"n": 1.5}), r#"{"n":1}"#),
            (json!({"n": "2.7"}), r#"{"n":2}"#),
            (json!({"n": -1.5}), r#"{"n":-1}"#),
            (json!({"n": "x"}), "  - n: must be integer"),
            (json!({"n": null}), r#"{"n":0}"#),
            (json!({"n": []}), "  - n: must be integer"),
        ],
    );
    let list = json!({"type": "array", "items": {"type": "string"}});
    check(
        json!({"type": "object", "required": ["l"], "properties": {"l": list}}),
        &[
            (json!({"l": "x"}), r#"{"l":["x"]}"#),
            (json!({"l": 3}), r#"{"l":["3"]}"#),
            (json!({"l": null}), r#"{"l":["null"]}"#),
            (json!({"l": [1, null, {}]}), "  - l.2: must be string"),
            (json!({"l": {"a": 1}}), "  - l.0: must be string"),
        ],
    );
}

#[test]
fn nested_objects() {
    let edit = json!({
        "type": "object",
        "required": ["oldText", "newText"],
        "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
    });
    let schema =
        json!({"type": "object", "required": ["edits"], "properties": {"edits": {"type": "array", "items": edit}}});
    check(
        schema,
        &[
            (json!({"edits": [{"oldText": "a"}]}), "  - edits.0.newText: must have required properties newText"),
            (
                json!({"edits": [{}, {"oldText": {}, "newText": []}]}),
                "  - edits.0.oldText: must have required properties oldText, newText\n  - edits.1.oldText: must be \
                 string\n  - edits.1.newText: must be string",
            ),
            (json!({"edits": {"oldText": "a", "newText": "b"}}), r#"{"edits":[{"oldText":"a","newText":"b"}]}"#),
            (json!({"edits": "x"}), "  - edits.0: must be object"),
        ],
    );
}

#[test]
fn bounds() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "number", "minimum": 1, "maximum": 5},
            "s": {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"},
            "x": {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2.5, "multipleOf": 2},
        },
    });
    check(
        schema,
        &[
            (
                json!({"n": 0, "s": "b", "x": 1}),
                "  - n: must be >= 1\n  - s: must not have fewer than 2 characters\n  - s: must match pattern \"^a\"\n  \
                 - x: must be > 1\n  - x: must be multiple of 2",
            ),
            (
                json!({"n": 9, "s": "bbbbb", "x": 3}),
                "  - n: must be <= 5\n  - s: must not have more than 3 characters\n  - s: must match pattern \"^a\"\n  \
                 - x: must be < 2.5\n  - x: must be multiple of 2",
            ),
        ],
    );
    let list = json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3, "uniqueItems": true});
    check(
        json!({"type": "object", "properties": {"a": list}, "minProperties": 1, "maxProperties": 1}),
        &[
            (json!({"a": [1]}), "  - a: must not have fewer than 2 items"),
            (json!({"a": [1, 1]}), "  - a: must not have duplicate items"),
            (json!({"a": [1, 2, 3, 4]}), "  - a: must not have more than 3 items"),
            (json!({}), "  - root: must not have fewer than 1 properties"),
            (json!({"a": [1, 2], "b": 1}), "  - root: must not have more than 1 properties"),
        ],
    );
}

#[test]
fn choices() {
    let schema = json!({
        "type": "object",
        "required": ["e", "c", "u", "v"],
        "properties": {
            "e": {"enum": ["a", "b", 1]},
            "c": {"type": "string", "const": "k"},
            "u": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "v": {"anyOf": [{"type": "string", "const": "x"}, {"type": "string", "const": "y"}]},
        },
    });
    check(
        schema,
        &[
            (
                json!({"e": "z", "c": "q", "u": {}, "v": "w"}),
                "  - e: must be equal to one of the allowed values\n  - c: must be equal to constant\n  - u: must be \
                 string\n  - u: must be number\n  - u: must match a schema in anyOf\n  - v: must be equal to \
                 constant\n  - v: must be equal to constant\n  - v: must match a schema in anyOf",
            ),
            (json!({}), "  - e: must have required properties e, c, u, v"),
            (json!({"e": "1", "c": "k", "u": true, "v": "y"}), r#"{"e":1,"c":"k","u":"true","v":"y"}"#),
        ],
    );
    check(
        json!({"type": "object", "properties": {
            "t": {"type": ["string", "null"]}, "n": {"type": ["number", "boolean"]},
            "o": {"oneOf": [{"type": "string"}, {"minLength": 1}]}, "x": {"not": {"type": "string"}},
        }}),
        &[
            (
                json!({"t": {}, "n": "q"}),
                "  - t: must be either string or null\n  - n: must be either number or boolean",
            ),
            (json!({"t": null, "n": "7"}), r#"{"t":null,"n":7}"#),
            (json!({"o": "aa", "x": "q"}), "  - o: must match exactly one schema in oneOf\n  - x: must not be valid"),
        ],
    );
}

#[test]
fn objects_with_free_keys() {
    check(
        json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "string"}},
        }),
        &[
            (
                json!({"b": 1, "c": 2}),
                "  - a: must have required properties a\n  - b: schema is false\n  - c: schema is false\n  - root: must \
                 not have additional properties",
            ),
            (
                json!({"a": {}, "z": 1}),
                "  - z: schema is false\n  - root: must not have additional properties\n  - a: must be string",
            ),
        ],
    );
    check(
        json!({"type": "object", "properties": {"r": {"type": "object", "patternProperties": {"^.*$": {"type": "number"}}}}}),
        &[
            (json!({"r": {"a": "1"}}), r#"{"r":{"a":1}}"#),
            (json!({"r": {"a/b": "x", "c~d": "y"}}), "  - r.a.b: must be number\n  - r.c~d: must be number"),
        ],
    );
}

#[test]
fn optional_nulls_go_unless_null_is_allowed() {
    check(
        json!({"type": "object", "properties": {
            "s": {"type": "string"},
            "nn": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "o": {"type": "object", "properties": {"d": {"type": "number"}}},
            "l": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "number"}}}},
        }}),
        &[(json!({"s": null, "nn": null, "o": {"d": null}, "l": [{"d": null}]}), r#"{"nn":null,"o":{},"l":[{}]}"#)],
    );
}

#[test]
fn references_within_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "required": ["v"], "properties": {
            "v": {"type": "number"}, "next": {"$ref": "#/$defs/node"},
        }}},
    });
    check(
        schema,
        &[
            (json!({"tree": {"v": "1", "next": {"v": "2"}}}), r#"{"tree":{"v":1,"next":{"v":2}}}"#),
            (json!({"tree": {"v": "1", "next": {}}}), "  - tree.next.v: must have required properties v"),
        ],
    );
    let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
    // Whether a circle means anything or not, it must end.
    let _ = validate("T", &circle, json!({"x": null}));
}

#[test]
fn tuples_of_older_drafts() {
    let tuple = json!({"type": "array", "items": [{"type": "number"}, {"type": "string"}], "additionalItems": false});
    check(
        json!({"type": "object", "properties": {"t": tuple}}),
        &[
            (json!({"t": ["1", 2]}), r#"{"t":[1,"2"]}"#),
            (json!({"t": [1, "2", 3]}), "  - t: must not have more than 2 items"),
        ],
    );
}

#[test]
fn schemas_that_cannot_be_used() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "text"}}});
    let message = validate("T", &schema, json!({})).unwrap_err().message;
    assert!(message.starts_with("The parameter schema of tool \"T\" is invalid: "), "{message}");
    assert!(message.ends_with(" at /properties/a/type"), "{message}");
    assert!(check_schema(&json!({"pattern": "("})).is_err());
    assert!(check_schema(&json!({"$ref": "http://127.0.0.1:9/schema.json"})).is_err());
    assert_eq!(check_schema(&json!({"type": "object"})), Ok(()));
}

#[test]
fn at_most_eight_complaints() {
    let properties: serde_json::Map<String, Value> =
        (0..20).map(|n| (format!("p{n}"), json!({"type": "number"}))).collect();
    let args: serde_json::Map<String, Value> = (0..20).map(|n| (format!("p{n}"), json!("x"))).collect();
    let lines = outcome(&json!({"type": "object", "properties": properties}), Value::Object(args));
    let expected: Vec<String> = (0..8).map(|n| format!("  - p{n}: must be number")).collect();
    assert_eq!(lines, expected.join("\n"));
}
