//! How full the context is.

use tau_ai::{ContentBlock, Message, MessageContent, Model, StopReason};
use tau_hooks::{ContextUsage, Messages};
use tau_session::{EntryKind, Session};

/// What an image counts as, in characters.
const IMAGE_CHARS: usize = 4800;

/// How full the context of a session is. The number of tokens is unknown between a compaction and the next answer.
pub fn context_usage(history: &Messages, session: &Session, model: &Model) -> ContextUsage {
    let compacted = history.iter().any(|message| matches!(message, Message::CompactionSummary(_)));
    let counted = || {
        last_known(history)
            .and_then(|(_, id)| id)
            .is_some_and(|id| nothing_since(session, &id, &[EntryKind::Compaction]))
    };
    let tokens = (!compacted || counted()).then(|| context_tokens(history, session));
    let percent =
        tokens.filter(|_| model.context_window > 0).map(|tokens| tokens as f64 * 100.0 / model.context_window as f64);
    ContextUsage { tokens, context_window: model.context_window, percent }
}

/// Tokens of the last answer's request plus an estimate of what came after it. When the context was edited or compacted
/// since, all of it is estimated.
pub(crate) fn context_tokens(history: &Messages, session: &Session) -> u64 {
    let known = last_known(history).filter(|(_, id)| {
        let changes = [EntryKind::Compaction, EntryKind::ContextEdit];
        id.as_deref().is_none_or(|id| nothing_since(session, id, &changes))
    });
    let (tokens, behind) = match known {
        Some((index, _)) => {
            (history.get(index).and_then(|message| known_tokens(&message)).unwrap_or_default(), index + 1)
        }
        None => (0, 0),
    };
    history.iter().skip(behind).map(estimate).fold(tokens, u64::saturating_add)
}

/// The last message whose context a provider has counted, and its entry.
fn last_known(history: &Messages) -> Option<(usize, Option<String>)> {
    let index = history.iter().rposition(|message| known_tokens(message).is_some())?;
    Some((index, history.item(index)?.entry_id.clone()))
}

/// Whether an entry is on the current branch and no entry of these kinds comes after it.
pub(crate) fn nothing_since(session: &Session, entry_id: &str, kinds: &[EntryKind]) -> bool {
    let mut current = session.leaf();
    // From the leaf back: what is asked about is near it. A damaged file may lead in circles.
    for _ in 0..=session.entries().len() {
        let Some(entry) = current.and_then(|id| session.entry(&id)) else { return false };
        if entry.id().as_str() == entry_id {
            return true;
        }
        if kinds.contains(&entry.kind()) {
            return false;
        }
        current = entry.parent_id().cloned();
    }
    false
}

fn known_tokens(message: &Message) -> Option<u64> {
    let answer = message.as_assistant()?;
    if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) {
        return None;
    }
    let usage = &answer.usage;
    Some(if usage.total_tokens > 0 { usage.total_tokens } else { usage.sum() }).filter(|tokens| *tokens > 0)
}

/// A rough count of a message's tokens: a quarter of its characters.
pub(crate) fn estimate(message: &Message) -> u64 {
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
