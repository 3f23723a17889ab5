//! The plugins of Claude Code that are installed.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tau_tools::read_small_text;

use super::registry::ProviderPlace;
use crate::found::HookLevel;
use crate::found::Skipped;
use crate::json::Unique;

/// What settings call the provider.
pub(super) const PROVIDER: &str = "claude-plugins";

/// An installed plugin.
pub(super) struct Plugin {
    pub root: PathBuf,
    pub level: HookLevel,
}

/// The plugins to look at, those for this project first, and those that are switched off.
#[derive(Default)]
pub(super) struct Plugins {
    pub plugins: Vec<Plugin>,
    pub skipped: Vec<Skipped>,
}

/// Reads the list that Claude Code keeps of what it installed.
pub(super) fn plugins_of(place: ProviderPlace<'_>) -> Result<Plugins, String> {
    let claude = place.env.home.join(".claude");
    let list = claude.join("plugins/installed_plugins.json");
    let text = match read_small_text(&list) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Plugins::default()),
        Err(error) => return Err(format!("{}: {error}", list.display())),
    };
    let wrong = |what: &str| format!("{}: {what}", list.display());
    let Unique(listed) = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let mut found = Plugins::default();
    let plugins = match &listed {
        Value::Object(fields) => fields.get("plugins"),
        _ => return Err(wrong("it must be an object")),
    };
    let plugins = match plugins {
        None => return Ok(found),
        Some(plugins) => plugins.as_object().ok_or_else(|| wrong("`plugins` must be an object"))?,
    };
    for (name, entry) in plugins {
        // One installation, or a list of them: the file has had both forms.
        let installations = entry.as_array().map_or_else(|| std::slice::from_ref(entry), Vec::as_slice);
        for installation in installations {
            let root = installation.get("installPath").and_then(Value::as_str);
            // A plugin may hold a guard, so nothing is passed over in silence.
            let root = root.ok_or_else(|| wrong(&format!("`plugins.{name}` has no text `installPath`")))?;
            let root = place.env.resolve(root, &claude.join("plugins"));
            let level = match installation.get("projectPath").and_then(Value::as_str) {
                Some(project) if Path::new(project) == place.env.cwd && place.project => HookLevel::Project,
                Some(_) => continue,
                None => HookLevel::User,
            };
            if is_off(&claude, name) {
                let reason = format!("the plugin {name} is switched off");
                let source = "Claude Code plugins".to_owned();
                found.skipped.push(Skipped { path: root, source, reason, shadowed_by: None });
            } else {
                found.plugins.push(Plugin { root, level });
            }
        }
    }
    found.plugins.sort_by_key(|plugin| plugin.level != HookLevel::Project);
    Ok(found)
}

/// Whether the user switched a plugin off.
fn is_off(claude: &Path, name: &str) -> bool {
    let settings = read_small_text(&claude.join("settings.json")).unwrap_or_default();
    let settings: Value = serde_json::from_str(&settings).unwrap_or_default();
    settings["enabledPlugins"][name] == Value::Bool(false)
}
