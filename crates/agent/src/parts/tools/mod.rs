//! The tools of a session: which exist, and which the model may call.

mod loadout;
mod recorded;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tau_ai::ToolDeclaration;
use tau_hooks::Hooks;
use tau_session::RecordedTools;
use tau_tools::{Exposure, LoadoutChanges, Tool, ToolSpec};

use super::lock::{Part, Rank, RwLock};
use super::tool_choice::Selection;

const TOOLS: Rank = Rank::new(Part::Choices, 1);

/// The tool that finds tools that requests do not declare.
const SEARCH: &str = "tool_search";

/// A tool and who brought it; `None` for tau itself.
#[derive(Clone)]
pub(crate) struct ToolEntry {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) extension: Option<Arc<str>>,
}

impl ToolEntry {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn name(&self) -> &str {
        &self.spec().name
    }

    fn is_built_in(&self) -> bool {
        self.extension.is_none()
    }
}

/// The tools of a session.
pub(crate) struct ToolSet(RwLock<State>);

#[derive(Default)]
struct State {
    selection: Selection,
    builtin: Vec<Arc<dyn Tool>>,
    /// Every tool there is, those that the user does not allow included.
    known: Vec<ToolEntry>,
    /// The tools that are registered: those that the user allows.
    all: Vec<ToolEntry>,
    /// Where each of them is, by name.
    places: HashMap<String, usize>,
    /// In the order in which they became active.
    active: Vec<String>,
    /// The same, to find one.
    on: HashSet<String>,
    /// The tools that became active because they were there. They do not become active for that reason again.
    seen: HashSet<String>,
    /// What shall be active as soon as it is registered.
    pending: Vec<String>,
    /// What the branch of the session says.
    recorded: Option<RecordedTools>,
    /// The active tools may be others than those that are recorded.
    changed: bool,
    /// What tools say about how the active ones are shown.
    shown: LoadoutChanges,
    /// The active tools may have changed since tools were asked for that.
    unprepared: bool,
    /// Made when they are asked for the first time after a change.
    declarations: Option<Arc<[ToolDeclaration]>>,
}

impl State {
    fn entry(&self, name: &str) -> Option<&ToolEntry> {
        self.all.get(*self.places.get(name)?)
    }

    fn is_active(&self, name: &str) -> bool {
        self.on.contains(name)
    }

    /// Makes these tools active and no others, as far as they can be. Those that were active before keep their places,
    /// the rest follows as it is named: the beginning of a request stays what it was.
    fn set_active(&mut self, names: &[String]) {
        let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
        let can_search = self.entry(SEARCH).is_some();
        let possible: HashSet<&str> = self
            .all
            .iter()
            .filter(|entry| wanted.contains(entry.name()) && self.selection.may_be_active(entry.spec(), can_search))
            .map(ToolEntry::name)
            .collect();
        let mut active: Vec<String> = Vec::with_capacity(possible.len());
        let mut taken: HashSet<&str> = HashSet::new();
        for name in self.active.iter().chain(names) {
            if let Some(name) = possible.get(name.as_str())
                && taken.insert(name)
            {
                active.push((*name).to_owned());
            }
        }
        self.pending.retain(|name| !taken.contains(name.as_str()));
        if active != self.active {
            self.changed = true;
        }
        self.on = active.iter().cloned().collect();
        self.active = active;
        self.unprepared = true;
        self.declarations = None;
    }

    fn forget_active(&mut self) {
        self.active.clear();
        self.on.clear();
    }

    /// The tools that are active in a session that begins, in the order of the user's lists.
    fn at_start(&self) -> Vec<String> {
        let starts = |entry: &&ToolEntry| self.selection.starts_active(entry.spec(), entry.is_built_in());
        self.in_order(self.all.iter().filter(starts).map(|entry| entry.name().to_owned()).collect())
    }

    fn in_order(&self, mut names: Vec<String>) -> Vec<String> {
        let order = self.selection.order();
        names.sort_by_key(|name| order.iter().position(|other| other == name).unwrap_or(order.len()));
        names
    }

