//! Which key does what, on this terminal.

use tau_view::bindings::{Binding, Bindings};
use tau_view::keys::{KeyModes, matches_key};

/// The key bindings in force, and what is known about the terminal that sends the keys.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    bindings: Bindings,
    modes: KeyModes,
}

impl Keymap {
    /// These bindings on this terminal.
    pub fn new(bindings: Bindings, modes: KeyModes) -> Self {
        Self { bindings, modes }
    }

    /// The bindings.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// What is known about the terminal has changed.
    pub fn set_modes(&mut self, modes: KeyModes) {
        self.modes = modes;
    }

    /// Whether what the terminal sent is a key of the action. An action that no table has is a mistake of the caller and has
    /// no key.
    pub fn is(&self, data: &str, action: &str) -> bool {
        let binding = Binding::find(action);
        debug_assert!(binding.is_some(), "there is no action {action}");
        binding.is_some_and(|binding| self.bindings.keys(binding).iter().any(|key| self.is_key(data, key)))
    }

    /// Whether what the terminal sent is this key.
    pub fn is_key(&self, data: &str, key: &str) -> bool {
        matches_key(data, key, self.modes)
    }

    /// The first key of an action, as users read it; nothing when it has none.
    pub fn key_of(&self, action: &str) -> Option<String> {
        let binding = Binding::find(action)?;
        self.bindings.keys(binding).first().map(|key| (*key).to_owned())
    }

    /// All keys of an action, as users read them.
    pub fn keys_of(&self, action: &str) -> String {
        let keys = Binding::find(action).map(|binding| self.bindings.keys(binding)).unwrap_or_default();
        keys.join("/")
    }
}
