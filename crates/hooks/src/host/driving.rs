//! How a session is driven by somebody who stands in for its user: an extension that opened it.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use tau_ai::{ContentBlock, Model, ThinkingLevel};

use super::Host;
use super::requests::ContextUsage;
use crate::action_error::ActionError;
use crate::owner::Owner;
use crate::payload::{CompactionDone, StreamingBehavior};

/// How many queued messages one poll takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueueMode {
    /// One.
    #[default]
    OneAtATime,
    /// All.
    All,
}

impl QueueMode {
    /// The word in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OneAtATime => "one-at-a-time",
            Self::All => "all",
        }
    }

    /// The mode of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::OneAtATime, Self::All].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// Texts of the user that are queued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueuedTexts {
    /// For the next request.
    pub steering: Vec<String>,
    /// For when the model would otherwise stop.
    pub follow_up: Vec<String>,
}

/// Which way to go through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the next one.
    Forward,
    /// To the one before.
    Backward,
}

/// The model that cycling came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cycled {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level in use now.
    pub thinking_level: ThinkingLevel,
    /// Whether the user chose which models to go through.
    pub is_scoped: bool,
}

/// Everything that was ever said and paid for in a session, also on branches that were left and before a compaction.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// The session's file; absent for one in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_file: Option<String>,
    /// Its id.
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
    /// Tokens.
    pub tokens: TokenTotals,
    /// Price in US dollars.
    pub cost: f64,
    /// How full the context is; unknown without a model or when its size is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_usage: Option<ContextUsage>,
}

/// Sums of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
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

/// Text for a child.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChildPrompt {
    /// The text.
    pub text: String,
    /// Images, as content blocks.
    pub images: Vec<ContentBlock>,
    /// What to do with it while a run is under way; an error when absent.
    pub while_busy: Option<StreamingBehavior>,
    /// Leave commands, skills and templates in the text alone.
    pub as_it_is: bool,
}

impl From<&str> for ChildPrompt {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

impl From<String> for ChildPrompt {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// What the owner of a session can do with it, beyond what its own extensions can.
#[async_trait]
pub trait SessionDriver: Host {
    /// Whether a run is under way.
    fn is_streaming(&self) -> bool;
    /// Whether the conversation is being compacted.
    fn is_compacting(&self) -> bool;
    /// Whether a shell command of the user runs.
    fn is_bash_running(&self) -> bool;
    /// Ends the shell command of the user.
    fn abort_bash(&self);
    /// The thinking levels of the model in use; all there are without one.
    fn thinking_levels(&self) -> Vec<ThinkingLevel>;
    /// The extensions that are loaded.
    fn extensions(&self) -> Vec<Arc<Owner>>;
    /// Counts what is in the session.
    fn stats(&self) -> SessionStats;
    /// Texts of the user that are queued.
    fn queued_texts(&self) -> QueuedTexts;
    /// Empties the queues; gives the texts of the user.
    fn clear_queue(&self) -> QueuedTexts;
    /// How steering messages are taken from their queue.
    fn steering_mode(&self) -> QueueMode;
    /// How follow-up messages are taken from their queue.
    fn follow_up_mode(&self) -> QueueMode;
    /// Whether the session compacts by itself.
    fn compacts_by_itself(&self) -> bool;
    /// Whether the session repeats failed requests by itself.
    fn retries_by_itself(&self) -> bool;
    /// Sends a prompt and waits until the run it leads to is over.
    ///
    /// # Errors
    /// When no run can begin.
    async fn send_prompt(&self, prompt: ChildPrompt) -> Result<(), ActionError>;
    /// Puts a prompt into a queue, also while no run is under way; then it waits for the next one.
    ///
    /// # Errors
    /// When the text is a command.
    async fn enqueue_prompt(&self, prompt: ChildPrompt, to: StreamingBehavior) -> Result<(), ActionError>;
    /// Compacts the conversation and waits for it.
    ///
    /// # Errors
    /// When there is nothing to compact, and when no summary can be made.
    async fn compact_now(&self, instructions: Option<String>) -> Result<CompactionDone, ActionError>;
    /// Goes on to the next model that can be asked; `None` when there is no other.
    ///
    /// # Errors
    /// When the session file cannot be written.
    async fn next_model(&self, direction: Direction) -> Result<Option<Cycled>, ActionError>;
    /// Says how steering messages are taken from their queue.
    ///
    /// # Errors
    /// When the settings cannot be written.
    async fn choose_steering_mode(&self, mode: QueueMode) -> Result<(), ActionError>;
    /// Says how follow-up messages are taken from their queue.
    ///
    /// # Errors
    /// When the settings cannot be written.
    async fn choose_follow_up_mode(&self, mode: QueueMode) -> Result<(), ActionError>;
    /// Says whether the session compacts by itself.
    ///
    /// # Errors
    /// When the settings cannot be written.
    async fn choose_auto_compaction(&self, on: bool) -> Result<(), ActionError>;
    /// Says whether the session repeats failed requests by itself.
    ///
    /// # Errors
    /// When the settings cannot be written.
    async fn choose_auto_retry(&self, on: bool) -> Result<(), ActionError>;
    /// Writes the session as a page; gives the file. `None` names it after the session.
    ///
    /// # Errors
    /// When it cannot be written.
    async fn write_page(&self, path: Option<PathBuf>) -> Result<PathBuf, ActionError>;
    /// Waits until no run is under way.
    async fn wait_for_run(&self);
}
