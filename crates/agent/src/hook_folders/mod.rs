//! Hooks in the folders that older agents and others have for them, and those that settings name.
//!
//! [`HookRegistry`] knows the providers of `pre` and `post` hooks and which of two of a kind is used; the rest are single
//! files. Whatever is found becomes part of the one list of [`discover`](super::discover()).

mod folder;
mod plugins;
mod providers;
mod registry;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::found::{FileClass, class_of};
pub use crate::found::{HookItem, HookLevel, HookMoment, ToolNames};
use folder::foreign_extension;
pub(crate) use registry::HookCapability;
pub use registry::{HookChoice, HookProvider, HookRegistry, Provided, ProviderPlace};

use crate::found::ShellHook;
use crate::found::{Absent, Form, FoundExtension, GateFault, Skipped, StandingCommands};
use crate::found::{HOOKS, Hint};
use crate::origin::ExtensionOrigin;
use crate::settings::{CONFIG_DIR, Environment, Layer, Settings, is_empty_entry, is_relative, keys};
use crate::shell_hooks::claude_settings;

/// Everything that was found, in the order in which it counts.
#[derive(Default)]
pub(crate) struct FoundHooks {
    pub files: Vec<FoundExtension>,
    pub skipped: Vec<Skipped>,
    pub absent: Vec<Absent>,
    /// What is wrong, with the file or the provider it is about.
    pub warnings: Vec<(PathBuf, String)>,
    /// What may hide a guard in files of commands.
    pub faults: Vec<GateFault>,
    /// Commands that may have been guards before somebody moved them.
    pub standing: Vec<StandingCommands>,
    /// Files whose guards are switched off, with whose they are.
    pub off: Vec<(PathBuf, ExtensionOrigin)>,
    /// Lists of hooks that cannot be read, each with the error.
    pub unread: Vec<(PathBuf, String)>,
}

/// Hooks as the registry has them, for those who look for hooks and nothing else.
pub(crate) fn load_hooks_capability(env: &Environment, settings: &Settings) -> HookCapability {
    let place = ProviderPlace { env, project: settings.is_trusted() };
    HookRegistry::standard().load(place, &HookChoice::of(settings))
}

/// Looks everywhere.
pub(crate) fn find(env: &Environment, settings: &Settings) -> FoundHooks {
    let mut found = FoundHooks::default();
    let capability = load_hooks_capability(env, settings);
    found.skipped = capability.skipped;
    found.warnings = capability.warnings;
    found.unread = capability.failed;
    found.files.extend(capability.items.into_iter().map(of_item));
    let place = ProviderPlace { env, project: settings.is_trusted() };
    found.single_files(place);
    for layer in [Layer::Global, Layer::Project] {
        found.listed(env, settings, layer);
    }
    if settings.tau().shell_hooks.claude_settings {
        let listed = claude_settings::find(env, settings.is_trusted(), &plugin_roots(place, settings));
        found.files.extend(listed.files);
        found.skipped.extend(listed.skipped);
        found.warnings.extend(listed.warnings);
        found.faults.extend(listed.faults);
        found.standing.extend(listed.standing);
        found.off.extend(listed.off);
    } else {
        // Somebody who comes from Claude Code believes that its guards run, so this is said until the user decides.
        let passed_over = claude_settings::passed_over(env, &plugin_roots(place, settings));
        if settings.why(keys::SHELL_HOOKS_CLAUDE_SETTINGS).is_none() {
            let files = passed_over.iter().map(|file| file.path.clone());
            found.warnings.extend(files.map(|file| (file, claude_settings::UNDECIDED.to_owned())));
        }
        found.skipped.extend(passed_over);
    }
    found
}

