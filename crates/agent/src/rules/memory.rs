//! Which rules the model was told, and when.

use std::collections::HashMap;

use tau_session::{EntryBody, EntryKind, Session};

use crate::settings::RuleRepeat;

/// What a session remembers of its rules.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Which of the sessions that were open this is about.
    session: u64,
    /// Turns that ended since the session was opened.
    turns: u64,
    /// By name: the number of turns when the model was told last.
    told: HashMap<String, u64>,
}

impl Memory {
    /// Looks at the branch a run begins on. What was told on another branch was not told here, and what was told before
    /// the session was opened was told at its beginning.
    pub(crate) fn look_at(&mut self, number: u64, session: &Session) {
        if self.session != number {
            *self = Self { session: number, ..Self::default() };
        }
        let mut told = HashMap::new();
        for entry in session.branch_entries(EntryKind::TtsrInjection) {
            if let EntryBody::TtsrInjection(injection) = &*entry.body() {
                for name in &injection.injected_rules {
                    told.insert(name.clone(), self.told.get(name).copied().unwrap_or_default());
                }
            }
        }
        self.told = told;
    }

    /// A turn ended.
    pub(crate) fn turn_ended(&mut self) {
        self.turns += 1;
    }

    /// The model is told these rules.
    pub(crate) fn tell(&mut self, names: &[String]) {
        self.told.extend(names.iter().map(|name| (name.clone(), self.turns)));
    }

    /// Whether the model may be told a rule.
    pub(crate) fn may_tell(&self, name: &str, repeat: RuleRepeat) -> bool {
        match (self.told.get(name), repeat) {
            (None, _) => true,
            (Some(_), RuleRepeat::Once) => false,
            (Some(at), RuleRepeat::AfterGap(gap)) => self.turns.saturating_sub(*at) >= gap,
        }
    }
}
