//! Commands that the user runs with `!`.

use tau_view::wrap::wrap_text;

use super::paint::{self, Rows, output_rows, visible, wrapped};
use crate::look::SharedLook;
use crate::screen::{Content, Line};
use crate::style::bold;

/// How many lines of the output show.
const LINES: usize = 20;

/// How far a command of the user is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserCommandState {
    /// It runs. The frame is what is in front of the word, the keys are those that stop it.
    Running {
        /// Such as `⠋`.
        frame: String,
        /// Such as `escape/ctrl+c`.
        cancel_keys: String,
    },
    /// It ended by itself, with its exit code where it has one.
    Done {
        /// The code.
        exit_code: Option<i32>,
    },
    /// The user stopped it.
    Cancelled,
}

/// A command that the user runs with `!`, or with `!!` so that the model does not see it.
#[derive(Clone)]
pub struct UserCommand {
    /// How everything looks.
    pub look: SharedLook,
    /// The command.
    pub command: String,
    /// Whether the model does not see it.
    pub hidden: bool,
    /// What it has put out so far.
    pub output: String,
    /// How far it is.
    pub state: UserCommandState,
    /// Whether the output is not all of it.
    pub truncated: bool,
    /// The file with all of the output.
    pub full_output: Option<String>,
    /// Whether all of the output is shown.
    pub expanded: bool,
    /// The name of the key that expands; empty when there is none.
    pub expand_key: String,
}

impl UserCommand {
    /// A command that has just begun.
    pub fn new(look: SharedLook, command: impl Into<String>, hidden: bool) -> Self {
        Self {
            look,
            command: command.into(),
            hidden,
            output: String::new(),
            state: UserCommandState::Running { frame: String::new(), cancel_keys: String::new() },
            truncated: false,
            full_output: None,
            expanded: false,
            expand_key: String::new(),
        }
    }

    /// What stands below the output: words and their colour.
    fn notes(&self) -> Vec<(&'static str, String)> {
        let mut notes = Vec::new();
        if self.hidden {
            notes.push(("muted", "(not sent to the model)".to_owned()));
        }
        match &self.state {
            UserCommandState::Running { frame, cancel_keys } => {
                let keys = paint::one_line(cancel_keys);
                let how = if keys.is_empty() { String::new() } else { format!(" ({keys} to cancel)") };
                let text = format!("{} Running...{how}", paint::one_line(frame));
                notes.push(("muted", text.trim_start().to_owned()));
            }
            UserCommandState::Done { exit_code: None | Some(0) } => {}
            UserCommandState::Done { exit_code: Some(code) } => notes.push(("error", format!("(exit {code})"))),
            UserCommandState::Cancelled => notes.push(("warning", "(cancelled)".to_owned())),
        }
        if self.truncated {
            let path = self.full_output.as_deref().map(|path| format!(" Full output: {}", paint::one_line(path)));
            notes.push(("warning", format!("Output truncated.{}", path.unwrap_or_default())));
        }
        notes
    }
}

impl Content for UserCommand {
    fn lines(&self, width: usize) -> Vec<Line> {
        let width = width.max(1);
        let look = self.look.get();
        let color = if self.hidden { "dim" } else { "bashMode" };
        let rule = look.styles.fg(color, &"─".repeat(width));
        let command = look.styles.fg(color, &bold(&format!("$ {}", visible(self.command.trim_end()))));
        let mut rows = vec![String::new(), rule.clone()];
        rows.extend(wrap_text(&command, width));
        let which = if self.expanded { Rows::All } else { Rows::Last(LINES) };
        let (shown, hidden) = output_rows(&look, "muted", &self.output, width, which);
        if hidden > 0 {
            let hint = paint::to_expand(&self.expand_key).map(|hint| format!(" ({hint})")).unwrap_or_default();
            let noun = paint::plural(hidden, "line", "lines");
            rows.extend(wrapped(&look, "muted", &format!("... {hidden} more {noun}{hint}"), width));
        }
        rows.extend(shown);
        rows.extend(self.notes().iter().flat_map(|(color, note)| wrapped(&look, color, note, width)));
        rows.push(rule);
        rows.iter().map(|row| Line::new(row, width)).collect()
    }

    fn estimate(&self, width: usize) -> usize {
        let lines = paint::estimate(&self.output, width);
        4 + if self.expanded { lines } else { lines.min(LINES) }
    }
}
