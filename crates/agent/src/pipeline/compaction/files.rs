//! The files that a conversation touched: a summary lists them, and later summaries carry the lists on.

use serde_json::{Value, json};
use tau_ai::Message;
use tau_hooks::Messages;
use tau_hooks::payload::FileOps;
use tau_session::Compaction;

/// The files of the summary before, unless an extension made it, and of the tool calls in these messages.
pub(crate) fn touched(before: Option<&Compaction>, messages: [&Messages; 2]) -> FileOps {
    let mut files = FileOps::default();
    let details = before.filter(|before| before.from_hook != Some(true)).and_then(|before| before.details.as_ref());
    if let Some(details) = details {
        note_details(&mut files, details);
    }
    messages.into_iter().flat_map(Messages::iter).for_each(|message| note_calls(&mut files, message));
    files
}

/// Notes the files that the details of an earlier summary name.
pub(crate) fn note_details(files: &mut FileOps, details: &Value) {
    paths(details, "readFiles").for_each(|path| note(&mut files.read, path));
    paths(details, "modifiedFiles").for_each(|path| note(&mut files.edited, path));
}

fn paths<'a>(details: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    details.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn note(list: &mut Vec<String>, path: &str) {
    if !list.iter().any(|known| known == path) {
        list.push(path.to_owned());
    }
}

/// Notes the files of the tool calls in a message: those of the model, or those that a tool made.
pub(crate) fn note_calls(files: &mut FileOps, message: &Message) {
    match message {
        Message::Assistant(answer) => {
            answer.tool_calls().for_each(|call| note_call(files, &call.name, &call.arguments));
        }
        Message::ToolResult(result) => {
            let calls = result.extra.get("nestedCalls").and_then(|record| record["calls"].as_array());
            for call in calls.into_iter().flatten() {
                note_call(files, call["name"].as_str().unwrap_or_default(), &call["arguments"]);
            }
        }
        _ => {}
    }
}

fn note_call(files: &mut FileOps, tool: &str, arguments: &Value) {
    let Some(path) = arguments.get("path").and_then(Value::as_str).filter(|path| !path.is_empty()) else { return };
    match tool {
        "read" => note(&mut files.read, path),
        "write" => note(&mut files.written, path),
        "edit" => note(&mut files.edited, path),
        _ => {}
    }
}

/// What a summary says about files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileLists {
    read: Vec<String>,
    modified: Vec<String>,
}

impl FileLists {
    /// Sorted; a file that was changed counts as changed only.
    pub(crate) fn of(files: &FileOps) -> Self {
        let mut modified: Vec<String> = files.edited.iter().chain(&files.written).cloned().collect();
        modified.sort();
        modified.dedup();
        let mut read: Vec<String> = files.read.iter().filter(|path| !modified.contains(path)).cloned().collect();
        read.sort();
        Self { read, modified }
    }

    /// As it is kept in the details of the session's entry.
    pub(crate) fn details(&self) -> Value {
        json!({"readFiles": self.read, "modifiedFiles": self.modified})
    }

    /// The end of a summary; empty when there are no files.
    pub(crate) fn text(&self) -> String {
        let section = |tag: &str, paths: &[String]| match paths {
            [] => String::new(),
            paths => format!("\n\n<{tag}>\n{}\n</{tag}>", paths.join("\n")),
        };
        section("read-files", &self.read) + &section("modified-files", &self.modified)
    }
}
