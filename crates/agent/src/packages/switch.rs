//! Switching single extensions, skills, prompt templates and themes on and off, as patterns in settings.

use std::path::Path;

use serde_json::{Map, Value, json};
use tau_packages::Source;

use super::entries::{Scope, list, source_of};
use crate::extensions::{Known, inventory, is_builtin_extension, is_builtin_name};
use crate::settings::{
    Environment, Layer, ResourceKind, Settings, SettingsError, SettingsStore, builtin_package, keys,
};

/// Why nothing was switched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// Nothing answers to this.
    #[error(
        "there is no extension, skill, prompt template, theme or package \"{wanted}\"; `tau config resources` lists all"
    )]
    Nothing {
        /// As it was typed.
        wanted: String,
    },
    /// More than one thing answers to this.
    #[error("\"{wanted}\" could be any of: {}", candidates.join(", "))]
    Many {
        /// As it was typed.
        wanted: String,
        /// What it could be.
        candidates: Vec<String>,
    },
    /// The settings cannot be read or written.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// Switches what `wanted` means on or off: a path, the end of one, a name, or the source of a package for all of it. The
/// file that names it is changed, or with `layer` that one. Gives what was switched.
///
/// # Errors
/// When nothing or more than one thing is meant, or the file cannot be changed.
pub fn switch(
    env: &Environment,
    settings: &SettingsStore,
    wanted: &str,
    on: bool,
    layer: Option<Layer>,
) -> Result<Vec<String>, SwitchError> {
    if is_builtin_name(wanted) && builtin_package(wanted).is_none() {
        switch_of_program(settings, wanted, on, layer)?;
        return Ok(vec![wanted.to_owned()]);
    }
    let of_program = || builtin_package(wanted).map(|package| (Layer::Global, package.name.to_owned()));
    if let Some((of, package)) = of_source(env, settings, wanted).or_else(of_program) {
        whole_package(env, settings, &package, on, of, layer)?;
        return Ok(vec![package]);
    }
    let snapshot = settings.snapshot();
    let all = inventory(env, &snapshot);
    let exact: Vec<&Known> = all.iter().filter(|known| known.path == env.resolve(wanted, &env.cwd)).collect();
    let meant = if exact.is_empty() { all.iter().filter(|known| answers(known, wanted)).collect() } else { exact };
    match meant[..] {
        [] => match &of_name(env, settings, wanted)[..] {
            // The name without its prefix, where nothing else is called so.
            [] => {
                let name = format!("builtin:{wanted}");
                switch_of_program(settings, &name, on, layer).map_err(|error| match error {
                    SwitchError::Nothing { .. } => SwitchError::Nothing { wanted: wanted.to_owned() },
                    error => error,
                })?;
                Ok(vec![name])
            }
            [(of, package)] => {
                whole_package(env, settings, package, on, *of, layer)?;
                Ok(vec![package.clone()])
            }
            many => {
                let candidates = many.iter().map(|(_, package)| package.clone()).collect();
                Err(SwitchError::Many { wanted: wanted.to_owned(), candidates })
            }
        },
        [one] => {
            let of = one.origin.layer().unwrap_or(Layer::Global);
            let layer = layer.unwrap_or(of);
            match &one.package {
                Some(package) => in_package(env, settings, one, package, on, of, layer)?,
                None => in_list(settings, one, on, of, layer)?,
            }
            Ok(vec![one.path.display().to_string()])
        }
        _ => {
            let candidates = meant.iter().map(|known| known.path.display().to_string()).collect();
            Err(SwitchError::Many { wanted: wanted.to_owned(), candidates })
        }
    }
}

/// Switches an extension that is part of the program.
fn switch_of_program(settings: &SettingsStore, name: &str, on: bool, layer: Option<Layer>) -> Result<(), SwitchError> {
    if !is_builtin_extension(name) {
        return Err(SwitchError::Nothing { wanted: name.to_owned() });
    }
    let decide = |entries: Option<Value>| {
        let others = list(entries).into_iter().filter(|entry| entry.as_str() != Some(name)).collect();
        Some(Value::Array(decided(others, name, on)))
    };
    Ok(settings.update(layer.unwrap_or(Layer::Global), ResourceKind::Extensions.setting(), decide)?)
}

fn answers(known: &Known, wanted: &str) -> bool {
    let pattern = known.pattern();
    let name = known.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = known.path.parent().and_then(|folder| folder.file_name()).and_then(|name| name.to_str());
    // An index or a skill is called like its folder.
    let name = if matches!(name, "index" | "SKILL") { folder.unwrap_or(name) } else { name };
    let in_package = known.package.as_ref().map(|package| format!("{package}/{pattern}"));
    let wanted = wanted.strip_prefix("./").unwrap_or(wanted);
    pattern == wanted
        || name == wanted
        || pattern.ends_with(&format!("/{wanted}"))
        || in_package.as_deref() == Some(wanted)
}

/// A list with a decision about one file: what it said before about this file is gone.
fn decided(entries: Vec<Value>, pattern: &str, on: bool) -> Vec<Value> {
    let says = |entry: &Value| {
        let text = entry.as_str().unwrap_or_default();
        text.strip_prefix(['!', '+', '-']) == Some(pattern)
    };
    let mut entries: Vec<Value> = entries.into_iter().filter(|entry| !says(entry)).collect();
    entries.push(json!(format!("{}{pattern}", if on { '+' } else { '-' })));
    entries
}

fn in_list(settings: &SettingsStore, known: &Known, on: bool, of: Layer, layer: Layer) -> Result<(), SettingsError> {
    // A project says something about a file of the user by naming it.
    let foreign = of != layer;
    let pattern = if foreign { known.path.display().to_string() } else { known.pattern() };
    settings.update(layer, known.kind.setting(), |entries| {
        let mut entries = list(entries);
        if foreign && !entries.iter().any(|entry| entry.as_str() == Some(&pattern)) {
            entries.push(json!(pattern));
        }
        Some(Value::Array(decided(entries, &pattern, on)))
    })
}

