//! The event stream of `anthropic-messages`.

use serde_json::{Value, json};

use super::reply::{End, Part, Reply};

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The events of a reply, each as text.
pub(super) fn encode(reply: &Reply, model: &str) -> Vec<String> {
    let usage = &reply.usage;
    let mut events = vec![
        event(
            "message_start",
            &json!({"type": "message_start", "message": {
                "id": "msg_loopback", "type": "message", "role": "assistant", "model": model, "content": [],
                "stop_reason": null, "stop_sequence": null,
                "usage": {
                    "input_tokens": usage.input, "output_tokens": 1,
                    "cache_read_input_tokens": usage.cache_read, "cache_creation_input_tokens": usage.cache_write,
                },
            }}),
        ),
        event("ping", &json!({"type": "ping"})),
    ];
    let mut index = 0;
    for part in &reply.parts {
        if let Part::Raw(lines) = part {
            events.push(format!("{lines}\n\n"));
            continue;
        }
        let (block, deltas) = block(reply, part);
        events.push(event(
            "content_block_start",
            &json!({"type": "content_block_start", "index": index, "content_block": block}),
        ));
        for delta in deltas {
            events.push(event(
                "content_block_delta",
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        events.push(event("content_block_stop", &json!({"type": "content_block_stop", "index": index})));
        index += 1;
    }
    match &reply.end {
        End::Finish => {
            let derived = if reply.has_calls() { "tool_use" } else { "end_turn" };
            let stop = reply.stop.as_deref().unwrap_or(derived);
            let mut counts = json!({"output_tokens": usage.output});
            if usage.reasoning > 0 {
                counts["output_tokens_details"] = json!({"thinking_tokens": usage.reasoning});
            }
            events.push(event(
                "message_delta",
                &json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": counts}),
            ));
            events.push(event("message_stop", &json!({"type": "message_stop"})));
        }
        End::Error { kind, message } => {
            events.push(event("error", &json!({"type": "error", "error": {"type": kind, "message": message}})));
        }
        End::Truncate | End::Cut | End::Hang => {}
    }
    events
}

/// The opening form of a block and its deltas.
fn block(reply: &Reply, part: &Part) -> (Value, Vec<Value>) {
    let pieces = |kind: &str, field: &str, text: &str| -> Vec<Value> {
        reply.deltas(text).into_iter().map(|piece| json!({"type": kind, field: piece})).collect()
    };
    match part {
        Part::Text(text) => (json!({"type": "text", "text": ""}), pieces("text_delta", "text", text)),
        Part::Thinking { text, signature } => {
            let mut deltas = pieces("thinking_delta", "thinking", text);
            if let Some(signature) = signature {
                deltas.extend(pieces("signature_delta", "signature", signature));
            }
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Part::RedactedThinking(data) => (json!({"type": "redacted_thinking", "data": data}), Vec::new()),
        Part::ToolCall { id, name, arguments } => (
            json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
            pieces("input_json_delta", "partial_json", arguments),
        ),
        Part::Raw(_) => (Value::Null, Vec::new()),
    }
}
