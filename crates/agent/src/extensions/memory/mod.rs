//! Which extensions held gates when they last loaded: a gate must not open because its guard cannot be loaded, not even
//! after a new start.
//!
//! The user's extensions are remembered for the user, those of a project with the project. What fails to load keeps the
//! gates shut that it held. What is not there any more, or is there and holds a gate no longer, is named once and then
//! forgotten: somebody took it away. Commands in files of settings have no file of their own: see `commands.rs`.

mod commands;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tau_hooks::events::EventId;
use tau_hooks::{Hooks, LoadError, Report};

use crate::found::misspelt;
use crate::found::{Found, GateFault};
use crate::settings::{Environment, Layer, Settings, leads_nowhere};
use crate::state::{StateDir, StateError, StateFile};
use commands::{Command, Commands};
pub(super) use commands::{guarding_command, memory_path};

/// The file, in the state of the user and in that of each project.
const FILE: &str = "gates";

/// What one file holds: extensions by their paths. Those in a project start at its folder, which may have several names;
/// those that are part of the program are `<native:name>`, those in files of settings `FILE#EVENT:ID`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Guards {
    extensions: BTreeMap<String, Held>,
    /// The ids of what was wrong in files of commands while their guards were there, and of commands that stood there and
    /// guarded nothing: they hid none of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    faults: BTreeMap<String, BTreeSet<String>>,
    /// The files of commands of which the user knows that their guards are switched off.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    off: BTreeSet<String>,
}

/// The gates of an extension, by the names of their events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Held {
    /// Those it held once the session had started.
    gates: BTreeSet<String>,
    /// Those it took later.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    later: BTreeSet<String>,
    /// What the command itself is recognised by, when it is one that guarded something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
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
    /// The files of commands whose gates stay shut.
    shut: BTreeSet<PathBuf>,
}

/// A guard that is not loaded now.
struct Absent {
    path: PathBuf,
    gates: Vec<EventId>,
    /// Why its gates stay shut; `None` when they do not.
    failure: Option<LoadError>,
    /// What the user reads about it then.
    held: String,
    /// Whether it is a file of commands.
    lists: bool,
}

impl Store {
    fn path_of(&self, name: &str) -> PathBuf {
        if is_native(name) { PathBuf::from(name) } else { self.base.join(name) }
    }

    /// The guards of the past that are not loaded. Of a damaged memory everything that failed may be one, with all gates.
    fn absent(&self, settings: &Settings, loaded: &Loaded<'_>) -> Vec<Absent> {
        let Some(known) = &self.known else {
            let absent = |failure: &LoadError| Absent {
                path: PathBuf::from(&failure.path),
                gates: Hooks::gates().collect(),
                failure: Some(failure.clone()),
                held: String::new(),
                lists: false,
            };
            let faults: Vec<LoadError> = loaded.gate_faults().into_iter().map(commands::failure).collect();
            return loaded.failures.iter().chain(&faults).map(absent).collect();
        };
        let commands = commands::absent(self, known, settings, loaded);
        let absent = |(name, held): (&String, &Held)| {
            let path = self.path_of(name);
            let failure = loaded.failures.iter().find(|failure| concerns(failure, &path)).cloned();
            if failure.is_none() && loaded.has(&path) {
                return None;
            }
            let failure = failure.or_else(|| {
                let why = why_lost(self.layer, &path, settings, loaded.found)?;
                Some(LoadError { path: path.display().to_string(), error: why.into() })
            });
            Some(Absent { path, gates: held.events(), failure, held: held.names(), lists: false })
        };
        let files = known.extensions.iter().filter(|(name, _)| Command::parse(name).is_none());
        files.filter_map(absent).chain(commands).collect()
    }
}

/// What is there, and what could not be loaded.
pub(super) struct Loaded<'a> {
    pub found: &'a Found,
    pub failures: &'a [LoadError],
    pub hooks: &'a Hooks,
}

