//! What a message keeps of the calls that tools made for it. Results are not kept.

use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};
use tau_ai::{ContentBlock, Usage};

use super::Outcome;
use crate::parts::Stopwatch;

/// The most calls that are kept.
const CALLS: usize = 256;
/// The most of the arguments of one call, in bytes of JSON.
const ARGUMENTS_OF_ONE: usize = 8 * 1024;
/// The most of the arguments of all calls, in bytes of JSON.
const ARGUMENTS_OF_ALL: usize = 32 * 1024;
/// The most of an error, in UTF-16 units.
const ERROR: usize = 500;

/// The calls that one call of the model leads to, at any depth.
#[derive(Default)]
pub(crate) struct Family {
    kept: Mutex<Kept>,
    /// How many of them are not over.
    pub(super) open: AtomicUsize,
}

#[derive(Default)]
struct Kept {
    calls: Vec<Call>,
    argument_bytes: usize,
    /// Something had no room.
    cut: bool,
    /// What all of them used.
    usage: Option<Usage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    id: String,
    name: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    /// How large arguments are that had no room.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    began: Stopwatch,
    /// The caller did not wait for it.
    #[serde(skip)]
    left: bool,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Error,
    Unfinished,
}

impl Family {
    /// A call begins; its place in the record, if there is room.
    pub(super) fn begin(&self, id: &str, name: &str, args: &Value, began: Stopwatch) -> Option<usize> {
        let mut kept = self.kept.lock();
        if kept.calls.len() == CALLS {
            kept.cut = true;
            return None;
        }
        let bytes = args.to_string().len();
        let fits = bytes <= ARGUMENTS_OF_ONE && kept.argument_bytes + bytes <= ARGUMENTS_OF_ALL;
        if fits {
            kept.argument_bytes += bytes;
        }
        kept.cut |= !fits;
        kept.calls.push(Call {
            id: id.to_owned(),
            name: name.to_owned(),
            status: Status::Unfinished,
            arguments: fits.then(|| args.clone()),
            arguments_bytes: (!fits).then_some(bytes),
            duration_ms: None,
            error: None,
            began,
            left: false,
        });
        Some(kept.calls.len() - 1)
    }

    /// The caller of these calls did not wait for them.
    pub(super) fn leave(&self, calls: &[usize]) {
        let mut kept = self.kept.lock();
        for call in calls {
            if let Some(call) = kept.calls.get_mut(*call) {
                call.left = true;
            }
        }
    }

    /// A call is over.
    pub(super) fn end(&self, call: Option<usize>, outcome: &Outcome) {
        let mut kept = self.kept.lock();
        kept.usage = sum(kept.usage.take(), outcome.usage.clone());
        let Some(call) = call.and_then(|call| kept.calls.get_mut(call)).filter(|call| !call.left) else { return };
        call.status = if outcome.is_error { Status::Error } else { Status::Ok };
        call.duration_ms = Some(u64::try_from(call.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        if outcome.is_error {
            call.error = Some(beginning(&text(&outcome.content))).filter(|error| !error.is_empty());
        }
    }

    /// The record of the calls, if there were any, and what they used.
    pub(super) fn take(&self) -> (Option<Value>, Option<Usage>) {
        let Kept { calls, cut, usage, .. } = std::mem::take(&mut *self.kept.lock());
        if calls.is_empty() {
            return (None, usage);
        }
        let complete = !cut && calls.iter().all(|call| call.status != Status::Unfinished);
        (Some(json!({ "calls": calls, "complete": complete })), usage)
    }
}

/// What two calls used together.
pub(super) fn sum(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.plus(&other)),
        (one, other) => one.or(other),
    }
}

fn text(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

/// The beginning of a text, with whole characters.
fn beginning(text: &str) -> String {
    let mut units = 0;
    let fits = |char: &char| {
        units += char.len_utf16();
        units <= ERROR
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Stopwatch {
        Stopwatch::start(&tau_ai::Clock::default())
    }

    fn record(family: &Family) -> Value {
        let (record, _) = family.take();
        record.expect("there were calls")
    }

    #[test]
    fn arguments_that_are_too_large_are_counted_only() {
        let family = Family::default();
        // With its quotes, each is of the size that is given.
        for bytes in [ARGUMENTS_OF_ONE + 1, ARGUMENTS_OF_ONE, ARGUMENTS_OF_ONE, ARGUMENTS_OF_ONE, ARGUMENTS_OF_ONE, 3] {
            let slot = family.begin("c/1", "work", &"x".repeat(bytes - 2).into(), now());
            family.end(slot, &Outcome::failed(""));
        }
        let record = record(&family);
        let bytes: Vec<&Value> =
            record["calls"].as_array().into_iter().flatten().map(|call| &call["argumentsBytes"]).collect();
        let none = Value::Null;
        assert_eq!(bytes, [&json!(ARGUMENTS_OF_ONE + 1), &none, &none, &none, &none, &json!(3)]);
        assert_eq!(record["complete"], json!(false));
    }

    #[test]
    fn calls_beyond_the_last_one_are_not_kept() {
        let family = Family::default();
        let slots: Vec<Option<usize>> = (0..=CALLS).map(|_| family.begin("c/1", "work", &json!({}), now())).collect();
        assert_eq!((slots[CALLS - 1], slots[CALLS]), (Some(CALLS - 1), None));
        slots.iter().for_each(|slot| family.end(*slot, &Outcome::from(Ok(tau_tools::ToolOutput::text("done")))));
        let record = record(&family);
        assert_eq!(record["calls"].as_array().map(Vec::len), Some(CALLS));
        assert_eq!(record["complete"], json!(false));
    }

    #[test]
    fn errors_are_cut_between_characters() {
        let family = Family::default();
        let slot = family.begin("c/1", "work", &json!({}), now());
        family.end(slot, &Outcome::failed(format!("x{}", "😀".repeat(300))));
        let error = record(&family)["calls"][0]["error"].clone();
        assert_eq!(error, json!(format!("x{}", "😀".repeat(249))));
    }
}
