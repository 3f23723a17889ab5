//! What the model sees of a branch.

use std::collections::HashMap;
use std::sync::Arc;

use tau_ai::{
    BranchSummaryMessage, CompactionSummaryMessage, ContentBlock, CustomMessage, JsonMap, Message, MessageContent,
};

use crate::{
    BranchSummary, Compaction, CustomMessageEntry, Entry, EntryBody, EntryId, EntryKind, MessageRole, Replacement,
};

/// What the model sees of a branch, and what was chosen on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionContext {
    /// The messages, without system messages.
    pub messages: Vec<ContextItem>,
    /// What was chosen.
    pub choices: Choices,
}

/// What was chosen on a branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// The thinking level that was last chosen.
    pub thinking_level: Option<String>,
    /// The model that was last chosen or that answered last.
    pub model: Option<ModelChoice>,
    /// The model that was last chosen, even when another one answered since.
    pub chosen: Option<ModelChoice>,
}

/// A message and the entry it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// The entry.
    pub entry_id: EntryId,
    /// The message, shared with the entry unless it was edited.
    pub message: Arc<Message>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// The provider's name.
    pub provider: String,
    /// The model's id.
    pub model_id: String,
}

/// An entry that counts for the model, and what it contributes.
#[derive(Debug, Clone)]
pub struct ProjectedEntry {
    /// The entry.
    pub entry: Arc<Entry>,
    /// Its message as it was edited last; `None` for entries that are no message or were hidden.
    pub message: Option<Arc<Message>>,
}

/// The messages of what [`visible`] gives.
pub(crate) fn messages(visible: &[Arc<Entry>]) -> Vec<ContextItem> {
    let item = |projected: ProjectedEntry| {
        Some(ContextItem { entry_id: projected.entry.id().clone(), message: projected.message? })
    };
    count(visible).into_iter().filter_map(item).collect()
}

/// The entries at the end of a path that begins at a root which count for the model: the latest compaction, what it
/// keeps, and what follows it. Entries of the system are left out; others that contribute no message stay in the list.
pub fn project(path: &[Arc<Entry>]) -> Vec<ProjectedEntry> {
    count(&visible(path.iter().rev(), false))
}

fn count(visible: &[Arc<Entry>]) -> Vec<ProjectedEntry> {
    // Of several compactions only the latest speaks; an older one may lie in the range it keeps.
    contributions(visible, |position, entry| position > 0 && entry.kind() == EntryKind::Compaction)
}

/// The entries of any part of a branch, with what each contributes: as it was edited last within that part.
pub fn project_part(part: &[Arc<Entry>]) -> Vec<ProjectedEntry> {
    contributions(part, |_, _| false)
}

/// What entries contribute, but for those that are silent by their place.
fn contributions(visible: &[Arc<Entry>], is_silent: impl Fn(usize, &Entry) -> bool) -> Vec<ProjectedEntry> {
    // By target; the latest edit counts, also when it hides the target or shows it again.
    let mut edits: HashMap<String, Option<Replacement>> = HashMap::new();
    for entry in visible.iter().filter(|entry| entry.kind() == EntryKind::ContextEdit) {
        if let EntryBody::ContextEdit(edit) = &*entry.body() {
            edits.insert(edit.target_id.clone(), edit.replacement.clone());
        }
    }
    let withdrawn = withdrawn(visible);
    let message = |position: usize, entry: &Entry| {
        if is_silent(position, entry) || withdrawn.contains(&position) {
            return None;
        }
        match edits.get(&**entry.id()) {
            Some(None) => None,
            Some(Some(edit)) => Some(edited(&message_of(entry)?, &edit.content)),
            None => message_of(entry),
        }
    };
    let projected = |(position, entry): (usize, &Arc<Entry>)| ProjectedEntry {
        entry: Arc::clone(entry),
        message: message(position, entry),
    };
    // Prompts and changes of tools are no part of the conversation, and handlers do not hear of them.
    visible.iter().enumerate().filter(|(_, entry)| !entry.is_system()).map(projected).collect()
}

/// The places of answers that were cut off by a rule which the model was told right behind it. tau hides them by a context
/// edit; files of oh-my-pi have none.
fn withdrawn(visible: &[Arc<Entry>]) -> Vec<usize> {
    let rules = visible.iter().enumerate().filter(|(_, entry)| entry.marks().tells_rule);
    let before = rules.filter_map(|(at, _)| {
        let speaks = |entry: &Arc<Entry>| matches!(entry.kind(), EntryKind::Message | EntryKind::CustomMessage);
        visible[..at].iter().rposition(speaks)
    });
    before.filter(|at| visible[*at].marks().is_aborted).collect()
}

