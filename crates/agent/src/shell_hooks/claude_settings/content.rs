//! What one file says, and what in it may hide a guard.

use std::path::Path;

use serde_json::{Map, Value};
use tau_tools::read_small_text;

use super::{TOOL_MOMENTS, is_gate};
use crate::found::id_of;
use crate::found::{is_elsewhere, session_moments};
use crate::json;
use crate::settings::KeyPath;

/// The field that holds the commands.
const HOOKS: &str = "hooks";
/// The field that switches the commands of its file off.
const OFF: &str = "disableAllHooks";

/// The commands of a file.
#[derive(Debug)]
pub(super) struct Content {
    /// What stands below `hooks`, by event.
    pub hooks: Map<String, Value>,
    /// Fields that do not do what their author may believe.
    pub strange: Vec<Strange>,
    /// Commands that can forbid something are there, and the file switches them off.
    pub is_off: bool,
}

/// A field that does not do what its author may believe.
#[derive(Debug)]
pub(super) struct Strange {
    /// What is wrong, for the user.
    pub text: String,
    /// Whether commands that can forbid something may be lost by it.
    pub hides_guard: bool,
    /// Tells it from others in the file.
    pub id: String,
}

/// What a file says; nothing when it has no commands, or they are switched off.
///
/// # Errors
/// When it cannot be read, or has something else where the commands would be; in words for the user.
pub(super) fn read(path: &Path) -> Result<Option<Content>, String> {
    let text = match read_small_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("hooks cannot be read: {error}")),
    };
    let (settings, twice) = json::parse(&text).map_err(|error| format!("hooks cannot be read: {error}"))?;
    let mut settings = match settings {
        Value::Object(settings) => settings,
        other => return Err(wrong("the file", "an object", &other)),
    };
    let mut strange: Vec<Strange> =
        twice.iter().filter(|names| is_about_hooks(names)).map(|names| doubled(names, &text)).collect();
    let named = settings.shift_remove(HOOKS);
    let switched_off = settings.get(OFF) == Some(&Value::Bool(true));
    let guards = |hooks: &Value| hooks.as_object().is_some_and(|hooks| hooks.keys().any(|event| may_guard(event)));
    let is_off = switched_off && named.as_ref().is_some_and(guards);
    let hooks = match named {
        _ if switched_off => Map::new(),
        None => Map::new(),
        Some(Value::Object(hooks)) => hooks,
        Some(other) => return Err(wrong("`hooks`", "an object", &other)),
    };
    if !switched_off {
        strange.extend(settings.iter().filter_map(|(name, value)| misplaced(name, value)));
    }
    let says_something = is_off || !hooks.is_empty() || !strange.is_empty();
    Ok(says_something.then_some(Content { hooks, strange, is_off }))
}

fn is_about_hooks(names: &[String]) -> bool {
    names.first().is_some_and(|name| name == HOOKS || name == OFF)
}

/// A field that is there twice, somewhere in `text`.
fn doubled(names: &[String], text: &str) -> Strange {
    Strange {
        text: format!("{} is there twice, and only the last one is used; remove one", KeyPath::of(names).written()),
        hides_guard: names.get(1).is_none_or(|event| may_guard(event)),
        // Which of the two was a guard only the whole text tells.
        id: id_of(&[text]),
    }
}

/// A field beside `hooks` that somebody may have meant to be `hooks`, or to be in it.
fn misplaced(name: &str, value: &Value) -> Option<Strange> {
    if !matches!(value, Value::Object(_) | Value::Array(_)) {
        return None;
    }
    let lower = name.to_lowercase();
    let (meant, hides_guard) = match lower.split_once('.') {
        Some((HOOKS, event)) => {
            let event = nearest_event(event).unwrap_or("PreToolUse");
            (format!("write {{\"hooks\": {{\"{event}\": …}}}}"), may_guard(event))
        }
        _ if strsim::damerau_levenshtein(&lower, HOOKS) <= 1 => {
            let events: Vec<&String> = value.as_object().into_iter().flat_map(Map::keys).collect();
            ("did you mean `hooks`?".to_owned(), events.is_empty() || events.iter().any(|event| may_guard(event)))
        }
        _ => {
            let event = nearest_event(name).filter(|event| is_near(event, name, 1))?;
            (format!("put `{event}` into `hooks`"), may_guard(event))
        }
    };
    let text = format!("`{name}` has no effect, so its commands never run; {meant}");
    Some(Strange { text, hides_guard, id: id_of(&[name, &value.to_string()]) })
}

/// The event of that name or, when nobody knows it, the nearest one.
pub(super) fn nearest_event(name: &str) -> Option<&'static str> {
    let known = || TOOL_MOMENTS.iter().map(|(name, ..)| *name).chain(session_moments());
    known().min_by_key(|known| distance(known, name)).filter(|known| is_near(known, name, 3))
}

fn is_near(known: &str, name: &str, farthest: usize) -> bool {
    distance(known, name) <= farthest
}

/// How many letters differ, apart from capitals, `_` and `-`.
fn distance(known: &str, name: &str) -> usize {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    strsim::damerau_levenshtein(&plain(known), &plain(name))
}

/// Whether commands for an event of this name, which may be misspelt, may have been there to forbid something.
pub(super) fn may_guard(event: &str) -> bool {
    !is_elsewhere(event) && nearest_event(event).is_none_or(is_gate)
}

/// What to say of a value that is no place for commands: it may have held a guard.
pub(super) fn wrong(what: &str, expected: &str, value: &Value) -> String {
    let found = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("hooks cannot be read: {what} must be {expected} and is {found}")
}

/// A group of commands: its index, itself and what it holds.
pub(super) type Group<'a> = (usize, &'a Value, &'a [Value]);

/// The groups of an event, and what has the wrong shape: the text and the value.
pub(super) fn groups<'a>(event: &str, value: &'a Value) -> (Vec<Group<'a>>, Vec<(String, &'a Value)>) {
    let (mut groups, mut faults) = (Vec::new(), Vec::new());
    let Value::Array(all) = value else {
        faults.push((wrong(&format!("`hooks.{event}`"), "a list", value), value));
        return (groups, faults);
    };
    for (index, group) in all.iter().enumerate() {
        let commands = match group {
            Value::Object(fields) => fields.get("hooks").unwrap_or(&Value::Null),
            other => {
                faults.push((wrong(&format!("`hooks.{event}.{index}`"), "an object", other), other));
                continue;
            }
        };
        match commands {
            Value::Array(commands) => groups.push((index, group, commands.as_slice())),
            other => faults.push((wrong(&format!("`hooks.{event}.{index}.hooks`"), "a list", other), group)),
        }
    }
    (groups, faults)
}
