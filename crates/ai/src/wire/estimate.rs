//! Roughly how many tokens a request holds, to keep prompt and answer inside the context window.

use crate::{ContentBlock, Message, MessageContent, StopReason, StreamRequest};

/// What a picture counts for, in characters.
const IMAGE: usize = 4800;
/// Left free in any case because the estimate is rough.
const MARGIN: u64 = 4096;
/// An answer up to this size may take the room that is left free for a wrong estimate.
const SMALL_ANSWER: u64 = 32_768;

/// The most tokens the answer may have: `wanted`, less when the context window is nearly full. 0 when
/// neither the caller nor the model sets a limit.
pub(super) fn answer_limit(request: &StreamRequest, wanted: u64) -> u64 {
    let window = request.model.context_window;
    if window == 0 || wanted == 0 {
        return wanted;
    }
    let prompt = prompt_tokens(request);
    // The larger the prompt, the farther the estimate may be off.
    let spare = prompt.saturating_mul(15).div_ceil(100).max(MARGIN);
    let mut room = window.saturating_sub(prompt.saturating_add(spare));
    if room < SMALL_ANSWER {
        room = window.saturating_sub(prompt.saturating_add(MARGIN)).min(SMALL_ANSWER);
    }
    wanted.min(room.max(1))
}

fn prompt_tokens(request: &StreamRequest) -> u64 {
    let counted = last_counted(request);
    let (known, rest) = match counted {
        Some((at, known)) => (known, &request.messages[at + 1..]),
        None => (preamble_tokens(request), request.messages.as_slice()),
    };
    let rest = rest.iter().map(|message| message_tokens(message));
    rest.fold(known, u64::saturating_add)
}

/// The last answer that says how large everything up to it was, and how large.
fn last_counted(request: &StreamRequest) -> Option<(usize, u64)> {
    let mut latest = i64::MIN;
    let mut found = None;
    for (at, message) in request.messages.iter().enumerate() {
        if let Some(answer) = message.as_assistant() {
            let usage = &answer.usage;
            let total = match usage.total_tokens {
                0 => usage.sum(),
                total => total,
            };
            let failed = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
            // Behind something newer it counted what is not there any more: a summary took the place of that.
            if answer.timestamp >= latest && !failed && total > 0 {
                found = Some((at, total));
            }
        }
        latest = latest.max(timestamp(message));
    }
    found
}

fn preamble_tokens(request: &StreamRequest) -> u64 {
    let system = request.system.as_deref().map_or(0, |system| tokens(length(system)));
    if request.tools.is_empty() {
        return system;
    }
    // Their JSON has brackets around them and commas between them.
    let tools = request.tools.iter().map(|tool| serde_json::to_string(tool).map_or(0, |text| length(&text)) + 1);
    system.saturating_add(tokens(tools.sum::<usize>() + 1))
}

/// 3.5 characters are a token.
fn tokens(characters: usize) -> u64 {
    u64::try_from(characters.saturating_mul(2).div_ceil(7)).unwrap_or(u64::MAX)
}

/// In the units that JavaScript counts, of which characters beyond the first 65 536 have two.
fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

fn timestamp(message: &Message) -> i64 {
    match message {
        Message::User(user) => user.timestamp,
        Message::Assistant(answer) => answer.timestamp,
        Message::ToolResult(result) => result.timestamp,
        _ => i64::MIN,
    }
}

fn message_tokens(message: &Message) -> u64 {
    let characters = match message {
        Message::User(user) => match &user.content {
            MessageContent::Text(text) => length(text),
            MessageContent::Blocks(blocks) => blocks_length(blocks),
        },
        Message::Assistant(answer) => blocks_length(&answer.content),
        Message::ToolResult(result) => blocks_length(&result.content),
        _ => 0,
    };
    tokens(characters)
}

