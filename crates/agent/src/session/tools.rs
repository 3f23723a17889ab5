//! The tools of a session: which exist, and which the model may call.

use std::sync::Arc;

use parking_lot::RwLock;
use tau_ai::ToolDeclaration;
use tau_hooks::Hooks;
use tau_tools::todo::TODO_WRITE;
use tau_tools::{Tool, ToolSpec};

/// Which tools a session starts with, as the user chose on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolChoice {
    /// Only these, built-in or not, in this order; the default set when absent.
    pub only: Option<Vec<String>>,
    /// Never these.
    pub exclude: Vec<String>,
    /// No built-in tools, unless `only` names them.
    pub no_builtin: bool,
    /// No tools at all, unless `only` names them.
    pub none: bool,
    /// The built-in tools of the default set, in this order; `None` for tau's own.
    pub default: Option<Vec<String>>,
    /// Active in addition to the default set.
    pub also: Vec<String>,
}

/// A tool and who brought it; `None` for tau itself.
#[derive(Clone)]
pub(crate) struct ToolEntry {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) extension: Option<Arc<str>>,
}

pub(crate) struct ToolSet {
    choice: ToolChoice,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    builtin: Vec<Arc<dyn Tool>>,
    all: Vec<ToolEntry>,
    active: Vec<String>,
    seen: Vec<String>,
    /// Made when they are asked for the first time after a change.
    declarations: Option<Arc<[ToolDeclaration]>>,
}

impl State {
    fn active_entries(&self) -> Vec<ToolEntry> {
        let find = |name: &String| self.all.iter().find(|entry| entry.tool.spec().name == *name).cloned();
        self.active.iter().filter_map(find).collect()
    }
}

impl ToolSet {
    pub(crate) fn new(builtin: Vec<Arc<dyn Tool>>, choice: ToolChoice) -> Self {
        Self { choice, state: RwLock::new(State { builtin, ..State::default() }) }
    }

    /// Takes in the tools of extensions. Tools that are new become active if the user's choice lets them.
    pub(crate) fn refresh(&self, hooks: &Hooks) {
        let extensions = hooks.tools();
        let mut state = self.state.write();
        let mut all: Vec<ToolEntry> = Vec::new();
        for tool in &state.builtin {
            let name = &tool.spec().name;
            if !extensions.iter().any(|(_, other)| other.spec().name == *name) {
                all.push(ToolEntry { tool: Arc::clone(tool), extension: None });
            }
        }
        for (owner, tool) in extensions {
            all.push(ToolEntry { tool, extension: Some(Arc::clone(&owner.path)) });
        }
        all.retain(|entry| self.choice.allows(&entry.tool.spec().name));
        let State { active, seen, .. } = &mut *state;
        let mut fresh: Vec<String> = Vec::new();
        for entry in &all {
            let name = &entry.tool.spec().name;
            if !seen.contains(name) {
                seen.push(name.clone());
                if self.choice.starts_active(name, entry.extension.is_some()) {
                    fresh.push(name.clone());
                }
            }
        }
        if let Some(order) = self.choice.only.as_ref().or(self.choice.default.as_ref()) {
            fresh.sort_by_key(|name| order.iter().position(|other| other == name).unwrap_or(order.len()));
        }
        active.extend(fresh);
        active.retain(|name| all.iter().any(|entry| entry.tool.spec().name == *name));
        state.all = all;
        state.declarations = None;
    }

    /// What the user chose on the command line.
    pub(super) fn choice(&self) -> &ToolChoice {
        &self.choice
    }

    /// Other built-in tools, as for another working directory.
    pub(crate) fn renew(&self, builtin: Vec<Arc<dyn Tool>>) {
        self.state.write().builtin = builtin;
    }

    /// Forgets what was switched on and off: the next refresh makes the choice of a session that begins.
    pub(crate) fn forget_choices(&self) {
        let mut state = self.state.write();
        state.active.clear();
        state.seen.clear();
    }

    /// The active tool of a name.
    pub(crate) fn active(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let state = self.state.read();
        if !state.active.iter().any(|active| active == name) {
            return None;
        }
        state.all.iter().find(|entry| entry.tool.spec().name == name).map(|entry| Arc::clone(&entry.tool))
    }

    /// The active tools with who brought them, in the order they were activated.
    pub(crate) fn active_entries(&self) -> Vec<ToolEntry> {
        self.state.read().active_entries()
    }

    pub(crate) fn active_names(&self) -> Vec<String> {
        self.state.read().active.clone()
    }

    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.state.read().all.iter().map(|entry| entry.tool.spec().clone()).collect()
    }

    /// Makes these tools active and no others; unknown names are ignored.
    pub(crate) fn activate(&self, names: &[String]) {
        let mut state = self.state.write();
        let mut active: Vec<String> = Vec::new();
        for name in names {
            if !active.contains(name) && state.all.iter().any(|entry| entry.tool.spec().name == *name) {
                active.push(name.clone());
            }
        }
        state.active = active;
        state.declarations = None;
    }

    /// The active tools as the provider is told of them.
    pub(crate) fn declarations(&self) -> Arc<[ToolDeclaration]> {
        if let Some(known) = &self.state.read().declarations {
            return Arc::clone(known);
        }
        let mut state = self.state.write();
        let entries = state.active_entries();
        let declare = |entry: &ToolEntry| {
            let spec = entry.tool.spec();
            ToolDeclaration {
                name: spec.name.clone(),
                description: spec.description.clone(),
                parameters: spec.parameters.clone(),
            }
        };
        let declarations: Arc<[ToolDeclaration]> = entries.iter().map(declare).collect();
        state.declarations = Some(Arc::clone(&declarations));
        declarations
    }
}

impl ToolChoice {
    fn allows(&self, name: &str) -> bool {
        if self.exclude.iter().any(|other| other == name) {
            return false;
        }
        match &self.only {
            Some(only) => only.iter().any(|other| other == name),
            None => !self.none,
        }
    }

    fn starts_active(&self, name: &str, from_extension: bool) -> bool {
        if self.only.is_some() || self.also.iter().any(|other| other == name) {
            return true;
        }
        let by_default = || match &self.default {
            Some(names) => names.iter().any(|other| other == name),
            None => tau_tools::DEFAULT_ACTIVE.contains(&name),
        };
        from_extension || !self.no_builtin && (name == TODO_WRITE || by_default())
    }

    /// Whether a built-in tool is wanted that is not there otherwise: somebody names it, or the settings ask for it.
    pub(super) fn wants(&self, name: &str, by_settings: bool) -> bool {
        let named = |list: &[String]| list.iter().any(|other| other == name);
        match &self.only {
            Some(only) => named(only),
            None => named(&self.also) || (by_settings && !self.no_builtin && !self.none),
        }
    }
}
