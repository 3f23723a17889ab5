//! Events of an answer as JavaScript gets them. The message so far is put together there from the blocks that come
//! with beginnings and ends; only arguments of tool calls, which have to be parsed, come with every piece.

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, ContentBlock, Message, StopReason, StreamEvent, StreamItem};

fn message(message: &AssistantMessage) -> Value {
    tau_ai::to_json(Message::Assistant(message.clone()))
}

pub(super) fn to_json(item: &StreamItem) -> Value {
    let name = item.event.name();
    let block = |index: usize| item.partial.block(index).map(tau_ai::to_json).unwrap_or_default();
    match &item.event {
        StreamEvent::Start => json!({ "type": name, "partial": message(&item.partial.to_message()) }),
        StreamEvent::TextStart { index }
        | StreamEvent::ThinkingStart { index }
        | StreamEvent::ToolCallStart { index } => {
            json!({ "type": name, "contentIndex": index, "block": block(*index) })
        }
        StreamEvent::TextDelta { index, delta } | StreamEvent::ThinkingDelta { index, delta } => {
            json!({ "type": name, "contentIndex": index, "delta": delta })
        }
        StreamEvent::ToolCallDelta { index, delta } => {
            json!({ "type": name, "contentIndex": index, "delta": delta, "block": block(*index) })
        }
        StreamEvent::TextEnd { index, content } | StreamEvent::ThinkingEnd { index, content } => {
            json!({ "type": name, "contentIndex": index, "content": content, "block": block(*index) })
        }
        StreamEvent::ToolCallEnd { index, tool_call } => {
            let call = tau_ai::to_json(ContentBlock::ToolCall((**tool_call).clone()));
            json!({ "type": name, "contentIndex": index, "block": call })
        }
        StreamEvent::Done { message: done } => {
            json!({ "type": name, "reason": reason(&done.stop_reason), "message": message(done) })
        }
        StreamEvent::Error { message: failed } => {
            json!({ "type": name, "reason": reason(&failed.stop_reason), "error": message(failed) })
        }
    }
}

fn reason(reason: &StopReason) -> Value {
    tau_ai::to_json(reason)
}
