//! Which extensions held gates when they last loaded: a gate must not open because its guard cannot be loaded, not even
//! after a new start.
//!
//! The user's extensions are remembered for the user, those of a project with the project. What fails to load keeps the
//! gates shut that it held. What is not there any more, or is there and holds a gate no longer, is named once and then
//! forgotten: somebody took it away.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tau_hooks::events::EventId;
use tau_hooks::{Hooks, LoadError, Report};

use super::found::Found;
use crate::settings::{Environment, Layer, Settings};
use crate::state::{StateDir, StateError, StateFile};

/// The file, in the state of the user and in that of each project.
const FILE: &str = "gates";

/// What one file holds: extensions by their paths. Those in a project start at its folder, which may have several names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Guards {
    extensions: BTreeMap<String, Held>,
}

/// The gates of an extension, by the names of their events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Held {
    /// Those it held once the session had started.
    gates: BTreeSet<String>,
    /// Those it took later.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    later: BTreeSet<String>,
}

impl Held {
    fn events(&self) -> Vec<EventId> {
        self.gates.union(&self.later).filter_map(|name| EventId::parse(name)).collect()
    }

    fn names(&self) -> String {
        self.gates.union(&self.later).map(String::as_str).collect::<Vec<_>>().join(" and ")
    }
}

/// One file with what it held when the set of extensions was loaded.
struct Store {
    layer: Layer,
    /// Where relative paths start.
    base: PathBuf,
    file: StateFile<Guards>,
    /// `None` when it is damaged.
    known: Option<Guards>,
}

/// The memory of a set of extensions.
pub(super) struct GateMemory {
    stores: Vec<Store>,
    /// What of the past cannot be loaded now, although no file says so.
    lost: Vec<LoadError>,
}

/// An extension of the set, at the moment of a note.
pub(super) struct Guard {
    pub path: PathBuf,
    /// Whether it belongs to the project.
    pub of_project: bool,
    pub gates: Vec<EventId>,
}

/// When gates are noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// The session has started: what an extension holds now it holds each time.
    Started,
    /// The set ends.
    Ending,
}

impl GateMemory {
    /// Reads what is known of a place. A project that is not trusted is left alone.
    pub(super) fn open(env: &Environment, settings: &Settings, hooks: &Hooks) -> Self {
        let agent_dir = env.agent_dir();
        let user = Some((Layer::Global, StateDir::of_user(&agent_dir)));
        let project = settings.is_trusted().then(|| (Layer::Project, StateDir::of_project(&agent_dir, &env.cwd)));
        let stores = user.into_iter().chain(project).map(|(layer, dir)| {
            let file = dir.file::<Guards>(FILE);
            let known = match file.read() {
                Ok(known) => Some(known),
                Err(error) => {
                    tell(hooks, file.path(), &format!("{error}; an extension that fails to load counts as a gate"));
                    None
                }
            };
            Store { layer, base: env.cwd.clone(), file, known }
        });
        Self { stores: stores.collect(), lost: Vec::new() }
    }

    /// Makes the hooks remember what is not loaded, before the set is finished. Gives what could not be loaded besides
    /// `failures`: guards whose place cannot be looked into, or whose settings cannot be read.
    pub(super) fn recall(
        &mut self,
        settings: &Settings,
        found: &Found,
        failures: &[LoadError],
        hooks: &Hooks,
    ) -> &[LoadError] {
        let mut lost = Vec::new();
        for store in &self.stores {
            let Some(known) = &store.known else {
                for failure in failures {
                    hooks.remember_guard(&failure.path, Hooks::gates().collect());
                }
                continue;
            };
            for (name, held) in &known.extensions {
                let path = store.base.join(name);
                if is_found(found, &path) && !failures.iter().any(|failure| concerns(failure, &path)) {
                    continue;
                }
                hooks.remember_guard(&path.display().to_string(), held.events());
                let failed = failures.iter().any(|failure| concerns(failure, &path));
                if !failed && let Some(why) = why_lost(store.layer, &path, settings) {
                    lost.push(LoadError { path: path.display().to_string(), error: why.into() });
                }
                if failed || lost.iter().any(|lost| concerns(lost, &path)) {
                    let text = format!("it held {} when it last loaded, so that stays blocked", held.names());
                    tell(hooks, &path, &text);
                }
            }
        }
        self.lost = lost;
        &self.lost
    }

