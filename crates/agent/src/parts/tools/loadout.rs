//! How the active tools are shown to the model, as some of them ask.

use std::collections::BTreeMap;

use tau_tools::{Loadout, LoadoutChanges};

use super::{ToolEntry, ToolSet};

impl ToolSet {
    /// The active tools that requests do not declare.
    pub(crate) fn hidden(&self) -> Vec<String> {
        let state = self.0.read();
        state.shown.hidden_declarations.iter().filter(|name| state.is_active(name)).cloned().collect()
    }

    /// What the model reads in place of the descriptions of tools, by name.
    pub(crate) fn descriptions(&self) -> BTreeMap<String, String> {
        self.0.read().shown.descriptions.clone()
    }

    /// The active tools that have a say in how tools are shown, and what they get. `None` when they were asked since
    /// the active tools changed, unless they shall be asked `anyway`, and when there are none.
    pub(crate) fn to_prepare(&self, anyway: bool) -> Option<(Vec<ToolEntry>, Loadout)> {
        let mut state = self.0.write();
        if !std::mem::take(&mut state.unprepared) && !anyway {
            return None;
        }
        let active = state.active.iter().filter_map(|name| state.entry(name));
        let asked: Vec<ToolEntry> = active.filter(|entry| entry.tool.prepares_loadout()).cloned().collect();
        if asked.is_empty() && state.shown == LoadoutChanges::default() {
            return None;
        }
        let callable = state.all.iter().filter(|entry| state.is_callable(entry));
        let loadout = Loadout {
            declared: state.active.clone(),
            callable: callable.map(|entry| entry.name().to_owned()).collect(),
            registered: state.all.iter().map(|entry| entry.spec().clone()).collect(),
        };
        Some((asked, loadout))
    }

    /// Asks the tools again the next time, because nobody waited for their answers.
    pub(crate) fn prepare_again(&self) {
        self.0.write().unprepared = true;
    }

    /// Shows the active tools like this; whether that is something else than before.
    pub(crate) fn show(&self, changes: LoadoutChanges) -> bool {
        let mut state = self.0.write();
        let other = state.shown != changes;
        if other {
            state.shown = changes;
            state.declarations = None;
        }
        other
    }
}
