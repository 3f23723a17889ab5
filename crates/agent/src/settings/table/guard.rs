//! The columns that say what the settings of a project may do to a key.

use super::key::Key;

/// How far a project's value of a guarded key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Not at all.
    UserOnly,
    /// Only while the user has no value of their own.
    UserFirst,
    /// Its list entries are added to the user's; nothing is removed.
    AddOnly,
    /// It can turn the switch on, not off.
    OnlyOn,
}

/// What is guarded: a key, or a section with everything in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The key, dotted; everything below it is guarded too.
    pub key: &'static str,
    /// What a project may still do.
    pub rule: Rule,
    /// Why, as shown to the user.
    pub reason: &'static str,
}

impl Guard {
    /// Whether it holds for this setting.
    pub fn covers<T>(&self, key: Key<T>) -> bool {
        key.name().strip_prefix(self.key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// What the column `guard` of a row holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GuardColumn {
    /// Only the user's file may set the key, with the reason.
    UserOnly(&'static str),
    /// A project may set the key while the user has not, with the reason.
    UserFirst(&'static str),
    /// A project may add entries, with the reason.
    AddOnly(&'static str),
    /// A project may switch the key on, with the reason.
    OnlyOn(&'static str),
    /// The section that the key is in is guarded as a whole.
    Section(Guard),
}

impl GuardColumn {
    /// The guard of the row with this key.
    pub(super) const fn of(self, key: &'static str) -> Guard {
        let (rule, reason) = match self {
            Self::UserOnly(reason) => (Rule::UserOnly, reason),
            Self::UserFirst(reason) => (Rule::UserFirst, reason),
            Self::AddOnly(reason) => (Rule::AddOnly, reason),
            Self::OnlyOn(reason) => (Rule::OnlyOn, reason),
            Self::Section(guard) => return guard,
        };
        Guard { key, rule, reason }
    }
}