fn in_package(
    env: &Environment,
    settings: &SettingsStore,
    known: &Known,
    package: &str,
    on: bool,
    of: Layer,
    layer: Layer,
) -> Result<(), SettingsError> {
    let snapshot = settings.snapshot();
    let scope = Scope { env, base: snapshot.paths().base(layer) };
    let typed = typed(env, &snapshot, package, of);
    settings.update(layer, keys::PACKAGES, |entries| {
        let mut entries = list(entries);
        let at = scope.position(&entries, &typed).unwrap_or_else(|| {
            entries.push(json!({"source": scope.written(&typed), "autoload": false}));
            entries.len() - 1
        });
        change(&mut entries, at, |entry| {
            let only_changes = entry.get("autoload") == Some(&Value::Bool(false));
            let patterns = match entry.shift_remove(known.kind.key()) {
                // An empty list uses nothing. One of signs alone uses all that it does not name, so it says this itself.
                Some(Value::Array(none)) if none.is_empty() && !only_changes => vec![json!("!**")],
                other => list(other),
            };
            entry.insert(known.kind.key().to_owned(), Value::Array(decided(patterns, &known.pattern(), on)));
        });
        Some(Value::Array(entries))
    })
}

/// The packages that a layer names, the project's first.
fn layers(settings: &Settings) -> impl Iterator<Item = (Layer, Vec<Value>)> {
    let layers = [Layer::Project, Layer::Global].into_iter();
    let known = layers.filter(|layer| *layer == Layer::Global || settings.is_trusted());
    known.map(|of| (of, list(settings.get_in(of, keys::PACKAGES).cloned())))
}

/// The package of this source, or of this name in the registry, and the file that names it.
fn of_source(env: &Environment, settings: &SettingsStore, wanted: &str) -> Option<(Layer, String)> {
    let snapshot = settings.snapshot();
    layers(&snapshot).find_map(|(of, entries)| {
        let scope = Scope { env, base: snapshot.paths().base(of) };
        let by_name = |entry: &Value| match Source::parse(source_of(entry).unwrap_or_default()) {
            Source::Npm(npm) => npm.name == wanted,
            _ => source_of(entry) == Some(wanted),
        };
        let at = scope.position(&entries, wanted).or_else(|| entries.iter().position(by_name))?;
        Some((of, source_of(&entries[at])?.to_owned()))
    })
}

/// The packages whose folder or repository has this name, or whose `package.json` says it.
fn of_name(env: &Environment, settings: &SettingsStore, wanted: &str) -> Vec<(Layer, String)> {
    let snapshot = settings.snapshot();
    let mut found = Vec::new();
    for (of, entries) in layers(&snapshot) {
        let base = snapshot.paths().base(of);
        for source in entries.iter().filter_map(source_of) {
            let is_called_so = match Source::parse(source) {
                Source::Local(path) => {
                    let folder = env.resolve(&path, base);
                    folder.file_name().is_some_and(|name| name == wanted)
                        || package_name(&folder).is_some_and(|name| name == wanted)
                }
                Source::Git(git) => git.path.rsplit('/').next() == Some(wanted),
                Source::Npm(_) | Source::Builtin(_) => false,
            };
            if is_called_so {
                found.push((of, source.to_owned()));
            }
        }
    }
    found
}

/// The name in the manifest of a folder.
fn package_name(folder: &Path) -> Option<String> {
    let text = tau_tools::read_small_text(&folder.join("package.json")).ok()?;
    let manifest: Value = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(&text)).ok()?;
    manifest["name"].as_str().map(str::to_owned)
}

/// A package as a whole: with empty lists nothing of it is used. `of` names it.
fn whole_package(
    env: &Environment,
    settings: &SettingsStore,
    package: &str,
    on: bool,
    of: Layer,
    layer: Option<Layer>,
) -> Result<(), SettingsError> {
    let snapshot = settings.snapshot();
    let layer = layer.unwrap_or(of);
    let scope = Scope { env, base: snapshot.paths().base(layer) };
    let typed = typed(env, &snapshot, package, of);
    settings.update(layer, keys::PACKAGES, |entries| {
        let mut entries = list(entries);
        let at = scope.position(&entries, &typed).unwrap_or_else(|| {
            entries.push(json!(scope.written(&typed)));
            entries.len() - 1
        });
        change(&mut entries, at, |entry| {
            entry.shift_remove("autoload");
            for kind in ResourceKind::ALL {
                entry.shift_remove(kind.key());
                if !on {
                    entry.insert(kind.key().to_owned(), json!([]));
                }
            }
        });
        Some(Value::Array(entries))
    })
}

/// A source of one settings file as if a user had typed it.
fn typed(env: &Environment, settings: &Settings, package: &str, of: Layer) -> String {
    match Source::parse(package) {
        Source::Local(path) => env.resolve(&path, settings.paths().base(of)).display().to_string(),
        _ => package.to_owned(),
    }
}

/// Changes an entry as an object; one that says nothing but its source becomes a text again.
fn change(entries: &mut [Value], at: usize, change: impl FnOnce(&mut Map<String, Value>)) {
    let Some(entry) = entries.get_mut(at) else { return };
    let mut object = match entry.take() {
        Value::Object(object) => object,
        other => Map::from_iter([("source".to_owned(), other)]),
    };
    change(&mut object);
    let only_source = object.get("source").filter(|_| object.len() == 1).cloned();
    *entry = only_source.unwrap_or(Value::Object(object));
}
