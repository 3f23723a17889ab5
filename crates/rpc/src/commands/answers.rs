//! What is answered: the `data` of a response.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tau_ai::{Message, ThinkingLevel};

pub use super::requests::QueueMode;
pub use tau_ai::Model;
pub use tau_hooks::payload::CompactionDone;

/// Nothing but that it is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done;

/// What became of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Placed {
    /// `started`: it begins a run. `queued`: it waits. `handled`: nothing more comes of it, because it was a command, or a
    /// handler of `input` took it.
    pub disposition: Disposition,
}

/// What became of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Disposition {
    /// It begins a run.
    Started,
    /// It waits in a queue.
    Queued,
    /// It was a command, or a handler of `input` took it.
    Handled,
}

/// Whether an extension stopped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancellable {
    /// An extension stopped it.
    pub cancelled: bool,
}

/// Texts of the user that waited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    /// For the next request.
    pub steering: Vec<String>,
    /// For when the model would otherwise stop.
    pub follow_up: Vec<String>,
}

/// What is going on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<Model>>,
    /// How much it thinks.
    pub thinking_level: ThinkingLevel,
    /// A run is under way.
    pub is_streaming: bool,
    /// The conversation is being compacted.
    pub is_compacting: bool,
    /// How many steering messages go along with one request.
    pub steering_mode: QueueMode,
    /// How many follow-up messages are sent at once.
    pub follow_up_mode: QueueMode,
    /// The session's file, which may not be there yet; absent for a session in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_file: Option<String>,
    /// The session's id.
    pub session_id: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// Whether the conversation is compacted by itself.
    pub auto_compaction_enabled: bool,
    /// How many messages the model sees.
    pub message_count: usize,
    /// How many texts of the user wait.
    pub pending_message_count: usize,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageList {
    /// The messages, oldest first.
    pub messages: Vec<Arc<Message>>,
}

/// The text of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastText {
    /// The text; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What can be typed behind a `/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandList {
    /// The commands.
    pub commands: Vec<SlashCommand>,
}

/// A command, a template or a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    /// What stands behind the `/`.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `extension`, `prompt` or `skill`.
    pub source: String,
    /// Where it comes from: `path`, `source`, `scope`, `origin`, and `baseDir` where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub source_info: Option<tau_hooks::SourceInfo>,
}

/// The model that cycling came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CycledModel {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level in use now.
    pub thinking_level: ThinkingLevel,
    /// Whether the user chose which models to go through.
    pub is_scoped: bool,
}

/// Models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelList {
    /// The models.
    pub models: Vec<Arc<Model>>,
}

/// A thinking level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// The level.
    pub level: ThinkingLevel,
}

/// Thinking levels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Levels {
    /// The levels, lowest first.
    pub levels: Vec<ThinkingLevel>,
}

/// What a shell command gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashDone {
    /// Its output, the end of it when it was long.
    pub output: String,
    /// Its exit code; absent when it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// It was stopped.
    pub cancelled: bool,
    /// `output` is not all of it.
    pub truncated: bool,
    /// The file with all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
}

/// What came of a fork.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forked {
    /// The text of the message, for the editor; absent when an extension stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// An extension stopped it.
    pub cancelled: bool,
}

/// Where a session can be forked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkPoints {
    /// The messages, oldest first.
    pub messages: Vec<ForkPoint>,
}

/// A message of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkPoint {
    /// Its entry.
    pub entry_id: String,
    /// Its text.
    pub text: String,
}

/// Entries of a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entries {
    /// The entries as they are in the file.
    #[schemars(with = "Vec<Value>")]
    pub entries: Vec<Box<RawValue>>,
    /// Where the session goes on; `null` in an empty one.
    pub leaf_id: Option<String>,
}

/// The tree of a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    /// The roots: each node is `{entry, children, label?, labelTimestamp?}`.
    #[schemars(with = "Vec<Value>")]
    pub tree: Box<RawValue>,
    /// Where the session goes on; `null` in an empty one.
    pub leaf_id: Option<String>,
}

/// What there is in a session, on all branches and before a compaction too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// The session's file; absent for a session in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_file: Option<String>,
    /// The session's id.
    pub session_id: String,
    /// Messages of the user.
    pub user_messages: u64,
    /// Answers of the model.
    pub assistant_messages: u64,
    /// Tool calls in those answers.
    pub tool_calls: u64,
    /// Results of tools.
    pub tool_results: u64,
    /// Messages of any kind.
    pub total_messages: u64,
    /// Tokens of answers, tools and summaries.
    pub tokens: TokenTotals,
    /// Their price in US dollars.
    pub cost: f64,
    /// How full the context is: `tokens` and `percent`, both `null` right after a compaction, and `contextWindow`.
    /// Absent without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub context_usage: Option<tau_hooks::ContextUsage>,
}

/// Sums of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenTotals {
    /// Of prompts, outside of caches.
    pub input: u64,
    /// Generated.
    pub output: u64,
    /// Read from caches.
    pub cache_read: u64,
    /// Written to caches.
    pub cache_write: u64,
    /// All of them.
    pub total: u64,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// The file.
    pub path: String,
}
