//! Events that only the older dialects know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CompactReason, Merges, Output, Stop, Transforms};
use crate::changes::Changes;
use crate::messages::Messages;

/// A summary is about to be asked of the model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactingEvent {
    /// The session's id.
    pub session_id: String,
    /// What will be summarised.
    pub messages: Messages,
}

/// How to ask for the summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionCompactingResult {
    /// Facts the summary should keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<String>>,
    /// Replaces the standard instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Data to keep with the compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preserve_data: Option<Value>,
}

impl Output<SessionCompactingEvent> for SessionCompactingResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Transforms<SessionCompactingEvent> for SessionCompactingResult {
    /// It says how to ask; what is summarised stays the same.
    fn apply(&self, _: &mut SessionCompactingEvent) -> Changes {
        Changes::none()
    }
}

impl Merges for SessionCompactingResult {
    const HOW: &'static str = "each field of a later result replaces that of an earlier one";

    /// What another dialect wants besides.
    fn merge(&mut self, later: Self) {
        self.context = later.context.or(self.context.take());
        self.prompt = later.prompt.or(self.prompt.take());
        self.preserve_data = later.preserve_data.or(self.preserve_data.take());
    }
}

/// Compaction began by itself.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AutoCompactionStartEvent {
    /// Why.
    pub reason: CompactReason,
    /// What is done about it.
    pub action: String,
}

/// Compaction that began by itself is over.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoCompactionEndEvent {
    /// What was done.
    pub action: String,
    /// The summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Somebody stopped it.
    pub aborted: bool,
    /// Whether a failed request is repeated now.
    pub will_retry: bool,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// There was nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<bool>,
}

/// A failed request will be repeated.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoRetryStartEvent {
    /// Counts from 1.
    pub attempt: u32,
    /// How many there will be.
    pub max_attempts: u32,
    /// Milliseconds until the request.
    pub delay_ms: u64,
    /// Why the last one failed.
    pub error_message: String,
}

/// A failed request was repeated for the last time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoRetryEndEvent {
    /// Whether it worked.
    pub success: bool,
    /// How many attempts it took.
    pub attempt: u32,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_error: Option<String>,
}

/// A rule matched what the model was writing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TtsrTriggeredEvent {
    /// The rules that the model is told now.
    pub rules: Vec<StreamRule>,
}

/// A rule that costs nothing until the model writes something it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StreamRule {
    /// The name of its file, without extension.
    pub name: String,
    /// Its file.
    pub path: String,
    /// What the model is told.
    pub content: String,
    /// It is only about these files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub globs: Option<Vec<String>>,
    /// The field `alwaysApply` of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_apply: Option<bool>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The first expression that calls it up; the older spelling.
    pub ttsr_trigger: String,
    /// The expressions that call it up.
    pub condition: Vec<String>,
    /// Where the expressions are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Vec<String>>,
    /// When it interrupts the model: `never`, `prose-only`, `tool-only` or `always`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt_mode: Option<String>,
    /// Where it was found.
    #[serde(rename = "_source")]
    pub source: StreamRuleSource,
}

/// Where a rule was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StreamRuleSource {
    /// Whose folder it was found in.
    pub provider: String,
    /// The same for people.
    pub provider_name: String,
    /// Its file.
    pub path: String,
    /// `user` or `project`.
    pub level: String,
}

/// The model stopped with open items on its list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoReminderEvent {
    /// The open items.
    pub todos: Vec<TodoItem>,
    /// Counts from 1.
    pub attempt: u32,
    /// How many reminders there will be.
    pub max_attempts: u32,
}

/// An item of the model's list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    /// Names it within the list.
    pub id: String,
    /// What is to be done.
    pub content: String,
    /// `pending`, `in_progress` or `completed`.
    pub status: String,
    /// How the work is called while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Remarks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, messages, text};

    impl Sample for SessionCompactingEvent {
        fn sample() -> Self {
            Self { session_id: text(), messages: messages() }
        }
    }

    impl Sample for AutoCompactionStartEvent {
        fn sample() -> Self {
            Self { reason: CompactReason::Overflow, action: text() }
        }
    }

    impl Sample for AutoCompactionEndEvent {
        fn sample() -> Self {
            Self { action: text(), result: None, aborted: false, will_retry: false, error_message: None, skipped: None }
        }
    }

    impl Sample for AutoRetryStartEvent {
        fn sample() -> Self {
            Self { attempt: 1, max_attempts: 3, delay_ms: 10, error_message: text() }
        }
    }

    impl Sample for AutoRetryEndEvent {
        fn sample() -> Self {
            Self { success: true, attempt: 1, final_error: None }
        }
    }

    impl Sample for TtsrTriggeredEvent {
        fn sample() -> Self {
            Self { rules: Vec::new() }
        }
    }

    impl Sample for TodoReminderEvent {
        fn sample() -> Self {
            Self { todos: Vec::new(), attempt: 1, max_attempts: 3 }
        }
    }
}
