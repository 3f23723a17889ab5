//! What was found: extension files and what packages bring besides, with where each came from.

mod class;
mod condition;
mod hint;
mod hook;
mod identity;
mod interpreter;
mod item;
mod moment;
mod names;
mod told;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use tau_hooks::dialect::Dialect;
use tau_hooks::{Owner, SourceInfo};
use tau_script::{Script, ScriptHost};

pub(crate) use class::{FileClass, MODULES, SCRIPTS, class_of, has_interpreter, is_executable};
pub use condition::Condition;
pub(crate) use condition::Folders;
pub(crate) use hint::HOOKS;
pub use hint::Hint;
pub use hook::{Calls, Program, ShellHook, Tools};
pub(crate) use hook::{Matcher, Reach, misspelt, useless};
pub(crate) use identity::id_of;
pub(crate) use interpreter::interpreter_of;
pub use item::{HookItem, HookLevel, HookMoment, ToolNames};
pub(crate) use moment::{Effect, Facts, is_elsewhere, session_moment, session_moments};
pub use moment::{Moment, SessionMoment};
pub(crate) use names::{in_both, in_ours, name_for};
pub(crate) use told::CUSTOM_TYPE;

use crate::origin::{ExtensionOrigin, PackageResource};
use crate::resources::Diagnostic;
use crate::settings::Environment;

/// Makes the host of a session when there is something to load: called once for each session that needs one.
pub type ScriptHostMaker = Arc<dyn Fn(&Environment) -> Arc<dyn ScriptHost> + Send + Sync>;

/// What an extension is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// A module for the script engine.
    Module,
    /// A program that is run before or after a tool.
    Shell(Arc<ShellHook>),
    /// Nothing that can be used, and why.
    Unusable(String),
}

/// An extension file to load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundExtension {
    /// The file, absolute. Files that somebody named may be called anything.
    pub path: PathBuf,
    /// What tells whether two are the same: the file of a module without symbolic links. A script may stand under several
    /// names, one for each tool, so its own path tells it apart.
    pub real_path: PathBuf,
    /// The short name: of the file, or of the folder when the file is an index.
    pub name: String,
    /// Where it was found.
    pub origin: ExtensionOrigin,
    /// The folder that its entry or pattern starts at.
    pub base_dir: PathBuf,
    /// The root of the package it came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_root: Option<PathBuf>,
    /// The package as settings or the command line name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Whether the command line names it, wherever else it was found.
    #[serde(skip)]
    pub named: bool,
    /// Whether it gets a runtime of its own.
    pub isolated: bool,
    /// What it is made of.
    #[serde(skip_serializing_if = "Form::is_module")]
    pub form: Form,
    /// The dialect that its place speaks for. What a module says itself counts more.
    #[serde(rename = "dialect", skip_serializing_if = "Hint::is_usual")]
    pub hint: Hint,
    /// What the registry of hooks knows of it, when it was found in a folder of hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<Arc<HookItem>>,
}

/// A package of the program that an extension takes the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The package, such as `builtin:orchestrator`.
    pub package: &'static str,
    /// The file of the extension.
    pub by: PathBuf,
}

/// A file that was found and is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// Where it was found, in words.
    pub source: String,
    /// Why it is not used.
    pub reason: String,
    /// The file that stands in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<PathBuf>,
}

/// Something that was named and is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Absent {
    /// Where it should be.
    pub path: PathBuf,
    /// Where it was named.
    pub origin: ExtensionOrigin,
    /// The package as it was named, when it is one that has to be installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// What is wrong.
    pub reason: String,
}

/// Something in a file of commands behind which a guard may be hidden: it cannot be used, is misspelt or there twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateFault {
    /// The file.
    pub file: PathBuf,
    /// Tells it from others in the file, wherever it stands there; `None` when nothing in the file can be read.
    pub id: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What names no tool, when it is that: an extension may have such a tool.
    pub matcher: Option<String>,
}

/// The commands under an event of a file, whether they guard there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingCommands {
    /// The file.
    pub file: PathBuf,
    /// The event they stand under.
    pub event: String,
    /// What the commands are recognised by, whatever they stand for.
    pub ids: Vec<String>,
}

/// Everything that was found, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// Extensions, the first ones first; each file once.
    pub extensions: Vec<FoundExtension>,
    /// What packages bring besides.
    pub resources: Vec<PackageResource>,
    /// What was named and is not there.
    pub absent: Vec<Absent>,
    /// Hooks that are there and not used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// What else is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What may hide a guard in files of commands.
    #[serde(skip)]
    pub gate_faults: Vec<GateFault>,
    /// Where the commands in files of settings stand: one of them may be a guard that somebody moved.
    #[serde(skip)]
    pub standing: Vec<StandingCommands>,
    /// Files whose guards are switched off, with whose they are.
    #[serde(skip)]
    pub switched_off: Vec<(PathBuf, ExtensionOrigin)>,
    /// Packages of the program that an extension takes the place of.
    #[serde(skip)]
    pub replaced: Vec<Replaced>,
    /// Lists that may name guards and cannot be read, each with the error.
    #[serde(skip)]
    pub unread: Vec<(PathBuf, String)>,
}

