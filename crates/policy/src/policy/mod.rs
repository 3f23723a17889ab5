//! The rules in force, and what they say.

mod judge;
mod layers;
mod listing;
mod merge;

use std::path::PathBuf;

pub use listing::{Listed, catalogue};

use crate::evaluation::Evaluation;
use crate::paths::FileUse;
use crate::rules::{FileVerdict, Origin, Rule, RuleFile, Verdict, shipped};
use crate::world::World;

/// The rules in force.
#[derive(Debug, Clone)]
pub struct Policy {
    entries: Vec<Entry>,
    /// The trailer that commits get.
    trailer: Option<String>,
}

/// A rule, and where it comes from.
#[derive(Debug, Clone)]
struct Entry {
    rule: Rule,
    origin: Origin,
    /// The file and the line; `None` for what is shipped.
    place: Option<(PathBuf, usize)>,
    /// Why it is not used.
    off: Option<String>,
}

impl Policy {
    /// The rules that come with tau.
    pub fn shipped() -> Self {
        Self::with_layers(None, None, Vec::new(), None)
    }

    /// The rules that come with tau, with those of the user, of the project, and of settings files of Claude Code. A project
    /// that is not trusted only adds rules that warn, ask or block. Commits get the trailer, as
    /// `Co-authored-by: PI (a model) <noreply@pi.dev>`.
    pub fn with_layers(
        user: Option<RuleFile>,
        project: Option<(RuleFile, bool)>,
        claude: Vec<RuleFile>,
        trailer: Option<String>,
    ) -> Self {
        let entry = |rule: &Rule| Entry { rule: rule.clone(), origin: Origin::Shipped, place: None, off: None };
        let mut policy = Self { entries: shipped().rules.iter().map(entry).collect(), trailer };
        if let Some(file) = &user {
            policy.add(file, Origin::User, true);
        }
        if let Some((file, is_trusted)) = &project {
            policy.add(file, Origin::Project, *is_trusted);
        }
        for file in &claude {
            policy.add(file, Origin::Claude, true);
        }
        policy
    }

    /// What the rules say about a command.
    pub fn judge(&self, evaluation: Evaluation, world: &dyn World) -> Verdict {
        judge::command(self, evaluation, world)
    }

    /// What the rules say about the use of a file by a tool.
    pub fn judge_file(&self, file: &FileUse, world: &dyn World) -> FileVerdict {
        judge::file(self, file, world)
    }

    /// All rules in the order in which they are asked, those that are switched off too.
    pub fn rules(&self, world: &dyn World) -> Vec<Listed> {
        self.entries.iter().map(|entry| entry.listed(world)).collect()
    }

    /// One rule by its id: of several the one that was added last.
    pub fn rule(&self, id: &str, world: &dyn World) -> Option<Listed> {
        self.entries.iter().rev().find(|entry| entry.rule.id == id).map(|entry| entry.listed(world))
    }
}
