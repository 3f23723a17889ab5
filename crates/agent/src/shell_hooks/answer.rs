//! What a script's standard output says.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use tau_tools::Kept;

use super::json::Unique;
use crate::extensions::hooks::HookMoment;

/// The exit code that decides by itself: a tool does not run.
pub(super) const NO: i32 = 2;

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
    /// The first thing in it that cannot be understood. What else it says holds all the same.
    pub problem: Option<AnswerError>,
    /// What is wrong with it and keeps nothing from running.
    pub remarks: Vec<AnswerError>,
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

/// Why an answer cannot be understood; the text is read behind the name of the script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("wrote more than {0} bytes to standard output, so its answer cannot be read")]
    Cut(usize),
    #[error("gave an answer that is not UTF-8 text")]
    NotText,
    #[error("wrote other text before its answer, so the answer cannot be read")]
    Late,
    #[error("gave an answer that is no JSON: {0}")]
    NoJson(String),
    #[error("gave an answer whose `{field}` is not {expected}")]
    Type { field: &'static str, expected: &'static str },
    #[error("gave an answer with the field `{field}`, which is not a field of answers; did you mean `{meant}`?")]
    Field { field: String, meant: &'static str },
    #[error("gave an answer with fields that are not fields of answers, such as `{0}`, and with no other")]
    NoField(String),
    #[error("gave an answer to the event `{0}`, which is not the one it was called for")]
    OtherEvent(String),
    #[error("decided `{0}`, which is not a decision; the decisions are allow, approve, ask, block, defer and deny")]
    Word(String),
}

/// The fields that hold a decision: in the current form, the previous one, and those of other programs. Each is
/// read wherever it stands, because a `deny` in the wrong place is no approval.
const DECISIONS: [&str; 3] = ["permissionDecision", "decision", "permission"];
/// Another field that can keep a tool from running, as in the answers of extensions.
const BLOCK: &str = "block";
const SPECIFIC: &str = "hookSpecificOutput";
const CONTINUE: &str = "continue";
/// The fields that can keep a tool from running.
const DECIDING: [&str; 6] = [DECISIONS[0], DECISIONS[1], DECISIONS[2], BLOCK, SPECIFIC, CONTINUE];
/// The fields that hold a text for somebody.
const TEXTS: [&str; 9] = [
    "reason",
    "stopReason",
    "systemMessage",
    "permissionDecisionReason",
    "additionalContext",
    "agentMessage",
    "agent_message",
    "userMessage",
    "user_message",
];
/// What else answers hold, here and elsewhere.
const OTHERS: [&str; 7] = [
    "hookEventName",
    "suppressOutput",
    "updatedInput",
    "updatedToolOutput",
    "updatedMCPToolOutput",
    "async",
    "asyncTimeout",
];
/// The fields of a script's input: some scripts pass that on as it is.
const INPUT: [&str; 14] = [
    "session_id",
    "transcript_path",
    "cwd",
    "permission_mode",
    "hook_event_name",
    "tool_name",
    "tool_name_native",
    "tool_input",
    "tool_use_id",
    "tool_output",
    "tool_response",
    "hook_type",
    "hook_path",
    "error",
];
/// What some write as a field, although it is the word for a decision.
const WORDS: [&str; 7] = ["allow", "allowed", "approve", "approved", "deny", "denied", "ask"];
/// What the moment of a script is called where such scripts come from.
const PRE_EVENTS: &[&str] = &["PreToolUse", "BeforeTool"];
const POST_EVENTS: &[&str] = &["PostToolUse", "PostToolUseFailure", "AfterTool"];

/// The answer of a script that runs at `moment`; `None` when the output is not meant as one.
pub(super) fn parse(output: &Kept, moment: HookMoment) -> Result<Option<Answer>, AnswerError> {
    // What is missing may be an answer, or its end.
    if output.cut {
        return Err(AnswerError::Cut(output.text.len()));
    }
    let text = output.text.trim_start_matches(is_blank);
    if !text.starts_with('{') {
        // The beginning of a text in another encoding.
        if text.trim_start_matches(|c: char| is_blank(c) || matches!(c, '\u{fffd}' | '\0')).starts_with('{') {
            return Err(AnswerError::NotText);
        }
        return if has_late_answer(text, moment) { Err(AnswerError::Late) } else { Ok(None) };
    }
    if output.lossy {
        return Err(AnswerError::NotText);
    }
    let no_json = |error: serde_json::Error| AnswerError::NoJson(error.to_string());
    match serde_json::from_str(text).map_err(no_json)? {
        Unique(Value::Object(fields)) => Ok(Some(answer(&fields, moment))),
        Unique(_) => Ok(None),
    }
}