impl Loaded<'_> {
    /// What may hide a guard in files of commands, now that the tools of extensions are known.
    fn gate_faults(&self) -> Vec<&GateFault> {
        let names = self.tools();
        let stands = |fault: &&GateFault| match &fault.matcher {
            Some(pattern) => misspelt(pattern, &names).is_some(),
            None => true,
        };
        self.found.gate_faults.iter().filter(stands).collect()
    }

    /// Matchers of guards that are nearly the name of a tool.
    fn misspelt(&self) -> impl Iterator<Item = &GateFault> {
        let names = self.tools();
        let is_near = move |fault: &&GateFault| {
            let misspelt = fault.matcher.as_ref().and_then(|pattern| misspelt(pattern, &names));
            misspelt.is_some_and(|misspelt| misspelt.is_near())
        };
        self.found.gate_faults.iter().filter(is_near)
    }

    fn tools(&self) -> Vec<String> {
        tool_names(self.hooks)
    }

    fn has(&self, path: &Path) -> bool {
        self.found.extensions.iter().any(|extension| extension.path == path)
            || self.hooks.extensions().iter().any(|owner| Path::new(&*owner.path) == path && is_native(&owner.path))
    }
}

/// An extension of the set, at the moment of a note.
pub(super) struct Guard {
    pub path: PathBuf,
    /// Whether it belongs to the project.
    pub of_project: bool,
    pub gates: Vec<EventId>,
    /// What its command is recognised by, when it is one and there is something that it guards.
    pub command: Option<String>,
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
    pub(super) fn open(env: &Environment, settings: &Settings) -> (Self, Vec<Report>) {
        let agent_dir = env.agent_dir();
        let user = Some((Layer::Global, StateDir::of_user(&agent_dir)));
        let project = settings.is_trusted().then(|| (Layer::Project, StateDir::of_project(&agent_dir, &env.cwd)));
        let mut told = Vec::new();
        let stores = user.into_iter().chain(project).map(|(layer, dir)| {
            let file = dir.file::<Guards>(FILE);
            let known = file.read().map_err(|error| {
                let text = format!("{error}; an extension that fails to load counts as a gate");
                told.push(report(file.path(), &text));
            });
            Store { layer, base: env.cwd.clone(), file, known: known.ok() }
        });
        let stores = stores.collect();
        (Self { stores, lost: Vec::new(), shut: BTreeSet::new() }, told)
    }

    /// Makes the hooks remember what is not loaded, before the set is finished. Gives what could not be loaded besides
    /// the known failures: guards whose place cannot be looked into, or whose settings cannot be read.
    pub(super) fn recall(&mut self, settings: &Settings, loaded: &Loaded<'_>) -> (&[LoadError], Vec<Report>) {
        let mut lost = Vec::new();
        let mut told: Vec<Report> = loaded.misspelt().map(|fault| report(&fault.file, &fault.reason)).collect();
        self.shut.clear();
        for store in &self.stores {
            for Absent { path, gates, failure, held, lists } in store.absent(settings, loaded) {
                loaded.hooks.remember_guard(&path.display().to_string(), gates);
                let Some(failure) = failure else { continue };
                if lists {
                    self.shut.insert(path.clone());
                }
                if store.known.is_some() {
                    let text = format!("it guarded {held} when it last loaded, so that stays blocked");
                    told.push(report(&path, &text));
                }
                if !loaded.failures.contains(&failure) {
                    lost.push(failure);
                }
            }
        }
        self.lost = lost;
        (&self.lost, told)
    }

