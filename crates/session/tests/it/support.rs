//! Shared helpers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tau_ai::{AssistantMessage, Message, UserMessage};
use tau_session::{Entry, EntryBody, NewSession, Session, SessionContext};

pub const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/work"}"#;

/// A folder with one file of that text in it.
pub fn file(text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.jsonl");
    fs::write(&path, text).expect("written");
    (dir, path)
}

/// The file with all kinds of entries.
pub fn branches() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/branches.jsonl")
}

/// A persisted session in a folder of its own.
pub fn persisted() -> (tempfile::TempDir, Session) {
    let dir = tempfile::tempdir().expect("a folder");
    let session = Session::create(dir.path(), Path::new("/work"), NewSession::default()).expect("a session");
    session.persist().expect("persisted");
    (dir, session)
}

pub fn user(text: &str) -> EntryBody {
    let message = UserMessage { timestamp: 1, ..UserMessage::new(text) };
    EntryBody::message(Message::User(message))
}

pub fn assistant(text: &str) -> EntryBody {
    let message: AssistantMessage = serde_json::from_value(json!({
        "content": [{"type": "text", "text": text}],
        "api": "a", "provider": "p", "model": "m", "stopReason": "stop", "timestamp": 2,
    }))
    .expect("a message");
    EntryBody::message(Message::Assistant(message))
}

pub fn open(path: &Path) -> Session {
    Session::open(path).expect("the session opens")
}

pub fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

pub fn ids(entries: &[Arc<Entry>]) -> Vec<String> {
    entries.iter().map(|entry| entry.id().to_string()).collect()
}

pub fn all_ids(session: &Session) -> Vec<String> {
    session.entries().iter().map(|entry| entry.id().to_string()).collect()
}

pub fn leaf(session: &Session) -> Option<String> {
    session.leaf().map(|id| id.to_string())
}

pub fn problems(session: &Session) -> Vec<String> {
    session.problems().iter().map(ToString::to_string).collect()
}

/// Every message of a context as `entry: JSON`.
pub fn messages(context: &SessionContext) -> Vec<String> {
    let line = |item: &tau_session::ContextItem| {
        format!("{}: {}", item.entry_id, serde_json::to_string(&*item.message).expect("JSON"))
    };
    context.messages.iter().map(line).collect()
}

/// A line of an entry with a user message.
pub fn line(id: &str, parent: Option<&str>) -> String {
    let entry = json!({
        "type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z",
        "message": {"role": "user", "content": format!("text of {id}"), "timestamp": 1},
    });
    entry.to_string()
}
