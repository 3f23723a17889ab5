//! Environment variables that extensions changed.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;

/// What extensions did to the environment of a session: commands that the session runs for the model and the user
/// find it so. The environment of the process stays as it is.
#[derive(Debug, Default)]
pub struct Variables(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    changed: BTreeMap<String, Option<String>>,
    /// Names that no extension changes.
    fixed: BTreeSet<String>,
}

impl Variables {
    /// Sets a variable; `None` removes it.
    pub fn set(&self, name: &str, value: Option<&str>) {
        let mut state = self.0.lock();
        if !state.fixed.contains(name) {
            state.changed.insert(name.to_owned(), value.map(str::to_owned));
        }
    }

    /// Sets a variable for good: no extension changes or removes it.
    pub fn fix(&self, name: &str, value: &str) {
        let mut state = self.0.lock();
        state.changed.insert(name.to_owned(), Some(value.to_owned()));
        state.fixed.insert(name.to_owned());
    }

    /// Whether a variable is set for good.
    pub fn is_fixed(&self, name: &str) -> bool {
        self.0.lock().fixed.contains(name)
    }

    /// The changes, by name; `None` stands for a variable that was removed.
    pub fn changes(&self) -> Vec<(String, Option<String>)> {
        self.0.lock().changed.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Makes the changes in an environment.
    pub fn apply(&self, environment: &mut BTreeMap<String, String>) {
        for (name, value) in &self.0.lock().changed {
            match value {
                Some(value) => environment.insert(name.clone(), value.clone()),
                None => environment.remove(name),
            };
        }
    }
}
