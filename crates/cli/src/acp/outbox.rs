//! What a session tells its client, in order.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, SessionId, SessionNotification, SessionUpdate, ToolCallUpdate,
};
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use super::transport::Wire;

/// Updates on their way out. While the client does not keep up they wait here, and neighbours that say one thing become
/// one: what waits is never much more than what the session itself holds.
#[derive(Default)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    more: Notify,
}

#[derive(Default)]
struct Queue {
    items: VecDeque<Item>,
    /// The client does not know the session yet.
    held: bool,
    closed: bool,
}

enum Item {
    Update(Box<SessionUpdate>),
    /// Somebody waits until everything before this is handed over.
    Mark(oneshot::Sender<()>),
}

impl Outbox {
    /// `held`: nothing goes out before [`Outbox::release`].
    pub(super) fn new(held: bool) -> Arc<Self> {
        Arc::new(Self { queue: Mutex::new(Queue { held, ..Queue::default() }), more: Notify::new() })
    }

    pub(super) fn push(&self, update: SessionUpdate) {
        let mut queue = self.queue.lock();
        if queue.closed {
            return;
        }
        let update = match queue.items.back_mut() {
            Some(Item::Update(last)) => join(last, update),
            _ => Some(update),
        };
        queue.items.extend(update.map(|update| Item::Update(Box::new(update))));
        drop(queue);
        self.more.notify_one();
    }

    /// The client knows the session now.
    pub(super) fn release(&self) {
        self.queue.lock().held = false;
        self.more.notify_one();
    }

    /// Waits until everything that was pushed is handed over. What is sent afterwards arrives afterwards.
    pub(super) async fn flush(&self) {
        let (sender, reached) = oneshot::channel();
        {
            let mut queue = self.queue.lock();
            if queue.closed {
                return;
            }
            queue.items.push_back(Item::Mark(sender));
        }
        self.more.notify_one();
        // A mark that is dropped is one that nobody can reach any more.
        let _ = reached.await;
    }

    /// Nothing goes out any more.
    pub(super) fn close(&self) {
        let items = {
            let mut queue = self.queue.lock();
            queue.closed = true;
            mem::take(&mut queue.items)
        };
        drop(items);
        self.more.notify_one();
    }

    /// The next one; `None` once the outbox is closed.
    async fn next(&self) -> Option<Item> {
        loop {
            {
                let mut queue = self.queue.lock();
                if queue.closed {
                    return None;
                }
                // What is held stays where it is.
                let item = if queue.held { None } else { queue.items.pop_front() };
                if item.is_some() {
                    return item;
                }
            }
            self.more.notified().await;
        }
    }

    /// Hands updates over for as long as there is somebody to take them.
    pub(super) async fn forward(self: Arc<Self>, id: SessionId, connection: ConnectionTo<Client>, wire: Arc<Wire>) {
        loop {
            // What comes while there is no room is joined with what waits.
            wire.room().await;
            match self.next().await {
                Some(Item::Update(update)) => {
                    wire.sent();
                    if connection.send_notification(SessionNotification::new(id.clone(), *update)).is_err() {
                        break;
                    }
                }
                Some(Item::Mark(reached)) => drop(reached.send(())),
                None => break,
            }
            if wire.gone().is_cancelled() {
                break;
            }
        }
        self.close();
    }
}

/// Makes one of two updates if they say one thing; gives the second back if not.
fn join(last: &mut SessionUpdate, next: SessionUpdate) -> Option<SessionUpdate> {
    use SessionUpdate as U;
    match (last, next) {
        (U::AgentMessageChunk(last), U::AgentMessageChunk(next)) => join_text(last, next).map(U::AgentMessageChunk),
        (U::AgentThoughtChunk(last), U::AgentThoughtChunk(next)) => join_text(last, next).map(U::AgentThoughtChunk),
        (U::ToolCallUpdate(last), U::ToolCallUpdate(next)) if last.tool_call_id == next.tool_call_id => {
            merge(last, next);
            None
        }
        (last @ U::UsageUpdate(_), next @ U::UsageUpdate(_))
        | (last @ U::CurrentModeUpdate(_), next @ U::CurrentModeUpdate(_))
        | (last @ U::ConfigOptionUpdate(_), next @ U::ConfigOptionUpdate(_))
        | (last @ U::AvailableCommandsUpdate(_), next @ U::AvailableCommandsUpdate(_)) => {
            *last = next;
            None
        }
        (_, next) => Some(next),
    }
}

fn join_text(last: &mut ContentChunk, next: ContentChunk) -> Option<ContentChunk> {
    match (&mut last.content, &next.content) {
        (ContentBlock::Text(text), ContentBlock::Text(more)) if last.message_id == next.message_id => {
            text.text.push_str(&more.text);
            None
        }
        _ => Some(next),
    }
}

/// A field that is there replaces the one of before, as it does at the client.
fn merge(last: &mut ToolCallUpdate, next: ToolCallUpdate) {
    let (old, new) = (&mut last.fields, next.fields);
    old.kind = new.kind.or(old.kind.take());
    old.status = new.status.or(old.status.take());
    old.title = new.title.or(old.title.take());
    old.name = new.name.or(old.name.take());
    old.content = new.content.or(old.content.take());
    old.locations = new.locations.or(old.locations.take());
    old.raw_input = new.raw_input.or(old.raw_input.take());
    old.raw_output = new.raw_output.or(old.raw_output.take());
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{MessageId, ToolCallStatus, ToolCallUpdateFields, UsageUpdate};

    use super::*;

    fn text(text: &str, message: &str) -> SessionUpdate {
        SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into()).message_id(MessageId::new(message)))
    }

    fn status(id: &str, fields: ToolCallUpdateFields) -> SessionUpdate {
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields))
    }

    #[tokio::test]
    async fn what_waits_is_joined_and_nothing_is_lost() {
        let outbox = Outbox::new(true);
        let running = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress).title("one".to_owned());
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
        for update in [
            text("a", "1"),
            text("b", "1"),
            text("c", "2"),
            status("x", running.clone()),
            status("x", done.clone()),
            status("y", done.clone()),
            SessionUpdate::UsageUpdate(UsageUpdate::new(1, 10)),
            SessionUpdate::UsageUpdate(UsageUpdate::new(2, 10)),
            text("d", "2"),
        ] {
            outbox.push(update);
        }
        let mut out = Vec::new();
        assert!(futures_util::poll!(std::pin::pin!(outbox.next())).is_pending());
        outbox.release();
        for _ in 0..6 {
            match outbox.next().await {
                Some(Item::Update(update)) => out.push(*update),
                _ => panic!("an update"),
            }
        }
        assert_eq!(
            out,
            [
                text("ab", "1"),
                text("c", "2"),
                status("x", done.clone().title("one".to_owned())),
                status("y", done),
                SessionUpdate::UsageUpdate(UsageUpdate::new(2, 10)),
                text("d", "2"),
            ]
        );
        outbox.close();
        assert!(outbox.next().await.is_none());
        outbox.flush().await;
    }
}
