//! What an extension gives and gets when it asks the session for something.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tau_ai::{Model, StreamApi, StreamRequest, ThinkingLevel};
use tokio_util::sync::CancellationToken;

use crate::payload::{CompactionDone, StreamingBehavior};
use crate::source_info::SourceInfo;

/// When and how a message of an extension reaches the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendOptions {
    /// Start a run when idle; `Some(false)` while a run is under way only records the message.
    pub trigger_turn: Option<bool>,
    /// Which queue to use.
    pub deliver_as: Option<DeliverAs>,
}

/// How text that an extension sends in place of the user is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserMessageOptions {
    /// Which queue to use while a run is under way; without one the text is refused then.
    pub deliver_as: Option<StreamingBehavior>,
    /// Run the text if it is a command of an extension, and expand skills and prompt templates. Built-in commands are
    /// never run.
    pub expand_prompt_templates: bool,
}

impl From<Option<StreamingBehavior>> for UserMessageOptions {
    fn from(deliver_as: Option<StreamingBehavior>) -> Self {
        Self { deliver_as, ..Self::default() }
    }
}

/// The queue a message goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeliverAs {
    /// Before the next request.
    Steer,
    /// When the model would otherwise stop.
    FollowUp,
    /// Right after the next user message.
    NextTurn,
}

/// How full the context is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// Tokens in use; unknown right after compaction.
    pub tokens: Option<u64>,
    /// Tokens the model has room for.
    pub context_window: u64,
    /// `tokens` in percent of `context_window`.
    pub percent: Option<f64>,
}

/// A model that cycling goes through.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopedModel {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level that goes with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
}

/// A request that a session would send, and what sends it: `api.stream(request)`.
pub struct UpcomingRequest {
    /// The request, with its credentials and with the handlers that see it on its way out.
    pub request: StreamRequest,
    /// The wire format of its model.
    pub api: Arc<dyn StreamApi>,
}

/// Takes what a compaction came to, or why there was none.
pub type CompactCallback = Box<dyn FnOnce(Result<CompactionDone, String>) + Send>;

/// A program an extension ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExecResult {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; 1 when it could not be started.
    pub code: i32,
    /// It was ended by a timeout, an abort or a signal.
    pub killed: bool,
}

/// How to run a program.
#[derive(Debug, Clone, Default)]
pub struct ExecOptions {
    /// Where; the session's working directory when absent.
    pub cwd: Option<PathBuf>,
    /// After this it is ended.
    pub timeout: Option<Duration>,
    /// Ends it.
    pub cancel: Option<CancellationToken>,
}

/// A slash command somebody can type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandInfo {
    /// Without the slash.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `extension`, `prompt` or `skill`.
    pub source: String,
    /// The file it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where that file was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
}
