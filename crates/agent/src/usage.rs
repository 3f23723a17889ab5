//! How full the context is.

use tau_ai::{ContentBlock, Message, MessageContent, Model, StopReason};
use tau_hooks::{ContextUsage, Messages};

/// What an image counts as, in characters.
const IMAGE_CHARS: usize = 4800;

/// Tokens of the last answer's request, plus an estimate of what came after it.
pub fn context_usage(history: &Messages, model: &Model) -> ContextUsage {
    let counted = history.iter().rposition(|message| known_tokens(message).is_some());
    let known = counted.and_then(|index| known_tokens(history.get(index)?)).unwrap_or_default();
    let rest: u64 = history.iter().skip(counted.map_or(0, |index| index + 1)).map(estimate).sum();
    // The usage of an answer before a compaction tells nothing about the context after it.
    let compacted = history.iter().rposition(|message| matches!(message, Message::CompactionSummary(_)));
    let stale = compacted.is_some_and(|at| counted.is_none_or(|counted| counted < at));
    let tokens = (!stale).then_some(known + rest);
    let percent =
        tokens.filter(|_| model.context_window > 0).map(|tokens| tokens as f64 * 100.0 / model.context_window as f64);
    ContextUsage { tokens, context_window: model.context_window, percent }
}

fn known_tokens(message: &Message) -> Option<u64> {
    let answer = message.as_assistant()?;
    if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) {
        return None;
    }
    let usage = &answer.usage;
    let sum = usage.input + usage.output + usage.cache_read + usage.cache_write;
    Some(if usage.total_tokens > 0 { usage.total_tokens } else { sum }).filter(|tokens| *tokens > 0)
}

/// A rough count of a message's tokens: a quarter of its characters.
pub fn estimate(message: &Message) -> u64 {
    let chars = match message {
        Message::User(user) => content_chars(&user.content),
        Message::Custom(custom) => content_chars(&custom.content),
        Message::Assistant(answer) => answer.content.iter().map(block_chars).sum(),
        Message::ToolResult(result) => result.content.iter().map(block_chars).sum(),
        Message::BashExecution(bash) => bash.command.chars().count() + bash.output.chars().count(),
        Message::CompactionSummary(summary) => summary.summary.chars().count(),
        Message::BranchSummary(summary) => summary.summary.chars().count(),
        Message::System(_) | Message::Other(_) => 0,
    };
    chars.div_ceil(4) as u64
}

fn content_chars(content: &MessageContent) -> usize {
    match content {
        MessageContent::Text(text) => text.chars().count(),
        MessageContent::Blocks(blocks) => blocks.iter().map(block_chars).sum(),
    }
}

fn block_chars(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(block) => block.text.chars().count(),
        ContentBlock::Thinking(block) => block.thinking.chars().count(),
        ContentBlock::Image(_) => IMAGE_CHARS,
        ContentBlock::ToolCall(call) => call.name.chars().count() + call.arguments.to_string().chars().count(),
        ContentBlock::Other(_) => 0,
    }
}
