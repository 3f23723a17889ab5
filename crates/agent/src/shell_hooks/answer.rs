//! What a script's standard output says.

use serde_json::{Map, Value};
use tau_tools::Kept;

/// What it says about a call, the mildest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decision {
    /// Nothing.
    #[default]
    None,
    /// It has no objection. Others may have.
    Allow,
    /// The user is to be asked.
    Ask,
    /// The tool must not run; or, behind it, the model must hear the reason.
    Deny,
}

/// The answer of a script.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    /// The strictest of what it says.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
    /// Words for a decision that nobody knows.
    pub unknown: Option<String>,
    /// The run must stop; with what the user is told.
    pub stop: Option<Option<String>>,
    /// Other arguments for the tool.
    pub updated_input: Option<Map<String, Value>>,
    /// Something else for the model to see instead of the result.
    pub updated_output: Option<Value>,
    /// Something for the model to know.
    pub context: Option<String>,
    /// Something for the user to know.
    pub message: Option<String>,
    /// Its output stays out of logs.
    pub quiet: bool,
}

/// Why an answer cannot be read; the text is read behind the name of the script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("gave an answer that is longer than {0} bytes")]
    Cut(usize),
    #[error("gave an answer that is no JSON: {0}")]
    NoJson(String),
    #[error("gave an answer whose `{field}` is not {expected}")]
    Type { field: &'static str, expected: &'static str },
}

/// The answer; `None` when the output is not meant as one.
pub(super) fn parse(output: &Kept) -> Result<Option<Answer>, AnswerError> {
    let text = output.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if !text.starts_with('{') {
        return Ok(None);
    }
    if output.cut {
        return Err(AnswerError::Cut(output.text.len()));
    }
    let fields: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| AnswerError::NoJson(error.to_string()))?;
    answer(&fields).map(Some)
}

fn answer(fields: &Map<String, Value>) -> Result<Answer, AnswerError> {
    let nothing = Map::new();
    let specific = match present(fields, "hookSpecificOutput") {
        None => &nothing,
        Some(Value::Object(specific)) => specific,
        Some(_) => return Err(AnswerError::Type { field: "hookSpecificOutput", expected: "an object" }),
    };
    let mut answer = Answer::default();
    // The form of today, that of before, and that of others.
    for (fields, field) in [(specific, "permissionDecision"), (fields, "decision"), (fields, "permission")] {
        match present(fields, field) {
            None => {}
            Some(Value::String(word)) => answer.decide(word),
            Some(_) => return Err(AnswerError::Type { field, expected: "a text" }),
        }
    }
    answer.reason = text(specific, &["permissionDecisionReason"])
        .or_else(|| text(fields, &["reason", "agentMessage", "agent_message", "userMessage", "user_message"]));
    match present(fields, "continue") {
        None | Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => answer.stop = Some(text(fields, &["stopReason"])),
        Some(_) => return Err(AnswerError::Type { field: "continue", expected: "a boolean" }),
    }
    answer.updated_input = match present(specific, "updatedInput") {
        None => None,
        Some(Value::Object(input)) => Some(input.clone()),
        Some(_) => return Err(AnswerError::Type { field: "updatedInput", expected: "an object" }),
    };
    let output = |name| present(specific, name).or_else(|| present(fields, name));
    answer.updated_output = output("updatedToolOutput").or_else(|| output("updatedMCPToolOutput")).cloned();
    answer.context = text(specific, &["additionalContext"]);
    answer.message = text(fields, &["systemMessage"]);
    answer.quiet = present(fields, "suppressOutput") == Some(&Value::Bool(true));
    Ok(answer)
}

impl Answer {
    fn decide(&mut self, word: &str) {
        let decision = match word {
            "deny" | "block" => Decision::Deny,
            "ask" => Decision::Ask,
            "allow" | "approve" => Decision::Allow,
            "defer" => Decision::None,
            _ => {
                self.unknown.get_or_insert_with(|| word.to_owned());
                Decision::None
            }
        };
        self.decision = self.decision.max(decision);
    }
}

/// A field that is there; `null` is not.
fn present<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

/// The first of these fields that holds a text with something in it.
fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let texts = names.iter().filter_map(|name| fields.get(*name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn kept(text: &str) -> Kept {
        Kept { text: text.to_owned(), cut: false }
    }

    fn read(value: Value) -> Answer {
        parse(&kept(&value.to_string())).expect("an answer that can be read").expect("an answer")
    }

    #[test]
    fn the_strictest_word_counts() {
        let cases = [
            (json!({}), Decision::None),
            (json!({"decision": null}), Decision::None),
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
        ];
        for (value, decision) in cases {
            let answer = read(value.clone());
            assert_eq!((answer.decision, answer.unknown), (decision, None), "{value}");
        }
        assert_eq!(read(json!({"decision": "denied"})).unknown, Some("denied".to_owned()));
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
            unknown: None,
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
        assert_eq!(parse(&kept("all is well {}")), Ok(None));
        assert_eq!(parse(&kept(" \n[1]")), Ok(None));
        assert_eq!(parse(&kept("")), Ok(None));
        assert_eq!(parse(&kept("\u{feff} {}\n")), Ok(Some(Answer::default())));
        let cut = Kept { text: "{\"a\": 1}".to_owned(), cut: true };
        assert_eq!(parse(&cut), Err(AnswerError::Cut(8)));
        for text in ["{", "{\"decision\": \"block\"} and more", "{'decision': 'block'}"] {
            assert!(matches!(parse(&kept(text)), Err(AnswerError::NoJson(_))), "{text}");
        }
        let wrong = [
            json!({"decision": 1}),
            json!({"permission": ["deny"]}),
            json!({"continue": "false"}),
            json!({"hookSpecificOutput": "deny"}),
            json!({"hookSpecificOutput": {"permissionDecision": {}}}),
            json!({"hookSpecificOutput": {"updatedInput": "ls"}}),
        ];
        for value in wrong {
            assert!(matches!(parse(&kept(&value.to_string())), Err(AnswerError::Type { .. })), "{value}");
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
            match parse(&Kept { text, cut }) {
                Ok(None) => prop_assert!(!is_answer),
                Ok(Some(_)) => prop_assert!(is_answer && !cut),
                Err(_) => prop_assert!(is_answer),
            }
        }

        #[test]
        fn a_plain_no_is_never_lost(value in any_json()) {
            let says_no = |value: Option<&Value>| matches!(value.and_then(Value::as_str), Some("deny" | "block"));
            let parsed = parse(&kept(&value.to_string()));
            let specific = &value["hookSpecificOutput"]["permissionDecision"];
            let no = [value.get("decision"), value.get("permission"), Some(specific)].into_iter().any(says_no);
            match parsed {
                Ok(Some(answer)) => prop_assert_eq!(answer.decision == Decision::Deny, no),
                Ok(None) => prop_assert!(!value.is_object()),
                // Which keeps the tool from running too.
                Err(_) => prop_assert!(value.is_object()),
            }
        }
    }
}
