//! The boundaries at which extensions may write to the session and ask for another request.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use tau_ai::{Message, MessageContent, Usage};
use tau_session::{EntryId, ProjectedEntry, Session};

use super::{Merges, Output, Stop, Transforms};
use crate::changes::Changes;
use crate::messages::Messages;
use crate::table::Late;
use crate::table::render::TakeApart;

/// An entry an extension proposes to append.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EntryDraft {
    /// State that the model never sees.
    Custom {
        /// Names the kind of entry.
        #[serde(default, deserialize_with = "super::default_if_null")]
        custom_type: String,
        /// The state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// A message for the model.
    CustomMessage {
        /// Names the kind of message.
        #[serde(default, deserialize_with = "super::default_if_null")]
        custom_type: String,
        /// What the model sees.
        content: MessageContent,
        /// Whether a user interface shows it.
        #[serde(default, deserialize_with = "tau_ai::json::truthy")]
        display: bool,
        /// Data for renderers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// Replaces or removes the content of an earlier message for the model; the file keeps the original.
    ContextEdit {
        /// The entry.
        target_id: String,
        /// `null` removes the message, `{content}` replaces its content.
        replacement: Option<Replacement>,
    },
    /// Replaces everything before an entry by a summary.
    Compaction {
        /// The summary.
        summary: String,
        /// The first entry that stays; `null` keeps none.
        first_kept_entry_id: Option<String>,
        /// Data of the extension.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Tokens spent on the summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
}

/// The content that replaces a message's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replacement {
    /// The content.
    pub content: MessageContent,
}

/// How a run or turn went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// As it should.
    #[default]
    Completed,
    /// The user stopped it.
    Aborted,
    /// The request failed.
    Error,
}

/// What the next request would look like if the proposed entries were appended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoundaryPreview {
    /// The session's entries that count for the model, with the proposed ones, and the messages each contributes.
    pub context_entries: ContextEntries,
    /// The conversation with the proposed entries.
    pub context_messages: Messages,
    /// The same as the model would see it.
    pub llm_messages: Messages,
    /// Queued messages.
    pub pending_messages: Messages,
    /// Whether another request could be made.
    pub can_continue: bool,
}

/// Entries of a branch and the messages they contribute: a list of `{sourceEntry, messages}`. It is built when somebody
/// looks, because most handlers do not.
#[derive(Clone, Default)]
pub struct ContextEntries(Option<Arc<BranchSource>>);

/// Where a list of entries comes from.
struct BranchSource {
    session: Arc<Session>,
    leaf: Option<EntryId>,
}

impl ContextEntries {
    /// The entries of `session` as they are now; what is appended later is not among them.
    pub fn of(session: Arc<Session>) -> Self {
        let leaf = session.leaf();
        Self(Some(Arc::new(BranchSource { session, leaf })))
    }

    /// Builds the list.
    pub fn entries(&self) -> Vec<ProjectedEntry> {
        let Some(source) = &self.0 else { return Vec::new() };
        let Some(leaf) = &source.leaf else { return Vec::new() };
        tau_session::project(&source.session.branch_path(Some(leaf)))
    }
}

impl PartialEq for ContextEntries {
    fn eq(&self, other: &Self) -> bool {
        let ids = |list: &Self| list.entries().into_iter().map(|item| item.entry.id().clone()).collect::<Vec<_>>();
        ids(self) == ids(other)
    }
}

impl std::fmt::Debug for ContextEntries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ContextEntries(…)")
    }
}

impl Serialize for ContextEntries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Item {
            source_entry: Value,
            messages: Vec<Arc<Message>>,
        }
        let item = |projected: ProjectedEntry| Item {
            source_entry: projected.entry.to_value().map(Value::Object).unwrap_or_default(),
            messages: projected.message.into_iter().collect(),
        };
        serializer.collect_seq(self.entries().into_iter().map(item))
    }
}

impl JsonSchema for ContextEntries {
    fn schema_name() -> Cow<'static, str> {
        "ContextEntries".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let message = generator.subschema_for::<Message>();
        schemars::json_schema!({
            "type": "array",
            "description": "Entries of a branch and the messages they contribute.",
            "items": {
                "type": "object",
                "properties": {
                    "sourceEntry": { "type": "object", "description": "The entry as it is in the file." },
                    "messages": { "type": "array", "items": message, "description": "Its message, or none." }
                },
                "required": ["sourceEntry", "messages"]
            }
        })
    }
}

