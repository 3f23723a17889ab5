//! What answers are, and what is refused.

use proptest::prelude::*;
use serde_json::json;
use tau_tools::Kept;

use super::*;
use crate::found::HookMoment;

fn kept(text: &str) -> Kept {
    Kept { text: text.to_owned(), ..Kept::default() }
}

fn pre(output: &Kept) -> Result<Option<Answer>, AnswerError> {
    parse(output, HookMoment::Pre)
}

fn read(value: Value) -> Answer {
    pre(&kept(&value.to_string())).expect("an answer that can be read").expect("an answer")
}

#[test]
fn the_strictest_word_counts() {
    let cases = [
        (json!({}), Decision::None),
        (json!({"decision": "approve"}), Decision::Allow),
        (json!({"decision": "block"}), Decision::Deny),
        (json!({"decision": "deny"}), Decision::Deny),
        (json!({"permission": "deny"}), Decision::Deny),
        (json!({"permission": "ask"}), Decision::Ask),
        (json!({"hookSpecificOutput": {"permissionDecision": "deny"}}), Decision::Deny),
        (json!({"hookSpecificOutput": {"permissionDecision": "ask"}}), Decision::Ask),
        (json!({"hookSpecificOutput": {"permissionDecision": "defer"}}), Decision::None),
        (json!({"decision": "block", "hookSpecificOutput": {"permissionDecision": "allow"}}), Decision::Deny),
        (json!({"decision": "approve", "hookSpecificOutput": {"permissionDecision": "ask"}}), Decision::Ask),
        (json!({"permissionDecision": "deny"}), Decision::Deny),
        (json!({"hookSpecificOutput": {"decision": "block"}}), Decision::Deny),
        (json!({"hookSpecificOutput": {"permission": "ask"}}), Decision::Ask),
        (json!({"block": true}), Decision::Deny),
        (json!({"block": false}), Decision::None),
    ];
    for (value, decision) in cases {
        let answer = read(value.clone());
        assert_eq!((answer.decision, answer.problem), (decision, None), "{value}");
    }
}

#[test]
fn every_field_is_read() {
    let value = json!({
        "continue": false, "stopReason": "enough", "systemMessage": "look", "suppressOutput": true, "reason": "r",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no",
            "updatedInput": {"command": "ls"}, "additionalContext": "c", "updatedToolOutput": "o",
        },
    });
    let input = json!({"command": "ls"}).as_object().cloned();
    let expected = Answer {
        decision: Decision::Deny,
        reason: Some("no".to_owned()),
        problem: None,
        remarks: Vec::new(),
        stop: Some(Some("enough".to_owned())),
        updated_input: input,
        updated_output: Some(json!("o")),
        context: Some("c".to_owned()),
        message: Some("look".to_owned()),
        quiet: true,
    };
    assert_eq!(read(value), expected);
}

#[test]
fn what_is_meant_as_an_answer_and_is_none_is_an_error() {
    assert_eq!(pre(&kept("all is well {}")), Ok(None));
    assert_eq!(pre(&kept(" \n[1]")), Ok(None));
    assert_eq!(pre(&kept("")), Ok(None));
    assert_eq!(pre(&kept("\u{feff} {}\n")), Ok(Some(Answer::default())));
    for text in ["{\"a\": 1}", "all well"] {
        assert_eq!(pre(&Kept { cut: true, ..kept(text) }), Err(AnswerError::Cut(8)), "{text}");
    }
    let no_text = Kept { lossy: true, ..kept("{\"a\": \"\u{fffd}\"}") };
    assert_eq!(pre(&no_text), Err(AnswerError::NotText));
    for text in ["\u{fffd}\u{fffd}{\0}\0", "\u{fffd}\u{fffd}\0{\0}", "\0{\0}"] {
        assert_eq!(pre(&kept(text)), Err(AnswerError::NotText), "{text:?}");
    }
    let twice = "{\"decision\": \"block\", \"decision\": \"approve\"}";
    let several = "{\"decision\": \"approve\"}\n{\"decision\": \"block\"}";
    for text in ["{", "{\"decision\": \"block\"} and more", "{'decision': 'block'}", twice, several] {
        assert!(matches!(pre(&kept(text)), Err(AnswerError::NoJson(_))), "{text}");
    }
    let wrong = [
        json!({"decision": 1}),
        json!({"decision": null}),
        json!({"block": null}),
        json!({"permission": null}),
        json!({"continue": null}),
        json!({"hookSpecificOutput": null}),
        json!({"hookSpecificOutput": {"permissionDecision": null}}),
        json!({"block": "yes"}),
        json!({"hookSpecificOutput": {"hookEventName": 1}}),
        json!({"decision": {"behavior": "deny"}}),
        json!({"permission": ["deny"]}),
        json!({"continue": "false"}),
        json!({"hookSpecificOutput": "deny"}),
        json!({"hookSpecificOutput": {"permissionDecision": {}}}),
        json!({"hookSpecificOutput": {"updatedInput": "ls"}}),
    ];
    for value in wrong {
        assert!(matches!(read(value.clone()).problem, Some(AnswerError::Type { .. })), "{value}");
    }
}

