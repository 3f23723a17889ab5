//! Submitted text, and why it may not reach a model.

use std::sync::Arc;

use tau_ai::{ContentBlock, Message, MessageContent, ModelProblem, UserMessage};
use tau_hooks::payload::{InputSource, StreamingBehavior};

use crate::crash::Crash;

/// Submitted text.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Attached images, as image content blocks.
    pub images: Vec<ContentBlock>,
    /// Where it comes from.
    pub source: InputSource,
    /// What to do with it while a run is under way; an error when absent.
    pub streaming_behavior: Option<StreamingBehavior>,
    /// Whether text of an extension may be a command of an extension, a skill or a template. Text of others always may.
    pub expand: bool,
}

impl Prompt {
    /// Text a person typed.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Whether commands of extensions, skills and templates are looked for.
    pub(crate) fn finds_commands(&self) -> bool {
        self.expand || self.source != InputSource::Extension
    }
}

/// Why submitted text could not be sent to a model.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PromptError {
    /// A run is under way and nobody said what to do with the text.
    #[error("Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.")]
    Busy,
    /// The conversation is being compacted, or a branch that is left summarised.
    #[error("Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.")]
    Compacting,
    /// No model was chosen.
    #[error("No model selected. {why}")]
    NoModel {
        /// Why there is none, and what to do next.
        why: String,
    },
    /// There are no credentials for the model.
    #[error("{0}")]
    NoAuth(String),
    /// Nobody can be asked in the place of a virtual model.
    #[error("{0}")]
    Route(String),
    /// The request was given up meanwhile.
    #[error("Request was aborted")]
    Aborted,
    /// The model's wire format is not known.
    #[error("Model {model} cannot be used: {problem}")]
    UnknownApi {
        /// The model.
        model: String,
        /// The wire format it names, and the one that is probably meant.
        problem: ModelProblem,
    },
    /// A hook that may forbid prompts could not decide.
    #[error("The prompt was not sent: {0}")]
    Blocked(String),
    /// A built-in command failed.
    #[error("{0}")]
    Command(String),
    /// A template of an extension became nothing.
    #[error("/{name}: {why}")]
    Template {
        /// The template.
        name: String,
        /// Why.
        why: String,
    },
    /// A command of an extension cannot wait in a queue.
    #[error("Extension command \"/{0}\" cannot be queued. Use prompt() or execute the command when not streaming.")]
    NotQueueable(String),
    /// The session file cannot be written.
    #[error("{0}")]
    Session(Arc<tau_session::SessionError>),
    /// Part of tau panicked; the run is over.
    #[error(transparent)]
    Crashed(#[from] Crash),
    /// The session is shutting down.
    #[error("The session is shutting down.")]
    ShuttingDown,
}

impl From<tau_session::SessionError> for PromptError {
    fn from(error: tau_session::SessionError) -> Self {
        Self::Session(Arc::new(error))
    }
}

/// The message of a prompt: always blocks, the text first.
pub(crate) fn user_message(prompt: &Prompt, timestamp: i64) -> Message {
    let mut content = vec![ContentBlock::text(prompt.text.clone())];
    content.extend(prompt.images.iter().cloned());
    Message::User(UserMessage { timestamp, ..UserMessage::new(MessageContent::Blocks(content)) })
}
