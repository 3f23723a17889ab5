//! Tools and their arguments under the names that scripts know.

use std::path::Path;

use serde_json::{Map, Value};

use super::item::ToolNames;

/// What a tool is called elsewhere.
struct Alias {
    tool: &'static str,
    claude: &'static str,
    /// What else it has been called there.
    others: &'static [&'static str],
    /// Arguments with another name: ours, theirs.
    arguments: &'static [(&'static str, &'static str)],
}

const fn alias(tool: &'static str, claude: &'static str, arguments: &'static [(&'static str, &'static str)]) -> Alias {
    Alias { tool, claude, others: &[], arguments }
}

const fn also(others: &'static [&'static str], alias: Alias) -> Alias {
    Alias { others, ..alias }
}

const PATH: (&str, &str) = ("path", "file_path");
const OLD: (&str, &str) = ("oldText", "old_string");
const NEW: (&str, &str) = ("newText", "new_string");
/// Those of one change of a text.
const EDITED: [(&str, &str); 2] = [OLD, NEW];
/// The argument that holds several changes, and its tool.
const EDITS: (&str, &str) = ("edit", "edits");

const ALIASES: &[Alias] = &[
    alias("bash", "Bash", &[]),
    alias("read", "Read", &[PATH]),
    alias("write", "Write", &[PATH]),
    also(&["MultiEdit"], alias("edit", "Edit", &[PATH, OLD, NEW])),
    alias("grep", "Grep", &[("ignoreCase", "-i"), ("limit", "head_limit")]),
    alias("find", "Glob", &[]),
    alias("glob", "Glob", &[]),
    alias("ls", "LS", &[]),
    also(&["Agent"], alias("task", "Task", &[])),
    alias("todo_write", "TodoWrite", &[]),
    alias("web_search", "WebSearch", &[]),
    alias("fetch", "WebFetch", &[]),
];

/// The tools of the program itself.
pub(super) const OWN: [&str; 7] = ["bash", "read", "write", "edit", "grep", "find", "ls"];

/// The arguments of which ours are in seconds and theirs in milliseconds.
const DURATIONS: &[(&str, &str)] = &[("bash", "timeout")];

fn of(tool: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.tool == tool)
}

/// What Claude Code calls a tool.
pub(crate) fn claude_name(tool: &str) -> &str {
    of(tool).map_or(tool, |alias| alias.claude)
}

/// All names of a tool, ours first.
pub(crate) fn names_of(tool: &str) -> impl Iterator<Item = &str> {
    let others = of(tool).map_or(&[][..], |alias| alias.others);
    [tool, claude_name(tool)].into_iter().chain(others.iter().copied())
}

/// Whether a tool has a name, in any case.
pub(crate) fn answers_to(tool: &str, name: &str) -> bool {
    names_of(tool).any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a name is that of a tool that exists somewhere, under any of its names.
pub(crate) fn is_known_name(name: &str) -> bool {
    ALIASES.iter().any(|alias| answers_to(alias.tool, name))
}

/// Tools of Claude Code that tau does not have.
const ELSEWHERE: &[&str] = &[
    "NotebookEdit",
    "NotebookRead",
    "BashOutput",
    "KillShell",
    "KillBash",
    "ExitPlanMode",
    "EnterPlanMode",
    "SlashCommand",
    "Skill",
    "AskUserQuestion",
    "TodoRead",
    "TaskOutput",
    "TaskStop",
    "ToolSearch",
];

/// All names of tools that exist somewhere.
pub(crate) fn known_names() -> impl Iterator<Item = &'static str> {
    ALIASES.iter().flat_map(|alias| names_of(alias.tool)).chain(ELSEWHERE.iter().copied())
}

/// What a script that speaks `names` calls a tool.
pub(crate) fn name_for(tool: &str, names: ToolNames) -> &str {
    match names {
        ToolNames::Native => tool,
        ToolNames::Claude => claude_name(tool),
    }
}

