//! Commands in files of settings as guards.
//!
//! They have no file of their own, and their places in a list move with every edit, so each is known by what it says. One
//! that is gone was taken away, unless its file has a fault that was not there while it was: a command that cannot be used,
//! a wrong shape, a key that is misspelt or there twice. Then it may be what is behind that, and its gates stay shut. They
//! also stay shut while the command itself stands where it did not stand before and guards nothing that it guarded: under
//! another event, or for tools that there are not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tau_hooks::LoadError;
use tau_hooks::events::EventId;

use super::{Absent, Guard, Guards, Held, Loaded, Store, why_lost};
use crate::found::{Form, Found, FoundExtension, GateFault};
use crate::found::{Reach, ShellHook};
use crate::settings::{Layer, Settings};

/// How files of commands end.
const ENDING: &str = ".json";

/// The name of a command in the memory, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Command<'a> {
    /// The file.
    pub file: &'a str,
    /// The event.
    pub event: &'a str,
    /// What it is recognised by; `None` in the memory of older versions, which knew places.
    pub id: Option<&'a str>,
}

impl<'a> Command<'a> {
    /// Reads `FILE#EVENT:ID`, or `FILE#EVENT.0.0` as older versions wrote it; `None` for other extensions.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let at = name.rfind(".json#")? + ENDING.len();
        let (file, rest) = (&name[..at], &name[at + 1..]);
        Some(match rest.split_once(':') {
            Some((event, id)) => Self { file, event, id: Some(id) },
            None => Self { file, event: rest.split('.').next().unwrap_or(rest), id: None },
        })
    }
}

/// By which path the memory knows an extension.
pub(in crate::extensions) fn memory_path(extension: &FoundExtension) -> PathBuf {
    let name = || {
        let command = Command::parse(extension.path.to_str()?)?;
        Some(format!("{}#{}:{}", command.file, command.event, id_of(extension)?))
    };
    name().map_or_else(|| extension.path.clone(), PathBuf::from)
}

/// What a command is recognised by.
fn id_of(extension: &FoundExtension) -> Option<String> {
    match &extension.form {
        Form::Shell(hook) => hook.content_id(),
        Form::Module | Form::Unusable(_) => None,
    }
}

/// What the command of an extension is recognised by, if there is something that it runs for; `tools` are those of
/// extensions.
pub(in crate::extensions) fn guarding_command(extension: &FoundExtension, tools: &[String]) -> Option<String> {
    match &extension.form {
        Form::Shell(hook) if hook.reach(tools) == Reach::Something => hook.command_id(),
        _ => None,
    }
}

/// The commands that are there, whichever file names them.
pub(super) struct Commands(BTreeSet<String>);

impl Commands {
    /// Those among these guards.
    pub(super) fn of(guards: &[Guard]) -> Self {
        let id = |guard: &Guard| Some(Command::parse(guard.path.to_str()?)?.id?.to_owned());
        Self(guards.iter().filter_map(id).collect())
    }

    /// Whether a command is there.
    pub(super) fn have(&self, command: &Command<'_>) -> bool {
        command.id.is_some_and(|id| self.0.contains(id))
    }

    /// Whether the place that an older memory names has one of them.
    pub(super) fn stand_at(&self, name: &str, found: &Found) -> bool {
        let here = found.extensions.iter().filter(|found| found.path.ends_with(name));
        here.filter_map(id_of).any(|id| self.0.contains(&id))
    }
}

