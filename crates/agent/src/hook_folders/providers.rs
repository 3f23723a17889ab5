//! The providers of hooks: a row each.

use std::path::PathBuf;

use super::folder::{ToolOf, files_of, item, name_of, pre_and_post, without_extension, without_kind};
use super::plugins::{PROVIDER, plugins_of};
use super::registry::{HookProvider, HookRegistry, Provided, ProviderPlace};
use crate::found::HOOKS;
use crate::found::Skipped;
use crate::found::{HookItem, HookLevel, HookMoment, ToolNames};
use crate::settings::CONFIG_DIR;

/// The folders that mean the same: the settings folder of pi and those of its descendants.
pub(super) const ALIASES: [&str; 3] = [".omp", CONFIG_DIR, ".pisces"];

impl HookRegistry {
    /// A registry with the providers that tau has.
    pub fn standard() -> Self {
        let mut registry = Self::default();
        all().into_iter().for_each(|provider| registry.register(provider));
        registry
    }
}

/// All of them, in the order of their registration.
fn all() -> Vec<HookProvider> {
    vec![
        provider("native", "tau", 100, false, native),
        provider("claude", "Claude Code", 80, false, |place| user_first(place, ".claude", ToolNames::Claude)),
        provider(PROVIDER, "Claude Code plugins", 70, false, plugins),
        provider("codex", "Codex", 70, false, codex),
        provider("gemini", "Gemini CLI", 60, true, |place| user_first(place, ".gemini", ToolNames::Native)),
        provider("cursor", "Cursor", 50, true, |place| user_first(place, ".cursor", ToolNames::Native)),
    ]
}

fn provider(
    id: &'static str,
    name: &'static str,
    priority: i32,
    opt_in: bool,
    load: fn(ProviderPlace<'_>) -> Result<Provided, String>,
) -> HookProvider {
    HookProvider { id, name, priority, opt_in, load: Box::new(load) }
}

/// The folder of hooks of an alias.
pub(super) fn folder_of(alias: &str, place: ProviderPlace<'_>, level: HookLevel) -> PathBuf {
    let base = match level {
        HookLevel::Project => place.env.cwd.join(alias),
        // Only this one can be moved.
        HookLevel::User if alias == CONFIG_DIR => place.env.agent_dir(),
        HookLevel::User => place.env.home.join(alias).join("agent"),
    };
    base.join(HOOKS)
}

/// The levels that may be looked at, in this order.
pub(super) fn levels(place: ProviderPlace<'_>, order: [HookLevel; 2]) -> impl Iterator<Item = HookLevel> {
    order.into_iter().filter(move |level| *level == HookLevel::User || place.project)
}

/// Of the aliases of a level the first that has any hooks counts alone.
fn native(place: ProviderPlace<'_>) -> Result<Provided, String> {
    let mut provided = Provided::default();
    for level in levels(place, [HookLevel::Project, HookLevel::User]) {
        let mut used: Option<PathBuf> = None;
        for alias in ALIASES {
            let folder = folder_of(alias, place, level);
            let items = pre_and_post(&folder, level, without_extension as ToolOf, ToolNames::Native)?;
            match &used {
                _ if items.is_empty() => {}
                None => {
                    provided.items.extend(items);
                    used = Some(folder);
                }
                Some(used) => {
                    let reason = format!("hooks of {} come first, and alone", used.display());
                    provided.warnings.push(format!("hooks in {} are not used: {reason}", folder.display()));
                    let skip = |item: HookItem| Skipped {
                        path: item.path,
                        source: "tau".to_owned(),
                        reason: reason.clone(),
                        shadowed_by: None,
                    };
                    provided.skipped.extend(items.into_iter().map(skip));
                }
            }
        }
    }
    Ok(provided)
}

fn user_first(place: ProviderPlace<'_>, folder: &str, names: ToolNames) -> Result<Provided, String> {
    let mut provided = Provided::default();
    for level in levels(place, [HookLevel::User, HookLevel::Project]) {
        let base = match level {
            HookLevel::User => &place.env.home,
            HookLevel::Project => &place.env.cwd,
        };
        // Started in the home directory, both are one folder.
        if level == HookLevel::Project && place.env.cwd == place.env.home {
            continue;
        }
        provided.items.extend(pre_and_post(&base.join(folder).join(HOOKS), level, without_kind, names)?);
    }
    Ok(provided)
}

fn plugins(place: ProviderPlace<'_>) -> Result<Provided, String> {
    let mut provided = Provided::default();
    let installed = plugins_of(place)?;
    provided.skipped = installed.skipped;
    for plugin in installed.plugins {
        let items = pre_and_post(&plugin.root.join(HOOKS), plugin.level, without_kind, ToolNames::Claude)?;
        provided.items.extend(items.into_iter().map(|item| HookItem { plugin: Some(plugin.root.clone()), ..item }));
    }
    Ok(provided)
}

/// Modules whose names say the moment: `pre-bash.ts`.
fn codex(place: ProviderPlace<'_>) -> Result<Provided, String> {
    let mut provided = Provided::default();
    for level in levels(place, [HookLevel::User, HookLevel::Project]) {
        let base = match level {
            HookLevel::User => &place.env.home,
            HookLevel::Project if place.env.cwd == place.env.home => continue,
            HookLevel::Project => &place.env.cwd,
        };
        for path in files_of(&base.join(".codex").join(HOOKS))? {
            let name = name_of(&path);
            if !matches!(name.rsplit_once('.'), Some((_, "ts" | "js"))) {
                continue;
            }
            let (moment, tool) =
                moment_of(without_extension(&name)).unwrap_or((HookMoment::Pre, without_extension(&name)));
            let tool = tool.to_owned();
            provided.items.push(HookItem { tool, ..item(name, path, moment, level, ToolNames::Native) });
        }
    }
    Ok(provided)
}

/// The moment and the tool of a name such as `pre-bash`.
pub(super) fn moment_of(stem: &str) -> Option<(HookMoment, &str)> {
    let of = |moment: HookMoment| Some((moment, stem.strip_prefix(moment.as_str())?.strip_prefix('-')?));
    of(HookMoment::Pre).or_else(|| of(HookMoment::Post))
}