    /// Notes who holds which gates now, and who held some and is gone; `tools` are those of extensions. Gives the changes
    /// to write, and what to tell.
    pub(super) fn note(
        &mut self,
        moment: Moment,
        guards: &[Guard],
        found: &Found,
        failures: &[LoadError],
        tools: &[String],
    ) -> (Vec<Change>, Vec<Report>) {
        let (mut changes, mut told) = (Vec::new(), Vec::new());
        let mut tell = |path: &Path, text: &str| told.push(report(path, text));
        for store in &mut self.stores {
            let damaged = store.known.is_none();
            if damaged && (!failures.is_empty() || !found.gate_faults.is_empty()) {
                // Which of them held gates nobody knows: it must not be forgotten that there was something.
                continue;
            }
            let before = store.known.clone().unwrap_or_default();
            let mut after = before.clone();
            for guard in guards.iter().filter(|guard| guard.of_project == (store.layer == Layer::Project)) {
                let inside = guard.path.strip_prefix(&store.base).ok().filter(|_| store.layer == Layer::Project);
                let name = inside.unwrap_or(&guard.path).display().to_string();
                let now: BTreeSet<String> = guard.gates.iter().map(|event| event.name().to_owned()).collect();
                let mut held = after.extensions.remove(&name).unwrap_or_default();
                match moment {
                    Moment::Started => {
                        let given_up: Vec<&str> = held.gates.difference(&now).map(String::as_str).collect();
                        if !given_up.is_empty() {
                            let text = format!("it guarded {} before and does not any more", given_up.join(" and "));
                            tell(&guard.path, &text);
                        }
                        held.gates = now;
                        held.command = guard.command.clone().or(held.command);
                    }
                    Moment::Ending => held.later = now.difference(&held.gates).cloned().collect(),
                }
                if !held.events().is_empty() {
                    after.extensions.insert(name, held);
                }
            }
            if moment == Moment::Started {
                let loaded = |path: &Path| guards.iter().any(|guard| guard.path == path);
                let commands = Commands::of(guards);
                let failed = |path: &Path| failures.iter().chain(&self.lost).any(|failure| concerns(failure, path));
                after.extensions.retain(|name, held| {
                    let path = if is_native(name) { PathBuf::from(name) } else { store.base.join(name) };
                    let stays = match Command::parse(name) {
                        Some(command) if self.shut.contains(&store.base.join(command.file)) => true,
                        // It is kept under its new name.
                        Some(Command { id: None, .. }) if commands.stand_at(name, found) => return false,
                        Some(command) => commands.have(&command),
                        None => loaded(&path) || failed(&path) || is_shadowed(found, &path),
                    };
                    if stays {
                        return true;
                    }
                    let why = match path_of_file(&path).exists() {
                        _ if is_native(name) => "is not part of this program any more",
                        true => "is not loaded any more: it is switched off, or nothing names it",
                        false => "is not there any more: its file was removed",
                    };
                    tell(&shown(&path), &format!("it guarded {} and {why}", held.names()));
                    false
                });
                after.faults = commands::faults(&after, &store.base, &self.shut, found, tools);
                after.off = commands::off(store.layer, &store.base, found);
                // Guards that were there before are named themselves.
                let named = |file: &&String| {
                    before
                        .extensions
                        .keys()
                        .filter_map(|name| Command::parse(name))
                        .any(|command| command.file == **file)
                };
                for file in after.off.difference(&before.off).filter(|file| !named(file)) {
                    tell(&store.base.join(file), "its guards are switched off with `disableAllHooks`");
                }
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
            guards.faults.retain(|file, _| !before.faults.contains_key(file) || after.faults.contains_key(file));
            guards.faults.extend(after.faults.clone());
            guards.off.retain(|file| !before.off.contains(file) || after.off.contains(file));
            guards.off.extend(after.off.clone());
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

/// The names of the tools of extensions.
pub(super) fn tool_names(hooks: &Hooks) -> Vec<String> {
    hooks.tools().iter().map(|(_, tool)| tool.spec().name.clone()).collect()
}

/// Whether an extension is part of the program.
pub(super) fn is_native(path: &str) -> bool {
    path.starts_with("<native:")
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

/// An extension as the user knows it: without the id of a command.
fn shown(path: &Path) -> PathBuf {
    match path.to_str().and_then(|text| Some((text, Command::parse(text)?))) {
        Some((_, Command { file, event, id: Some(_) })) => PathBuf::from(format!("{file}#{event}")),
        _ => path.to_path_buf(),
    }
}

/// Why an extension that was not found may be there all the same; `None` when somebody took it away.
fn why_lost(layer: Layer, path: &Path, settings: &Settings, found: &Found) -> Option<String> {
    let file = path_of_file(path);
    let refused = |error: io::Error| (error.kind() != io::ErrorKind::NotFound).then(|| error.to_string());
    match fs::metadata(&file) {
        Ok(found) if !found.is_file() => return Some("something else is in the place of its file".to_owned()),
        Ok(_) => {}
        Err(_) if leads_nowhere(&file) => return Some("a link on the way to its file leads nowhere".to_owned()),
        Err(error) => {
            if let Some(error) = refused(error) {
                return Some(format!("it cannot be looked for: {error}"));
            }
        }
    }
    let folder = file.parent()?;
    if let Some(error) = fs::read_dir(folder).err().and_then(refused) {
        return Some(format!("{} cannot be read: {error}", folder.display()));
    }
    if !file.exists() {
        return None;
    }
    let settings_file = settings.paths().file(layer);
    let error = settings.errors().iter().find(|error| error.path() == settings_file && error.is_of_whole_file());
    if let Some(error) = error {
        return Some(format!("the settings that may name it cannot be read: {error}"));
    }
    let (list, error) = found.unread.first().filter(|_| !is_shadowed(found, path))?;
    Some(format!("a list that may name it cannot be read: {}: {error}", list.display()))
}

fn report(path: &Path, text: &str) -> Report {
    Report::diagnostic(path.display().to_string(), "gates", text)
}
