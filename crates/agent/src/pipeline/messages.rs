//! How a message gets into the conversation: handlers, the session, then everybody else.

use std::sync::Arc;

use tau_ai::Message;
use tau_hooks::events::{MessageEnd, MessageStart};
use tau_hooks::payload::{MessageEndEvent, MessageStartEvent};
use tau_hooks::{HistoryMessage, Scope};
use tau_session::SessionError;

use crate::parts::{Live, Parts, SessionEvent};
use crate::pipeline::tell::tell;

/// Adds a complete message to the conversation.
pub(crate) async fn add_message(
    parts: &Parts,
    scope: &Scope,
    message: Arc<Message>,
) -> Result<Arc<HistoryMessage>, SessionError> {
    start_message(parts, scope, Arc::clone(&message)).await;
    end_message(parts, scope, message).await
}

/// Tells that a message begins.
pub(crate) async fn start_message(parts: &Parts, scope: &Scope, message: Arc<Message>) {
    let event = || MessageStartEvent { message: Arc::clone(&message) };
    tell::<MessageStart>(parts, scope, event).await;
    parts.events.send(|| SessionEvent::MessageStart { message: Arc::clone(&message) });
}

/// Takes a complete message into the session and tells everybody, in this order: handlers (which may replace it),
/// the session file, the event.
pub(crate) async fn end_message(
    parts: &Parts,
    scope: &Scope,
    message: Arc<Message>,
) -> Result<Arc<HistoryMessage>, SessionError> {
    parts.hooks.updates.drain().await;
    let event = || MessageEndEvent { message: Arc::clone(&message) };
    let done = tell::<MessageEnd>(parts, scope, event).await;
    let message = done.into_payload().map_or(message, |event| event.message);
    let item = parts.conversation.keep(message)?;
    parts.events.send(|| SessionEvent::MessageEnd { message: Arc::clone(item.message()) });
    Ok(item)
}

/// Tells of a message that is in the session already. This is no step of a run, so it does not wait for what handlers
/// send to one: prompts of extensions wait for this.
pub(crate) async fn tell_recorded(live: &Live, message: Arc<Message>) {
    let scope = live.scope();
    let event = || MessageStartEvent { message: Arc::clone(&message) };
    live.hooks.dispatcher.dispatch::<MessageStart>(&scope, event).await;
    live.events.send(|| SessionEvent::MessageStart { message: Arc::clone(&message) });
    let event = || MessageEndEvent { message: Arc::clone(&message) };
    live.hooks.dispatcher.dispatch::<MessageEnd>(&scope, event).await;
    live.events.send(|| SessionEvent::MessageEnd { message: Arc::clone(&message) });
}

/// Records a message while nothing is under way. The session and the history have it at once; handlers are told right
/// after.
pub(crate) fn record(live: &Live, message: Arc<Message>) -> Result<(), SessionError> {
    let item = live.conversation.keep(message)?;
    let work = live.lifecycle.background.begin();
    let of_session = live.clone();
    live.lifecycle.lanes.recorded.push(work, async move {
        tell_recorded(&of_session, Arc::clone(item.message())).await;
    });
    Ok(())
}