    /// Notes who holds which gates now, and who held some and is gone. Gives the changes to write, and what to tell.
    pub(super) fn note(
        &mut self,
        moment: Moment,
        guards: &[Guard],
        found: &Found,
        failures: &[LoadError],
    ) -> (Vec<Change>, Vec<Report>) {
        let (mut changes, mut told) = (Vec::new(), Vec::new());
        let mut tell = |path: &Path, text: &str| told.push(report(path, text));
        for store in &mut self.stores {
            let damaged = store.known.is_none();
            if damaged && !failures.is_empty() {
                // Which of them held gates nobody knows: it must not be forgotten that there was something.
                continue;
            }
            let before = store.known.clone().unwrap_or_default();
            let mut after = before.clone();
            for guard in guards.iter().filter(|guard| guard.of_project == (store.layer == Layer::Project)) {
                let name = guard.path.strip_prefix(&store.base).unwrap_or(&guard.path).display().to_string();
                let name = if store.layer == Layer::Project { name } else { guard.path.display().to_string() };
                let now: BTreeSet<String> = guard.gates.iter().map(|event| event.name().to_owned()).collect();
                let mut held = after.extensions.remove(&name).unwrap_or_default();
                match moment {
                    Moment::Started => {
                        let given_up: Vec<&str> = held.gates.difference(&now).map(String::as_str).collect();
                        if !given_up.is_empty() {
                            let text = format!("it held {} before and does not any more", given_up.join(" and "));
                            tell(&guard.path, &text);
                        }
                        held.gates = now;
                    }
                    Moment::Ending => held.later = now.difference(&held.gates).cloned().collect(),
                }
                if !held.events().is_empty() {
                    after.extensions.insert(name, held);
                }
            }
            if moment == Moment::Started {
                let loaded = |path: &Path| guards.iter().any(|guard| guard.path == path);
                let failed = |path: &Path| failures.iter().chain(&self.lost).any(|failure| concerns(failure, path));
                after.extensions.retain(|name, held| {
                    let path = store.base.join(name);
                    if loaded(&path) || failed(&path) || is_shadowed(found, &path) {
                        return true;
                    }
                    let why = match path_of_file(&path).exists() {
                        true => "is not loaded any more: it is switched off, or nothing names it",
                        false => "is gone: its file was removed",
                    };
                    tell(&path, &format!("it held {} and {why}", held.names()));
                    false
                });
            }
            if after != before || damaged {
                changes.push(Change { file: store.file.clone(), damaged, before, after: after.clone() });
                store.known = Some(after);
            }
        }
        (changes, told)
    }
}

/// What one file has to learn.
pub(super) struct Change {
    file: StateFile<Guards>,
    damaged: bool,
    before: Guards,
    after: Guards,
}

impl Change {
    /// Writes it; what other programs wrote meanwhile about other extensions stays. Blocks.
    pub(super) fn write(self) -> Result<(), StateError> {
        let Self { file, damaged, before, after } = self;
        if damaged {
            let aside = file.set_aside()?;
            tracing::warn!(file = %file.path().display(), aside = %aside.display(), "a damaged file was set aside");
        }
        file.update(|guards| {
            for name in before.extensions.keys().filter(|name| !after.extensions.contains_key(*name)) {
                guards.extensions.remove(name);
            }
            for (name, held) in &after.extensions {
                if before.extensions.get(name) != Some(held) {
                    guards.extensions.insert(name.clone(), held.clone());
                }
            }
        })?;
        Ok(())
    }
}

fn concerns(failure: &LoadError, path: &Path) -> bool {
    failure.concerns(&path.display().to_string())
}

fn is_found(found: &Found, path: &Path) -> bool {
    found.extensions.iter().any(|extension| extension.path == path)
}

/// Another file of the same name stands in its place here, which is reported where files are looked for.
fn is_shadowed(found: &Found, path: &Path) -> bool {
    found.skipped.iter().any(|skipped| skipped.path == path && skipped.shadowed_by.is_some())
}

/// The file that an extension is in: some are entries of a file of settings.
fn path_of_file(path: &Path) -> PathBuf {
    match path.to_str().and_then(|text| text.rsplit_once(".json#")) {
        Some((file, _)) => PathBuf::from(format!("{file}.json")),
        None => path.to_path_buf(),
    }
}

/// Why an extension that was not found may be there all the same; `None` when somebody took it away.
fn why_lost(layer: Layer, path: &Path, settings: &Settings) -> Option<String> {
    let file = path_of_file(path);
    let refused = |error: io::Error| (error.kind() == io::ErrorKind::PermissionDenied).then(|| error.to_string());
    if let Some(error) = fs::metadata(&file).err().and_then(refused) {
        return Some(format!("it cannot be looked for: {error}"));
    }
    let folder = file.parent()?;
    if let Some(error) = fs::read_dir(folder).err().and_then(refused) {
        return Some(format!("{} cannot be read: {error}", folder.display()));
    }
    let settings_file = settings.paths().file(layer);
    let error = settings.errors().iter().find(|error| error.path() == settings_file)?;
    file.exists().then(|| format!("the settings that may name it cannot be read: {error}"))
}

fn report(path: &Path, text: &str) -> Report {
    Report::diagnostic(path.display().to_string(), "gates", text)
}

fn tell(hooks: &Hooks, path: &Path, text: &str) {
    hooks.dispatcher.reports.send(&report(path, text));
}
