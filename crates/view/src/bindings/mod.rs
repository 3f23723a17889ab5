//! Which keys do what, by names that extensions and the user's file of key bindings share.

mod table;

use std::collections::BTreeMap;

pub use table::BINDINGS;

/// An action and the keys it has unless the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Its name, `group.action`; the group is everything up to the last dot.
    pub id: &'static str,
    /// What it was called before names had groups; empty when it is newer than that.
    pub older: &'static str,
    /// Its keys, each as `ctrl+x`.
    pub keys: &'static [&'static str],
    /// What it does.
    pub doc: &'static str,
    /// Whether its keys are kept from extensions.
    pub reserved: bool,
}

impl Binding {
    /// The action of that name, today's or an older one.
    pub fn find(name: &str) -> Option<&'static Self> {
        let older = || BINDINGS.iter().find(|binding| !binding.older.is_empty() && binding.older == name);
        BINDINGS.iter().find(|binding| binding.id == name).or_else(older)
    }
}

/// The key bindings in force: those of the table, with the user's own in place of some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings {
    own: BTreeMap<&'static str, Vec<String>>,
}

impl Bindings {
    /// The user's own bindings, by name of the action; an empty list takes an action its keys. Names that mean no action
    /// are given back. Where an action is named in the older way too, today's name counts.
    pub fn new(own: impl IntoIterator<Item = (String, Vec<String>)>) -> (Self, Vec<String>) {
        let (mut bindings, mut unknown) = (Self::default(), Vec::new());
        for (name, keys) in own {
            match Binding::find(&name) {
                Some(binding) if binding.id == name => drop(bindings.own.insert(binding.id, keys)),
                Some(binding) => drop(bindings.own.entry(binding.id).or_insert(keys)),
                None => unknown.push(name),
            }
        }
        (bindings, unknown)
    }

    /// The keys of an action.
    pub fn keys(&self, binding: &Binding) -> Vec<&str> {
        match self.own.get(binding.id) {
            Some(keys) => keys.iter().map(String::as_str).collect(),
            None => binding.keys.to_vec(),
        }
    }

    /// The action that keeps a key for itself, so that no extension can have it.
    pub fn reserved(&self, key: &str) -> Option<&'static Binding> {
        let key = normal(key);
        BINDINGS.iter().find(|binding| binding.reserved && self.keys(binding).iter().any(|own| normal(own) == key))
    }
}

/// The same text for the same key: modifiers come in any order and any case.
fn normal(key: &str) -> String {
    let mut parts: Vec<String> = key.to_lowercase().split('+').map(str::to_owned).collect();
    // `ctrl++` is the key `+`.
    let last = match parts.pop() {
        Some(last) if last.is_empty() && !parts.is_empty() => {
            parts.pop();
            "+".to_owned()
        }
        last => last.unwrap_or_default(),
    };
    parts.sort();
    parts.push(last);
    parts.join("+")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn own(pairs: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
        let texts = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        pairs.iter().map(|(name, keys)| ((*name).to_owned(), texts(keys))).collect()
    }

    #[test]
    fn names_are_unique_and_lead_to_their_action() {
        let mut names = HashSet::new();
        for binding in BINDINGS {
            assert!(names.insert(binding.id), "{}", binding.id);
            assert!(binding.older.is_empty() || names.insert(binding.older), "{}", binding.older);
            assert_eq!(Binding::find(binding.id), Some(binding));
            assert!(!binding.doc.is_empty());
        }
        assert_eq!(Binding::find("undo").map(|binding| binding.id), Some("tui.editor.undo"));
        assert_eq!(Binding::find(""), None);
    }

    #[test]
    fn the_users_keys_take_the_place_of_the_usual_ones() {
        let (bindings, unknown) = Bindings::new(own(&[
            ("app.model.select", &["f2", "Ctrl+M"]),
            ("selectModel", &["f9"]),
            ("undo", &[]),
            ("frob", &["f3"]),
        ]));
        let keys = |name: &str| bindings.keys(Binding::find(name).expect("an action"));
        assert_eq!(keys("app.model.select"), ["f2", "Ctrl+M"]);
        assert_eq!(keys("tui.editor.undo"), [] as [&str; 0]);
        assert_eq!(keys("tui.select.cancel"), ["escape", "ctrl+c"]);
        assert_eq!(unknown, ["frob"]);
    }

    #[test]
    fn reserved_keys_are_known_however_they_are_written() {
        let (bindings, _) = Bindings::new(own(&[("app.model.select", &["f2"])]));
        let reserved = |key: &str| bindings.reserved(key).map(|binding| binding.id);
        assert_eq!(reserved("Ctrl+Shift+P"), Some("app.model.cycleBackward"));
        assert_eq!(reserved("f2"), Some("app.model.select"));
        assert_eq!(reserved("ctrl+l"), None);
        assert_eq!(reserved("ctrl++"), None);
        assert_eq!(normal("shift+ctrl++"), "ctrl+shift++");
        assert_eq!(normal("+"), "+");
    }
}