fn blocks_length(blocks: &[ContentBlock]) -> usize {
    let one = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => length(&text.text),
        ContentBlock::Thinking(thinking) => length(&thinking.thinking),
        ContentBlock::Image(_) => IMAGE,
        ContentBlock::ToolCall(call) => length(&call.name) + length(&call.arguments.to_string()),
        ContentBlock::Other(_) => 0,
    };
    blocks.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::{StreamOptions, ToolDeclaration};

    fn request(window: u64, messages: Value) -> StreamRequest {
        let model = json!({"id": "m", "contextWindow": window});
        StreamRequest {
            model: Arc::new(serde_json::from_value(model).expect("a model")),
            system: None,
            messages: serde_json::from_value::<Vec<Message>>(messages)
                .expect("messages")
                .into_iter()
                .map(Arc::new)
                .collect(),
            tools: Arc::from([]),
            options: StreamOptions::default(),
            hooks: None,
            cancel: CancellationToken::new(),
        }
    }

    /// A conversation whose prompt is as large as an answer says.
    fn counted(tokens: u64) -> Value {
        json!([{"role": "user", "content": "x"}, {"role": "assistant", "content": [], "usage": {"totalTokens": tokens}}])
    }

    #[test]
    fn a_large_prompt_leaves_more_free() {
        for (window, prompt, limit) in [
            (1_000_000, 10_000, 128_000),
            // 4096 are free.
            (150_000, 20_000, 150_000 - 20_000 - 4096),
            // 15 % of the prompt are.
            (200_000, 80_000, 200_000 - 80_000 - 12_000),
            // What is left is short, so an answer may use it, up to a limit.
            (200_000, 150_000, 32_768),
            (200_000, 170_000, 200_000 - 170_000 - 4096),
            (200_000, 199_000, 1),
            (200_000, 900_000, 1),
            (0, 900_000, 128_000),
        ] {
            let request = request(window, counted(prompt));
            assert_eq!(answer_limit(&request, 128_000), limit, "{prompt} of {window}");
        }
        assert_eq!(answer_limit(&request(1000, counted(1)), 0), 0);
    }

    #[test]
    fn prompts_are_estimated_by_their_characters() {
        let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
        let call = json!({"type": "toolCall", "id": "1", "name": "read", "arguments": {"a": 1}});
        for (messages, estimate) in [
            (json!([]), 0),
            (json!([{"role": "user", "content": "1234567"}]), 2),
            (json!([{"role": "user", "content": "12345678"}, {"role": "user", "content": "1"}]), 4),
            // Two units, not four bytes.
            (json!([{"role": "user", "content": "\u{1f600}"}]), 1),
            (json!([{"role": "user", "content": [image]}]), 1372),
            (json!([{"role": "assistant", "content": [call, {"type": "thinking", "thinking": "hmm"}]}]), 4),
            // An aborted answer counted nothing; one behind a newer summary counted what is gone.
            (json!([{"role": "assistant", "content": [], "stopReason": "aborted", "usage": {"totalTokens": 99}}]), 0),
            (
                json!([{"role": "user", "content": "1234567", "timestamp": 9},
                    {"role": "assistant", "content": [], "usage": {"totalTokens": 99}, "timestamp": 8}]),
                2,
            ),
            (json!([{"role": "assistant", "content": [], "usage": {"input": 5, "output": 6, "cacheRead": 7}}]), 18),
        ] {
            assert_eq!(prompt_tokens(&request(0, messages.clone())), estimate, "{messages}");
        }
        let mut with_tools = request(0, json!([]));
        with_tools.system = Some("1234567".to_owned());
        let tool = ToolDeclaration {
            name: "t".to_owned(),
            description: String::new(),
            parameters: json!({}),
            constrained_sampling: None,
        };
        // [{"name":"t","description":"","parameters":{}}]
        with_tools.tools = Arc::from([tool]);
        assert_eq!(prompt_tokens(&with_tools), 2 + 14);
    }
}
