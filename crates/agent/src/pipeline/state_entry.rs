//! State that an extension keeps in the session, and that the model never sees.

use serde_json::Value;
use tau_session::SessionError;

use crate::json::entry_json;
use crate::parts::{Parts, SessionEvent};

/// Appends state of an extension; gives the id of its entry.
pub(crate) fn append_state(parts: &Parts, kind: &str, data: Option<Value>) -> Result<String, SessionError> {
    let entry = parts.conversation.append_state(kind, data)?;
    parts.events.send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) });
    Ok(entry.id().to_string())
}
