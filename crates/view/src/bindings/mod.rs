//! Which keys do what, by names that extensions and the user's file of key bindings share.

mod conflicts;
mod context;
mod table;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

pub use conflicts::Conflict;
pub use context::{Context, Platform};
pub use table::BINDINGS;

/// An action and the keys it has unless the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Its name, `group.action`; the group is everything up to the last dot.
    pub id: &'static str,
    /// What it was called before names had groups; empty when it is newer than that.
    pub older: &'static str,
    /// Where its keys count.
    pub context: Context,
    /// Its keys, each as `ctrl+x`.
    pub keys: &'static [&'static str],
    /// Its keys on platforms that have others.
    pub elsewhere: &'static [(Platform, &'static [&'static str])],
    /// What it does.
    pub doc: &'static str,
    /// Whether its keys are kept from extensions.
    pub reserved: bool,
}

impl Binding {
    /// The action of that name, today's or an older one.
    pub fn find(name: &str) -> Option<&'static Self> {
        static NAMES: LazyLock<HashMap<&str, &Binding>> = LazyLock::new(|| {
            let older = BINDINGS.iter().filter(|binding| !binding.older.is_empty()).map(|one| (one.older, one));
            // The name of today counts where another action had it before.
            older.chain(BINDINGS.iter().map(|binding| (binding.id, binding))).collect()
        });
        NAMES.get(name).copied()
    }

    /// The keys it has on a platform unless the user says otherwise.
    pub fn keys_on(&self, platform: Platform) -> &'static [&'static str] {
        self.elsewhere.iter().find(|(other, _)| *other == platform).map_or(self.keys, |(_, keys)| keys)
    }
}

/// The key bindings in force: those of the table, with the user's own in place of some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings {
    platform: Platform,
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

    /// The same with the keys of a platform, where the user has no others.
    pub fn on(self, platform: Platform) -> Self {
        Self { platform, ..self }
    }

    /// The keys of an action.
    pub fn keys(&self, binding: &Binding) -> Vec<&str> {
        match self.own.get(binding.id) {
            Some(keys) => keys.iter().map(String::as_str).collect(),
            None => binding.keys_on(self.platform).to_vec(),
        }
    }

    /// The action that keeps a key for itself, so that no extension can have it.
    pub fn reserved(&self, key: &str) -> Option<&'static Binding> {
        let key = normal(key);
        BINDINGS.iter().find(|binding| binding.reserved && self.keys(binding).iter().any(|own| normal(own) == key))
    }

    /// The action that a key has while a prompt is written, unless an extension takes it.
    pub fn of_editor(&self, key: &str) -> Option<&'static Binding> {
        let key = normal(key);
        let has_it = |keys: &[&str]| keys.iter().any(|own| normal(own) == key);
        self.valid_in(Context::Editor).find(|(_, keys)| has_it(keys)).map(|(binding, _)| binding)
    }

    /// The actions whose keys count in a context, with the keys that they have. What counts everywhere in it, such as
    /// moving in a list, comes last.
    pub fn valid_in(&self, context: Context) -> impl Iterator<Item = (&'static Binding, Vec<&str>)> {
        let of = move |wanted: Option<Context>| BINDINGS.iter().filter(move |binding| Some(binding.context) == wanted);
        let actions = of(Some(context)).chain(of(context.within()));
        actions.map(|binding| (binding, self.keys(binding))).filter(|(_, keys)| !keys.is_empty())
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
    parts.push(match last.as_str() {
        "esc" => "escape".to_owned(),
        "return" => "enter".to_owned(),
        _ => last,
    });
    parts.join("+")
}

#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod tests;
