//! Before, around and after a run, and the context of each request.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_ai::{ContentBlock, Message, MessageContent};

use super::{Adds, Edits, Merges, Output, Stop, Transforms};
use crate::changes::Changes;
use crate::dialect::Terms;
use crate::messages::Messages;
use crate::occasion::{Occasion, OnOccasion};
use crate::table::render::HoldsMessages;

/// What a run begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StartedBy {
    /// A prompt.
    #[default]
    User,
    /// A message of an extension that asked for a run.
    Custom,
}

/// A run is about to start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeforeAgentStartEvent {
    /// `user` for a prompt, `custom` for a message of an extension that starts a run.
    pub message_type: StartedBy,
    /// The message of the extension; absent for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
    /// The user's text after expansion; empty when a message of an extension starts the run.
    pub prompt: String,
    /// Attached images, as image content blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<ContentBlock>>,
    /// The system prompt, as earlier handlers left it.
    pub system_prompt: String,
    /// What the system prompt was built from.
    pub system_prompt_options: Value,
}

/// What to add to the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BeforeAgentStartResult {
    /// A message for the model, kept in the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<CustomDraft>,
    /// The system prompt of this run; an empty text is a real, empty prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Text to stand behind whatever system prompt this run has; the older way to add to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt_append: Option<String>,
    /// Messages of all handlers so far.
    #[serde(skip)]
    pub accumulated: Vec<CustomDraft>,
    /// What the system prompt is built from, as handlers changed it in place; never part of a returned object. A
    /// system prompt that is returned counts more.
    #[serde(skip)]
    pub system_prompt_options: Option<Value>,
}

/// A message of an extension that is not in the session yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomDraft {
    /// Names the kind of message.
    #[serde(default, deserialize_with = "super::default_if_null")]
    pub custom_type: String,
    /// What the model sees.
    #[serde(default = "empty_content")]
    pub content: MessageContent,
    /// Whether a user interface shows it.
    #[serde(default, deserialize_with = "tau_ai::json::truthy")]
    pub display: bool,
    /// Data for renderers and for restoring state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

fn empty_content() -> MessageContent {
    MessageContent::Blocks(Vec::new())
}

impl BeforeAgentStartResult {
    /// All messages, in the order of the handlers that returned them.
    pub fn messages(self) -> Vec<CustomDraft> {
        let mut messages = self.accumulated;
        messages.extend(self.message);
        messages
    }

    /// Puts text behind what is there already.
    fn append(&mut self, later: Option<String>) {
        self.system_prompt_append = match (self.system_prompt_append.take(), later) {
            (Some(text), Some(later)) => Some(format!("{text}\n\n{later}")),
            (text, later) => text.or(later),
        };
    }
}

impl OnOccasion for BeforeAgentStartEvent {
    fn occasion(&self) -> Occasion {
        match self.message_type {
            StartedBy::User => Occasion::Ordinary,
            StartedBy::Custom => Occasion::Triggered,
        }
    }
}

impl Output<BeforeAgentStartEvent> for BeforeAgentStartResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        let Self { message, system_prompt, system_prompt_append, accumulated, system_prompt_options } = self;
        let prompt = system_prompt.is_none() && system_prompt_append.is_none() && system_prompt_options.is_none();
        prompt && message.is_none() && accumulated.is_empty()
    }

    fn adopt(&mut self, _: &BeforeAgentStartEvent, terms: &Terms) -> Result<(), String> {
        if !terms.rule.counts("systemPrompt") {
            self.system_prompt = None;
            self.system_prompt_options = None;
        }
        Ok(())
    }
}

impl Edits<BeforeAgentStartEvent> for BeforeAgentStartResult {
    fn edit(result: Option<Self>, _field: &str, value: Value) -> Result<Option<Self>, String> {
        Ok(Some(Self { system_prompt_options: Some(value), ..result.unwrap_or_default() }))
    }
}