/// The arguments of a call in both spellings.
pub(crate) fn in_both(tool: &str, input: &Value, names: ToolNames, cwd: &Path) -> Value {
    let (Value::Object(input), Some(alias)) = (input, of(tool)) else { return input.clone() };
    let mut shown = input.clone();
    for (ours, theirs) in alias.arguments {
        if let Some(value) = input.get(*ours).filter(|_| !input.contains_key(*theirs)) {
            let value = match (*ours, value) {
                // Theirs is always absolute.
                ("path", Value::String(path)) => Value::from(cwd.join(path).display().to_string()),
                (_, value) => value.clone(),
            };
            shown.insert((*theirs).to_owned(), value);
        }
    }
    if let Some(Value::Array(edits)) = shown.get_mut(EDITS.1).filter(|_| tool == EDITS.0) {
        for edit in edits.iter_mut().filter_map(Value::as_object_mut) {
            for (ours, theirs) in EDITED {
                if let Some(value) = edit.get(ours).cloned().filter(|_| !edit.contains_key(theirs)) {
                    edit.insert(theirs.to_owned(), value);
                }
            }
        }
    }
    for name in durations(tool, names) {
        if let Some(seconds) = input.get(name).and_then(Value::as_f64) {
            shown.insert(name.to_owned(), number(seconds * 1000.0));
        }
    }
    Value::Object(shown)
}

/// The arguments in our spelling, from what a script made of those it was shown: where both spellings stand for one
/// argument, the one that was changed counts, and ours if both were.
pub(crate) fn in_ours(tool: &str, input: &Value, shown: &Value, answer: Map<String, Value>, names: ToolNames) -> Value {
    let Some(alias) = of(tool) else { return Value::Object(answer) };
    let mut made = answer;
    for (ours, theirs) in alias.arguments {
        if input.get(*theirs).is_some() {
            continue;
        }
        let Some(value) = made.shift_remove(*theirs) else { continue };
        let ours_changed = made.get(*ours).is_some_and(|now| shown.get(*ours) != Some(now));
        let theirs_changed = shown.get(*theirs) != Some(&value);
        if theirs_changed && !ours_changed || !made.contains_key(*ours) {
            // Unchanged, ours may have been shorter.
            let value = if theirs_changed { value } else { input.get(*ours).cloned().unwrap_or(value) };
            made.insert((*ours).to_owned(), value);
        }
    }
    if let Some(Value::Array(edits)) = made.get_mut(EDITS.1).filter(|_| tool == EDITS.0) {
        for (at, edit) in edits.iter_mut().enumerate() {
            let Some(edit) = edit.as_object_mut() else { continue };
            let (before, shown) = (&input[EDITS.1][at], &shown[EDITS.1][at]);
            for (ours, theirs) in EDITED {
                if before.get(theirs).is_some() {
                    continue;
                }
                let Some(value) = edit.shift_remove(theirs) else { continue };
                let ours_changed = edit.get(ours).is_some_and(|now| shown.get(ours) != Some(now));
                if shown.get(theirs) != Some(&value) && !ours_changed || !edit.contains_key(ours) {
                    edit.insert(ours.to_owned(), value);
                }
            }
        }
    }
    for name in durations(tool, names) {
        let Some(now) = made.get(name) else { continue };
        let value = match (shown.get(name) == Some(now), now.as_f64()) {
            (true, _) => input.get(name).cloned(),
            (false, Some(milliseconds)) => Some(number(milliseconds / 1000.0)),
            (false, None) => None,
        };
        if let Some(value) = value {
            made.insert(name.to_owned(), value);
        }
    }
    Value::Object(made)
}

fn durations(tool: &str, names: ToolNames) -> impl Iterator<Item = &'static str> {
    let of_tool = DURATIONS.iter().filter(move |(known, _)| names == ToolNames::Claude && *known == tool);
    of_tool.map(|(_, name)| *name)
}

