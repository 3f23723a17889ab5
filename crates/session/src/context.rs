//! What the model sees of a branch.

use std::collections::HashMap;
use std::sync::Arc;

use tau_ai::{
    BranchSummaryMessage, CompactionSummaryMessage, ContentBlock, CustomMessage, JsonMap, Message, MessageContent,
};

use crate::{Entry, EntryBody, EntryId, EntryKind, Replacement};

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

/// The context at the end of a path that begins at a root.
pub(crate) fn build(path: &[Arc<Entry>]) -> SessionContext {
    let item = |projected: ProjectedEntry| {
        Some(ContextItem { entry_id: projected.entry.id().clone(), message: projected.message? })
    };
    let messages = project(path).into_iter().filter_map(item).collect();
    SessionContext { messages, choices: choices(path) }
}

/// What was chosen on a path that begins at a root. Reads no more entries than it takes to know.
pub(crate) fn choices(path: &[Arc<Entry>]) -> Choices {
    Choices { thinking_level: thinking_level(path), model: model(path), chosen: chosen(path) }
}

/// The entries at the end of a path that begins at a root which count for the model: the latest compaction, what it
/// keeps, and what follows it. Entries of the system are left out; others that contribute no message stay in the list.
pub fn project(path: &[Arc<Entry>]) -> Vec<ProjectedEntry> {
    let visible = visible(path);
    // Of several compactions only the latest speaks; an older one may lie in the range it keeps.
    contributions(&visible, |position, entry| position > 0 && entry.kind() == EntryKind::Compaction)
}

/// The entries of any part of a branch, with what each contributes: as it was edited last within that part.
pub fn project_part(part: &[Arc<Entry>]) -> Vec<ProjectedEntry> {
    contributions(&part.iter().collect::<Vec<_>>(), |_, _| false)
}

/// What entries contribute, but for those that are silent by their place.
fn contributions(visible: &[&Arc<Entry>], is_silent: impl Fn(usize, &Entry) -> bool) -> Vec<ProjectedEntry> {
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
    let projected = |(position, entry): (usize, &&Arc<Entry>)| ProjectedEntry {
        entry: Arc::clone(entry),
        message: message(position, entry),
    };
    // Prompts and changes of tools are no part of the conversation, and handlers do not hear of them.
    visible.iter().enumerate().filter(|(_, entry)| !entry.is_system()).map(projected).collect()
}

/// The places of answers that were cut off by a rule which the model was told right behind it. tau hides them by a context
/// edit; files of oh-my-pi have none.
fn withdrawn(visible: &[&Arc<Entry>]) -> Vec<usize> {
    let rules = visible.iter().enumerate().filter(|(_, entry)| entry.marks().tells_rule);
    let before = rules.filter_map(|(at, _)| {
        let speaks = |entry: &Arc<Entry>| matches!(entry.kind(), EntryKind::Message | EntryKind::CustomMessage);
        visible[..at].iter().rposition(|entry| speaks(entry))
    });
    before.filter(|at| visible[*at].marks().is_aborted).collect()
}

/// The entries that count: the latest compaction, what it keeps, and what follows it.
pub(crate) fn visible(path: &[Arc<Entry>]) -> Vec<&Arc<Entry>> {
    let Some(at) = path.iter().rposition(|entry| entry.kind() == EntryKind::Compaction) else {
        return path.iter().collect();
    };
    let first_kept = match &*path[at].body() {
        EntryBody::Compaction(compaction) => compaction.first_kept_entry_id.clone(),
        _ => None,
    };
    let kept = path[..at].iter().skip_while(|entry| Some(entry.id().as_str()) != first_kept.as_deref());
    std::iter::once(&path[at]).chain(kept).chain(&path[at + 1..]).collect()
}

fn thinking_level(path: &[Arc<Entry>]) -> Option<String> {
    path.iter().rev().filter(|entry| entry.kind() == EntryKind::ThinkingLevelChange).find_map(|entry| {
        match &*entry.body() {
            EntryBody::ThinkingLevelChange(change) => Some(change.thinking_level.clone()),
            _ => None,
        }
    })
}

fn chosen(path: &[Arc<Entry>]) -> Option<ModelChoice> {
    path.iter().rev().filter(|entry| entry.kind() == EntryKind::ModelChange).find_map(|entry| match &*entry.body() {
        EntryBody::ModelChange(change) => {
            Some(ModelChoice { provider: change.provider.clone(), model_id: change.model_id.clone() })
        }
        _ => None,
    })
}

fn model(path: &[Arc<Entry>]) -> Option<ModelChoice> {
    let speaking = |entry: &&Arc<Entry>| matches!(entry.kind(), EntryKind::ModelChange | EntryKind::Message);
    path.iter().rev().filter(speaking).find_map(|entry| match &*entry.body() {
        EntryBody::ModelChange(change) => {
            Some(ModelChoice { provider: change.provider.clone(), model_id: change.model_id.clone() })
        }
        EntryBody::Message(body) => match &*body.message {
            Message::Assistant(message) if !message.model.is_empty() => {
                Some(ModelChoice { provider: message.provider.clone(), model_id: message.model.clone() })
            }
            _ => None,
        },
        _ => None,
    })
}

/// The message that an entry contributes, without regard to later edits.
pub fn message_of(entry: &Entry) -> Option<Arc<Message>> {
    // Extension state can be large and is never parsed here.
    if !matches!(
        entry.kind(),
        EntryKind::Message | EntryKind::CustomMessage | EntryKind::BranchSummary | EntryKind::Compaction
    ) {
        return None;
    }
    let timestamp = || entry.timestamp_ms().unwrap_or_default();
    match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::System(_) => None,
            _ => Some(Arc::clone(&body.message)),
        },
        EntryBody::CustomMessage(body) => Some(Arc::new(Message::Custom(CustomMessage {
            custom_type: body.custom_type.clone(),
            content: body.content.clone(),
            display: body.display,
            details: body.details.clone(),
            timestamp: timestamp(),
            extra: JsonMap::new(),
        }))),
        EntryBody::BranchSummary(body) if !body.summary.is_empty() => {
            Some(Arc::new(Message::BranchSummary(BranchSummaryMessage {
                summary: body.summary.clone(),
                from_id: body.from_id.clone(),
                timestamp: timestamp(),
                extra: JsonMap::new(),
            })))
        }
        EntryBody::Compaction(body) => Some(Arc::new(Message::CompactionSummary(CompactionSummaryMessage {
            summary: body.summary.clone(),
            tokens_before: body.tokens_before,
            timestamp: timestamp(),
            extra: JsonMap::new(),
        }))),
        _ => None,
    }
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
