//! `/diff`: what the edit and write tools changed in this branch of the session.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tau_ai::Message;
use tau_session::EntryBody;

use super::outcome::{FileChange, Hunk};
use crate::session::AgentSession;

/// The files that tools changed, in the order of their first change. Calls that failed changed nothing.
pub(super) fn changes(session: &Arc<AgentSession>) -> Vec<FileChange> {
    let mut calls: HashMap<String, (String, Value)> = HashMap::new();
    let mut files: Vec<FileChange> = Vec::new();
    // The branch and not the context: a compaction takes nothing back.
    for entry in session.session().branch_path(None) {
        let body = entry.body();
        let EntryBody::Message(body) = &*body else { continue };
        match &*body.message {
            Message::Assistant(answer) => {
                for call in answer.tool_calls() {
                    calls.insert(call.id.clone(), (call.name.clone(), call.arguments.clone()));
                }
            }
            Message::ToolResult(result) if !result.is_error => {
                let Some((name, args)) = calls.remove(&result.tool_call_id) else { continue };
                let Some(path) = ["path", "file_path"].iter().find_map(|key| args.get(key)?.as_str()) else { continue };
                let hunk = match name.as_str() {
                    "edit" => result.details.as_ref().and_then(|details| details.get("diff")?.as_str()).map(edited),
                    "write" => args.get("content").and_then(Value::as_str).map(written),
                    _ => None,
                };
                let Some(hunk) = hunk else { continue };
                match files.iter_mut().find(|file| file.path == path) {
                    Some(file) => file.hunks.push(hunk),
                    None => files.push(FileChange { path: path.to_owned(), hunks: vec![hunk] }),
                }
            }
            _ => {}
        }
    }
    files
}

fn edited(diff: &str) -> Hunk {
    Hunk::Edited(diff.to_owned())
}

fn written(content: &str) -> Hunk {
    Hunk::Written(content.to_owned())
}
