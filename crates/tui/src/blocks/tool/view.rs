//! What is known of a call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::blocks::own::OwnPart;
use crate::picture::Image;

/// What is known of a call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolView {
    /// The name of the tool.
    pub name: String,
    /// What people call it, such as `server/tool`; the name is used without it.
    pub label: Option<String>,
    /// The arguments, as far as they have arrived.
    pub args: Arc<Value>,
    /// Whether that is all of them.
    pub args_complete: bool,
    /// Whether the tool runs, or has run.
    pub started: bool,
    /// What the tool reported last while it runs: `content` and `details`.
    pub partial: Option<Arc<Value>>,
    /// The result: `content` and `details`.
    pub result: Option<Arc<Value>>,
    /// Whether the call failed.
    pub is_error: bool,
    /// How long the tool has run.
    pub elapsed: Duration,
    /// How long the tool ran, when it is done.
    pub duration: Option<Duration>,
    /// Whether everything is shown.
    pub expanded: bool,
    /// The name of the key that expands; empty when there is none.
    pub expand_key: String,
    /// Folders that need not be written out.
    pub places: Places,
    /// What an edit would change, as numbered lines with `+` and `-`, when that is known before it is done.
    pub preview: Option<String>,
    /// Who stopped the call.
    pub blocked: Option<Blocked>,
    /// Who changed something about the call.
    pub edited: Vec<Edited>,
    /// A handler that takes long.
    pub slow: Option<Slow>,
    /// Handlers that failed, without stopping the call.
    pub failed: Vec<FailedHandler>,
    /// The images of the result, in their order.
    pub images: Vec<Image>,
    /// What extensions draw of it.
    pub own: OwnRows,
}

/// What extensions draw of a call, in place of what is shown otherwise. Nothing of it is trusted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnRows {
    /// The call.
    pub call: Option<Arc<[OwnPart]>>,
    /// The result.
    pub result: Option<Arc<[OwnPart]>>,
}

/// Folders that need not be written out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Paths in this folder are shown from there on.
    pub cwd: Option<String>,
    /// Shown as `~`.
    pub home: Option<String>,
}

/// A gate that said no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The extension.
    pub by: String,
    /// Why; the text of the result when it is empty.
    pub reason: String,
}

/// A change of an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The extension.
    pub by: String,
    /// What it changed.
    pub part: EditedPart,
}

/// What can be changed about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditedPart {
    /// What the tool is given.
    Arguments,
    /// What the model reads.
    Result,
}

/// A handler that takes long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slow {
    /// The extension, and what of it.
    pub handler: String,
    /// How long it has taken.
    pub waited: Duration,
    /// Whether it still does.
    pub waiting: bool,
}

/// A handler that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedHandler {
    /// The extension, and what of it.
    pub handler: String,
    /// Why.
    pub reason: String,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Announced,
    Running,
    Done,
    Failed,
    Blocked,
}

impl ToolView {
    /// A call of which only the name is known.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            label: None,
            args: Arc::default(),
            args_complete: false,
            started: false,
            partial: None,
            result: None,
            is_error: false,
            elapsed: Duration::ZERO,
            duration: None,
            expanded: false,
            expand_key: String::new(),
            places: Places::default(),
            preview: None,
            blocked: None,
            edited: Vec::new(),
            slow: None,
            failed: Vec::new(),
            images: Vec::new(),
            own: OwnRows::default(),
        }
    }

    pub(super) fn state(&self) -> State {
        match (&self.blocked, &self.result) {
            (Some(_), _) => State::Blocked,
            (None, Some(_)) if self.is_error => State::Failed,
            (None, Some(_)) => State::Done,
            (None, None) if self.started => State::Running,
            (None, None) => State::Announced,
        }
    }
}

impl Places {
    /// A path as it is shown: from the working directory on, or with `~` for the home of the user.
    pub fn short(&self, path: &str) -> String {
        let inside = |folder: &Option<String>| {
            let folder = folder.as_deref()?.trim_end_matches('/');
            let rest = path.strip_prefix(folder).filter(|_| !folder.is_empty())?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        };
        if let Some(rest) = inside(&self.cwd) {
            return if rest.len() <= 1 { ".".to_owned() } else { rest[1..].to_owned() };
        }
        match inside(&self.home) {
            Some(rest) => format!("~{rest}"),
            None => path.to_owned(),
        }
    }
}
