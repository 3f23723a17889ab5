//! The fields of answers, under all their names.

use serde_json::{Map, Value};

/// The fields that hold a decision: in the current form, the previous one, and those of other programs. Each is
/// read wherever it stands, because a `deny` in the wrong place is no approval.
pub(super) const DECISIONS: [&str; 3] = ["permissionDecision", "decision", "permission"];
/// Another field that can keep a tool from running, as in the answers of extensions.
pub(super) const BLOCK: &str = "block";
pub(super) const SPECIFIC: &str = "hookSpecificOutput";
pub(super) const CONTINUE: &str = "continue";
/// The fields that can keep a tool from running.
pub(super) const DECIDING: [&str; 6] = [DECISIONS[0], DECISIONS[1], DECISIONS[2], BLOCK, SPECIFIC, CONTINUE];
/// The fields that hold a text for somebody.
pub(super) const TEXTS: [&str; 9] = [
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
const INPUT: [&str; 22] = [
    "session_id",
    "transcript_path",
    "cwd",
    "permission_mode",
    "hook_event_name",
    "tool_name",
    "tool_name_native",
    "tool_input",
    "tool_use_id",
    "parent_tool_use_id",
    "tool_output",
    "tool_response",
    "hook_type",
    "hook_path",
    "prompt",
    "source",
    "trigger",
    "custom_instructions",
    "compact_summary",
    "stop_hook_active",
    "last_assistant_message",
    "error",
];
/// What some write as a field, although it is the word for a decision.
const WORDS: [&str; 7] = ["allow", "allowed", "approve", "approved", "deny", "denied", "ask"];

pub(super) fn answer_fields() -> impl Iterator<Item = &'static str> {
    DECIDING.into_iter().chain(TEXTS).chain(OTHERS)
}

/// A name as all spellings of it share it.
pub(super) fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_ascii_lowercase()
}

/// Whether a field is one of answers, or of the input.
pub(super) fn is_known(field: &str) -> bool {
    answer_fields().chain(INPUT).any(|known| known == field)
}

/// The field of answers that a name nobody knows was meant to be, if it is near one.
pub(super) fn nearest(field: &str) -> Option<&'static str> {
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
pub(super) fn present<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

/// The first of these fields that holds a text with something in it.
pub(super) fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let texts = names.iter().filter_map(|name| fields.get(*name)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
}
