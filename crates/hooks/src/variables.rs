//! Environment variables that extensions changed.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// What extensions did to the environment of a session: commands that the session runs for the model and the user
/// find it so. The environment of the process stays as it is.
#[derive(Debug, Default)]
pub struct Variables(Mutex<BTreeMap<String, Option<String>>>);

impl Variables {
    /// Sets a variable; `None` removes it.
    pub fn set(&self, name: &str, value: Option<&str>) {
        self.0.lock().insert(name.to_owned(), value.map(str::to_owned));
    }

    /// Whether a variable was set or removed.
    pub fn is_changed(&self, name: &str) -> bool {
        self.0.lock().contains_key(name)
    }

    /// The changes, by name; `None` stands for a variable that was removed.
    pub fn changes(&self) -> Vec<(String, Option<String>)> {
        self.0.lock().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Makes the changes in an environment.
    pub fn apply(&self, environment: &mut BTreeMap<String, String>) {
        for (name, value) in &*self.0.lock() {
            match value {
                Some(value) => environment.insert(name.clone(), value.clone()),
                None => environment.remove(name),
            };
        }
    }
}
