//! Messages as they start, grow and end.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use tau_ai::{ContentBlock, JsonMap, Message, PartialMessage, StreamEvent, StreamItem};

use super::{Merges, Output, Stop, Transforms};
use crate::changes::Changes;
use crate::table::Late;
use crate::table::render::TakeApart;

/// A message begins: a user, custom, assistant or tool-result message.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MessageStartEvent {
    /// The message as far as it is known.
    pub message: Arc<Message>,
}

/// An assistant message grew.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageUpdateEvent {
    /// The message as it stands at this event.
    pub message: Snapshot,
    /// What arrived.
    pub assistant_message_event: StreamUpdate,
}

impl TakeApart for MessageUpdateEvent {
    fn take_apart(&self) -> Late {
        let mut update = self.assistant_message_event.to_json();
        update.insert("partial".to_owned(), Value::Null);
        // One more for its type.
        let mut fields = JsonMap::with_capacity(3);
        fields.insert("message".to_owned(), Value::Null);
        fields.insert("assistantMessageEvent".to_owned(), Value::Object(update));
        let snapshot = self.message.clone();
        Late {
            fields: Value::Object(fields),
            places: &[&["message"], &["assistantMessageEvent", "partial"]],
            make: Box::new(move || tau_ai::to_json(&snapshot)),
        }
    }
}

/// One event of a growing message. As JSON it has `type`, `contentIndex`, what arrived, and `partial`: the message
/// as it stands at this event.
#[derive(Debug, Clone)]
pub struct StreamUpdate(pub StreamItem);

impl StreamUpdate {
    /// The event as JSON without the message it belongs to.
    pub fn to_json(&self) -> JsonMap {
        match tau_ai::to_json(WithoutPartial(&self.0)) {
            Value::Object(fields) => fields,
            _ => JsonMap::new(),
        }
    }
}

/// An event of a growing message without the message, to be written.
#[derive(Debug, Clone, Copy)]
pub struct WithoutPartial<'a>(pub &'a StreamItem);

impl Serialize for WithoutPartial<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let event = &self.0.event;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", event.name())?;
        match event {
            StreamEvent::TextStart { index } | StreamEvent::ThinkingStart { index } => {
                map.serialize_entry("contentIndex", index)?;
            }
            StreamEvent::ToolCallStart { index } => {
                map.serialize_entry("contentIndex", index)?;
                if let Some(ContentBlock::ToolCall(call)) = self.0.partial.block(*index) {
                    map.serialize_entry("id", &call.id)?;
                    map.serialize_entry("toolName", &call.name)?;
                }
            }
            StreamEvent::TextDelta { index, delta }
            | StreamEvent::ThinkingDelta { index, delta }
            | StreamEvent::ToolCallDelta { index, delta } => {
                map.serialize_entry("contentIndex", index)?;
                map.serialize_entry("delta", delta)?;
            }
            StreamEvent::TextEnd { index, content } | StreamEvent::ThinkingEnd { index, content } => {
                map.serialize_entry("contentIndex", index)?;
                map.serialize_entry("content", content)?;
            }
            StreamEvent::ToolCallEnd { index, tool_call } => {
                map.serialize_entry("contentIndex", index)?;
                map.serialize_entry("toolCall", &ContentBlock::ToolCall((**tool_call).clone()))?;
            }
            StreamEvent::Start | StreamEvent::Done { .. } | StreamEvent::Error { .. } => {}
        }
        map.end()
    }
}

impl Serialize for StreamUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = self.to_json();
        let partial = serde_json::to_value(Snapshot(self.0.partial.clone()).to_message());
        json.insert("partial".to_owned(), partial.map_err(serde::ser::Error::custom)?);
        json.serialize(serializer)
    }
}

impl JsonSchema for StreamUpdate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StreamUpdate".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let message = generator.subschema_for::<Message>();
        schemars::json_schema!({
            "type": "object",
            "description": "One event of a growing message.",
            "properties": {
                "type": { "type": "string", "enum": [
                    "text_start", "text_delta", "text_end", "thinking_start", "thinking_delta", "thinking_end",
                    "toolcall_start", "toolcall_delta", "toolcall_end"
                ] },
                "contentIndex": { "type": "integer", "description": "The content block, from 0." },
                "delta": { "type": "string", "description": "What arrived." },
                "content": { "type": "string", "description": "All of a finished block." },
                "id": { "type": "string", "description": "The id of a tool call that began." },
                "toolName": { "type": "string", "description": "The tool of a call that began." },
                "toolCall": { "description": "A finished tool call." },
                "partial": message
            },
            "required": ["type", "contentIndex", "partial"]
        })
    }
}

/// A message while it grows; it is built only when somebody looks at it.
#[derive(Clone)]
pub struct Snapshot(pub PartialMessage);

impl Snapshot {
    /// Builds the message.
    pub fn to_message(&self) -> Message {
        Message::Assistant(self.0.to_message())
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_message().serialize(serializer)
    }
}

impl JsonSchema for Snapshot {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Message::schema_name()
    }
    fn schema_id() -> std::borrow::Cow<'static, str> {
        Message::schema_id()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Message::json_schema(generator)
    }
}

/// A message is complete and about to be kept in the session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MessageEndEvent {
    /// The message, as earlier handlers left it.
    pub message: Arc<Message>,
}

/// Another message in its place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MessageEndResult {
    /// Replaces the message; the role must stay the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
}

impl Output<MessageEndEvent> for MessageEndResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.message.is_none()
    }

    fn check(&self, payload: &MessageEndEvent) -> Result<(), String> {
        let Some(message) = &self.message else { return Ok(()) };
        let (role, wanted) = (message.role(), payload.message.role());
        if role != wanted {
            return Err(format!("the replacement has role \"{role}\" but the message has role \"{wanted}\""));
        }
        Ok(())
    }
}

impl Transforms<MessageEndEvent> for MessageEndResult {
    fn apply(&self, payload: &mut MessageEndEvent) -> Changes {
        let mut changes = Changes::none();
        if let Some(message) = &self.message {
            changes.value("message", &*payload.message, &**message);
            payload.message = Arc::clone(message);
        }
        changes
    }
}

impl Merges for MessageEndResult {
    const HOW: &'static str = "a later message replaces the earlier one";

    /// There is one field, and the later result has seen what the earlier one made of the message.
    fn merge(&mut self, later: Self) {
        *self = later;
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, message, stream_item};

    impl Sample for MessageStartEvent {
        fn sample() -> Self {
            Self { message: message() }
        }
    }

    impl Sample for MessageUpdateEvent {
        fn sample() -> Self {
            {
                let item = stream_item();
                Self { message: Snapshot(item.partial.clone()), assistant_message_event: StreamUpdate(item) }
            }
        }
    }

    impl Sample for MessageEndEvent {
        fn sample() -> Self {
            Self { message: message() }
        }
    }
}
