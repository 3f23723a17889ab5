//! How the list of tools of a project goes with that of the user.

use serde_json::Value;

use crate::settings::key::KeyPath;
use crate::settings::table::keys;
use crate::settings::tools::is_edit;

/// A list of the project that only has `+name` and `-name` changes that of the user; any other takes its place.
pub(super) fn merge_tool_lists(merged: &mut Value, user: &Value, project: &Value) {
    let path = KeyPath::from(keys::DEFAULT_TOOLS);
    let list = |layer: &'_ Value| path.get(layer).and_then(Value::as_array).cloned();
    let (Some(of_user), Some(of_project)) = (list(user), list(project)) else { return };
    let is_change = |entry: &Value| entry.as_str().is_some_and(is_edit);
    if of_project.is_empty() || !of_project.iter().all(is_change) {
        return;
    }
    // An empty list means no tools; with edits behind it, it would mean the default ones.
    let added = |entry: &Value| Some(Value::from(entry.as_str()?.strip_prefix('+')?));
    let both = if of_user.is_empty() {
        of_project.iter().filter_map(added).collect()
    } else {
        of_user.into_iter().chain(of_project).collect()
    };
    path.set(merged, Some(Value::Array(both)));
}