    fn is_callable(&self, entry: &ToolEntry) -> bool {
        match entry.spec().exposure {
            Exposure::Direct => self.is_active(entry.name()),
            Exposure::Codemode | Exposure::Deferred => true,
            Exposure::ModelOnly | Exposure::Hidden => false,
        }
    }

    fn declare(&self, name: &str) -> Option<ToolDeclaration> {
        self.entry(name).map(|entry| {
            let ToolSpec { name, description, parameters, constrained_sampling, .. } = entry.spec().clone();
            ToolDeclaration { name, description, parameters, constrained_sampling }
        })
    }
}

impl ToolSet {
    pub(crate) fn new(builtin: Vec<Arc<dyn Tool>>, selection: Selection) -> Self {
        Self(RwLock::new(TOOLS, State { selection, builtin, ..State::default() }))
    }

    /// Takes in the tools of extensions. Tools that are new become active if the user's choice lets them.
    pub(crate) fn refresh(&self, hooks: &Hooks) {
        let extensions = hooks.tools();
        let mut state = self.0.write();
        let own = |tool: &Arc<dyn Tool>| ToolEntry { tool: Arc::clone(tool), extension: None };
        let mut known: Vec<ToolEntry> = state.builtin.iter().map(own).collect();
        let built_in = known.len();
        for (owner, tool) in extensions {
            let entry = ToolEntry { tool, extension: Some(Arc::clone(&owner.path)) };
            // What replaces a built-in tool takes its place in the list.
            match known[..built_in].iter().position(|own| own.name() == entry.name()) {
                Some(place) => known[place] = entry,
                None => known.push(entry),
            }
        }
        state.all = known.iter().filter(|entry| state.selection.allows(entry.name())).cloned().collect();
        state.places = state.all.iter().enumerate().map(|(place, entry)| (entry.name().to_owned(), place)).collect();
        state.known = known;

        let mut fresh: Vec<String> = Vec::new();
        let State { all, selection, seen, .. } = &mut *state;
        for entry in all.iter() {
            match selection.starts_active(entry.spec(), entry.is_built_in()) {
                true if seen.insert(entry.name().to_owned()) => fresh.push(entry.name().to_owned()),
                true => {}
                // When that changes, the tool is new.
                false => {
                    seen.remove(entry.name());
                }
            }
        }
        let fresh = state.in_order(fresh);
        let lost: Vec<String> = state.active.iter().filter(|name| state.entry(name).is_none()).cloned().collect();
        let names: Vec<String> = state.active.iter().chain(&fresh).chain(&state.pending).cloned().collect();
        state.set_active(&names);
        // A tool that an extension brings late after it was loaded again is as active as it was.
        let State { pending, selection, .. } = &mut *state;
        pending.extend(lost.into_iter().filter(|name| selection.allows(name)));
    }

    /// What the user chose on the command line, with the settings.
    pub(crate) fn selection(&self) -> Selection {
        self.0.read().selection.clone()
    }

    /// Uses the default set of other settings. Tools that it has in addition become active with the next refresh.
    pub(crate) fn set_default(&self, setting: Option<Vec<String>>) {
        let mut state = self.0.write();
        state.selection = std::mem::take(&mut state.selection).with_default(setting);
    }

    /// Other built-in tools, as for another working directory.
    pub(crate) fn renew(&self, builtin: Vec<Arc<dyn Tool>>) {
        self.0.write().builtin = builtin;
    }

    /// Forgets what was switched on and off: the next refresh makes the choice of a session that begins.
    pub(crate) fn forget_choices(&self) {
        let mut state = self.0.write();
        state.forget_active();
        state.seen.clear();
        state.pending.clear();
        state.recorded = None;
        state.changed = true;
    }

    /// The active tool of a name.
    pub(crate) fn active(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let state = self.0.read();
        state.entry(name).filter(|_| state.is_active(name)).map(|entry| Arc::clone(&entry.tool))
    }

