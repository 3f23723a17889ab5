//! What a script's standard output says.
//!
//! `read.rs` finds the answer in the output, `fields.rs` knows its fields, and here it is judged.

mod fields;
mod read;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::found::Moment;
use fields::{BLOCK, CONTINUE, DECIDING, DECISIONS, SPECIFIC, TEXTS, is_known, nearest, present, text};
pub(super) use read::{needs_no_more, parse};

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
    /// The run must stop; with the message for the user.
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
    #[error("gave an answer whose `hookSpecificOutput` holds another one")]
    Nested,
    #[error("gave an answer with the field `{field}`, which is not a field of answers; did you mean `{meant}`?")]
    Field { field: String, meant: &'static str },
    #[error("gave an answer with fields that are not fields of answers, such as `{0}`, and with no other")]
    NoField(String),
    #[error("gave an answer to the event `{0}`, which is not the one it was called for")]
    OtherEvent(String),
    #[error("decided `{0}`, which is not a decision; the decisions are allow, approve, ask, block, defer and deny")]
    Word(String),
}

fn answer(fields: &Map<String, Value>, moment: Moment) -> Answer {
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
    let mut inner = specific.get(SPECIFIC);
    while let Some(value) = inner {
        answer.fails(AnswerError::Nested);
        let Value::Object(fields) = value else { break };
        answer.read_decision(fields);
        inner = fields.get(SPECIFIC);
    }
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
    fn check_event(&mut self, specific: &Map<String, Value>, moment: Moment) {
        match present(specific, "hookEventName") {
            None => {}
            Some(Value::String(name)) if moment.is_called(name) => {}
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
