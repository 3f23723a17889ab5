//! Loading several extensions as one set: what could not be loaded, who comes first, and the gates of those that are not
//! there.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Hooks, Loaded};
use crate::dialect::Commands;
use crate::error::HandlerError;
use crate::events::{EventId, TABLE};
use crate::extension::Registered;
use crate::owner::{Owner, answers_to};
use crate::report::Report;
use crate::table::Failure;

/// An extension that was removed, and the gates it guarded.
pub(super) struct Guard {
    pub(super) path: Arc<str>,
    pub(super) gates: Vec<EventId>,
}

/// An extension that could not be loaded.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("Failed to load extension \"{path}\": {error}")]
pub struct LoadError {
    /// Its file, or `<native:name>`.
    pub path: String,
    /// Why.
    pub error: HandlerErrorText,
}

impl LoadError {
    /// What `error` means for the extension with this path.
    pub fn new(path: impl Into<String>, error: &HandlerError) -> Self {
        let text = match error {
            HandlerError::Failed { message, location: Some(location), .. } => format!("{message} ({location})"),
            error => error.to_string(),
        };
        Self { path: path.into(), error: HandlerErrorText(text) }
    }

    /// Whether this is about the extension with that path, or about a folder around it or a file that lists it.
    pub fn concerns(&self, path: &str) -> bool {
        path.strip_prefix(self.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']))
    }
}

/// An extension without which the gates stay shut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    /// As the user names it.
    pub name: String,
    /// Who wants it.
    pub demand: Demand,
    /// The paths of the extensions that are good enough; `None` for any that answers to the name.
    pub by: Option<Vec<Arc<str>>>,
    /// The path of an extension that answers to the name and is not good enough, or takes its place, for the reason.
    pub other: Option<Arc<str>>,
}

/// Who wants an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// A setting.
    Setting,
    /// The command line.
    CommandLine,
    /// Nobody knows: the file of this name may demand extensions and cannot be read.
    Unknown,
}

impl From<String> for Required {
    fn from(name: String) -> Self {
        Self { name, demand: Demand::Setting, by: None, other: None }
    }
}

impl Required {
    fn is_met_by(&self, owner: &Owner) -> bool {
        match &self.by {
            Some(paths) => paths.contains(&owner.path),
            None => owner.answers_to(&self.name),
        }
    }

    fn is_about(&self, failure: &LoadError) -> bool {
        let stem = std::path::Path::new(&failure.path).file_stem().and_then(|stem| stem.to_str());
        answers_to(&failure.path, stem.unwrap_or_default(), &self.name)
            || failure.path == format!("<native:{}>", self.name)
            || self.by.iter().flatten().any(|path| failure.concerns(path))
    }

    /// Why the gates are shut without it.
    fn error(&self, failures: &[LoadError]) -> HandlerError {
        match self.demand {
            // A file of settings is no extension.
            Demand::Unknown => HandlerError::msg(format!("Blocked: {}", self.why(failures))),
            Demand::Setting | Demand::CommandLine => HandlerError::Absent(self.why(failures)),
        }
    }

    /// The same in words.
    fn why(&self, failures: &[LoadError]) -> String {
        let failure = failures.iter().find(|failure| self.is_about(failure));
        if self.demand == Demand::Setting && self.name.trim().is_empty() {
            return "tau.required holds an empty text, which names no extension: every gate stays shut until you remove it"
                .to_owned();
        }
        match (self.demand, failure, &self.other) {
            (Demand::CommandLine, Some(failure), _) => {
                format!("it was named on the command line but could not be loaded: {}", failure.error)
            }
            (Demand::CommandLine, None, _) => "it was named on the command line but is not loaded".to_owned(),
            (Demand::Setting, Some(failure), _) => format!("it is required but {failure}"),
            (Demand::Setting, None, Some(other)) if self.name.starts_with("builtin:") => format!(
                "tau.required names it, but {other} takes its place; set tau.preferBuiltin to true in your settings to use the \
                 built-in one"
            ),
            (Demand::Setting, None, Some(other)) => format!(
                "tau.required names it, but it is not installed; {other} does not take its place, because a project can call a file \
                 anything: put its absolute path into tau.required if you mean it"
            ),
            (Demand::Setting, None, None) if self.name.starts_with("builtin:") => {
                "tau.required names it, but it is not on: switch it on in the settings, or leave out the flag that switches it off".to_owned()
            }
            (Demand::Setting, None, None) => "tau.required names it, but it is not installed".to_owned(),
            (Demand::Unknown, Some(failure), _) => {
                format!("the settings do not say clearly which guards you want: {}", failure.error)
            }
            (Demand::Unknown, None, _) => format!("{} does not say clearly which guards you want", self.name),
        }
    }
}