impl Form {
    /// Whether it is a module.
    pub fn is_module(&self) -> bool {
        *self == Self::Module
    }
}

impl FoundExtension {
    /// Whether loading it gives what loading `other` gave: the same file by the same rules. Where it was found may differ.
    pub(crate) fn is_loaded_as(&self, other: &Self) -> bool {
        let rules = |of: &Self| (of.isolated, of.hint.dialect.id);
        self.real_path == other.real_path && self.form == other.form && rules(self) == rules(other)
    }

    /// A module that is found at a path and known by nothing else.
    pub fn module(path: impl Into<PathBuf>, origin: ExtensionOrigin) -> Self {
        let path = path.into();
        Self {
            real_path: fs::canonicalize(&path).unwrap_or_else(|_| path.clone()),
            name: short_name(&path, None),
            origin,
            base_dir: path.parent().unwrap_or(&path).to_path_buf(),
            package_root: None,
            package: None,
            named: origin == ExtensionOrigin::CommandLine,
            isolated: false,
            form: Form::Module,
            hint: Hint::default(),
            hook: None,
            path,
        }
    }

    /// As what its handlers and tools are registered, under the rules that its place speaks for: one that is new each
    /// time, because a reload makes another one.
    pub fn owner(&self) -> Arc<Owner> {
        self.owner_as(self.hint.dialect)
    }

    /// As [`FoundExtension::owner`], under the rules of another dialect.
    pub(crate) fn owner_as(&self, dialect: &'static Dialect) -> Arc<Owner> {
        Owner::new(self.path.display().to_string(), self.name.as_str(), dialect)
    }

    /// What runs scripts needs to know of it.
    pub fn script(&self) -> Script {
        Script { path: self.path.clone(), owner: self.owner(), open: self.hint.open, isolated: self.isolated }
    }

    /// Where it comes from, as extensions are told.
    pub fn source_info(&self) -> SourceInfo {
        let package = self.package.as_deref();
        let source = match (package, self.origin) {
            (Some(package), _) => package,
            (None, ExtensionOrigin::CommandLine) => "cli",
            (
                None,
                ExtensionOrigin::ProjectFolder
                | ExtensionOrigin::UserFolder
                | ExtensionOrigin::ProjectHooks
                | ExtensionOrigin::UserHooks,
            ) => "auto",
            (None, _) => "local",
        };
        let scope = match self.origin.layer() {
            Some(crate::settings::Layer::Project) => "project",
            Some(_) => "user",
            None => "temporary",
        };
        let base = match (&package, self.origin) {
            (Some(_), _) => self.package_root.as_deref(),
            // It was named by itself, not as a part of a folder.
            (None, ExtensionOrigin::CommandLine) => None,
            (None, _) => Some(self.base_dir.as_path()),
        };
        SourceInfo {
            path: self.path.display().to_string(),
            source: source.to_owned(),
            scope: scope.to_owned(),
            origin: if package.is_some() { "package" } else { "top-level" }.to_owned(),
            base_dir: base.map(|dir| dir.display().to_string()),
        }
    }

    /// Whether somebody who writes `wanted` in a setting means this extension: its name, its path or the end of it, or
    /// its package.
    pub fn answers_to(&self, wanted: &str) -> bool {
        let package = self.package.as_deref();
        let installed = self.package_root.as_deref().and_then(Path::file_name);
        self.owner().answers_to(wanted)
            || package.is_some_and(|package| package == wanted)
            || installed.is_some_and(|folder| folder == wanted)
    }
}

/// Folders that say nothing about what is in them.
const NAMELESS: &[&str] = &["src", "dist", "lib", "build", "out", "extensions"];

/// The short name of an extension file.
pub(crate) fn short_name(path: &Path, package_root: Option<&Path>) -> String {
    let text = |name: Option<&std::ffi::OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    let stem = text(path.file_stem());
    if stem != "index" {
        return stem;
    }
    let folder = path.parent().map(|parent| text(parent.file_name())).unwrap_or_default();
    match package_root {
        Some(root) if NAMELESS.contains(&folder.as_str()) => text(root.file_name()),
        _ if folder.is_empty() => stem,
        _ => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names() {
        let cases = [
            ("/x/guard.ts", None, "guard"),
            ("/x/guard/index.ts", None, "guard"),
            ("/x/guard.test.ts", None, "guard.test"),
            ("/x/pi-tool/src/index.ts", Some("/x/pi-tool"), "pi-tool"),
            ("/x/pi-tool/src/index.ts", None, "src"),
            ("/x/pi-tool/extensions/a/index.ts", Some("/x/pi-tool"), "a"),
            ("/index.ts", None, "index"),
        ];
        for (path, root, name) in cases {
            assert_eq!(short_name(Path::new(path), root.map(Path::new)), name, "{path}");
        }
    }
}
