//! The event stream of `google-generative-ai` and `google-vertex`.

use serde_json::{Value, json};

use super::reply::{End, Part, Reply};

fn event(chunk: &Value) -> String {
    format!("data: {chunk}\r\n\r\n")
}

/// The events of a reply, each as text.
pub(super) fn encode(reply: &Reply, _model: &str) -> Vec<String> {
    let part = |part: Value| {
        event(&json!({
            "candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}],
            "responseId": "loopback",
        }))
    };
    let mut events = Vec::new();
    for content in &reply.parts {
        match content {
            Part::Text(text) => {
                events.extend(reply.deltas(text).into_iter().map(|piece| part(json!({ "text": piece }))));
            }
            Part::Thinking { text, signature } => {
                let pieces = reply.deltas(text);
                let last = pieces.len().saturating_sub(1);
                events.extend(pieces.into_iter().enumerate().map(|(at, piece)| {
                    let mut thought = json!({"text": piece, "thought": true});
                    if let Some(signature) = signature.as_ref().filter(|_| at == last) {
                        thought["thoughtSignature"] = json!(signature);
                    }
                    part(thought)
                }));
            }
            Part::RedactedThinking(_) => {}
            Part::ToolCall { id, name, arguments } => {
                // Arguments come as JSON, so that there is no other text for them.
                let args = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                let mut call = json!({"name": name, "args": args});
                if !id.is_empty() {
                    call["id"] = json!(id);
                }
                events.push(part(json!({ "functionCall": call })));
            }
            Part::Raw(lines) => events.push(format!("{lines}\n\n")),
        }
    }
    match &reply.end {
        End::Finish => {
            let usage = &reply.usage;
            let prompt = usage.input + usage.cache_read;
            events.push(event(&json!({
                "candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "index": 0,
                    "finishReason": reply.stop.as_deref().unwrap_or("STOP")}],
                "usageMetadata": {
                    "promptTokenCount": prompt, "cachedContentTokenCount": usage.cache_read,
                    "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
                    "thoughtsTokenCount": usage.reasoning, "totalTokenCount": prompt + usage.output,
                },
                "responseId": "loopback",
            })));
        }
        End::Error { kind, message } => {
            events.push(event(&json!({"error": {"code": 503, "message": message, "status": kind}})));
        }
        End::Truncate | End::Cut | End::Hang => {}
    }
    events
}