/// What of the project would be loaded if it were trusted: folders of hooks, files with commands, and what the user's own
/// setting `hooks` names by a relative path.
///
/// `settings` are those that count without trust: what the user switched off is not loaded and needs none.
pub(crate) fn in_project(env: &Environment, settings: &Settings) -> Vec<PathBuf> {
    let place = ProviderPlace { env, project: true };
    let capability = HookRegistry::standard().load(place, &HookChoice::of(settings));
    let mut found = FoundHooks { files: capability.items.into_iter().map(of_item).collect(), ..FoundHooks::default() };
    found.single_files(place);
    let loads = |file: &&FoundExtension| {
        file.origin == ExtensionOrigin::ProjectHooks && !matches!(file.form, Form::Unusable(_))
    };
    let folder = |path: &Path| path.ancestors().find(|above| above.ends_with(HOOKS)).unwrap_or(path).to_path_buf();
    let mut paths: Vec<PathBuf> = found.files.iter().filter(loads).map(|file| folder(&file.path)).collect();
    if settings.tau().shell_hooks.claude_settings {
        paths.extend(claude_settings::files_of_project(env, &plugin_roots(place, settings)));
    }
    let listed = entries_of(settings, Layer::Global).filter(|entry| is_relative(entry));
    paths.extend(listed.map(|entry| env.resolve(&entry, &env.cwd)).filter(|path| path.is_file()));
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

/// The folders of the plugins of Claude Code that are used, with whose they are. What is wrong with their list the
/// provider reports.
fn plugin_roots(place: ProviderPlace<'_>, settings: &Settings) -> Vec<(PathBuf, HookLevel)> {
    if !HookRegistry::standard().asks(plugins::PROVIDER, &HookChoice::of(settings)) {
        return Vec::new();
    }
    let found = plugins::plugins_of(place).unwrap_or_default();
    found.plugins.into_iter().map(|plugin| (plugin.root, plugin.level)).collect()
}

/// What an item of the registry is.
fn of_item(item: HookItem) -> FoundExtension {
    let item = Arc::new(item);
    let form = match class_of(&item.path) {
        FileClass::Module => Form::Module,
        FileClass::Script => Form::Shell(Arc::new(ShellHook::of_item(&item))),
        FileClass::Neither if !item.path.exists() => Form::Unusable("the file does not exist".to_owned()),
        FileClass::Neither => Form::Unusable(
            "it is neither a module nor a script: a script begins with #!, is executable or has a known extension"
                .to_owned(),
        ),
    };
    let origin = match item.level {
        HookLevel::Project => ExtensionOrigin::ProjectHooks,
        HookLevel::User => ExtensionOrigin::UserHooks,
    };
    let base_dir = item.path.parent().and_then(Path::parent).unwrap_or(&item.path).to_path_buf();
    let found = of_form(item.path.clone(), origin, form, Hint::OMP);
    FoundExtension { base_dir, hook: Some(item), ..found }
}

/// A file with what it is made of. `hint` is about modules.
fn of_form(path: PathBuf, origin: ExtensionOrigin, form: Form, hint: Hint) -> FoundExtension {
    let found = FoundExtension { form, hint, ..FoundExtension::module(path, origin) };
    match &found.form {
        Form::Shell(hook) => {
            FoundExtension { name: hook.name(), real_path: found.path.clone(), hint: Hint::SHELL, ..found }
        }
        Form::Module | Form::Unusable(_) => found,
    }
}

/// What a file is that somebody named.
pub(crate) fn of_named(path: PathBuf, origin: ExtensionOrigin, env: &Environment, otherwise: Hint) -> FoundExtension {
    let hint = Hint::of(&path, env, otherwise);
    let form = match ShellHook::of_file(&path, env) {
        None => match foreign_extension(&path) {
            None => Form::Module,
            Some(extension) => Form::Unusable(format!(
                "a file that ends in .{extension} is no extension and no hook; modules end in .ts or .js, and scripts in .sh, \
                 .py and the like or begin with #!"
            )),
        },
        Some(Ok(hook)) => Form::Shell(Arc::new(hook)),
        Some(Err(reason)) => Form::Unusable(reason),
    };
    of_form(path, origin, form, hint)
}

impl FoundHooks {
    /// Modules right in a folder of hooks.
    fn single_files(&mut self, place: ProviderPlace<'_>) {
        let others = providers::ALIASES.into_iter().filter(|alias| *alias != CONFIG_DIR);
        for alias in others {
            for level in providers::levels(place, [HookLevel::Project, HookLevel::User]) {
                self.modules_of(&providers::folder_of(alias, place, level), level, Hint::OMP);
            }
        }
        for level in providers::levels(place, [HookLevel::User, HookLevel::Project]) {
            self.modules_of(&providers::folder_of(CONFIG_DIR, place, level), level, Hint::ORIGINAL);
        }
    }

    fn modules_of(&mut self, folder: &Path, level: HookLevel, hint: Hint) {
        let origin = match level {
            HookLevel::Project => ExtensionOrigin::ProjectHooks,
            HookLevel::User => ExtensionOrigin::UserHooks,
        };
        match folder::files_of(folder) {
            Ok(files) => {
                let is_module = |path: &PathBuf| path.extension().is_some_and(|known| known == "ts" || known == "js");
                let files = files.into_iter().filter(is_module);
                self.files.extend(files.map(|path| FoundExtension { hint, ..FoundExtension::module(path, origin) }));
            }
            Err(error) => self.warnings.push((folder.to_path_buf(), error)),
        }
    }

    /// The entries of the setting `hooks`. They start at the working directory, so a relative one of the user's leads
    /// into the project, whose files need trust.
    fn listed(&mut self, env: &Environment, settings: &Settings, layer: Layer) {
        let origin = match layer {
            Layer::Global => ExtensionOrigin::UserSettings,
            Layer::Project => ExtensionOrigin::ProjectSettings,
        };
        for entry in entries_of(settings, layer) {
            let path = env.resolve(&entry, &env.cwd);
            if is_relative(&entry) && !settings.is_trusted() {
                let reason = "its path is relative, so it is in the project, which is not trusted".to_owned();
                self.skipped.push(Skipped {
                    path,
                    source: "the setting `hooks`".to_owned(),
                    reason,
                    shadowed_by: None,
                });
            } else if path.is_file() {
                self.files.push(of_named(path, origin, env, Hint::LISTED));
            } else {
                let reason = if path.is_dir() {
                    format!("Hook path is a folder: {}", path.display())
                } else {
                    format!("Hook path does not exist: {}", path.display())
                };
                self.absent.push(Absent { path, origin, package: None, reason });
            }
        }
    }
}

/// The setting `hooks` of a file.
fn entries_of(settings: &Settings, layer: Layer) -> impl Iterator<Item = String> + '_ {
    let entries = settings.get_in(layer, keys::HOOKS).and_then(Value::as_array);
    let entries = entries.into_iter().flatten().filter_map(Value::as_str).map(plain_spaces);
    entries.filter(|entry| !is_empty_entry(entry))
}

/// The text with every kind of space as the usual one: people paste paths from elsewhere.
fn plain_spaces(text: &str) -> String {
    let is_space = |c: char| matches!(c, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    text.chars().map(|c| if is_space(c) { ' ' } else { c }).collect()
}