#[test]
fn an_answer_inside_another_is_a_problem_and_its_refusal_holds() {
    for (inner, decision) in [
        (json!({"permissionDecision": "deny"}), Decision::Deny),
        (json!({"hookSpecificOutput": {"block": true}}), Decision::Deny),
        (json!({"permissionDecision": "allow"}), Decision::Allow),
        (json!("deny"), Decision::None),
    ] {
        let answer = read(json!({"hookSpecificOutput": {"hookSpecificOutput": inner}}));
        assert_eq!((answer.decision, answer.problem), (decision, Some(AnswerError::Nested)), "{inner}");
    }
}

#[test]
fn words_fields_and_events_that_nobody_knows_are_problems() {
    for word in ["denied", "Deny", "deny ", "", "no"] {
        assert_eq!(read(json!({"decision": word})).problem, Some(AnswerError::Word(word.to_owned())));
    }
    for (field, meant) in [
        ("Decision", "decision"),
        ("permission_decision", "permissionDecision"),
        ("hook-specific-output", "hookSpecificOutput"),
        ("Continue", "continue"),
        ("desicion", "decision"),
        ("permissionDecison", "permissionDecision"),
        ("hookSpecificOutputs", "hookSpecificOutput"),
        ("permissions", "permission"),
        ("blocked", "block"),
        ("contineu", "continue"),
        ("deny", "decision"),
        ("approved", "decision"),
    ] {
        let expected = AnswerError::Field { field: field.to_owned(), meant };
        assert_eq!(read(json!({field: "deny"})).problem, Some(expected));
    }
    let of = |event: &str| json!({"hookSpecificOutput": {"hookEventName": event}}).to_string();
    let problem = |event, moment| parse(&kept(&of(event)), moment).expect("JSON").expect("an answer").problem;
    for event in ["PreToolUse", "preToolUse", "BeforeTool"] {
        assert_eq!(problem(event, HookMoment::Pre), None);
        assert_eq!(problem(event, HookMoment::Post), Some(AnswerError::OtherEvent(event.to_owned())));
    }
    assert_eq!(problem("PostToolUse", HookMoment::Post), None);
    assert_eq!(problem("Stop", HookMoment::Pre), Some(AnswerError::OtherEvent("Stop".to_owned())));
}

#[test]
fn what_is_wrong_and_decides_nothing_is_a_remark() {
    let field = |field: &str, meant| AnswerError::Field { field: field.to_owned(), meant };
    let text = |field| AnswerError::Type { field, expected: "a text" };
    for (value, remark) in [
        (json!({"reason": 1}), Some(text("reason"))),
        (json!({"decision": "approve", "systemMessage": ["a"]}), Some(text("systemMessage"))),
        (json!({"hookSpecificOutput": {"additionalContext": {}}}), Some(text("additionalContext"))),
        (json!({"reasn": "no"}), Some(field("reasn", "reason"))),
        (json!({"level": "info"}), Some(AnswerError::NoField("level".to_owned()))),
        (json!({"reason": null}), None),
        (json!({"reason": "fine", "level": "info", "revision": 2, "clock": 1}), None),
        (json!({"session_id": "1", "permission_mode": "default", "tool_input": {"block": 1}}), None),
    ] {
        let answer = read(value.clone());
        assert_eq!((answer.problem, answer.remarks), (None, remark.into_iter().collect()), "{value}");
    }
}

