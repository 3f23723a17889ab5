//! What the rules say about a command.

use crate::evaluation::Evaluation;
use crate::site::{Site, Span};

/// What a rule does, the weakest first: of several the strongest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Answers for the user where another rule would ask. It never takes back a block.
    Allow,
    /// The command runs, and its result says so.
    Warn,
    /// The command is changed before it runs.
    Rewrite,
    /// The user decides; without a user it is a block.
    Ask,
    /// The command does not run.
    Block,
}

/// What one rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: String,
    /// Where the rule comes from.
    pub origin: Origin,
    /// The group of the rule, as `dangerous`, if it is in one.
    pub group: Option<String>,
    /// What it does here.
    pub action: Action,
    /// Why, for the model and the user.
    pub message: String,
    /// What it is about, in the scripts of the evaluation. Empty for a file.
    pub sites: Vec<Site>,
    /// The invocations of the evaluation that it is about. Empty if it is about something opaque or a file.
    pub invocations: Vec<usize>,
    /// The nearest command that the rule allows, if there is one: the whole command, or what to run instead.
    pub instead: Option<String>,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// It comes with tau.
    Shipped,
    /// A policy file of the user.
    User,
    /// The policy file of the project.
    Project,
    /// The permissions in a settings file of Claude Code.
    Claude,
}

/// A change to the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced in the command itself; empty to insert.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// What all rules say about a command.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The strongest action. [`Action::Allow`] if no rule found anything.
    pub action: Action,
    /// What the rules found, the strongest first.
    pub findings: Vec<Finding>,
    /// The changes that rules make, in the order of their spans; none overlap.
    pub edits: Vec<Edit>,
    /// The command with all changes made; `None` if there are none.
    pub command: Option<String>,
    /// Whether the timeout of the call is removed.
    pub drops_timeout: bool,
    /// What the command does.
    pub evaluation: Evaluation,
}

/// What all rules say about the use of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVerdict {
    /// The strongest action. [`Action::Allow`] if no rule found anything.
    pub action: Action,
    /// What the rules found, the strongest first.
    pub findings: Vec<Finding>,
}
