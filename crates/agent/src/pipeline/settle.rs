//! The end of a run, and how front ends hear that the session is idle.

use tau_hooks::events::AgentSettled;
use tau_hooks::payload::AgentSettledEvent;

use crate::parts::{Live, Parts, SessionEvent};
use crate::pipeline::warming::rest;

/// The session is idle. Prompts that handlers ask for now wait until all of them are done.
pub(crate) async fn settled(live: &Live, aborted: bool) {
    rest(live);
    live.hooks.dispatcher.dispatch::<AgentSettled>(&live.scope(), || AgentSettledEvent { aborted }).await;
    tell_settled(live, aborted);
}

/// Front ends hear that the session is idle.
pub(crate) fn tell_settled(parts: &Parts, aborted: bool) {
    parts.lifecycle.note_settled();
    parts.events.send(|| SessionEvent::AgentSettled { aborted });
}

/// Brings the session file to the disk, off the threads that do the work.
pub(crate) async fn sync_session(parts: &Parts) {
    let session = parts.conversation.session();
    if !session.is_persisted() {
        return;
    }
    let file = session.file().map(|file| file.display().to_string()).unwrap_or_default();
    if let Ok(Err(error)) = tokio::task::spawn_blocking(move || session.catch_up().and_then(|()| session.sync())).await
    {
        parts.report(file, "session", error.to_string());
    }
}
