//! What is known of an entry without its body: the columns of the index.

use tau_ai::{Message, StopReason};

use crate::line::Envelope;
use crate::{EntryBody, EntryKind, Paid};

/// The `customType` of the `custom` entries that record a move of the leaf: the leaf is then their parent.
/// A program that does not know them continues below the marker, which is the same place of the conversation.
pub const LEAF_MARKER: &str = "tau.leaf";

/// The kind of message that tells the model a rule in the middle of its answer.
const RULE_MESSAGE: &str = "ttsr-injection";

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageRole {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool.
    ToolResult,
    /// A prompt or a change of tools of another program.
    System,
    /// Any other, known or not.
    Other,
}

/// The columns of an entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    pub(crate) role: Option<MessageRole>,
    /// An answer that was stopped.
    pub(crate) is_aborted: bool,
    /// Tells the model a rule in the middle of its answer.
    pub(crate) tells_rule: bool,
    /// Only records a move of the leaf.
    pub(crate) moves_leaf: bool,
    pub(crate) tool_calls: u32,
    pub(crate) paid: Option<Box<Paid>>,
}

fn role_of(name: &str) -> MessageRole {
    match name {
        "user" => MessageRole::User,
        "assistant" => MessageRole::Assistant,
        "toolResult" => MessageRole::ToolResult,
        "system" => MessageRole::System,
        _ => MessageRole::Other,
    }
}

impl Marks {
    pub(crate) fn of(kind: EntryKind, envelope: &Envelope<'_>) -> Self {
        let message = &envelope.message;
        let role = (kind == EntryKind::Message).then(|| role_of(message.role.as_deref().unwrap_or_default()));
        let answers = role == Some(MessageRole::Assistant);
        let custom = |of: EntryKind, name: &str| kind == of && envelope.custom_type.as_deref() == Some(name);
        let paid = match (kind, role) {
            (EntryKind::Usage | EntryKind::Compaction | EntryKind::BranchSummary, _) => envelope.usage.0,
            // An answer that does not say what it cost says that it cost nothing.
            (_, Some(MessageRole::Assistant)) => Some(message.usage.0.unwrap_or_default()),
            (_, Some(MessageRole::ToolResult)) => message.usage.0,
            _ => None,
        };
        Self {
            role,
            is_aborted: answers && message.stop_reason.as_deref() == Some("aborted"),
            tells_rule: custom(EntryKind::CustomMessage, RULE_MESSAGE),
            moves_leaf: custom(EntryKind::Custom, LEAF_MARKER),
            tool_calls: if answers { message.content.0 } else { 0 },
            paid: paid.map(Box::new),
        }
    }

    pub(crate) fn of_body(body: &EntryBody) -> Self {
        let mut marks = Self::default();
        let mut usage = None;
        match body {
            EntryBody::Message(entry) => {
                marks.role = Some(role_of(entry.message.role()));
                match &*entry.message {
                    Message::Assistant(answer) => {
                        marks.is_aborted = answer.stop_reason == StopReason::Aborted;
                        marks.tool_calls = u32::try_from(answer.tool_calls().count()).unwrap_or(u32::MAX);
                        usage = Some(&answer.usage);
                    }
                    Message::ToolResult(result) => usage = result.usage.as_ref(),
                    _ => {}
                }
            }
            EntryBody::Usage(entry) => usage = Some(&entry.usage),
            EntryBody::Compaction(entry) => usage = entry.usage.as_ref(),
            EntryBody::BranchSummary(entry) => usage = entry.usage.as_ref(),
            EntryBody::CustomMessage(entry) => marks.tells_rule = entry.custom_type == RULE_MESSAGE,
            EntryBody::Custom(entry) => marks.moves_leaf = entry.custom_type == LEAF_MARKER,
            _ => {}
        }
        marks.paid = usage.map(|usage| Box::new(usage.into()));
        marks
    }
}