    /// The extension that the tool of a name came from; `None` for one of the program.
    pub(crate) fn owner(&self, name: &str) -> Option<Arc<str>> {
        self.0.read().entry(name)?.extension.clone()
    }

    /// The tool of a name that other tools may call: an active `direct` one, or any `codemode` or `deferred` one that is
    /// registered.
    pub(crate) fn callable(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let state = self.0.read();
        let entry = state.entry(name)?;
        state.is_callable(entry).then(|| Arc::clone(&entry.tool))
    }

    /// How the tools present themselves that other tools may call.
    pub(crate) fn callable_specs(&self) -> Vec<ToolSpec> {
        let state = self.0.read();
        state.all.iter().filter(|entry| state.is_callable(entry)).map(|entry| entry.spec().clone()).collect()
    }

    /// The active tools with who brought them, in the order they were activated.
    pub(crate) fn active_entries(&self) -> Vec<ToolEntry> {
        let state = self.0.read();
        state.active.iter().filter_map(|name| state.entry(name).cloned()).collect()
    }

    pub(crate) fn active_names(&self) -> Vec<String> {
        self.0.read().active.clone()
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.0.read().all.iter().map(|entry| entry.spec().clone()).collect()
    }

    /// Makes these tools active and no others; unknown names are ignored.
    pub(crate) fn activate(&self, names: &[String]) {
        let mut state = self.0.write();
        let before = state.active.clone();
        state.set_active(names);
        // A list that only adds tools keeps what is pending.
        if before.iter().any(|name| !state.is_active(name)) {
            state.pending.clear();
        }
    }

    /// The names that are waited for while no tool is active.
    pub(crate) fn all_missing(&self) -> Option<Vec<String>> {
        let state = self.0.read();
        (state.active.is_empty() && !state.pending.is_empty()).then(|| state.pending.clone())
    }

    /// The tools that the command line names one by one and that no model ever sees.
    pub(crate) fn hidden_and_wanted(&self) -> Vec<String> {
        let state = self.0.read();
        let wanted =
            |entry: &&ToolEntry| entry.spec().exposure == Exposure::Hidden && state.selection.is_named(entry.name());
        state.known.iter().filter(wanted).map(|entry| entry.name().to_owned()).collect()
    }

    /// What the user named and nothing fits, with where it was named, and what was probably meant.
    pub(crate) fn unmatched(&self) -> Vec<(&'static str, String, Option<String>)> {
        let state = self.0.read();
        let known: Vec<String> = state.known.iter().map(|entry| entry.name().to_owned()).collect();
        let nearest = |entry: &str| {
            let name = entry.trim_start_matches(['+', '-']);
            let near = |known: &&String| strsim::damerau_levenshtein(known, name) <= (name.len() / 2).min(2);
            known.iter().filter(near).min_by_key(|known| strsim::damerau_levenshtein(known, name)).cloned()
        };
        let lost = state.selection.unmatched(&known).into_iter();
        lost.map(|(place, entry)| {
            let near = nearest(&entry);
            (place, entry, near)
        })
        .collect()
    }

    /// The active tools as the provider is told of them.
    pub(crate) fn declarations(&self) -> Arc<[ToolDeclaration]> {
        if let Some(known) = &self.0.read().declarations {
            return Arc::clone(known);
        }
        let mut state = self.0.write();
        let LoadoutChanges { descriptions, hidden_declarations } = &state.shown;
        let shown = state.active.iter().filter(|name| !hidden_declarations.contains(name));
        let described = |tool: ToolDeclaration| match descriptions.get(&tool.name) {
            Some(description) => ToolDeclaration { description: description.clone(), ..tool },
            None => tool,
        };
        let declarations: Arc<[ToolDeclaration]> =
            shown.filter_map(|name| state.declare(name).map(described)).collect();
        state.declarations = Some(Arc::clone(&declarations));
        declarations
    }
}
