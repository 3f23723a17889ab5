//! The address of a value in nested settings.

use std::fmt;

use serde_json::{Map, Value};

use super::table::{Key, Setting};

/// The names on the way from the top of a settings file to one value.
///
/// Code names a setting by its constant in [`keys`](super::keys); a path is for keys that users type and for what lies
/// below a setting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPath(Vec<String>);

impl KeyPath {
    /// A path of names taken as they are.
    pub fn of<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// A path of names with dots between them; use [`KeyPath::of`] when a name itself contains a dot, as model ids do.
    pub fn dotted(text: &str) -> Self {
        Self::of(text.split('.'))
    }

    /// The names from the top down.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The value at this path below `root`.
    pub fn get<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(root, |value, name| value.as_object()?.get(name))
    }

    /// What is in the way of a value at this path: the outermost part of it that is there and no object. `null` is not in
    /// the way.
    pub(super) fn obstacle(&self, root: &Value) -> Option<Self> {
        let mut outer = (1..self.0.len()).map(|length| Self(self.0[..length].to_vec()));
        outer.find(|outer| outer.get(root).is_some_and(|value| !value.is_null() && !value.is_object()))
    }

    /// Puts `value` at this path, or removes what is there. Anything on the way that is no object is replaced by one,
    /// but only to put something in. The empty path is left alone.
    pub fn set(&self, root: &mut Value, value: Option<Value>) {
        let Some((last, parents)) = self.0.split_last() else { return };
        let mut place = root;
        for name in parents {
            if value.is_none() && place.get(name).is_none() {
                return;
            }
            place = object(place).entry(name.as_str()).or_insert_with(|| Value::Object(Map::new()));
        }
        match value {
            Some(value) => {
                object(place).insert(last.clone(), value);
            }
            None => {
                if let Some(map) = place.as_object_mut() {
                    map.shift_remove(last);
                }
            }
        }
    }
}

fn object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("made an object above"),
    }
}

/// The value at a place below `root` that is named with dots. For a lookup the names need not be taken apart first.
pub(super) fn look_up<'a>(dotted: &str, root: &'a Value) -> Option<&'a Value> {
    dotted.split('.').try_fold(root, |value, name| value.as_object()?.get(name))
}

/// What says where a value is: the constant of a setting, its row, or a [`KeyPath`].
pub trait Address {
    /// The value at this place below `root`.
    fn look_up<'a>(&self, root: &'a Value) -> Option<&'a Value>;
}

impl<T> Address for Key<T> {
    fn look_up<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        look_up(self.name(), root)
    }
}

impl Address for &Setting {
    fn look_up<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        look_up(self.key, root)
    }
}

impl Address for KeyPath {
    fn look_up<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        self.get(root)
    }
}

impl Address for &KeyPath {
    fn look_up<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        self.get(root)
    }
}

impl<T> From<Key<T>> for KeyPath {
    fn from(key: Key<T>) -> Self {
        Self::dotted(key.name())
    }
}

impl From<&Setting> for KeyPath {
    fn from(row: &Setting) -> Self {
        Self::dotted(row.key)
    }
}

impl From<&KeyPath> for KeyPath {
    fn from(path: &KeyPath) -> Self {
        path.clone()
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sets_and_removes_below_missing_and_wrong_parents() {
        let mut root = json!({"a": 1, "b": {"c": 2, "d": 3}});
        KeyPath::dotted("a.x").set(&mut root, Some(json!(true)));
        KeyPath::dotted("b.c").set(&mut root, None);
        KeyPath::dotted("gone.deeper").set(&mut root, None);
        KeyPath::of(["models", "openai/gpt-5.1"]).set(&mut root, Some(json!("high")));
        assert_eq!(root, json!({"a": {"x": true}, "b": {"d": 3}, "models": {"openai/gpt-5.1": "high"}}));
    }

    #[test]
    fn removing_never_damages_a_value_on_the_way() {
        let mut root = json!({"a": "text"});
        KeyPath::dotted("a.b").set(&mut root, None);
        KeyPath::dotted("a.b.c").set(&mut root, None);
        assert_eq!(root, json!({"a": "text"}));
    }
}
