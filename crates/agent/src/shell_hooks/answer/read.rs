//! Finds the answer in what a script wrote.

use serde::de::IgnoredAny;
use serde_json::Value;
use tau_tools::Kept;

use super::fields::{DECIDING, answer_fields, plain};
use super::{Answer, AnswerError, NO, answer};
use crate::found::Moment;
use crate::json::Unique;

/// The answer of a script that runs at `moment`; `None` when the output is not meant as one.
pub(in crate::shell_hooks) fn parse(output: &Kept, moment: impl Into<Moment>) -> Result<Option<Answer>, AnswerError> {
    let moment = moment.into();
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
pub(in crate::shell_hooks) fn needs_no_more(code: i32, stdout: &[u8]) -> bool {
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
fn has_late_answer(text: &str, moment: Moment) -> bool {
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
