//! The last answer of a conversation, and how it leaves what the model sees.

use std::sync::Arc;

use tau_ai::Message;
use tau_hooks::{HistoryMessage, Messages};
use tau_session::SessionError;

use crate::json::entry_json;
use crate::parts::{Parts, SessionEvent};

/// The last answer of a sequence of turns.
#[derive(Debug, Clone)]
pub(crate) struct Last {
    pub(crate) answer: Arc<HistoryMessage>,
    /// The entries of the results of its tool calls.
    pub(crate) result_ids: Vec<String>,
}

impl Last {
    /// The last answer of a conversation with the results of its tools; they leave the conversation together.
    pub(crate) fn of(history: &Messages) -> Option<Self> {
        let mut result_ids = Vec::new();
        for item in history.items().rev() {
            match &**item.message() {
                Message::Assistant(_) => {
                    result_ids.reverse();
                    return Some(Self { answer: Arc::clone(item), result_ids });
                }
                Message::ToolResult(_) => result_ids.extend(item.entry_id.clone()),
                _ => {}
            }
        }
        None
    }

    /// The entries of the answer and of the results.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &String> {
        self.answer.entry_id.iter().chain(&self.result_ids)
    }
}

/// Takes an answer and the results of its tools out of what the model sees. They stay in the file.
pub(crate) fn omit(parts: &Parts, last: &Last) -> Result<(), SessionError> {
    for id in last.entries() {
        match parts.conversation.session().edit_context(id, None) {
            Ok(entry) => parts.events.send(|| SessionEvent::EntryAppended { entry: entry_json(&entry) }),
            // A handler went elsewhere in the tree: the answer is not in the way there.
            Err(SessionError::EntryNotFound(_) | SessionError::NotOnBranch(_) | SessionError::NotEditable(_)) => {}
            Err(error) => return Err(error),
        }
    }
    parts.conversation.rebuild();
    Ok(())
}
