//! Going on in a copy of a part of the session.

use std::sync::Arc;

use tau_ai::{ContentBlock, Message, MessageContent};
use tau_hooks::Replaced;
use tau_hooks::events::SessionBeforeFork;
use tau_hooks::payload::{ForkPosition, SessionBeforeForkEvent, SessionStartReason};
use tau_session::{Entry, EntryBody, EntryKind, NewSession, Session};

use super::AgentSession;
use super::replace::{Next, ReplaceError, file_of};
use crate::parts::Parts;
use crate::session::replace::replace;
use crate::session::switch::{fresh, session_dir};

impl AgentSession {
    /// Goes on in a new session with the path to an entry: with the entry, or, for a message of the user, without it, and
    /// its text is returned for the editor. A run that is under way is stopped.
    ///
    /// # Errors
    /// When there is no such entry or it cannot be left out, and when the new session cannot be made; then nothing has
    /// changed.
    pub async fn fork(self: &Arc<Self>, entry_id: &str, position: ForkPosition) -> Result<Replaced, ReplaceError> {
        let live = self.live();
        let _changing = self.parts.lifecycle.changing.lock().await;
        let event = || SessionBeforeForkEvent { entry_id: entry_id.to_owned(), position };
        let done = self.parts.hooks.dispatcher.dispatch::<SessionBeforeFork>(&live.scope(), event).await;
        let answer = done.into_output().unwrap_or_default();
        if answer.cancel == Some(true) {
            return Ok(Replaced::cancelled());
        }
        let tree = self.parts.conversation.session();
        let invalid = || ReplaceError::InvalidFork(entry_id.to_owned());
        let entry = tree.entry(entry_id).ok_or_else(invalid)?;
        let (last, text) = match position {
            ForkPosition::At => (Some(entry.id().clone()), None),
            ForkPosition::Before => {
                let text = user_text(&entry).ok_or_else(invalid)?;
                (entry.parent_id().cloned(), Some(text))
            }
        };
        let session = match last {
            Some(last) => copy_to(&self.parts, &tree, &last)?,
            None => fresh(&self.parts, file_of(&tree))?,
        };
        let keep_conversation = answer.skip_conversation_restore == Some(true);
        replace(&live, Next { keep_conversation, ..Next::new(session, SessionStartReason::Fork) }).await?;
        Ok(Replaced { cancelled: false, text })
    }

    /// Goes on in a copy of the branch that is open.
    ///
    /// # Errors
    /// As [`AgentSession::fork`]; also when there is no entry yet.
    pub async fn clone_session(self: &Arc<Self>) -> Result<Replaced, ReplaceError> {
        let leaf = self.parts.conversation.session().leaf().ok_or(ReplaceError::NotSaved)?;
        self.fork(&leaf, ForkPosition::At).await
    }

    /// The messages of the user at which the session can be forked, oldest first: id and text. Of all branches.
    pub fn fork_points(&self) -> Vec<(String, String)> {
        let point = |entry: &Arc<Entry>| Some((entry.id().to_string(), user_text(entry)?));
        self.parts
            .conversation
            .session()
            .entries()
            .iter()
            .filter_map(point)
            .filter(|(_, text)| !text.is_empty())
            .collect()
    }
}

fn copy_to(parts: &Parts, tree: &Session, last: &str) -> Result<Session, ReplaceError> {
    match session_dir(parts) {
        // The copy would name a file that does not exist.
        Some(_) if !tree.is_persisted() => Err(ReplaceError::NotSaved),
        Some(dir) => Ok(tree.fork_at(last, &dir, NewSession::default())?),
        None => Ok(tree.fork_at(last, "".as_ref(), NewSession::default())?),
    }
}

/// The text of a message of the user.
pub(super) fn user_text(entry: &Entry) -> Option<String> {
    if entry.kind() != EntryKind::Message {
        return None;
    }
    match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::User(user) => Some(text_of(&user.content)),
            _ => None,
        },
        _ => None,
    }
}

/// The text blocks of a content, one behind the other.
pub(super) fn text_of(content: &MessageContent) -> String {
    match content {
        MessageContent::Text(text) => text.clone(),
        MessageContent::Blocks(blocks) => blocks.iter().filter_map(ContentBlock::as_text).collect(),
    }
}
