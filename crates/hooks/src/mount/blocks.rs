//! Blocks of the conversation, for components that show one: data, which a front end draws as it draws its own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tau_view::wrap::wrap_text;

/// A block of the conversation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ConversationBlock {
    /// What a model says, as Markdown.
    Answer {
        /// The text.
        text: String,
    },
    /// What a model thinks, as Markdown.
    Thinking {
        /// The text.
        text: String,
    },
    /// Thinking that is hidden.
    HiddenThinking {
        /// What stands in its place.
        label: String,
    },
    /// Why an answer ends where it ends.
    Ending {
        /// How.
        how: Ending,
        /// Why, if that is known.
        #[serde(default)]
        reason: String,
    },
    /// What the user wrote, as Markdown.
    User {
        /// The text.
        text: String,
    },
    /// A message of an extension.
    Custom {
        /// The name of its type.
        name: String,
        /// Its text, as Markdown.
        text: String,
    },
    /// The instructions of a skill.
    Skill {
        /// Its name.
        name: String,
        /// The instructions, as Markdown.
        text: String,
        /// They are shown.
        expanded: bool,
    },
    /// A summary of the conversation so far.
    Compaction {
        /// How many tokens it stands for.
        tokens: u64,
        /// The summary, as Markdown.
        text: String,
        /// It is shown.
        expanded: bool,
    },
    /// A summary of a branch that was left.
    Branch {
        /// The summary, as Markdown.
        text: String,
        /// It is shown.
        expanded: bool,
    },
    /// A command that the user ran.
    Command(CommandBlock),
    /// A call of a tool.
    Tool(Box<ToolBlock>),
}

/// How an answer ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// It was as long as an answer can be.
    Length,
    /// Somebody stopped it.
    Aborted,
    /// The request failed.
    Error,
}

/// A command that the user ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandBlock {
    /// The command.
    pub command: String,
    /// The model does not see it.
    pub hidden: bool,
    /// What it has put out so far.
    pub output: String,
    /// It runs: the frame of an indicator, and the keys that stop it.
    pub running: Option<(String, String)>,
    /// The user stopped it.
    pub cancelled: bool,
    /// Its exit code, where it has one.
    pub exit_code: Option<i32>,
    /// The output is not all of it.
    pub truncated: bool,
    /// The file with all of it.
    pub full_output: Option<String>,
    /// All of the output is shown.
    pub expanded: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolBlock {
    /// The name of the tool.
    pub name: String,
    /// The arguments, as far as they are known.
    pub args: Value,
    /// Whether that is all of them.
    pub args_complete: bool,
    /// The tool runs, or has run.
    pub started: bool,
    /// What it reported last, or its result: `content` and `details`.
    pub result: Option<Value>,
    /// The result is not the last one.
    pub is_partial: bool,
    /// It failed.
    pub is_error: bool,
    /// How long it has run, in milliseconds.
    pub elapsed_ms: u64,
    /// How long it ran, in milliseconds, if it is done.
    pub duration_ms: Option<u64>,
    /// Everything is shown.
    pub expanded: bool,
    /// The folder that paths need not be written out from.
    pub cwd: Option<String>,
    /// The rows that stand for the call.
    pub call_rows: Option<Vec<String>>,
    /// The rows that stand for the result.
    pub result_rows: Option<Vec<String>>,
}

impl ToolBlock {
    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        Duration::from_millis(self.elapsed_ms)
    }

    /// How long it ran, if it is done.
    pub fn duration(&self) -> Option<Duration> {
        self.duration_ms.map(Duration::from_millis)
    }
}

/// Where a block is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSpace {
    /// The columns that it has; at least one.
    pub width: usize,
    /// Empty columns at both sides of messages.
    pub padding: usize,
    /// The name of the key that expands; empty when there is none.
    pub expand_key: String,
}

/// Draws blocks of the conversation.
pub trait DrawsBlocks: Send + Sync {
    /// The rows of a block, with colours. Returns soon, on any thread.
    fn rows(&self, block: &ConversationBlock, space: &BlockSpace) -> Vec<String>;
}

