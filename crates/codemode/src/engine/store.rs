//! Small values that scripts of one branch of a session keep for each other.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The most characters of JSON of one value.
const ONE: usize = 256 * 1024;
/// The most characters of all keys and values.
const ALL: usize = 1024 * 1024;

/// Why small values are meant.
const HINT: &str = "store() is for small values such as ids and summaries: show pictures with image(), and write large data to a file with a tool";

/// The values, as JSON texts, and what the script changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Store {
    values: BTreeMap<String, String>,
    characters: usize,
    changed: BTreeMap<String, Option<String>>,
}

/// What a script changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoreWrites {
    /// Values that were set.
    pub set: Map<String, Value>,
    /// Keys whose values were removed.
    pub delete: Vec<String>,
}

/// Why a value is not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StoreError {
    #[error("store({key}): the value has {size} characters of JSON, and {ONE} is the most; {HINT}")]
    TooLarge { key: Value, size: usize },
    #[error(
        "store({key}): all values together may have {ALL} characters of JSON; remove some with store(key, undefined); {HINT}"
    )]
    Full { key: Value },
}

/// The length as JavaScript counts it.
fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

impl Store {
    /// The values that earlier scripts left.
    pub fn new(values: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut store = Self::default();
        for (key, value) in values {
            let json = value.to_string();
            store.characters += length(&key) + length(&json);
            if let Some(old) = store.values.insert(key.clone(), json) {
                store.characters -= length(&key) + length(&old);
            }
        }
        store
    }

    /// The value of a key, as JSON.
    pub(super) fn load(&self, key: &str) -> Option<&String> {
        self.values.get(key)
    }

    /// Keeps a value, or removes it.
    pub(super) fn store(&mut self, key: String, json: Option<String>) -> Result<(), StoreError> {
        let before = self.values.get(&key).map_or(0, |old| length(&key) + length(old));
        let Some(json) = json else {
            self.values.remove(&key);
            self.characters -= before;
            self.changed.insert(key, None);
            return Ok(());
        };
        let size = length(&json);
        if size > ONE {
            return Err(StoreError::TooLarge { key: key.into(), size });
        }
        let all = self.characters - before + length(&key) + size;
        // What another program left may be more; it can be made less.
        if all > ALL && all > self.characters {
            return Err(StoreError::Full { key: key.into() });
        }
        self.characters = all;
        self.values.insert(key.clone(), json.clone());
        self.changed.insert(key, Some(json));
        Ok(())
    }

    /// What was changed.
    pub(super) fn into_writes(self) -> StoreWrites {
        let mut writes = StoreWrites::default();
        for (key, json) in self.changed {
            match json.map(|json| serde_json::from_str(&json)) {
                Some(Ok(value)) => drop(writes.set.insert(key, value)),
                Some(Err(error)) => tracing::warn!("a value of a script was not kept: {error}"),
                None => writes.delete.push(key),
            }
        }
        writes
    }
}

impl StoreWrites {
    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.delete.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_limits_and_what_is_removed_makes_room() {
        let mut store = Store::new([("old".to_owned(), json!(1))]);
        let text = |size: usize| Some(format!("\"{}\"", "x".repeat(size - 2)));
        assert!(
            matches!(store.store("a".to_owned(), text(ONE + 1)), Err(StoreError::TooLarge { size, .. }) if size == ONE + 1)
        );
        for key in ["a", "b", "c"] {
            assert_eq!(store.store(key.to_owned(), text(ONE)), Ok(()));
        }
        assert!(matches!(store.store("d".to_owned(), text(ONE)), Err(StoreError::Full { .. })));
        assert_eq!(store.store("old".to_owned(), None), Ok(()));
        assert_eq!(store.store("a".to_owned(), text(3)), Ok(()));
        assert_eq!(store.store("d".to_owned(), text(ONE)), Ok(()));
        assert_eq!((store.load("a").map(String::as_str), store.load("old")), (Some("\"x\""), None));
        let writes = store.into_writes();
        assert_eq!((writes.set.len(), writes.set["a"].clone(), writes.delete), (4, json!("x"), vec!["old".to_owned()]));
    }
}
