//! Values of the right type that mean nothing: empty entries in lists of paths, and thinking levels that do not exist.

use std::path::Path;

use serde_json::Value;
use tau_ai::ThinkingLevel;

use super::table::keys;

/// Lists of paths. An empty entry would be the folder that relative paths start at.
const PATHS: [&str; 6] = [
    keys::EXTENSIONS.name(),
    keys::PACKAGES.name(),
    keys::SKILLS.name(),
    keys::PROMPTS.name(),
    keys::THEMES.name(),
    keys::HOOKS.name(),
];
/// Levels of single models.
const LEVELS: &str = keys::MODEL_THINKING_LEVELS.name();

/// Whether an entry of a list of paths names nothing.
pub(crate) fn is_empty_entry(entry: &str) -> bool {
    entry.trim().is_empty()
}

/// What a settings file says in vain, in words.
pub(super) fn report(path: &Path, settings: &Value) -> Vec<String> {
    let (path, mut found) = (path.display(), Vec::new());
    for key in PATHS {
        let entries = settings.get(key).and_then(Value::as_array).into_iter().flatten();
        let mut sources = entries.filter_map(|entry| entry.as_str().or_else(|| entry.get("source")?.as_str()));
        if sources.any(is_empty_entry) {
            found.push(format!("{path}: {key} has an empty entry, which is left out"));
        }
    }
    for (model, level) in settings.get(LEVELS).and_then(Value::as_object).into_iter().flatten() {
        if !level.is_null() && level.as_str().is_none_or(|level| ThinkingLevel::parse(level).is_none()) {
            found.push(format!("{path}: {LEVELS}[\"{model}\"] is {level}, which is no thinking level{}", hint(level)));
        }
    }
    found
}

/// The level that was probably meant, else all of them.
fn hint(level: &Value) -> String {
    let words = ThinkingLevel::ALL.map(ThinkingLevel::as_str);
    let near = level.as_str().and_then(|text| {
        let distance = |word: &str| strsim::damerau_levenshtein(word, &text.to_ascii_lowercase());
        words.into_iter().map(|word| (distance(word), word)).min().filter(|(distance, _)| *distance <= 2)
    });
    match near {
        Some((_, word)) => format!("; did you mean {word}?"),
        None => format!("; the levels are {}", words.join(", ")),
    }
}