/// The entries that count, of a path to its root: the latest compaction, what it keeps, and what follows it. Where no two
/// entries have the same id, what stands before all that is not looked at.
pub(crate) fn visible<'a>(mut upward: impl Iterator<Item = &'a Arc<Entry>>, ids_are_unique: bool) -> Vec<Arc<Entry>> {
    let mut visible = Vec::new();
    let compaction = upward.find(|entry| {
        let found = entry.kind() == EntryKind::Compaction;
        if !found {
            visible.push(Arc::clone(entry));
        }
        found
    });
    if let Some(compaction) = compaction {
        if let EntryBody::Compaction(body) = &*compaction.body()
            && let Some(first_kept) = &body.first_kept_entry_id
        {
            // Of several entries of that id the first one of the path counts.
            let mut kept = visible.len();
            for entry in upward {
                visible.push(Arc::clone(entry));
                if entry.id().as_str() == first_kept {
                    kept = visible.len();
                    if ids_are_unique {
                        break;
                    }
                }
            }
            visible.truncate(kept);
        }
        visible.push(Arc::clone(compaction));
    }
    visible.reverse();
    visible
}

/// What was chosen on a path to its root. Reads no more entries than it takes to know.
pub(crate) fn choices<'a>(upward: impl Iterator<Item = &'a Arc<Entry>>) -> Choices {
    let mut choices = Choices::default();
    for entry in upward {
        match entry.kind() {
            EntryKind::ThinkingLevelChange if choices.thinking_level.is_none() => {
                if let EntryBody::ThinkingLevelChange(change) = &*entry.body() {
                    choices.thinking_level = Some(change.thinking_level.clone());
                }
            }
            EntryKind::ModelChange if choices.chosen.is_none() => {
                if let EntryBody::ModelChange(change) = &*entry.body() {
                    let chosen = ModelChoice { provider: change.provider.clone(), model_id: change.model_id.clone() };
                    choices.model.get_or_insert_with(|| chosen.clone());
                    choices.chosen = Some(chosen);
                }
            }
            EntryKind::Message if choices.model.is_none() => choices.model = answered_by(entry),
            _ => {}
        }
        if choices.thinking_level.is_some() && choices.chosen.is_some() {
            break;
        }
    }
    choices
}

fn answered_by(entry: &Entry) -> Option<ModelChoice> {
    // Known without the body, which may be large.
    if entry.role() != Some(MessageRole::Assistant) {
        return None;
    }
    let EntryBody::Message(body) = &*entry.body() else { return None };
    let answer = body.message.as_assistant().filter(|answer| !answer.model.is_empty())?;
    Some(ModelChoice { provider: answer.provider.clone(), model_id: answer.model.clone() })
}

/// The message that an entry contributes, without regard to later edits.
pub fn message_of(entry: &Entry) -> Option<Arc<Message>> {
    let kind = entry.kind();
    // Extension state can be large and is never parsed here.
    if !matches!(kind, EntryKind::Message | EntryKind::CustomMessage | EntryKind::BranchSummary | EntryKind::Compaction)
    {
        return None;
    }
    if kind == EntryKind::Message {
        return match &*entry.body() {
            EntryBody::Message(body) if !matches!(*body.message, Message::System(_)) => Some(Arc::clone(&body.message)),
            _ => None,
        };
    }
    let (timestamp, extra) = (entry.timestamp_ms().unwrap_or_default(), JsonMap::new());
    let message = match entry.to_body() {
        EntryBody::CustomMessage(CustomMessageEntry { custom_type, content, display, details, .. }) => {
            Message::Custom(CustomMessage { custom_type, content, display, details, timestamp, extra })
        }
        EntryBody::BranchSummary(BranchSummary { summary, from_id, .. }) if !summary.is_empty() => {
            Message::BranchSummary(BranchSummaryMessage { summary, from_id, timestamp, extra })
        }
        EntryBody::Compaction(Compaction { summary, tokens_before, .. }) => {
            Message::CompactionSummary(CompactionSummaryMessage { summary, tokens_before, timestamp, extra })
        }
        _ => return None,
    };
    Some(Arc::new(message))
}

/// The message with other content; messages of other roles stay as they are.
fn edited(message: &Arc<Message>, content: &MessageContent) -> Arc<Message> {
    let mut message = Arc::clone(message);
    match Arc::make_mut(&mut message) {
        Message::User(user) => user.content = content.clone(),
        Message::Custom(custom) => custom.content = content.clone(),
        Message::Assistant(assistant) => assistant.content = content.to_blocks(),
        Message::ToolResult(result) => result.content = content.to_blocks(),
        _ => {}
    }
    message
}

/// The content in the form that the target's role takes; `None` when the target cannot be edited.
pub(crate) fn replacement_for(target: &Entry, content: Option<MessageContent>) -> Option<Option<MessageContent>> {
    let blocks = |content: MessageContent| match content {
        MessageContent::Text(text) => MessageContent::Blocks(vec![ContentBlock::text(text)]),
        blocks @ MessageContent::Blocks(_) => blocks,
    };
    match &*target.body() {
        EntryBody::CustomMessage(_) => Some(content),
        EntryBody::Message(body) => match body.message.role() {
            "user" => Some(content),
            "assistant" | "toolResult" => Some(content.map(blocks)),
            _ => None,
        },
        _ => None,
    }
}
