//! Payloads and results whose shape older hooks know otherwise.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::JsonMap;
use tau_session::{Entry, EntryKind, Session};

use super::Reader;

/// The one event that the original hooks have for a session that is ready: at the start, behind `/new`, and behind
/// everything else that opens another one.
pub(super) fn session(payload: Value, reader: &dyn Reader) -> Value {
    let session = reader.session();
    // Whoever was loaded for this session has not seen a start yet.
    let reason = match payload["reason"].as_str() {
        Some("new" | "resume" | "fork") if !reader.has_begun() => "start",
        Some("new") => "clear",
        Some("resume" | "fork") => "switch",
        _ => "start",
    };
    let previous = payload.get("previousSessionFile").filter(|_| reason != "start").cloned().unwrap_or_default();
    let path = known_path(&session, None);
    let talked = path.iter().any(|entry| matches!(entry.kind(), EntryKind::Message | EntryKind::CustomMessage));
    let entries = if reason == "clear" && !talked { Vec::new() } else { flat(&session, &path, reader) };
    json!({
        "type": payload["type"],
        "reason": reason,
        "entries": entries,
        "sessionFile": session.file().map(|file| file.display().to_string()),
        "previousSessionFile": previous,
    })
}

/// What the original hooks are told of a fork: where it begins, by its place among the entries.
pub(super) fn branch(payload: Value, reader: &dyn Reader) -> Value {
    let session = reader.session();
    let target = payload["entryId"].as_str().unwrap_or_default();
    let mut path = known_path(&session, None);
    let on = |path: &[Arc<Entry>]| path.iter().any(|entry| entry.id().as_str() == target);
    if !on(&path) && session.entry(target).is_some() {
        // Another branch of the tree; a list has one only.
        path = known_path(&session, Some(target));
    }
    // The header comes first.
    let index = path.iter().position(|entry| entry.id().as_str() == target).map(|index| index + 1);
    json!({
        "type": payload["type"],
        "targetTurnIndex": index.map_or(json!(-1), Value::from),
        "targetEntryId": target,
        "entries": flat(&session, &path, reader),
    })
}

/// A branch without the messages that record tools: the original hooks know no such role.
fn known_path(session: &Session, leaf: Option<&str>) -> Vec<Arc<Entry>> {
    session.branch_path(leaf).into_iter().filter(|entry| !entry.is_system()).collect()
}

/// A branch of the tree as the list that a session file once was: the header, then the entries in order, and the first
/// entry that a compaction keeps by its place. Ids stay.
fn flat(session: &Session, path: &[Arc<Entry>], reader: &dyn Reader) -> Vec<Value> {
    let header = session.header();
    let mut first = json!({
        "type": "session",
        "id": header.id,
        "timestamp": header.timestamp,
        "cwd": header.cwd,
        "thinkingLevel": reader.thinking_level().as_str(),
    });
    if let Some(model) = reader.model() {
        first["provider"] = json!(model.provider);
        first["modelId"] = json!(model.id);
    }
    if let Some(parent) = &header.parent_session {
        first["branchedFrom"] = json!(parent);
    }
    let place = |id: &str| path.iter().position(|entry| entry.id().as_str() == id).map(|index| index + 1);
    let entries = path.iter().map(|entry| {
        let mut fields = entry.to_value().unwrap_or_default();
        if entry.kind() == EntryKind::Compaction
            && let Some(index) = fields.get("firstKeptEntryId").and_then(Value::as_str).and_then(place)
        {
            fields.insert("firstKeptEntryIndex".to_owned(), index.into());
        }
        Value::Object(fields)
    });
    std::iter::once(first).chain(entries).collect()
}

/// A result in which `null` says as little as a field that is missing.
pub(super) fn lenient(mut fields: JsonMap) -> JsonMap {
    fields.retain(|_, value| !value.is_null());
    fields
}

/// As [`lenient`], and with the one text that a result of a tool once was.
pub(super) fn older_result(fields: JsonMap) -> JsonMap {
    let mut fields = lenient(fields);
    if fields.contains_key("content") {
        return fields;
    }
    if let Some(text) = fields.get("result").and_then(Value::as_str) {
        let content = json!([{ "type": "text", "text": text }]);
        fields.shift_remove("result");
        fields.insert("content".to_owned(), content);
    }
    fields
}