/// What draws the blocks of a front end.
#[derive(Clone)]
pub struct BlockDrawer(pub Arc<dyn DrawsBlocks>);

impl fmt::Debug for BlockDrawer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlockDrawer")
    }
}

/// Compared by identity.
impl PartialEq for BlockDrawer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for BlockDrawer {}

impl ConversationBlock {
    /// The rows of a block where no front end draws: its text, wrapped.
    pub fn plain_rows(&self, width: usize) -> Vec<String> {
        let text = self.plain_text();
        if text.trim().is_empty() { Vec::new() } else { wrap_text(text.trim_end(), width.max(1)) }
    }

    fn plain_text(&self) -> String {
        let clean = |text: &str| tau_view::untrusted::plain(text).trim().to_owned();
        let folded = |title: String, text: &str, expanded: bool| {
            if expanded { format!("{title}\n\n{}", clean(text)) } else { title }
        };
        match self {
            Self::Answer { text } | Self::Thinking { text } | Self::User { text } => clean(text),
            Self::HiddenThinking { label } => clean(label),
            Self::Ending { how: Ending::Length, .. } => "Response was truncated before completion.".to_owned(),
            Self::Ending { how: Ending::Aborted, .. } => "Operation aborted".to_owned(),
            Self::Ending { how: Ending::Error, reason } => format!("Error: {}", clean(reason)),
            Self::Custom { name, text } => format!("[{}]\n\n{}", clean(name), clean(text)),
            Self::Skill { name, text, expanded } => folded(format!("[skill] {}", clean(name)), text, *expanded),
            Self::Compaction { tokens, text, expanded } => {
                folded(format!("[compaction] Compacted from {tokens} tokens"), text, *expanded)
            }
            Self::Branch { text, expanded } => folded("[branch] Branch summary".to_owned(), text, *expanded),
            Self::Command(command) => format!("$ {}\n{}", clean(&command.command), clean(&command.output)),
            Self::Tool(tool) => {
                let rows = |rows: &[String]| rows.join("\n");
                let call = tool.call_rows.as_deref().map_or_else(|| tool.title(), rows);
                let result = tool.result_rows.as_deref().map_or_else(|| clean(&tool.texts()), rows);
                format!("{call}\n{result}")
            }
        }
    }
}

impl ToolBlock {
    fn title(&self) -> String {
        let args = if self.args.is_null() { String::new() } else { format!(" {}", self.args) };
        tau_view::untrusted::plain(&format!("{}{args}", self.name)).replace('\n', " ")
    }

    fn texts(&self) -> String {
        let content = self.result.as_ref().and_then(|result| result.get("content")).and_then(Value::as_array);
        let texts = content.into_iter().flatten().filter_map(|block| block.get("text")?.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows(block: Value) -> Vec<String> {
        serde_json::from_value::<ConversationBlock>(block).expect("a block").plain_rows(20)
    }

    #[test]
    fn every_block_says_in_words_what_it_holds() {
        assert_eq!(rows(json!({ "kind": "answer", "text": "a text of more than twenty columns" })).len(), 2);
        assert_eq!(rows(json!({ "kind": "ending", "how": "error", "reason": "no\x1b[2J" })), ["Error: no"]);
        assert_eq!(rows(json!({ "kind": "answer", "text": " " })), [""; 0]);
        let skill = json!({ "kind": "skill", "name": "s", "text": "t", "expanded": true });
        assert_eq!(rows(skill), ["[skill] s", "", "t"]);
        let tool = json!({ "kind": "tool", "name": "ls", "args": { "path": "." },
            "result": { "content": [{ "type": "text", "text": "a\nb" }] } });
        assert_eq!(rows(tool), ["ls {\"path\":\".\"}", "a", "b"]);
        let command = json!({ "kind": "command", "command": "ls", "output": "a", "running": ["|", "escape"] });
        assert_eq!(rows(command), ["$ ls", "a"]);
    }

    #[test]
    fn what_is_no_block_is_refused() {
        for wrong in [json!(null), json!({ "kind": "other" }), json!({ "kind": "answer" })] {
            assert!(serde_json::from_value::<ConversationBlock>(wrong).is_err());
        }
    }
}
