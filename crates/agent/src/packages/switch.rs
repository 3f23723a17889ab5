//! Switching single extensions, skills, prompt templates and themes on and off, as patterns in settings.

use serde_json::{Map, Value, json};
use tau_packages::Source;

use super::entries::{Scope, list, source_of};
use crate::extensions::{Known, inventory};
use crate::settings::{Environment, KeyPath, Layer, ResourceKind, SettingsError, SettingsStore};

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
    if let Some(done) = whole_package(env, settings, wanted, on, layer)? {
        return Ok(vec![done]);
    }
    let snapshot = settings.snapshot();
    let all = inventory(env, &snapshot);
    let exact: Vec<&Known> = all.iter().filter(|known| known.path == env.resolve(wanted, &env.cwd)).collect();
    let meant = if exact.is_empty() { all.iter().filter(|known| answers(known, wanted)).collect() } else { exact };
    match meant[..] {
        [] => Err(SwitchError::Nothing { wanted: wanted.to_owned() }),
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
    settings.update(layer, known.kind.key(), |entries| {
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
    settings.update(layer, "packages", |entries| {
        let mut entries = list(entries);
        let at = scope.position(&entries, &typed).unwrap_or_else(|| {
            entries.push(json!({"source": scope.written(&typed), "autoload": false}));
            entries.len() - 1
        });
        change(&mut entries, at, |entry| {
            let patterns = list(entry.shift_remove(known.kind.key()));
            entry.insert(known.kind.key().to_owned(), Value::Array(decided(patterns, &known.pattern(), on)));
        });
        Some(Value::Array(entries))
    })
}

/// A package as a whole: with empty lists nothing of it is used.
fn whole_package(
    env: &Environment,
    settings: &SettingsStore,
    wanted: &str,
    on: bool,
    layer: Option<Layer>,
) -> Result<Option<String>, SettingsError> {
    let snapshot = settings.snapshot();
    let layers = [Layer::Project, Layer::Global].into_iter();
    let found = layers.filter(|layer| *layer == Layer::Global || snapshot.is_trusted()).find_map(|of| {
        let scope = Scope { env, base: snapshot.paths().base(of) };
        let entries = list(snapshot.get_in(of, "packages").cloned());
        let by_name = |entry: &Value| match Source::parse(source_of(entry).unwrap_or_default()) {
            Source::Npm(npm) => npm.name == wanted,
            _ => source_of(entry) == Some(wanted),
        };
        let at = scope.position(&entries, wanted).or_else(|| entries.iter().position(by_name))?;
        Some((of, source_of(&entries[at])?.to_owned()))
    });
    let Some((of, package)) = found else { return Ok(None) };
    let layer = layer.unwrap_or(of);
    let scope = Scope { env, base: snapshot.paths().base(layer) };
    let typed = typed(env, &snapshot, &package, of);
    settings.update(layer, "packages", |entries| {
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
    })?;
    Ok(Some(package))
}

/// A source of one settings file as if a user had typed it.
fn typed(env: &Environment, settings: &crate::settings::Settings, package: &str, of: Layer) -> String {
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
    let only_source =
        KeyPath::from("source").get(&Value::Object(object.clone())).filter(|_| object.len() == 1).cloned();
    *entry = only_source.unwrap_or(Value::Object(object));
}
