//! What a scripted model would put on the wire: the events of its answer, in a form of its own.

use serde_json::{Value, json};

use crate::StreamEvent;

/// An event as `{type, contentIndex?, …}`.
pub(super) fn event(event: &StreamEvent) -> Value {
    let kind = event.name();
    match event {
        StreamEvent::Start | StreamEvent::Error { .. } => json!({ "type": kind }),
        StreamEvent::TextStart { index }
        | StreamEvent::ThinkingStart { index }
        | StreamEvent::ToolCallStart { index } => {
            json!({ "type": kind, "contentIndex": index })
        }
        StreamEvent::TextDelta { index, delta }
        | StreamEvent::ThinkingDelta { index, delta }
        | StreamEvent::ToolCallDelta { index, delta } => {
            json!({ "type": kind, "contentIndex": index, "delta": delta })
        }
        StreamEvent::TextEnd { index, content } | StreamEvent::ThinkingEnd { index, content } => {
            json!({ "type": kind, "contentIndex": index, "content": content })
        }
        StreamEvent::ToolCallEnd { index, tool_call } => {
            json!({ "type": kind, "contentIndex": index, "toolCall": tool_call })
        }
        StreamEvent::Done { message } => {
            json!({ "type": kind, "stopReason": message.stop_reason, "usage": message.usage })
        }
    }
}
