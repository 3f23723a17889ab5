//! Dialogs, and commands the user runs in a shell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Attaches, Output, Stop};
use crate::dialogs::PromptKind;
use crate::handle::Handle;

/// A blocking dialog opened or closed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UiPromptEvent {
    /// Always `ui_prompt`.
    pub reason: String,
    /// The kind of dialog.
    pub kind: PromptKind,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The user runs a shell command with `!` or `!!`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserBashEvent {
    /// The command line.
    pub command: String,
    /// `!!`: the model will not see the output.
    pub exclude_from_context: bool,
    /// The working directory.
    pub cwd: String,
}

/// What happens in place of running the command: `operations`, an object whose `exec(command, cwd, options)` runs it, or
/// `result`, which is shown as what it gave. Exactly one of them is given. To block the command, throw an error: its message
/// is shown.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UserBashResult {
    /// How to run it: a live object of the extension, an `Arc<dyn tau_tools::bash::BashOperations>`.
    #[serde(skip)]
    pub operations: Option<Handle>,
    /// What running it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<BashResult>,
}

/// What a shell command gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashResult {
    /// Its output.
    pub output: String,
    /// Its exit code; absent when it was killed.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// The user stopped it.
    pub cancelled: bool,
    /// `output` is not all of it.
    pub truncated: bool,
    /// Where all of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
}

impl Attaches<UserBashEvent> for UserBashResult {
    fn attach(&mut self, field: &str, object: Handle) -> Result<(), String> {
        match field {
            "operations" => self.operations = Some(object),
            _ => return Err(format!("`{field}` is no live object")),
        }
        Ok(())
    }
}

impl Output<UserBashEvent> for UserBashResult {
    const STOPS: Option<Stop<Self>> = None;

    /// One that said nothing is not allowed.
    fn is_empty(&self) -> bool {
        false
    }

    fn check(&self, _: &UserBashEvent) -> Result<(), String> {
        match (&self.operations, &self.result) {
            (Some(_), None) | (None, Some(_)) => Ok(()),
            _ => Err("exactly one of `operations` and `result` is needed".to_owned()),
        }
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, text};

    impl Sample for UserBashEvent {
        fn sample() -> Self {
            Self { command: text(), exclude_from_context: false, cwd: text() }
        }
    }

    impl Sample for UiPromptEvent {
        fn sample() -> Self {
            Self { reason: text(), kind: PromptKind::Select, title: None }
        }
    }
}
