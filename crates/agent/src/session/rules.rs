//! The stream rules of a session.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tau_hooks::Report;

use super::AgentSession;
use crate::resources::Resources;
use crate::rules::{Memory, PatternEngine, RuleSet};

/// The rules and what is remembered of them.
#[derive(Default)]
pub(super) struct StreamRules {
    /// Makes expressions ready; absent in programs that bring none.
    pub(super) engine: Option<Arc<dyn PatternEngine>>,
    /// `None` without rules.
    set: RwLock<Option<Arc<RuleSet>>>,
    memory: Mutex<Memory>,
}

impl StreamRules {
    pub(super) fn new(engine: Option<Arc<dyn PatternEngine>>) -> Self {
        Self { engine, ..Self::default() }
    }
}

impl AgentSession {
    /// Makes the rules among the resources ready, and adds what is wrong with them.
    pub(super) fn renew_rules(&self, resources: &mut Resources) {
        let settings = self.settings.snapshot().rules();
        let mut set = self.stream_rules.set.write();
        if resources.rules.is_empty() {
            *set = None;
            return;
        }
        let Some(engine) = &self.stream_rules.engine else {
            tracing::debug!(target: "tau::rules", "there are stream rules, but nothing to look for them with");
            return;
        };
        if !set.as_ref().is_some_and(|set| set.is_of(&resources.rules, settings)) {
            *set = match RuleSet::new(&resources.rules, &**engine, settings) {
                Ok(made) => Some(Arc::new(made)),
                Err(error) => {
                    self.hooks.dispatcher.reports.send(&Report::diagnostic("rules", "resources", error.to_string()));
                    None
                }
            };
        }
        resources.diagnostics.extend(set.iter().flat_map(|set| set.diagnostics().iter().cloned()));
    }

    /// The rules that are ready, if there are any.
    pub(crate) fn rule_set(&self) -> Option<Arc<RuleSet>> {
        self.stream_rules.set.read().clone()
    }

    /// The rules cannot be used any more.
    pub(crate) fn drop_rules(&self) {
        *self.stream_rules.set.write() = None;
    }

    /// What is remembered of the rules.
    pub(crate) fn rule_memory(&self) -> &Mutex<Memory> {
        &self.stream_rules.memory
    }
}
