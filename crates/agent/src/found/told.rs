//! What scripts told the model, as a session keeps it.

use tau_ai::Message;
use tau_session::{Session, message_of};

/// The type of messages with what scripts want the model to know.
pub(crate) const CUSTOM_TYPE: &str = "shell-hook";

/// Whether a hook made the model go on since the last prompt, and what the model said last.
pub(crate) fn last_words(session: &Session) -> (bool, String) {
    let (mut text, mut again) = (None, false);
    let mut next = session.leaf();
    while let Some(entry) = next.and_then(|id| session.entry(id.as_str())) {
        match message_of(&entry).as_deref() {
            Some(Message::User(_)) => break,
            Some(Message::Assistant(answer)) => {
                text.get_or_insert_with(|| {
                    answer.content.iter().filter_map(|block| block.as_text()).collect::<Vec<_>>().join("\n")
                });
            }
            Some(Message::Custom(message)) if message.custom_type == CUSTOM_TYPE => {
                again |= message.details.as_ref().is_some_and(|details| details["event"] == "Stop");
            }
            _ => {}
        }
        next = entry.parent_id().cloned();
    }
    (again, text.unwrap_or_default())
}