/// The text of a [`HandlerError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerErrorText(pub String);

impl From<String> for HandlerErrorText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl std::fmt::Display for HandlerErrorText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Hooks {
    /// Reports that an extension could not be loaded; shuts the gates if it guarded them before.
    pub fn failed_to_load(&self, path: &str, error: &HandlerError) -> LoadError {
        let failure = LoadError::new(path, error);
        self.dispatcher.reports.send(&Report::diagnostic(path, "load", failure.to_string()));
        for guard in self.guards.read().iter().filter(|guard| failure.concerns(&guard.path)) {
            self.shut_gates_of(guard, Some(&failure));
        }
        failure
    }

    pub(super) fn shut_gates_of(&self, guard: &Guard, failure: Option<&LoadError>) {
        self.dispatcher.shut_gates_of(Arc::clone(&guard.path), &guard.gates, why_shut(failure));
    }

    /// Begins to load a set of extensions whose order is only known when all of them are there: what they want from each
    /// other is told by [`Hooks::finish_set`].
    pub fn begin_set(&self) {
        self.set_from.store(self.next_rank.load(Ordering::Relaxed), Ordering::Relaxed);
        self.in_set.store(true, Ordering::Release);
    }

    /// Ends what [`Hooks::begin_set`] began. The extensions with these paths come first, in this order, then all others as
    /// they were loaded; handlers are called and names are given away in that order. Gates whose guards were removed
    /// open, but not those of a guard that failed to load again, and not when one of `required` is missing: see
    /// [`Hooks::require`].
    pub fn finish_set(&self, order: &[Arc<str>], required: &[Required], failures: &[LoadError]) {
        self.in_set.store(false, Ordering::Release);
        let mut loaded = self.loaded.write();
        let from = self.set_from.load(Ordering::Relaxed);
        let new: Vec<Arc<Owner>> =
            loaded.iter().map(|loaded| &loaded.owner).filter(|owner| owner.rank() >= from).cloned().collect();
        let is_new = |loaded: &Loaded| new.iter().any(|owner| Arc::ptr_eq(owner, &loaded.owner));
        let place = |owner: &Owner| order.iter().position(|path| *path == owner.path).unwrap_or(order.len());
        loaded.sort_by_key(|loaded| place(&loaded.owner));
        for entry in loaded.iter() {
            entry.owner.set_rank(self.next_rank.fetch_add(1, Ordering::Relaxed));
        }
        self.dispatcher.sort();
        let mut texts = Vec::new();
        for (index, entry) in loaded.iter().enumerate() {
            // What those that stayed want from each other was told before.
            let entry_is_new = is_new(entry);
            let others = loaded[..index].iter().filter(|other| entry_is_new || is_new(other));
            let conflicts = conflicts(&others.collect::<Vec<_>>(), entry);
            texts.extend(conflicts.into_iter().map(|text| (Arc::clone(&entry.owner.path), text)));
        }
        drop(loaded);
        for (path, text) in texts {
            self.dispatcher.reports.send(&Report::diagnostic(path, "load", text));
        }
        let mut shut = Vec::new();
        self.guards.write().retain(|guard| {
            let failure = failures.iter().find(|failure| failure.concerns(&guard.path));
            if let Some(failure) = failure {
                shut.push((Arc::clone(&guard.path), guard.gates.clone(), why_shut(Some(failure))));
            }
            failure.is_some()
        });
        let missing = self.missing(required, failures);
        shut.extend(missing.into_iter().map(|(name, error)| (name, Vec::new(), error)));
        self.dispatcher.replace_gates(shut);
    }

    /// Shuts, while a set is loaded, the gates of guards that could not be loaded: for a question that is asked before the
    /// set is complete.
    pub fn shut_early(&self, failures: &[LoadError]) {
        for guard in self.guards.read().iter() {
            if let Some(failure) = failures.iter().find(|failure| failure.concerns(&guard.path)) {
                self.shut_gates_of(guard, Some(failure));
            }
        }
    }

    /// Shuts the gates unless every one of these extensions is loaded. `failures` are the load errors so far, for
    /// the reason; a name stands for an extension's short name or path.
    pub fn require(&self, required: &[Required], failures: &[LoadError]) {
        for (name, error) in self.missing(required, failures) {
            self.dispatcher.shut_gates_of(name, &[], error);
        }
    }

