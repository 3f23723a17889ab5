//! A front end's side of the broker.

use std::fmt;
use std::sync::Weak;
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;

use super::{AnswerError, DialogAnswer, DialogEvent, Shared};

/// Names a back end within its broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BackEndId(pub(super) u64);

/// A subscribed back end; dropping it unsubscribes.
///
/// Events wait without limit until they are received, so a back end that has lost interest is dropped, not left.
pub struct DialogBackEnd {
    id: BackEndId,
    broker: Weak<Shared>,
    events: UnboundedReceiver<(Instant, DialogEvent)>,
    /// The next event, which came later than those that were asked for.
    next: Option<(Instant, DialogEvent)>,
}

impl DialogBackEnd {
    pub(super) fn new(id: BackEndId, broker: Weak<Shared>, events: UnboundedReceiver<(Instant, DialogEvent)>) -> Self {
        Self { id, broker, events, next: None }
    }

    /// Its name in [`ClosedBy::BackEnd`](super::ClosedBy::BackEnd).
    pub fn id(&self) -> BackEndId {
        self.id
    }

    /// The next event; `None` once the broker is gone. Nothing is lost when the future is dropped.
    pub async fn recv(&mut self) -> Option<DialogEvent> {
        self.recv_at().await.map(|(_, event)| event)
    }

    /// The next event, and when it happened.
    pub async fn recv_at(&mut self) -> Option<(Instant, DialogEvent)> {
        match self.next.take() {
            Some(next) => Some(next),
            None => self.events.recv().await,
        }
    }

    /// The same by polling, for a back end that is not owned by one task.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<DialogEvent>> {
        match self.next.take() {
            Some((_, event)) => Poll::Ready(Some(event)),
            None => self.events.poll_recv(cx).map(|next| next.map(|(_, event)| event)),
        }
    }

    /// The next event if one is waiting.
    pub fn try_recv(&mut self) -> Option<DialogEvent> {
        self.try_recv_at().map(|(_, event)| event)
    }

    /// The next event if one is waiting, and when it happened.
    pub fn try_recv_at(&mut self) -> Option<(Instant, DialogEvent)> {
        self.next.take().or_else(|| self.events.try_recv().ok())
    }

    /// The next event if it happened before this: for one that puts events in line with what others tell.
    pub fn try_recv_before(&mut self, at: Instant) -> Option<DialogEvent> {
        self.next = self.try_recv_at();
        self.next.take_if(|(happened, _)| *happened < at).map(|(_, event)| event)
    }

    /// Answers a question. An error means that this answer does not count.
    pub fn answer(&self, id: Uuid, answer: DialogAnswer) -> Result<(), AnswerError> {
        self.broker.upgrade().ok_or(AnswerError::NotOpen)?.answer(self.id, id, answer)
    }

    /// Tells what is in the editor now, for extensions that ask.
    pub fn report_editor_text(&self, text: impl Into<String>) {
        if let Some(broker) = self.broker.upgrade() {
            broker.state.lock().editor_text = text.into();
        }
    }
}

impl Drop for DialogBackEnd {
    fn drop(&mut self) {
        if let Some(broker) = self.broker.upgrade() {
            broker.remove_back_end(self.id);
        }
    }
}

impl fmt::Debug for DialogBackEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialogBackEnd").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A back end that is told by a call; dropping it unsubscribes.
pub struct CalledBackEnd {
    id: BackEndId,
    broker: Weak<Shared>,
}

impl CalledBackEnd {
    pub(super) fn new(id: BackEndId, broker: Weak<Shared>) -> Self {
        Self { id, broker }
    }

    /// Its name in [`ClosedBy::BackEnd`](super::ClosedBy::BackEnd).
    pub fn id(&self) -> BackEndId {
        self.id
    }
}

impl Drop for CalledBackEnd {
    fn drop(&mut self) {
        if let Some(broker) = self.broker.upgrade() {
            broker.remove_back_end(self.id);
        }
    }
}

impl fmt::Debug for CalledBackEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CalledBackEnd").field("id", &self.id).finish_non_exhaustive()
    }
}