impl Transforms<BeforeAgentStartEvent> for BeforeAgentStartResult {
    fn apply(&self, payload: &mut BeforeAgentStartEvent) -> Changes {
        let mut changes = Changes::none();
        if let Some(prompt) = &self.system_prompt {
            changes.text("systemPrompt", &payload.system_prompt, prompt);
            payload.system_prompt.clone_from(prompt);
        }
        if let Some(text) = &self.system_prompt_append {
            changes.field("systemPromptAppend", 0, text.len());
        }
        if let Some(options) = &self.system_prompt_options {
            changes.json("systemPromptOptions", &payload.system_prompt_options, options);
            payload.system_prompt_options.clone_from(options);
        }
        if let Some(message) = &self.message {
            changes.field("message", 0, crate::changes::json_len(message));
        }
        changes
    }
}

impl Adds for BeforeAgentStartResult {
    fn add(&mut self, later: Self) {
        self.append(later.system_prompt_append);
        self.message = self.message.take().or(later.message);
    }
}

impl Merges for BeforeAgentStartResult {
    const HOW: &'static str = "the messages of all handlers are kept, and the system prompt is passed along";

    fn merge(&mut self, later: Self) {
        self.append(later.system_prompt_append);
        self.accumulated.extend(self.message.take());
        self.accumulated.extend(later.accumulated);
        self.message = later.message;
        if later.system_prompt.is_some() {
            self.system_prompt = later.system_prompt;
        }
        if later.system_prompt_options.is_some() {
            self.system_prompt_options = later.system_prompt_options;
        }
    }
}

/// The session is idle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentSettledEvent {
    /// The run was aborted, including when another session replaces this one.
    pub aborted: bool,
}

/// A run ended.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentEndEvent {
    /// The messages of this run alone.
    pub messages: Messages,
}

/// A request to the model is about to be made in this turn.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartEvent {
    /// Counts the turns of the run from 0.
    pub turn_index: usize,
    /// Milliseconds since the Unix epoch.
    pub timestamp: i64,
}

/// The messages of the next request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextEvent {
    /// A copy of the conversation: changing it changes this request only.
    pub messages: Messages,
}

/// Other messages for the next request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextResult {
    /// Replaces the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Messages>,
}

impl HoldsMessages for ContextEvent {
    fn messages(&self) -> &Messages {
        &self.messages
    }
}

impl Output<ContextEvent> for ContextResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.messages.is_none()
    }
}

impl Edits<ContextEvent> for ContextResult {
    fn edit(result: Option<Self>, field: &str, value: Value) -> Result<Option<Self>, String> {
        match result {
            // What is returned counts more than what was done to the list that was given.
            Some(Self { messages: Some(messages) }) => Ok(Some(Self { messages: Some(messages) })),
            _ => {
                let messages = serde_json::from_value(value).map_err(|error| format!("`{field}`: {error}"))?;
                Ok(Some(Self { messages: Some(messages) }))
            }
        }
    }
}

impl Transforms<ContextEvent> for ContextResult {
    fn apply(&self, payload: &mut ContextEvent) -> Changes {
        let Some(messages) = &self.messages else { return Changes::none() };
        // Messages that came back as plain values take over the entry and hash they had.
        let known = messages.items().any(|item| item.entry_id.is_some()) || messages.is_same(&payload.messages);
        let messages = if known {
            messages.clone()
        } else {
            Messages::reusing(&payload.messages, messages.iter().cloned().collect())
        };
        let changes = payload.messages.changes(&messages);
        payload.messages = messages;
        changes
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, messages, text};

    impl Sample for BeforeAgentStartEvent {
        fn sample() -> Self {
            Self {
                message_type: StartedBy::User,
                message: None,
                prompt: text(),
                images: None,
                system_prompt: text(),
                system_prompt_options: Value::Null,
            }
        }
    }

    impl Sample for AgentEndEvent {
        fn sample() -> Self {
            Self { messages: messages() }
        }
    }

    impl Sample for AgentSettledEvent {
        fn sample() -> Self {
            Self { aborted: false }
        }
    }

    impl Sample for TurnStartEvent {
        fn sample() -> Self {
            Self { turn_index: 0, timestamp: 1 }
        }
    }

    impl Sample for ContextEvent {
        fn sample() -> Self {
            Self { messages: messages() }
        }
    }
}