    /// Those that are not loaded, and why; the user is told.
    fn missing(&self, required: &[Required], failures: &[LoadError]) -> Vec<(Arc<str>, HandlerError)> {
        let mut missing = Vec::new();
        for required in required {
            if self.loaded.read().iter().any(|loaded| required.is_met_by(&loaded.owner)) {
                continue;
            }
            let told = match required.demand {
                Demand::Setting => required.why(failures),
                // What is wrong with it was told when it was read.
                Demand::Unknown => {
                    "tool calls are blocked until you fix it: tau cannot tell which extensions you require".to_owned()
                }
                // What is wrong with it was told when it was loaded.
                Demand::CommandLine => {
                    "it was named on the command line but is not loaded: every tool call is blocked".to_owned()
                }
            };
            self.dispatcher.reports.send(&Report::diagnostic(required.name.as_str(), "load", told));
            missing.push((Arc::from(required.name.as_str()), required.error(failures)));
        }
        missing
    }

    /// Notes that an extension held gates when it was last loaded, as [`Hooks::unload`] does: when it fails to load, those
    /// are shut.
    pub fn remember_guard(&self, path: &str, gates: Vec<EventId>) {
        let is_loaded = self.loaded.read().iter().any(|loaded| *loaded.owner.path == *path);
        if is_loaded || gates.is_empty() {
            return;
        }
        let mut guards = self.guards.write();
        match guards.iter_mut().find(|guard| *guard.path == *path) {
            Some(guard) => gates.into_iter().for_each(|gate| {
                if !guard.gates.contains(&gate) {
                    guard.gates.push(gate);
                }
            }),
            None => guards.push(Guard { path: path.into(), gates }),
        }
    }

    /// All gates: the events that a handler can forbid.
    pub fn gates() -> impl Iterator<Item = EventId> {
        TABLE.iter().filter(|row| row.failure == Failure::Block).map(|row| row.id)
    }

    /// The gates whose events the extension handles, also those that only its dialect makes one.
    pub fn gates_of(&self, owner: &Arc<Owner>) -> Vec<EventId> {
        let handles = |event| self.dispatcher.handlers(event).iter().any(|handler| Arc::ptr_eq(&handler.owner, owner));
        let blocks = |event| (owner.dialect.rule)(event).is_some_and(|rule| rule.failure == Failure::Block);
        let is_bash = |event| event == crate::offers::BASH_GATE && owner.wraps_bash();
        TABLE.iter().map(|row| row.id).filter(|event| (blocks(*event) && handles(*event)) || is_bash(*event)).collect()
    }
}

fn why_shut(failure: Option<&LoadError>) -> HandlerError {
    HandlerError::Absent(match failure {
        Some(failure) => format!("it guarded this and could not be loaded again: {}", failure.error),
        None => "it guarded this and is not loaded at the moment".to_owned(),
    })
}

/// What a newly loaded extension wants that another one already has.
pub(super) fn conflicts(loaded: &[&Loaded], new: &Loaded) -> Vec<String> {
    let mut texts = Vec::new();
    let mut check = |what: &str, names: &dyn Fn(&Registered) -> Vec<String>, keeps: &dyn Fn(&Owner) -> &'static str| {
        let mine = names(&new.registered);
        if mine.is_empty() {
            return;
        }
        let mut owners: HashMap<String, &Owner> = HashMap::new();
        for other in loaded {
            for name in names(&other.registered) {
                owners.entry(name).or_insert(&other.owner);
            }
        }
        for name in mine {
            if let Some(other) = owners.get(&name) {
                let (path, keeps) = (&other.path, keeps(other));
                texts.push(format!("{what} \"{name}\" is also registered by {path}; {keeps}"));
            }
        }
    };
    let first = |_: &Owner| "the first one is used";
    let last = |_: &Owner| "the last one is used";
    check("Tool", &|r| r.tools.iter().map(|tool| tool.spec().name.clone()).collect(), &first);
    check("Flag", &|r| r.flags.iter().map(|flag| format!("--{}", flag.name)).collect(), &first);
    check("Shortcut", &|r| r.shortcuts.iter().map(|key| key.key.clone()).collect(), &last);
    check("Renderer", &|r| r.message_renderers.iter().map(|(name, _)| name.clone()).collect(), &first);
    check("Renderer of entries", &|r| r.entry_renderers.iter().map(|(name, _)| name.clone()).collect(), &first);
    check("Renderer of tool", &|r| r.tool_renderers.iter().map(|(name, _)| name.clone()).collect(), &first);
    check("Command", &|r| r.commands.iter().map(|command| format!("/{}", command.name)).collect(), &|other| match (
        other.dialect.commands,
        new.owner.dialect.commands,
    ) {
        (Commands::Numbered, Commands::Numbered) => "both get a number behind their name",
        (Commands::First, Commands::Numbered) => "the last one is used",
        (_, Commands::First) => "the first one is used",
    });
    texts
}