/// Whether a script that has ended has said what it had to say, although something that it left running could still write:
/// its exit code decides, or a whole answer is there. Anything else may be what a slow pipe has passed on so far.
pub(super) fn needs_no_more(code: i32, stdout: &[u8]) -> bool {
    // The codes of a shell that could not run it need no answer either.
    matches!(code, NO | 126 | 127)
        || std::str::from_utf8(stdout).is_ok_and(|text| {
            let text = text.trim_start_matches(is_blank);
            text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
        })
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Whether somewhere in other text there is an answer that objects, or the beginning of one that cannot be read: of a
/// script whose shell greets it, say.
fn has_late_answer(text: &str, moment: HookMoment) -> bool {
    // Other encodings have these between the letters.
    let letters;
    let mut rest = text;
    if text.contains('\0') {
        letters = text.replace('\0', "");
        rest = &letters;
    }
    let mut broken = None;
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Unique>();
        let Some(Ok(Unique(Value::Object(fields)))) = values.next() else {
            rest = &rest[1..];
            if begins_answer(rest) {
                return true;
            }
            if rest.trim_start_matches(is_blank).starts_with(QUOTES) {
                broken.get_or_insert(rest);
            }
            continue;
        };
        let answer = answer(&fields, moment);
        if answer.objects() || answer.problem.is_some() {
            return true;
        }
        rest = &rest[values.byte_offset()..];
    }
    broken.is_some_and(names_decision)
}

/// Around names, also where the whole is a text inside another.
const QUOTES: [char; 4] = ['"', '\'', '`', '\\'];

/// Whether what stands behind a brace begins as an answer does: with the name of a field of answers.
fn begins_answer(text: &str) -> bool {
    let text = text.trim_start_matches(is_blank);
    let name = text.trim_start_matches(QUOTES);
    let is_quoted = name.len() < text.len();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(name.len());
    let (name, behind) = name.split_at(end);
    let name = plain(name);
    let is_field = || answer_fields().any(|known| plain(known) == name);
    match is_quoted {
        // It may have been cut off in the middle of the name.
        true if behind.is_empty() && !name.is_empty() => answer_fields().any(|known| plain(known).starts_with(&name)),
        true => is_field(),
        false => behind.trim_start_matches(is_blank).starts_with(':') && is_field(),
    }
}

/// Whether a deciding field has a value somewhere in an object that cannot be read.
fn names_decision(text: &str) -> bool {
    let mut parts = text.split(QUOTES).filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let has_value = parts.peek().is_some_and(|next| next.trim_start_matches(is_blank).starts_with(':'));
        if has_value && DECIDING.iter().any(|known| plain(known) == plain(part)) {
            return true;
        }
    }
    false
}

fn answer_fields() -> impl Iterator<Item = &'static str> {
    DECIDING.into_iter().chain(TEXTS).chain(OTHERS)
}

/// A name as all spellings of it share it.
fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_ascii_lowercase()
}

fn answer(fields: &Map<String, Value>, moment: HookMoment) -> Answer {
    let mut answer = Answer::default();
    let nothing = Map::new();
    // A field for a decision that holds nothing may have lost it, so here `null` is a value of the wrong type.
    let specific = match fields.get(SPECIFIC) {
        None => &nothing,
        Some(Value::Object(specific)) => specific,
        Some(_) => {
            answer.wrong(SPECIFIC, "an object");
            &nothing
        }
    };
    answer.check_event(specific, moment);
    for fields in [specific, fields] {
        answer.check_names(fields);
        answer.read_decision(fields);
        answer.check_texts(fields);
        match fields.get(CONTINUE) {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => {
                answer.stop.get_or_insert(None);
            }
            Some(_) => answer.wrong(CONTINUE, "a boolean"),
        }
    }
    let knows_none = answer.problem.is_none() && !fields.keys().any(|field| is_known(field));
    if let Some(field) = fields.keys().next().filter(|_| knows_none) {
        answer.remarks.push(match nearest(field) {
            Some(meant) => AnswerError::Field { field: field.clone(), meant },
            None => AnswerError::NoField(field.clone()),
        });
    }
    if let Some(stop) = &mut answer.stop {
        *stop = text(fields, &["stopReason"]);
    }
    answer.reason = text(specific, &["permissionDecisionReason"])
        .or_else(|| text(fields, &["reason", "agentMessage", "agent_message", "userMessage", "user_message"]))
        .or_else(|| text(specific, &["reason"]))
        .or_else(|| text(fields, &["permissionDecisionReason"]));
    answer.updated_input = match present(specific, "updatedInput") {
        None => None,
        Some(Value::Object(input)) => Some(input.clone()),
        Some(_) => {
            answer.wrong("updatedInput", "an object");
            None
        }
    };
    let output = |name| present(specific, name).or_else(|| present(fields, name));
    answer.updated_output = output("updatedToolOutput").or_else(|| output("updatedMCPToolOutput")).cloned();
    answer.context = text(specific, &["additionalContext"]);
    answer.message = text(fields, &["systemMessage"]);
    answer.quiet = present(fields, "suppressOutput") == Some(&Value::Bool(true));
    answer
}

