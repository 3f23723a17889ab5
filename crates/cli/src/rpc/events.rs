//! Events of the session as lines.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tau_agent::{SessionEvent, Update};
use tau_ai::{StreamEvent, StreamItem};
use tau_hooks::payload::{Snapshot, StreamUpdate};

use super::writer::Item;

/// What `message_update` carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Partials {
    /// What arrived.
    #[default]
    Deltas,
    /// That, and the whole message so far, for clients of earlier versions.
    Cumulative,
}

/// An event with the whole message so far, when it is one of a growing message.
pub(crate) struct Told<'a>(pub(crate) &'a SessionEvent, pub(crate) Partials);

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self(SessionEvent::MessageUpdate(Update(item)), Partials::Cumulative) => {
                let mut map = serializer.serialize_map(Some(4))?;
                map.serialize_entry("type", "message_update")?;
                map.serialize_entry("usage", &item.partial.usage())?;
                map.serialize_entry("message", &Snapshot(item.partial.clone()))?;
                map.serialize_entry("assistantMessageEvent", &StreamUpdate(item.clone()))?;
                map.end()
            }
            Self(event, _) => event.serialize(serializer),
        }
    }
}

/// An event as it waits to be written.
pub(super) fn item(event: &SessionEvent, partials: Partials) -> Item {
    match event {
        SessionEvent::MessageUpdate(Update(item)) => Item::Step(Box::new(Step { item: item.clone(), partials })),
        SessionEvent::BashExecutionUpdate { id, delta } => Item::Output { id: id.clone(), delta: delta.clone() },
        SessionEvent::ToolExecutionUpdate { tool_call_id, .. } => Item::news(format!("tool {tool_call_id}"), event),
        event => Item::json(event),
    }
}

/// A step of a growing message. It becomes a line when it is written, because until then it may grow.
#[derive(Debug, Clone)]
pub(super) struct Step {
    item: StreamItem,
    partials: Partials,
}

impl Step {
    /// Takes a later piece of the same block in; gives it back when it is something else.
    pub(super) fn join(&mut self, later: Box<Self>) -> Result<(), Box<Self>> {
        use StreamEvent::{TextDelta, ThinkingDelta, ToolCallDelta};
        match (&mut self.item.event, &later.item.event) {
            (TextDelta { index, delta }, TextDelta { index: same, delta: more })
            | (ThinkingDelta { index, delta }, ThinkingDelta { index: same, delta: more })
            | (ToolCallDelta { index, delta }, ToolCallDelta { index: same, delta: more })
                if index == same =>
            {
                delta.push_str(more);
                self.item.partial = later.item.partial;
                Ok(())
            }
            _ => Err(later),
        }
    }

    /// About how many bytes it holds that nothing else does.
    pub(super) fn weight(&self) -> usize {
        match &self.item.event {
            StreamEvent::TextDelta { delta, .. }
            | StreamEvent::ThinkingDelta { delta, .. }
            | StreamEvent::ToolCallDelta { delta, .. } => delta.len(),
            StreamEvent::TextEnd { content, .. } | StreamEvent::ThinkingEnd { content, .. } => content.len(),
            _ => 0,
        }
    }

    /// The line.
    pub(super) fn write(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        let event = SessionEvent::MessageUpdate(Update(self.item.clone()));
        serde_json::to_writer(line, &Told(&event, self.partials))
    }
}