/// A number as people write it: whole when it is.
#[expect(clippy::cast_possible_truncation, reason = "whole and within the range")]
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn both(tool: &str, input: Value) -> Value {
        in_both(tool, &input, ToolNames::Claude, Path::new("/work"))
    }

    fn back(tool: &str, input: &Value, change: impl Fn(&mut Value)) -> Value {
        let shown = both(tool, input.clone());
        let mut answer = shown.clone();
        change(&mut answer);
        let Value::Object(answer) = answer else { panic!("an object") };
        in_ours(tool, input, &shown, answer, ToolNames::Claude)
    }

    fn any_input() -> impl Strategy<Value = Value> {
        let names = ["path", "file_path", "timeout", "oldText", "old_string", "limit", "head_limit", "-i", "command"];
        let value = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (0.0..1e7_f64).prop_map(Value::from),
            any::<u32>().prop_map(Value::from),
            "[a-z/.]{0,6}".prop_map(Value::from),
        ];
        let fields = proptest::collection::hash_map(proptest::sample::select(names.to_vec()), value, 0..6);
        fields.prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    proptest! {
        #[test]
        fn what_nobody_changed_comes_back_as_it_was(
            tool in proptest::sample::select(vec!["bash", "read", "write", "edit", "grep", "find", "ls", "other"]),
            input in any_input(),
            claude in any::<bool>(),
        ) {
            let names = if claude { ToolNames::Claude } else { ToolNames::Native };
            let shown = in_both(tool, &input, names, Path::new("/work"));
            let answer = shown.as_object().cloned().unwrap_or_default();
            prop_assert_eq!(in_ours(tool, &input, &shown, answer, names), input);
        }
    }

    #[test]
    fn arguments_are_shown_in_both_spellings() {
        assert_eq!(both("bash", json!({"command": "ls", "timeout": 1.5})), json!({"command": "ls", "timeout": 1500}));
        assert_eq!(
            both("write", json!({"path": "a", "content": "x"})),
            json!({"path": "a", "content": "x", "file_path": "/work/a"})
        );
        assert_eq!(both("read", json!({"path": "/a"})), json!({"path": "/a", "file_path": "/a"}));
        assert_eq!(
            both("grep", json!({"pattern": "x", "ignoreCase": true, "limit": 3})),
            json!({"pattern": "x", "ignoreCase": true, "limit": 3, "-i": true, "head_limit": 3})
        );
        let edit = json!({"edits": [{"oldText": "a", "newText": "b"}]});
        let shown = json!({"edits": [{"oldText": "a", "newText": "b", "old_string": "a", "new_string": "b"}]});
        assert_eq!(both("edit", edit.clone()), shown);
        assert_eq!(back("edit", &edit, |_| {}), edit);
        let changed = back("edit", &edit, |shown| shown["edits"][0]["new_string"] = json!("c"));
        assert_eq!(changed, json!({"edits": [{"oldText": "a", "newText": "c"}]}));
        assert_eq!(both("other", json!({"path": "a"})), json!({"path": "a"}));
        let native = in_both("bash", &json!({"timeout": 2}), ToolNames::Native, Path::new("/work"));
        assert_eq!(native, json!({"timeout": 2}));
    }

    #[test]
    fn a_change_in_either_spelling_counts() {
        let write = json!({"path": "a", "content": "x"});
        assert_eq!(back("write", &write, |_| {}), write);
        assert_eq!(
            back("write", &write, |shown| shown["file_path"] = json!("/b")),
            json!({"path": "/b", "content": "x"})
        );
        assert_eq!(back("write", &write, |shown| shown["path"] = json!("b")), json!({"path": "b", "content": "x"}));
        let only_theirs = |shown: &mut Value| *shown = json!({"file_path": "/work/a", "content": "y"});
        assert_eq!(back("write", &write, only_theirs), json!({"path": "a", "content": "y"}));
        let bash = json!({"command": "ls", "timeout": 3});
        assert_eq!(back("bash", &bash, |_| {}), bash);
        assert_eq!(
            back("bash", &bash, |shown| shown["timeout"] = json!(500)),
            json!({"command": "ls", "timeout": 0.5})
        );
    }
}
