//! The setting `defaultTools`: how the list of a project goes with that of the user.

use serde_json::Value;

use super::key::KeyPath;

/// The name of the setting.
pub(super) const KEY: &str = "defaultTools";

/// A list of the project that only has `+name` and `-name` changes that of the user; any other takes its place.
pub(super) fn merge(merged: &mut Value, user: &Value, project: &Value) {
    let path = KeyPath::from(KEY);
    let list = |layer: &'_ Value| path.get(layer).and_then(Value::as_array).cloned();
    let (Some(of_user), Some(of_project)) = (list(user), list(project)) else { return };
    let is_edit = |entry: &Value| entry.as_str().is_some_and(|entry| entry.starts_with(['+', '-']));
    if of_project.is_empty() || !of_project.iter().all(is_edit) {
        return;
    }
    // An empty list means no tools; with edits behind it, it would mean the default ones.
    let added = |entry: &Value| Some(Value::from(entry.as_str()?.strip_prefix('+')?));
    let both = match of_user.is_empty() {
        true => of_project.iter().filter_map(added).collect(),
        false => of_user.into_iter().chain(of_project).collect(),
    };
    path.set(merged, Some(Value::Array(both)));
}