impl Answer {
    /// Whether it says something against the call.
    pub(super) fn objects(&self) -> bool {
        self.decision >= Decision::Ask || self.stop.is_some()
    }

    fn read_decision(&mut self, fields: &Map<String, Value>) {
        for field in DECISIONS {
            match fields.get(field) {
                None => {}
                Some(Value::String(word)) => self.decide(word),
                Some(_) => self.wrong(field, "a text"),
            }
        }
        match fields.get(BLOCK) {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => self.decision = Decision::Deny,
            Some(_) => self.wrong(BLOCK, "a boolean"),
        }
    }

    fn decide(&mut self, word: &str) {
        let decision = match word {
            "deny" | "block" => Decision::Deny,
            "ask" => Decision::Ask,
            "allow" | "approve" => Decision::Allow,
            "defer" => Decision::None,
            _ => {
                self.fails(AnswerError::Word(word.to_owned()));
                Decision::None
            }
        };
        self.decision = self.decision.max(decision);
    }

    /// What was written for another event may mean anything here.
    fn check_event(&mut self, specific: &Map<String, Value>, moment: HookMoment) {
        let known = match moment {
            HookMoment::Pre => PRE_EVENTS,
            HookMoment::Post => POST_EVENTS,
        };
        match present(specific, "hookEventName") {
            None => {}
            Some(Value::String(name)) if known.iter().any(|known| known.eq_ignore_ascii_case(name)) => {}
            Some(Value::String(name)) => self.fails(AnswerError::OtherEvent(name.clone())),
            Some(_) => self.wrong("hookEventName", "a text"),
        }
    }

    /// A field that can keep a tool from running, misspelt or in the spelling of another language.
    fn check_names(&mut self, fields: &Map<String, Value>) {
        for field in fields.keys().filter(|field| !is_known(field)) {
            if let Some(meant) = nearest(field).filter(|meant| DECIDING.contains(meant)) {
                self.fails(AnswerError::Field { field: field.clone(), meant });
            }
        }
    }

    /// Texts that are none, which nobody reads.
    fn check_texts(&mut self, fields: &Map<String, Value>) {
        for field in TEXTS {
            if present(fields, field).is_some_and(|value| !value.is_string()) {
                self.remarks.push(AnswerError::Type { field, expected: "a text" });
            }
        }
    }

    fn wrong(&mut self, field: &'static str, expected: &'static str) {
        self.fails(AnswerError::Type { field, expected });
    }

    fn fails(&mut self, problem: AnswerError) {
        self.problem.get_or_insert(problem);
    }
}

/// Whether a field is one of answers, or of the input.
fn is_known(field: &str) -> bool {
    answer_fields().chain(INPUT).any(|known| known == field)
}

/// The field of answers that a name nobody knows was meant to be, if it is near one.
fn nearest(field: &str) -> Option<&'static str> {
    /// The longest name that is looked at.
    const LONGEST: usize = 40;
    /// How many letters a name may have more: `decisions`, `blocked`, `blocking`.
    const ENDING: usize = 3;
    if field.len() > LONGEST {
        return None;
    }
    let name = plain(field);
    if WORDS.contains(&name.as_str()) {
        return Some("decision");
    }
    let has_ending = |known: &&str| name.strip_prefix(&plain(known)).is_some_and(|rest| rest.len() <= ENDING);
    let is_near = |known: &str, distance: usize| match distance {
        0 => true,
        1 if known.len() >= 8 => true,
        _ => distance <= (known.len() / 4).min(3) && known.as_bytes().first() == name.as_bytes().first(),
    };
    DECIDING.into_iter().find(has_ending).or_else(|| {
        let all = answer_fields().map(|known| (strsim::damerau_levenshtein(&plain(known), &name), known));
        let (distance, known) = all.min_by_key(|(distance, _)| *distance)?;
        is_near(known, distance).then_some(known)
    })
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
            let no = says_no(&value) || says_no(&value["hookSpecificOutput"]);
            match pre(&kept(&value.to_string())) {
                Ok(Some(answer)) => prop_assert_eq!(answer.decision == Decision::Deny, no),
                Ok(None) => prop_assert!(!value.is_object()),
                Err(error) => prop_assert_eq!((error, value.is_object()), (AnswerError::Late, false)),
            }
        }
    }
}
