//! The rules for people.

use std::path::PathBuf;

use super::{Entry, Policy};
use crate::rules::{Action, Origin, is_there};
use crate::world::World;

/// A rule for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub description: String,
    /// What it does.
    pub action: Action,
    /// Its group, as `dangerous`.
    pub group: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// Its file, and the line there; `None` for a shipped rule.
    pub place: Option<(PathBuf, usize)>,
    /// Where it applies, as `everywhere`.
    pub scope: String,
    /// Why it is not in force; `None` if it is.
    pub inactive: Option<String>,
    /// What it needs and is not there, as `program:uv`: it asks then instead of what it would do.
    pub missing: Vec<String>,
    /// What it says when it finds something, with placeholders.
    pub message: String,
    /// The nearest command that it allows.
    pub instead: Option<String>,
    /// What it catches.
    pub catches: String,
    /// What it cannot catch.
    pub misses: String,
}

/// The shipped rules for a page of documentation. Nothing is known about a machine, so all are active.
pub fn catalogue() -> Vec<Listed> {
    Policy::shipped().entries.iter().map(|entry| entry.with(None, Vec::new())).collect()
}

impl Entry {
    pub(super) fn listed(&self, world: &dyn World) -> Listed {
        self.with(self.off.clone(), self.missing(world))
    }

    /// What the rule needs and is not there.
    pub(super) fn missing(&self, world: &dyn World) -> Vec<String> {
        self.rule.needs.iter().filter(|what| !is_there(world, what)).cloned().collect()
    }

    fn with(&self, inactive: Option<String>, missing: Vec<String>) -> Listed {
        let Entry { rule, origin, place, .. } = self;
        Listed {
            id: rule.id.clone(),
            description: rule.description.clone(),
            action: rule.action,
            group: rule.group.clone(),
            origin: *origin,
            place: place.clone(),
            scope: rule.scope.shown(),
            inactive,
            missing,
            message: rule.message.clone(),
            instead: rule.instead.clone(),
            catches: rule.catches.clone(),
            misses: rule.misses.clone(),
        }
    }
}
