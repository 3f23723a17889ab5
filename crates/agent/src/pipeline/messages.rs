//! How a message gets into the conversation: handlers, the session, then everybody else.

use std::sync::Arc;

use parking_lot::MutexGuard;
use tau_ai::Message;
use tau_hooks::events::{MessageEnd, MessageStart};
use tau_hooks::payload::{MessageEndEvent, MessageStartEvent};
use tau_hooks::{HistoryMessage, Scope};
use tau_session::{EntryBody, SessionError};

use crate::session::{AgentSession, SessionEvent};

impl AgentSession {
    /// Adds a complete message to the conversation.
    pub(crate) async fn add_message(
        self: &Arc<Self>,
        scope: &Scope,
        message: Arc<Message>,
    ) -> Result<Arc<HistoryMessage>, SessionError> {
        self.start_message(scope, Arc::clone(&message)).await;
        self.end_message(scope, message).await
    }

    /// Tells that a message begins.
    pub(crate) async fn start_message(self: &Arc<Self>, scope: &Scope, message: Arc<Message>) {
        let event = || MessageStartEvent { message: Arc::clone(&message) };
        self.tell::<MessageStart>(scope, event).await;
        self.events().send(|| SessionEvent::MessageStart { message: Arc::clone(&message) });
    }

    /// Takes a complete message into the session and tells everybody, in this order: handlers (which may replace it),
    /// the session file, the event.
    pub(crate) async fn end_message(
        self: &Arc<Self>,
        scope: &Scope,
        message: Arc<Message>,
    ) -> Result<Arc<HistoryMessage>, SessionError> {
        self.hooks().updates.drain().await;
        let event = || MessageEndEvent { message: Arc::clone(&message) };
        let done = self.tell::<MessageEnd>(scope, event).await;
        let message = done.payload.map_or(message, |event| event.message);
        let item = self.keep_message(message)?;
        self.events().send(|| SessionEvent::MessageEnd { message: Arc::clone(item.message()) });
        Ok(item)
    }

    /// Tells of a message that is in the session already. This is no step of a run, so it does not wait for what handlers
    /// send to one: prompts of extensions wait for this.
    pub(crate) async fn tell_recorded(self: &Arc<Self>, message: Arc<Message>) {
        let scope = self.scope();
        let event = || MessageStartEvent { message: Arc::clone(&message) };
        self.hooks().dispatcher.dispatch::<MessageStart>(&scope, event).await;
        self.events().send(|| SessionEvent::MessageStart { message: Arc::clone(&message) });
        let event = || MessageEndEvent { message: Arc::clone(&message) };
        self.hooks().dispatcher.dispatch::<MessageEnd>(&scope, event).await;
        self.events().send(|| SessionEvent::MessageEnd { message: Arc::clone(&message) });
    }

    /// Appends a message to the session and the history. When it cannot be written it is in both all the same, and in the
    /// file as soon as that can be written again.
    pub(crate) fn keep_message(&self, message: Arc<Message>) -> Result<Arc<HistoryMessage>, SessionError> {
        self.keep_message_in(&self.keeping().lock(), message)
    }

    /// As [`AgentSession::keep_message`], for those who hold the lock.
    pub(crate) fn keep_message_in(
        &self,
        _keeping: &MutexGuard<'_, ()>,
        message: Arc<Message>,
    ) -> Result<Arc<HistoryMessage>, SessionError> {
        let session = self.session();
        if message.as_assistant().is_some_and(|answer| answer.tool_calls().next().is_some()) {
            self.open_calls();
        }
        let body = match &*message {
            Message::Custom(custom) => EntryBody::custom_message(
                custom.custom_type.clone(),
                custom.content.clone(),
                custom.display,
                custom.details.clone(),
            ),
            _ => EntryBody::message(Arc::clone(&message)),
        };
        let (entry, mut written) = session.keep(body);
        // The file appears with the first message of the user, or with an answer nobody typed anything for; before
        // that a session is not worth a file.
        let worth = matches!(*message, Message::User(_) | Message::Assistant(_));
        if worth && session.file().is_some() && !session.is_persisted() {
            written = written.and_then(|()| session.persist());
        }
        let item = Arc::new(HistoryMessage::new(message, Some(entry.id().to_string())));
        self.push_history(Arc::clone(&item));
        written.map(|()| item)
    }
}