#[test]
fn a_no_behind_other_text_is_not_lost() {
    for text in
        ["hello\n{\"decision\": \"block\"}", "- {x} {\"a\": {}} {\"continue\": false}\nbye", "[{\"block\": true}]"]
    {
        assert_eq!(pre(&kept(text)), Err(AnswerError::Late), "{text}");
    }
    // What cannot be read may have been a no.
    for text in [
        "x {\"decision\":\"deny\"",
        "x {'decision':'deny'}",
        "x { decision: 'deny' }",
        "x {\n  \"Permission_Decision\": \"deny\"",
        "x {\"reason\": \"no\", \"deci",
        "x {\"hookSpec",
        "x {\"from\": \"guard\", \"decision\": \"deny\"",
        "x {\"decision\": \"deny\", \"decision\": \"allow\"}",
        "\"{\\\"decision\\\":\\\"deny\\\"}\"",
        "x \0{\0\"\0b\0l\0o\0c\0k\0\"\0:\0t\0r\0u\0e\0}\0",
    ] {
        assert_eq!(pre(&kept(text)), Err(AnswerError::Late), "{text}");
    }
    for text in ["a {\"level\": \"info\"", "{block of text", "{'a': 'decision'}"] {
        let text = format!("- {text}");
        assert_eq!(pre(&kept(&text)), Ok(None), "{text}");
    }
    for text in ["hello {\"decision\": \"approve\"}", "saw {\"tool_input\": {\"decision\": \"block\"}}", "{x"] {
        let text = format!("- {text}");
        assert_eq!(pre(&kept(&text)), Ok(None), "{text}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        Just("decision"),
        Just("permission"),
        Just("reason"),
        Just("continue"),
        Just("stopReason"),
        Just("hookSpecificOutput"),
        Just("permissionDecision"),
        Just("hookEventName"),
        Just("block"),
        Just("updatedInput"),
        Just("additionalContext"),
        Just("systemMessage"),
        Just("suppressOutput"),
        Just("updatedToolOutput"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop_oneof![Just("deny"), Just("ask"), Just("allow"), Just("block"), Just("")].prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(names.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_or_refused(text in ".{0,200}", cut in any::<bool>()) {
        let is_answer = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').starts_with('{');
        match pre(&Kept { text, cut, ..Kept::default() }) {
            Ok(None) => prop_assert!(!is_answer && !cut),
            Ok(Some(_)) => prop_assert!(is_answer && !cut),
            Err(AnswerError::Cut(_)) => prop_assert!(cut),
            Err(error) => {
                prop_assert!(!cut && (is_answer || matches!(error, AnswerError::NotText | AnswerError::Late)));
            }
        }
    }

    #[test]
    fn a_plain_no_is_never_lost(value in any_json()) {
        let says_no = |fields: &Value| {
            let words = DECISIONS.iter().any(|field| matches!(fields[field].as_str(), Some("deny" | "block")));
            words || fields["block"] == true
        };
        let (mut no, mut inner) = (says_no(&value), &value["hookSpecificOutput"]);
        while inner.is_object() {
            no |= says_no(inner);
            inner = &inner["hookSpecificOutput"];
        }
        match pre(&kept(&value.to_string())) {
            Ok(Some(answer)) => prop_assert_eq!(answer.decision == Decision::Deny, no),
            Ok(None) => prop_assert!(!value.is_object()),
            Err(error) => prop_assert_eq!((error, value.is_object()), (AnswerError::Late, false)),
        }
    }
}