/// The files whose guards are not all there.
pub(super) fn absent(store: &Store, known: &Guards, settings: &Settings, loaded: &Loaded<'_>) -> Vec<Absent> {
    let mut missing: BTreeMap<&str, Vec<(Command<'_>, &Held)>> = BTreeMap::new();
    let failed = |extension: &FoundExtension| {
        loaded.failures.iter().find(|failure| Path::new(&failure.path) == extension.path.as_path())
    };
    let works = loaded.found.extensions.iter().filter(|extension| failed(extension).is_none());
    let works = Commands(works.filter_map(id_of).collect());
    for (name, held) in &known.extensions {
        let Some(command) = Command::parse(name) else { continue };
        let is_there = works.have(&command) || (command.id.is_none() && works.stand_at(name, loaded.found));
        if !is_there {
            missing.entry(command.file).or_default().push((command, held));
        }
    }
    let faults = loaded.gate_faults();
    let tools = loaded.tools();
    let absent = |(file, held): (&str, Vec<(Command<'_>, &Held)>)| {
        let path = store.base.join(file);
        let seen = known.faults.get(file);
        let is_new = |fault: &&GateFault| {
            let is_seen = |id: &String| seen.is_some_and(|seen| seen.contains(id));
            fault.file == path && !fault.id.as_ref().is_some_and(is_seen)
        };
        let fault = faults.iter().copied().find(is_new).map(|fault| fault.reason.clone());
        let moved = || {
            let is_new = |id: &str| !seen.is_some_and(|seen| seen.contains(id));
            let idle: Vec<Idle<'_>> = idle(loaded.found, &tools).filter(|idle| is_new(&idle.id)).collect();
            held.iter().find_map(|(command, held)| idle.iter().find_map(|idle| idle.explains(command, held)))
        };
        let in_file = |extension: &&FoundExtension| {
            let command = extension.path.to_str().and_then(Command::parse);
            command.is_some_and(|command| Path::new(command.file) == path) && id_of(extension).is_some()
        };
        let unloaded = || loaded.found.extensions.iter().filter(in_file).find_map(failed);
        let why = fault
            .or_else(moved)
            .or_else(|| unloaded().map(ToString::to_string))
            .or_else(|| why_lost(store.layer, &path, settings, loaded.found))?;
        let failure = LoadError { path: path.display().to_string(), error: why.into() };
        let gates: BTreeSet<EventId> = held.iter().flat_map(|(_, held)| held.events()).collect();
        let names: BTreeSet<&str> = gates.iter().map(|event| event.name()).collect();
        let held = names.into_iter().collect::<Vec<_>>().join(" and ");
        Some(Absent { path, gates: gates.into_iter().collect(), failure: Some(failure), held, lists: true })
    };
    missing.into_iter().filter_map(absent).collect()
}

/// A place at which a command stands and may not guard what it guarded.
struct Idle<'a> {
    file: &'a Path,
    event: &'a str,
    /// What the command is recognised by.
    command: String,
    /// The hook, when it is there for tools of which there are none.
    hook: Option<&'a ShellHook>,
    /// Tells the place from others in the file.
    id: String,
}

/// The places of commands under some event, and those of commands that run for nothing; `tools` are those of extensions.
fn idle<'a>(found: &'a Found, tools: &'a [String]) -> impl Iterator<Item = Idle<'a>> {
    let standing = found.standing.iter().flat_map(|standing| {
        standing.ids.iter().map(|command| Idle {
            file: &standing.file,
            event: &standing.event,
            command: command.clone(),
            hook: None,
            id: format!("{}:{command}", standing.event),
        })
    });
    let useless = found.extensions.iter().filter_map(|extension| {
        let Form::Shell(hook) = &extension.form else { return None };
        let Command { file, event, .. } = Command::parse(extension.path.to_str()?)?;
        if hook.reach(tools) != Reach::Nothing {
            return None;
        }
        let id = format!("{event}:{}", hook.content_id()?);
        Some(Idle { file: Path::new(file), event, command: hook.command_id()?, hook: Some(hook), id })
    });
    standing.chain(useless)
}

impl Idle<'_> {
    /// Why a guard of the past does not guard any more, in words for the user; `None` when it is another command.
    fn explains(&self, command: &Command<'_>, held: &Held) -> Option<String> {
        if held.command.as_ref() != Some(&self.command) {
            return None;
        }
        match self.hook {
            Some(hook) if self.event == command.event => Some(format!(
                "its command stands under `{}` for {} now, which is no tool that is there: correct it, or start once \
                 without it",
                self.event,
                hook.written_for()
            )),
            None if self.event != command.event => Some(format!(
                "its command stands under `{}` now, where it does not guard this: put it under `{}`, or start once without it",
                self.event, command.event
            )),
            _ => None,
        }
    }
}

/// A fault as something that cannot be loaded.
pub(super) fn failure(fault: &GateFault) -> LoadError {
    LoadError { path: fault.file.display().to_string(), error: fault.reason.clone().into() }
}

/// What is wrong in the files of the commands in the memory, and which commands stand where. For a file whose gates are shut it stays what it was: what is
/// wrong now may hide a guard.
pub(super) fn faults(
    guards: &Guards,
    base: &Path,
    shut: &BTreeSet<PathBuf>,
    found: &Found,
    tools: &[String],
) -> BTreeMap<String, BTreeSet<String>> {
    let files: BTreeSet<&str> = guards.extensions.keys().filter_map(|name| Some(Command::parse(name)?.file)).collect();
    let ids = |file: &str| -> BTreeSet<String> {
        let path = base.join(file);
        if shut.contains(&path) {
            guards.faults.get(file).cloned().unwrap_or_default()
        } else {
            let faults = found.gate_faults.iter().filter(|fault| fault.file == path);
            let idle = idle(found, tools).filter(|idle| idle.file == path).map(|idle| idle.id);
            faults.filter_map(|fault| fault.id.clone()).chain(idle).collect()
        }
    };
    let all = files.into_iter().map(|file| (file.to_owned(), ids(file)));
    all.filter(|(_, ids)| !ids.is_empty()).collect()
}

/// The files of this layer whose guards are switched off, as the memory names files.
pub(super) fn off(layer: Layer, base: &Path, found: &Found) -> BTreeSet<String> {
    let of_layer = found.switched_off.iter().filter(|(_, origin)| origin.layer() == Some(layer));
    let name = |file: &Path| match layer {
        Layer::Project => file.strip_prefix(base).unwrap_or(file).display().to_string(),
        Layer::Global => file.display().to_string(),
    };
    of_layer.map(|(file, _)| name(file)).collect()
}
