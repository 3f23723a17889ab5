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
      - a: missing
      - b: missing

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
fn a_failure_is_short_however_long_the_arguments_and_their_names_are() {
    let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false});
    let deep = (0..400).fold(json!(1), |inner, _| json!([inner]));
    let wide = json!(vec!["x"; 1_000_000]);
    let name = "n".repeat(1_000_000);
    for args in [json!({"first": deep, "last": 1}), json!({"first": wide, "last": 1}), json!({ (name): 1, "last": 1 })]
    {
        let failure = validate("demo", &schema, args).unwrap_err();
        let (complaints, received) = failure.message.split_once("\n\nReceived arguments:\n").unwrap();
        assert!(complaints.starts_with("Validation failed for tool \"demo\":\n"), "{complaints}");
        assert!(received.starts_with('{') && received.ends_with('}'), "{received}");
        assert!(received.contains("\"last\":"), "{received}");
        assert!(received.contains("bytes left out") || received.len() <= tau_ai::MAX_RECEIVED, "{received}");
        assert!(failure.message.len() < 4 * tau_ai::MAX_RECEIVED, "{}", failure.message.len());
    }
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
            (json!({}), "  - a: missing\n  - b: missing"),
            (json!({"a": 1, "b": "7"}), r#"{"a":"1","b":7}"#),
            (json!({"a": null, "b": null, "c": null}), r#"{"a":"null","b":0}"#),
            (
                json!({"a": {}, "b": "x", "c": 2}),
                "  - a: expected string, got object\n  - b: expected number, got string\n  - c: expected boolean, got integer",
            ),
            (json!({"a": "", "b": "", "c": "TRUE"}), r#"{"a":"","b":0,"c":true}"#),
            (json!({"a": 1.5e-7, "b": " 7 "}), r#"{"a":"1.5e-7","b":7}"#),
            (json!({"a": true, "b": true, "c": "1", "d": 3}), r#"{"a":"true","b":1,"c":true,"d":3}"#),
            (json!({"a": 1e21, "b": "0x10"}), r#"{"a":"1e+21","b":16}"#),
            (json!({"a": 123456789.125, "b": "1.5"}), r#"{"a":"123456789.125","b":1.5}"#),
            (json!({"a": 5.0, "b": 1, "c": 0}), r#"{"a":"5","b":1,"c":false}"#),
            (json!({"a": "x", "b": "12abc"}), "  - b: expected number, got string"),
            (json!({"a": "x", "b": "infinity"}), "  - b: expected number, got string"),
            (json!([]), "  - root: expected object, got array"),
            (json!(null), "  - root: expected object, got null"),
            (json!("str"), "  - root: expected object, got string"),
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
            (json!({"n": "x"}), "  - n: expected integer, got string"),
            (json!({"n": null}), r#"{"n":0}"#),
            (json!({"n": []}), "  - n: expected integer, got array"),
        ],
    );
    let list = json!({"type": "array", "items": {"type": "string"}});
    check(
        json!({"type": "object", "required": ["l"], "properties": {"l": list}}),
        &[
            (json!({"l": "x"}), r#"{"l":["x"]}"#),
            (json!({"l": 3}), r#"{"l":["3"]}"#),
            (json!({"l": null}), r#"{"l":["null"]}"#),
            (json!({"l": [1, null, {}]}), "  - l.2: expected string, got object"),
            (json!({"l": {"a": 1}}), "  - l.0: expected string, got object"),
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
            (json!({"edits": [{"oldText": "a"}]}), "  - edits.0.newText: missing"),
            (
                json!({"edits": [{}, {"oldText": {}, "newText": []}]}),
                "  - edits.0.oldText: missing\n  - edits.0.newText: missing\n  - edits.1.oldText: expected string, got \
                 object\n  - edits.1.newText: expected string, got array",
            ),
            (json!({"edits": {"oldText": "a", "newText": "b"}}), r#"{"edits":[{"oldText":"a","newText":"b"}]}"#),
            (json!({"edits": "x"}), "  - edits.0: expected object, got string"),
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
                "  - n: expected >= 1\n  - s: expected at least 2 characters\n  - s: expected to match ^a\n  - x: expected \
                 > 1\n  - x: expected a multiple of 2",
            ),
            (
                json!({"n": 9, "s": "bbbbb", "x": 3}),
                "  - n: expected <= 5\n  - s: expected at most 3 characters\n  - s: expected to match ^a\n  - x: expected < \
                 2.5\n  - x: expected a multiple of 2",
            ),
        ],
    );
    let list = json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3, "uniqueItems": true});
    check(
        json!({"type": "object", "properties": {"a": list}, "minProperties": 1, "maxProperties": 1}),
        &[
            (json!({"a": [1]}), "  - a: expected at least 2 items"),
            (json!({"a": [1, 1]}), "  - a: expected unique items"),
            (json!({"a": [1, 2, 3, 4]}), "  - a: expected at most 3 items"),
            (json!({}), "  - root: expected at least 1 properties"),
            (json!({"a": [1, 2], "b": 1}), "  - root: expected at most 1 properties"),
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
                "  - e: expected one of [\"a\",\"b\",1]\n  - c: expected \"k\"\n  - u: expected string, got object\n  - v: \
                 expected \"x\"",
            ),
            (json!({}), "  - e: missing\n  - c: missing\n  - u: missing\n  - v: missing"),
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
                "  - t: expected string or null, got object\n  - n: expected number or boolean, got string",
            ),
            (json!({"t": null, "n": "7"}), r#"{"t":null,"n":7}"#),
            (
                json!({"o": "aa", "x": "q"}),
                "  - o: matches more than one alternative\n  - x: must not match the schema in not",
            ),
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
            (json!({"b": 1, "c": 2}), "  - a: missing\n  - b: unknown field\n  - c: unknown field"),
            (json!({"a": {}, "z": 1}), "  - a: expected string, got object\n  - z: unknown field"),
        ],
    );
    check(
        json!({"type": "object", "properties": {"r": {"type": "object", "patternProperties": {"^.*$": {"type": "number"}}}}}),
        &[
            (json!({"r": {"a": "1"}}), r#"{"r":{"a":1}}"#),
            (
                json!({"r": {"a/b": "x", "c~d": "y"}}),
                "  - r.a/b: expected number, got string\n  - r.c~d: expected number, got string",
            ),
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
            (json!({"tree": {"v": "1", "next": {}}}), "  - tree.next.v: missing"),
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
            (json!({"t": [1, "2", 3]}), "  - t.2: no value is allowed here"),
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
    assert_eq!(check_schema(&json!({"type": "object"})), Ok(()));
}

#[test]
fn no_more_complaints_than_help() {
    let properties: serde_json::Map<String, Value> =
        (0..120).map(|n| (format!("p{n}"), json!({"type": "number"}))).collect();
    let args: serde_json::Map<String, Value> = (0..120).map(|n| (format!("p{n}"), json!("x"))).collect();
    let lines = outcome(&json!({"type": "object", "properties": properties}), Value::Object(args));
    let mut expected: Vec<String> = (0..100).map(|n| format!("  - p{n}: expected number, got string")).collect();
    expected.push("  - and 20 more".to_owned());
    assert_eq!(lines, expected.join("\n"));
    let values: Vec<usize> = (0..25).collect();
    let lines = outcome(&json!({"type": "object", "properties": {"a": {"enum": values}}}), json!({"a": "x"}));
    assert!(lines.ends_with(",18,19, ... and 5 more]"), "{lines}");
}

#[test]
fn references_that_lead_nowhere() {
    let dead = json!({"$ref": "#/$defs/none"});
    let schema = json!({"type": "object", "properties": {
        "a": dead, "b": {"type": "string"}, "l": {"type": "array", "items": dead},
        "u": {"anyOf": [dead, {"type": "string"}]}, "web": {"$ref": "https://127.0.0.1:9/s.json"},
        // A property may have the name of a keyword, and data may look like a reference.
        "default": dead, "c": {"const": dead},
    }});
    assert_eq!(check_schema(&schema), Ok(()));
    check(
        schema,
        &[
            (json!({"b": 7, "l": []}), r#"{"b":"7","l":[]}"#),
            (json!({"a": 1}), "  - a: unresolved reference #/$defs/none"),
            (json!({"b": {}}), "  - b: expected string, got object"),
            (
                json!({"l": [1, 2]}),
                "  - l.0: unresolved reference #/$defs/none\n  - l.1: unresolved reference #/$defs/none",
            ),
            (json!({"u": "x"}), r#"{"u":"x"}"#),
            (json!({"u": {}}), "  - u: unresolved reference #/$defs/none"),
            (json!({"web": 1}), "  - web: unresolved reference https://127.0.0.1:9/s.json"),
            (json!({"default": 1}), "  - default: unresolved reference #/$defs/none"),
            (json!({"c": {"$ref": "#/$defs/none"}}), r##"{"c":{"$ref":"#/$defs/none"}}"##),
        ],
    );
}

#[test]
fn the_alternative_that_was_meant() {
    let side = |kind: &str| {
        json!({"type": "object", "required": ["kind", "size"], "properties": {
            "kind": {"const": kind}, "size": {"type": "number"},
        }})
    };
    check(
        json!({"type": "object", "properties": {"a": {"anyOf": [side("x"), side("y")]}}}),
        &[
            (json!({"a": {}}), r#"  - a.kind: expected one of ["x","y"]"#),
            (json!({"a": {"kind": "q"}}), r#"  - a.kind: expected one of ["x","y"]"#),
            (json!({"a": {"kind": "y"}}), "  - a.size: missing"),
            (json!({"a": 1}), "  - a: expected object, got integer"),
        ],
    );
    let named = |name: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "number"}}});
    check(
        json!({"anyOf": [named("a"), named("b")]}),
        &[(json!({}), "  - a: missing"), (json!({"b": "x"}), "  - b: expected number, got string")],
    );
}

/// A schema that refers to itself has no end where a value is wrapped into a list for it.
#[test]
fn a_conversion_by_a_schema_that_refers_to_itself_ends() {
    let list = json!({"properties": {"x": {"type": "array", "items": {"$ref": "#/properties/x"}}}});
    let either = json!({"$defs": {"n": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/n"}}]}},
        "properties": {"x": {"$ref": "#/$defs/n"}}});
    let any = json!({"properties": {"x": {"anyOf": [{"type": "array", "items": {"$ref": "#/properties/x"}}]}}});
    for schema in [list, either, any] {
        for value in [json!("z"), json!(["z"]), json!([[1, "z"], 2])] {
            let failure = validate("T", &schema, json!({ "x": value })).expect_err("no conversion fits");
            assert!(failure.message.contains("Validation failed"), "{}", failure.message);
        }
    }
}

/// Parts that multiply would look at one value for ever.
#[test]
fn a_schema_whose_references_multiply_is_refused() {
    let mut defs = serde_json::Map::new();
    for at in 0..60 {
        let next = json!({"$ref": format!("#/$defs/a{}", at + 1)});
        defs.insert(format!("a{at}"), json!({"allOf": [next, next]}));
    }
    defs.insert("a60".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "$defs": defs, "properties": {"x": {"$ref": "#/$defs/a0"}}});
    assert!(check_schema(&schema).expect_err("a problem").contains("its references multiply"));
    let failure = validate("T", &schema, json!({"x": "v"})).expect_err("it is not checked");
    assert!(failure.message.contains("its references multiply"), "{}", failure.message);
}
