//! What a session's file says about its tools, against the tools that are active.

use std::collections::HashSet;

use tau_ai::ToolDeclaration;
use tau_session::RecordedTools;
use tau_tools::DEFAULT_ACTIVE;
use tau_tools::todo::TODO_WRITE;

use super::{State, ToolEntry, ToolSet};

/// How the active tools differ from what the session's file says.
pub(crate) struct ToolChange {
    pub(crate) added: Vec<ToolDeclaration>,
    pub(crate) removed: Vec<String>,
}

impl State {
    /// The tools that pi would begin a session with if neither flags nor settings said anything.
    fn usual(&self) -> HashSet<&str> {
        let usual = |entry: &&ToolEntry| {
            if entry.is_built_in() { DEFAULT_ACTIVE.contains(&entry.name()) } else { entry.spec().starts_active() }
        };
        self.known.iter().filter(usual).map(ToolEntry::name).collect()
    }

    /// The tools of extensions that become active in a session that does not mention them. One in the place of a built-in
    /// tool does not: the session would have mentioned that.
    fn newcomers(&self) -> impl Iterator<Item = &ToolEntry> {
        let replaces = |entry: &ToolEntry| self.builtin.iter().any(|own| own.spec().name == entry.name());
        self.known.iter().filter(move |entry| entry.spec().starts_active() && !entry.is_built_in() && !replaces(entry))
    }
}

impl ToolSet {
    /// Makes active what a branch of the session says, and the tools of extensions that it does not mention; what is not
    /// registered becomes active when it is, until the next run. `opened` says that the session was just opened: then
    /// flags win. A branch that says nothing has the tools that a session begins with.
    pub(crate) fn restore(&self, recorded: Option<RecordedTools>, opened: bool) {
        let mut state = self.0.write();
        state.pending.clear();
        state.changed = true;
        let names = match &recorded {
            Some(_) if opened && !state.selection.leaves_tools_to_session() => None,
            Some(recorded) => {
                let new = state.newcomers().filter(|entry| {
                    !recorded.mentioned.contains(entry.name()) && state.selection.starts_active(entry.spec(), false)
                });
                let new = new.map(|entry| entry.name().to_owned());
                let names = recorded.active.iter().cloned().chain(new).collect();
                Some(if opened { state.selection.edited(names) } else { names })
            }
            None => (!opened).then(|| state.at_start()),
        };
        state.recorded = recorded;
        if let Some(names) = names {
            let absent = |name: &&String| state.entry(name).is_none() && state.selection.allows(name);
            let pending = names.iter().filter(absent).cloned().collect();
            // The order is that of the branch: the beginning of its requests is what it was.
            state.forget_active();
            state.set_active(&names);
            state.pending = pending;
        }
    }

    /// Tools that are not registered by now are not waited for any more.
    pub(crate) fn stop_waiting(&self) {
        let mut state = self.0.write();
        state.pending.clear();
    }

    /// What is to be recorded; `None` when the session says it already, or when it is what every session begins with.
    pub(crate) fn unrecorded(&self) -> Option<ToolChange> {
        let mut state = self.0.write();
        if !std::mem::take(&mut state.changed) {
            return None;
        }
        let state = &*state;
        let unmentioned = |mentioned: &HashSet<String>| -> Vec<String> {
            let off = |entry: &&ToolEntry| !state.is_active(entry.name()) && !mentioned.contains(entry.name());
            state.newcomers().filter(off).map(|entry| entry.name().to_owned()).collect()
        };
        let declare = |names: Vec<&String>| names.into_iter().filter_map(|name| state.declare(name)).collect();
        let change = match &state.recorded {
            None => {
                let active: HashSet<&str> =
                    state.active.iter().map(String::as_str).filter(|name| *name != TODO_WRITE).collect();
                if active == state.usual() {
                    return None;
                }
                ToolChange { added: declare(state.active.iter().collect()), removed: unmentioned(&HashSet::new()) }
            }
            Some(recorded) => {
                let before: HashSet<&String> = recorded.active.iter().collect();
                let new = state.active.iter().filter(|name| !before.contains(name)).collect();
                // A tool that this program does not have was not switched off.
                let all: HashSet<&str> = state.known.iter().map(ToolEntry::name).collect();
                let known = |name: &&String| all.contains(name.as_str());
                let off = recorded.active.iter().filter(|name| !state.is_active(name)).filter(known);
                let mut removed: Vec<String> = off.cloned().collect();
                removed.extend(unmentioned(&recorded.mentioned));
                ToolChange { added: declare(new), removed }
            }
        };
        let nothing = change.added.is_empty() && change.removed.is_empty() && state.recorded.is_some();
        (!nothing).then_some(change)
    }

    /// A change is in the session, or could not be brought there and has to be recorded with the next.
    pub(crate) fn note_recorded(&self, change: &ToolChange, done: bool) {
        let mut state = self.0.write();
        if done {
            let added = change.added.iter().map(|tool| tool.name.as_str());
            let removed = change.removed.iter().map(String::as_str);
            state.recorded.get_or_insert_default().change(added, removed);
        } else {
            state.changed = true
        }
    }
}
