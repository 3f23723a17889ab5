//! The entries of a session as rows of its tree.

use std::collections::HashSet;

use tau_ai::{ContentBlock, Message, StopReason};
use tau_session::{Entry, EntryBody, EntryKind, Session};
use tau_view::untrusted::plain;

/// How much of an entry is shown in a row, in characters.
const EXCERPT: usize = 200;

/// An entry of the tree.
#[derive(Debug, Clone)]
pub(crate) struct TreeRow {
    pub(crate) id: String,
    /// How often the conversation parts in front of it.
    pub(crate) depth: usize,
    /// Where what follows from it ends, among all rows.
    pub(crate) end: usize,
    /// The conversation parts behind it.
    pub(crate) branches: bool,
    pub(crate) on_path: bool,
    /// The conversation is here now.
    pub(crate) is_leaf: bool,
    pub(crate) label: Option<String>,
    pub(crate) label_time: Option<String>,
    /// Who says what, in one line.
    pub(crate) text: String,
    /// All that it says.
    pub(crate) whole: String,
    class: Class,
}

/// What an entry is, for filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    User,
    Said,
    Tool,
    /// An answer that only calls tools.
    Silent,
    /// What is no part of the conversation.
    Other,
}

/// Which entries are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    Usual,
    NoTools,
    UserOnly,
    LabeledOnly,
    All,
}

impl Filter {
    /// The one that settings name.
    pub(super) fn of(word: &str) -> Self {
        match word {
            "no-tools" => Self::NoTools,
            "user-only" => Self::UserOnly,
            "labeled-only" => Self::LabeledOnly,
            "all" => Self::All,
            _ => Self::Usual,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::NoTools => "without tools",
            Self::UserOnly => "only what the user said",
            Self::LabeledOnly => "only with a label",
            Self::All => "everything",
        }
    }

    pub(super) fn shows(self, row: &TreeRow) -> bool {
        // Where the conversation is must be seen.
        match self {
            Self::All => true,
            _ if row.class == Class::Silent && !row.is_leaf => false,
            Self::Usual => row.class != Class::Other,
            Self::NoTools => !matches!(row.class, Class::Other | Class::Tool),
            Self::UserOnly => row.class == Class::User,
            Self::LabeledOnly => row.label.is_some(),
        }
    }
}

/// The rows of a session, each entry in front of what follows from it.
pub(crate) fn rows_of(session: &Session) -> Vec<TreeRow> {
    let tree = session.tree();
    let path: HashSet<String> = session.branch_path(None).iter().map(|entry| entry.id().to_string()).collect();
    let leaf = session.leaf().map(|leaf| leaf.to_string());
    let mut rows: Vec<TreeRow> = Vec::new();
    // Rows whose branch is not over, with how deep each is nested.
    let mut open_rows: Vec<(usize, usize)> = Vec::new();
    let mut open: Vec<(usize, usize, usize)> = tree.roots.iter().rev().map(|root| (*root, 0, 0)).collect();
    while let Some((at, depth, level)) = open.pop() {
        while let Some((row, _)) = open_rows.pop_if(|(_, other)| *other >= level) {
            rows[row].end = rows.len();
        }
        let node = &tree.nodes[at];
        let id = node.entry.id().to_string();
        let (class, whole) = told(&node.entry);
        open_rows.push((rows.len(), level));
        rows.push(TreeRow {
            on_path: path.contains(&id),
            is_leaf: leaf.as_deref() == Some(&*id),
            depth,
            end: 0,
            branches: node.children.len() > 1,
            label: node.label.as_deref().map(plain),
            label_time: node.label_timestamp.as_deref().map(|time| time.get(..16).unwrap_or(time).replace('T', " ")),
            text: excerpt(&whole),
            whole: whole.split_once(": ").map_or(whole.clone(), |(_, text)| text.to_owned()),
            class,
            id,
        });
        let deeper = depth + usize::from(node.children.len() > 1);
        open.extend(node.children.iter().rev().map(|child| (*child, deeper, level + 1)));
    }
    for (row, _) in open_rows {
        rows[row].end = rows.len();
    }
    rows
}

/// What an entry is, and what it says.
fn told(entry: &Entry) -> (Class, String) {
    match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::User(user) => (Class::User, format!("user: {}", user.content.text())),
            Message::Assistant(answer) => {
                let text: Vec<&str> = answer.texts().collect();
                let failed = matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
                let names: Vec<&str> = answer.tool_calls().map(|call| call.name.as_str()).collect();
                match text.concat().trim() {
                    "" if failed => (Class::Said, "assistant: (stopped)".to_owned()),
                    "" => (Class::Silent, format!("assistant: calls {}", names.join(", "))),
                    text => (Class::Said, format!("assistant: {text}")),
                }
            }
            Message::ToolResult(result) => {
                let text: Vec<&str> = result.content.iter().filter_map(ContentBlock::as_text).collect();
                (Class::Tool, format!("{}: {}", result.tool_name, text.join("\n")))
            }
            Message::BashExecution(shell) => (Class::User, format!("bash: {}", shell.command)),
            other => (Class::Said, other.role().to_owned()),
        },
        EntryBody::BranchSummary(summary) => (Class::Said, format!("summary: {}", summary.summary)),
        EntryBody::Compaction(compaction) => (Class::Said, format!("compaction: {}", compaction.summary)),
        EntryBody::CustomMessage(custom) => (Class::Said, format!("{}: {}", custom.custom_type, custom.content.text())),
        other => {
            debug_assert!(other.kind() != EntryKind::Message);
            (Class::Other, format!("({})", other.type_name()))
        }
    }
}

/// The beginning of a text, in one line.
fn excerpt(text: &str) -> String {
    let text = plain(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
