//! Roughly how many tokens a request holds, to keep prompt and answer inside the context window.

use crate::{ContentBlock, Message, MessageContent, StopReason, StreamRequest};

const BYTES_PER_TOKEN: usize = 4;
const IMAGE_TOKENS: usize = 1200;
/// Left free because the estimate is rough.
const MARGIN: u64 = 4096;

/// The most tokens the answer may have: `wanted`, less when the context window is nearly full. 0 when
/// neither the caller nor the model sets a limit.
pub(super) fn answer_limit(request: &StreamRequest, wanted: u64) -> u64 {
    let window = request.model.context_window;
    if window == 0 || wanted == 0 {
        return wanted;
    }
    wanted.min(window.saturating_sub(prompt_tokens(request) + MARGIN).max(1))
}

fn prompt_tokens(request: &StreamRequest) -> u64 {
    // The last answer tells exactly how large everything up to it was.
    let counted = request.messages.iter().rposition(|message| {
        message.as_assistant().is_some_and(|answer| {
            answer.usage.total_tokens > 0 && !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
        })
    });
    // Something newer stands before it: a summary took the place of what it counted.
    let counted = counted.filter(|at| {
        let when = timestamp(&request.messages[*at]);
        !request.messages[..*at].iter().any(|message| timestamp(message) > when)
    });
    let (known, rest) = match counted {
        Some(at) => {
            let known = request.messages[at].as_assistant().map_or(0, |answer| answer.usage.total_tokens);
            (known, &request.messages[at + 1..])
        }
        None => {
            let system = request.system.as_ref().map_or(0, String::len);
            let tools = request.tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len());
            let bytes = system + tools.sum::<usize>();
            (u64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(u64::MAX), request.messages.as_slice())
        }
    };
    let rest: usize = rest.iter().map(|message| message_tokens(message)).sum();
    known.saturating_add(u64::try_from(rest).unwrap_or(u64::MAX))
}

fn timestamp(message: &Message) -> i64 {
    match message {
        Message::User(user) => user.timestamp,
        Message::Assistant(answer) => answer.timestamp,
        Message::ToolResult(result) => result.timestamp,
        _ => 0,
    }
}

fn message_tokens(message: &Message) -> usize {
    match message {
        Message::User(user) => match &user.content {
            MessageContent::Text(text) => text.len() / BYTES_PER_TOKEN,
            MessageContent::Blocks(blocks) => blocks_tokens(blocks),
        },
        Message::Assistant(answer) => blocks_tokens(&answer.content),
        Message::ToolResult(result) => blocks_tokens(&result.content),
        _ => 0,
    }
}

fn blocks_tokens(blocks: &[ContentBlock]) -> usize {
    let tokens = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => text.text.len() / BYTES_PER_TOKEN,
        ContentBlock::Thinking(thinking) => thinking.thinking.len() / BYTES_PER_TOKEN,
        ContentBlock::Image(_) => IMAGE_TOKENS,
        ContentBlock::ToolCall(call) => (call.name.len() + call.arguments.to_string().len()) / BYTES_PER_TOKEN,
        ContentBlock::Other(_) => 0,
    };
    blocks.iter().map(|block| tokens(block) + 1).sum()
}
