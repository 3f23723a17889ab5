//! A step of a growing message as it waits to be written.

use tau_agent::{SessionEvent, Update};
use tau_ai::{StreamEvent, StreamItem};

use super::told::{Partials, Told};

/// A step of a growing message. It becomes a line when it is written, because until then it may grow.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) item: StreamItem,
    pub(super) partials: Partials,
}

impl Step {
    /// Takes a later piece of the same block in; what is something else is left over.
    pub(super) fn join(&mut self, later: Box<Self>) -> Option<Box<Self>> {
        use StreamEvent::{TextDelta, ThinkingDelta, ToolCallDelta};
        match (&mut self.item.event, &later.item.event) {
            (TextDelta { index, delta }, TextDelta { index: same, delta: more })
            | (ThinkingDelta { index, delta }, ThinkingDelta { index: same, delta: more })
            | (ToolCallDelta { index, delta }, ToolCallDelta { index: same, delta: more })
                if index == same =>
            {
                delta.push_str(more);
                self.item.partial = later.item.partial;
                None
            }
            _ => Some(later),
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