/// Entries to append and whether to go on, as earlier handlers left them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoundaryState {
    /// Entries to append, in order.
    pub entries: Vec<EntryDraft>,
    /// Ask for one more request.
    #[serde(rename = "continue")]
    pub go_on: bool,
    /// What that request would look like.
    pub context: BoundaryPreview,
    /// How the turn or run went.
    pub outcome: Outcome,
}

impl BoundaryState {
    fn without_context(&self) -> Self {
        let Self { entries, go_on, outcome, .. } = self;
        Self { entries: entries.clone(), go_on: *go_on, outcome: *outcome, context: BoundaryPreview::default() }
    }
}

/// A turn is complete: the answer and the results of its tools are in the session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEndEvent {
    /// Counts the turns of the run from 0.
    pub turn_index: usize,
    /// The model's answer.
    pub message: Arc<Message>,
    /// The model's answer, under the name some extensions use.
    pub response: Arc<Message>,
    /// The results of its tool calls.
    pub tool_results: Messages,
    /// The answer's session entry.
    pub message_entry_id: String,
    /// The results' session entries.
    pub tool_result_entry_ids: Vec<String>,
    /// What extensions propose so far.
    #[serde(flatten)]
    pub boundary: BoundaryState,
}

impl TakeApart for TurnEndEvent {
    fn take_apart(&self) -> Late {
        let boundary = self.boundary.without_context();
        late(&Self { boundary, ..self.clone() }, &self.boundary)
    }
}

impl TakeApart for AgentBeforeSettleEvent {
    fn take_apart(&self) -> Late {
        late(&Self { boundary: self.boundary.without_context() }, &self.boundary)
    }
}

/// Most handlers have no interest in what the next request would look like, and it holds the whole conversation.
fn late(without_context: &impl Serialize, boundary: &BoundaryState) -> Late {
    let mut fields = tau_ai::to_json(without_context);
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("context".to_owned(), Value::Null);
    }
    let context = boundary.context.clone();
    let make = Box::new(move || tau_ai::to_json(&context));
    Late { fields, places: &[&["context"]], make }
}

/// Everything is done and the session is about to become idle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentBeforeSettleEvent {
    /// What extensions propose so far.
    #[serde(flatten)]
    pub boundary: BoundaryState,
}

/// What an extension proposes at a boundary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BoundaryResult {
    /// Replaces the whole list of proposed entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<EntryDraft>>,
    /// Replaces the wish to go on.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub go_on: Option<bool>,
}

impl BoundaryResult {
    fn patch(&self, state: &mut BoundaryState) -> Changes {
        let mut changes = Changes::none();
        if let Some(entries) = &self.entries {
            changes.value("entries", &state.entries, entries);
            state.entries.clone_from(entries);
        }
        if let Some(go_on) = self.go_on {
            changes.value("continue", &state.go_on, &go_on);
            state.go_on = go_on;
        }
        changes
    }
}

/// Both boundaries have the same result.
macro_rules! boundaries {
    ($($payload:ty)*) => {$(
        impl Output<$payload> for BoundaryResult {
            const STOPS: Option<Stop<Self>> = None;

            fn is_empty(&self) -> bool {
                self.entries.is_none() && self.go_on.is_none()
            }
        }

        impl Transforms<$payload> for BoundaryResult {
            fn apply(&self, payload: &mut $payload) -> Changes {
                self.patch(&mut payload.boundary)
            }
        }
    )*};
}

boundaries! { TurnEndEvent AgentBeforeSettleEvent }

impl Merges for BoundaryResult {
    const HOW: &'static str = "a later list of entries replaces the earlier one, and so does a later `continue`";

    fn merge(&mut self, later: Self) {
        self.entries = later.entries.or(self.entries.take());
        self.go_on = later.go_on.or(self.go_on);
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, message, messages, text};

    impl Sample for AgentBeforeSettleEvent {
        fn sample() -> Self {
            Self { boundary: BoundaryState::default() }
        }
    }

    impl Sample for TurnEndEvent {
        fn sample() -> Self {
            Self {
                turn_index: 0,
                message: message(),
                response: message(),
                tool_results: messages(),
                message_entry_id: text(),
                tool_result_entry_ids: Vec::new(),
                boundary: BoundaryState::default(),
            }
        }
    }
}
