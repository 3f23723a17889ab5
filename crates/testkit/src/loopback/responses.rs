//! The event stream of the Responses interface, in all its forms.

use serde_json::{Value, json};

use super::reply::{End, Part, Reply};

const ID: &str = "resp_loopback";

fn event(mut data: Value, kind: &str) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}

/// The events of a reply, each as text.
pub(super) fn encode(reply: &Reply, model: &str) -> Vec<String> {
    let begun =
        json!({"response": {"id": ID, "object": "response", "model": model, "status": "in_progress", "output": []}});
    let mut events = vec![event(begun.clone(), "response.created"), event(begun, "response.in_progress")];
    let mut output = Vec::new();
    for part in &reply.parts {
        if let Part::Raw(lines) = part {
            events.push(format!("{lines}\n\n"));
        } else if let Some(item) = item(reply, part, output.len(), &mut events) {
            output.push(item);
        }
    }
    match &reply.end {
        End::Finish => {
            let stop = reply.stop.as_deref().unwrap_or("completed");
            let (status, reason) = stop.split_once('.').map_or((stop, None), |(status, why)| (status, Some(why)));
            let usage = &reply.usage;
            let prompt = usage.input + usage.cache_read + usage.cache_write;
            let response = json!({"response": {
                "id": ID, "object": "response", "model": model, "status": status, "output": output,
                "incomplete_details": reason.map(|reason| json!({"reason": reason})),
                "usage": {
                    "input_tokens": prompt, "output_tokens": usage.output, "total_tokens": prompt + usage.output,
                    "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
                    "output_tokens_details": {"reasoning_tokens": usage.reasoning},
                },
            }});
            let kind = if status == "incomplete" { "response.incomplete" } else { "response.completed" };
            events.push(event(response, kind));
        }
        End::Error { kind, message } => {
            let error =
                json!({"response": {"id": ID, "status": "failed", "error": {"code": kind, "message": message}}});
            events.push(event(error, "response.failed"));
        }
        End::Truncate | End::Cut | End::Hang => {}
    }
    events
}

/// The finished item of a part, whose events are added.
fn item(reply: &Reply, part: &Part, place: usize, events: &mut Vec<String>) -> Option<Value> {
    let mut add = |kind: &str, mut data: Value| {
        data["output_index"] = json!(place);
        events.push(event(data, kind));
    };
    let (empty, done, delta, text) = match part {
        Part::Text(text) => {
            let item = |content: Value| json!({"type": "message", "id": format!("msg_{place}"), "role": "assistant", "content": content});
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            (item(json!([])), item(content), "response.output_text.delta", text)
        }
        Part::Thinking { text, signature } => {
            let item = |summary: Value| {
                json!({"type": "reasoning", "id": format!("rs_{place}"), "summary": summary,
                    "encrypted_content": signature})
            };
            let summary = json!([{"type": "summary_text", "text": text}]);
            (item(json!([])), item(summary), "response.reasoning_summary_text.delta", text)
        }
        Part::ToolCall { id, name, arguments } => {
            let item = |arguments: &str| {
                json!({"type": "function_call", "id": format!("fc_{place}"), "call_id": id, "name": name,
                    "arguments": arguments})
            };
            (item(""), item(arguments), "response.function_call_arguments.delta", arguments)
        }
        Part::RedactedThinking(_) | Part::Raw(_) => return None,
    };
    add("response.output_item.added", json!({ "item": empty }));
    for piece in reply.deltas(text) {
        add(delta, json!({ "delta": piece }));
    }
    if matches!(part, Part::ToolCall { .. }) {
        add("response.function_call_arguments.done", json!({ "arguments": text }));
    }
    add("response.output_item.done", json!({ "item": done }));
    Some(done)
}
