//! The values of scripts in a session's file: each script that kept some appended an entry, and a branch has those on its
//! way from the root.

use serde_json::{Map, Value, json};
use tau_session::{EntryBody, EntryKind, Session};

use crate::engine::{Store, StoreWrites};

/// The kind of these entries.
pub const STORE_ENTRY: &str = "codemode-store";

/// The values that the branch of a session has.
pub(super) fn read(session: &Session) -> Store {
    let mut values: Map<String, Value> = Map::new();
    for entry in session.branch_entries(EntryKind::Custom) {
        let body = entry.body();
        let EntryBody::Custom(custom) = &*body else { continue };
        if custom.custom_type != STORE_ENTRY {
            continue;
        }
        apply(&mut values, custom.data.as_ref());
    }
    Store::new(values)
}

/// What an entry changes; nothing when it is of another form.
fn apply(values: &mut Map<String, Value>, data: Option<&Value>) {
    let Some(data) = data else { return };
    let (Some(set), Some(delete)) = (data["set"].as_object(), data["delete"].as_array()) else { return };
    if !delete.iter().all(Value::is_string) {
        return;
    }
    for key in delete.iter().filter_map(Value::as_str) {
        values.remove(key);
    }
    values.extend(set.iter().map(|(key, value)| (key.clone(), value.clone())));
}

/// What a script kept, as the data of an entry.
pub(super) fn entry(writes: StoreWrites) -> Value {
    json!({"set": writes.set, "delete": writes.delete})
}
