//! A payload of each event, for tests that go through the whole table.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{InputKind, JsonMap, Message, MessageBuilder, Model, ModelCost, StreamItem, UserMessage};

use crate::messages::Messages;
use crate::table::Event;

/// A payload to fire an event with.
pub trait Sample {
    /// Makes one.
    fn sample() -> Self;
}

/// Something that is done with every event of the table, see [`visit_all`](crate::events::visit_all).
pub trait EventVisitor {
    /// Does it with one.
    fn visit<E: Event>(&mut self, payload: E::Payload) -> impl Future<Output = ()>;
}

pub(super) fn text() -> String {
    "text".to_owned()
}

pub(super) fn object() -> Value {
    json!({ "command": "ls" })
}

pub(super) fn message() -> Arc<Message> {
    Arc::new(Message::User(UserMessage::new("hello")))
}

pub(super) fn messages() -> Messages {
    [Message::User(UserMessage::new("hello"))].into_iter().collect()
}

pub(super) fn model() -> Arc<Model> {
    Arc::new(Model {
        id: text(),
        name: text(),
        api: text(),
        provider: text(),
        base_url: String::new(),
        reasoning: true,
        thinking_level_map: None,
        input: vec![InputKind::Text],
        cost: ModelCost::default(),
        context_window: 200_000,
        max_tokens: 32_000,
        headers: None,
        extra: JsonMap::new(),
    })
}

pub(super) fn stream_item() -> StreamItem {
    MessageBuilder::new(MessageBuilder::head_for(&model())).text_start().1
}
