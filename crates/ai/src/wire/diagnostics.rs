//! What the provider did otherwise than asked, noted in the answer.

use serde_json::{Value, json};

use crate::MessageBuilder;

/// Key in an answer's extra fields.
const KEY: &str = "diagnostics";

/// The notes of an answer.
pub(super) struct Diagnostics {
    /// Milliseconds since the Unix epoch.
    now_ms: i64,
    notes: Vec<Value>,
}

impl Diagnostics {
    /// No notes yet; those to come have this time, in milliseconds since the Unix epoch.
    pub fn at(now_ms: i64) -> Self {
        Self { now_ms, notes: Vec::new() }
    }

    /// Adds a note, about an error if there was one.
    pub fn add(&mut self, answer: &MessageBuilder, kind: &str, error: Option<&str>, details: Value) {
        let mut note = json!({"type": kind, "timestamp": self.now_ms});
        if let Some(message) = error {
            note["error"] = json!({"message": message});
        }
        note["details"] = details;
        self.notes.push(note);
        answer.set_extra(KEY, Value::Array(self.notes.clone()));
    }
}
