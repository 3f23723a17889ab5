//! The event stream of `openai-completions`.

use serde_json::{Value, json};

use super::reply::{End, Part, Reply};

/// The events of a reply, each as text.
pub(super) fn encode(reply: &Reply, model: &str) -> Vec<String> {
    let chunk = |choices: Value, usage: Value| {
        let chunk = json!({
            "id": "chatcmpl-loopback", "object": "chat.completion.chunk", "created": 0, "model": model,
            "choices": choices, "usage": usage,
        });
        format!("data: {chunk}\n\n")
    };
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null);

    let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
    let mut call_index = 0;
    for part in &reply.parts {
        match part {
            Part::Text(text) => {
                events.extend(reply.deltas(text).into_iter().map(|piece| delta(json!({"content": piece}))));
            }
            Part::Thinking { text, .. } => {
                let pieces = reply.deltas(text).into_iter();
                events.extend(pieces.map(|piece| delta(json!({"content": null, "reasoning_content": piece}))));
            }
            Part::RedactedThinking(_) => {}
            Part::ToolCall { id, name, arguments } => {
                events.push(delta(json!({"tool_calls": [{
                    "index": call_index, "id": id, "type": "function", "function": {"name": name, "arguments": ""},
                }]})));
                events.extend(reply.deltas(arguments).into_iter().map(|piece| {
                    delta(json!({"tool_calls": [{"index": call_index, "function": {"arguments": piece}}]}))
                }));
                call_index += 1;
            }
            Part::Raw(lines) => events.push(format!("{lines}\n\n")),
        }
    }
    match &reply.end {
        End::Finish => {
            let derived = if reply.has_calls() { "tool_calls" } else { "stop" };
            let stop = reply.stop.as_deref().unwrap_or(derived);
            events.push(chunk(json!([{"index": 0, "delta": {}, "finish_reason": stop}]), Value::Null));
            let usage = &reply.usage;
            let prompt = usage.input + usage.cache_read + usage.cache_write;
            events.push(chunk(
                json!([]),
                json!({
                    "prompt_tokens": prompt, "completion_tokens": usage.output, "total_tokens": prompt + usage.output,
                    "prompt_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
                    "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
                }),
            ));
            events.push("data: [DONE]\n\n".to_owned());
        }
        End::Error { kind, message } => {
            events.push(format!("data: {}\n\n", json!({"error": {"type": kind, "message": message}})));
        }
        End::Truncate | End::Cut | End::Hang => {}
    }
    events
}
