//! Questions, and what is answered to them.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::mount::UiHandle;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum DialogKind {
    /// One of several options.
    Select {
        /// The question.
        title: String,
        /// What can be chosen.
        options: Vec<String>,
    },
    /// Yes or no.
    Confirm {
        /// The question.
        title: String,
        /// What it is about.
        message: String,
    },
    /// A line of text.
    Input {
        /// The question.
        title: String,
        /// Shown while nothing is typed.
        placeholder: Option<String>,
    },
    /// A longer text.
    Editor {
        /// The question.
        title: String,
        /// The text to start with.
        prefill: Option<String>,
    },
    /// A component of an extension, for back ends that can mount it.
    Custom {
        /// The factory.
        handle: UiHandle,
        /// It lies over the screen, and leaves the editor where it is.
        overlays: bool,
        /// What the program waits for meanwhile, where the extension says so.
        blocked: Option<Blocked>,
    },
}

/// What the program waits for, as a terminal may show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// A word, such as `permission`.
    #[serde(default)]
    pub kind: Option<String>,
    /// A line for people.
    #[serde(default)]
    pub message: Option<String>,
}

/// What is asked of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PromptKind {
    /// A choice of several options.
    Select,
    /// Yes or no.
    Confirm,
    /// A line of text.
    Input,
    /// A longer text.
    Editor,
    /// A component of an extension.
    Custom,
}

impl PromptKind {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Confirm => "confirm",
            Self::Input => "input",
            Self::Editor => "editor",
            Self::Custom => "custom",
        }
    }
}

impl DialogKind {
    /// Its name.
    pub fn name(&self) -> PromptKind {
        match self {
            Self::Select { .. } => PromptKind::Select,
            Self::Confirm { .. } => PromptKind::Confirm,
            Self::Input { .. } => PromptKind::Input,
            Self::Editor { .. } => PromptKind::Editor,
            Self::Custom { .. } => PromptKind::Custom,
        }
    }

    /// The question; a custom dialog has none.
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Select { title, .. }
            | Self::Confirm { title, .. }
            | Self::Input { title, .. }
            | Self::Editor { title, .. } => Some(title),
            Self::Custom { .. } => None,
        }
    }

    /// The same question, with the name of the child session that it comes from in front. A component of an extension says
    /// for itself what it is about.
    #[must_use]
    pub fn on_behalf_of(mut self, child: &str) -> Self {
        match &mut self {
            Self::Select { title, .. }
            | Self::Confirm { title, .. }
            | Self::Input { title, .. }
            | Self::Editor { title, .. } => *title = format!("[{child}] {title}"),
            Self::Custom { .. } => {}
        }
        self
    }

    /// What is answered when nobody does: no user interface, the deadline, an abort. A no to a yes-or-no question,
    /// else [`DialogAnswer::Cancelled`].
    pub fn default_answer(&self) -> DialogAnswer {
        match self {
            Self::Confirm { .. } => DialogAnswer::Confirmed(false),
            _ => DialogAnswer::Cancelled,
        }
    }

    /// Whether an answer is one to this question. That to a select is one of its options: a gate may let through what
    /// is not its "no".
    pub fn accepts(&self, answer: &DialogAnswer) -> bool {
        match answer {
            DialogAnswer::Cancelled => true,
            DialogAnswer::Failed(_) => matches!(self, Self::Custom { .. }),
            DialogAnswer::Value(value) => match self {
                Self::Select { options, .. } => options.contains(value),
                Self::Input { .. } | Self::Editor { .. } => true,
                Self::Confirm { .. } | Self::Custom { .. } => false,
            },
            DialogAnswer::Confirmed(_) => matches!(self, Self::Confirm { .. }),
            DialogAnswer::Custom(_) => matches!(self, Self::Custom { .. }),
        }
    }
}

/// One question of an extension.
#[derive(Debug, PartialEq)]
pub struct DialogRequest {
    id: Uuid,
    /// The extension that asks.
    pub owner: Arc<str>,
    /// What is asked.
    pub kind: DialogKind,
    /// The id of the tool call that it is asked about: by a gate, by a filter, or by the tool itself.
    pub tool_call: Option<Arc<str>>,
    /// How long the question stands; then the [default](DialogKind::default_answer) is the answer. Zero is no time
    /// at all.
    pub deadline: Option<Duration>,
}

impl DialogRequest {
    /// A question without a deadline, under an id of its own.
    pub fn new(owner: Arc<str>, kind: DialogKind) -> Self {
        Self { id: tau_ai::random_id(), owner, kind, tool_call: None, deadline: None }
    }

    /// Sets the deadline.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// What answers refer to.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum DialogAnswer {
    /// The option or the text.
    Value(String),
    /// Yes or no.
    Confirmed(bool),
    /// The user left without an answer.
    Cancelled,
    /// What a custom component ended with.
    Custom(Value),
    /// A custom component could not be shown to its end.
    Failed(String),
}

impl DialogAnswer {
    /// The option or the text, unless the user left without one.
    pub fn into_value(self) -> Option<String> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is a yes.
    pub fn is_yes(&self) -> bool {
        *self == Self::Confirmed(true)
    }
}
