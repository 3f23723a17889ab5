//! Keys and commands of extensions, where they take the place of those of tau.

use tau_agent::BUILTINS;
use tokio_util::sync::CancellationToken;

use super::App;
use crate::paths::short_owner;

impl App {
    /// A key of an extension's shortcut; whether it was one. These come before the keys of tau, but for those that it keeps.
    pub(super) fn shortcut(&mut self, data: &str) -> bool {
        let Some(session) = self.session.clone() else { return false };
        let shortcuts = session.hooks().shortcuts();
        let is_kept = |key: &str| self.keys.bindings().reserved(key).is_some();
        let found = shortcuts
            .into_iter()
            .find(|(_, shortcut)| self.keys.is_key(data, &shortcut.key) && !is_kept(&shortcut.key));
        let Some((owner, shortcut)) = found else { return false };
        // A failure is reported as any other.
        self.tasks.spawn(async move {
            session.hooks().run_shortcut(&owner, &shortcut, CancellationToken::new()).await;
        });
        true
    }

    /// Says which keys and commands of tau do something else now.
    pub(super) fn warn_of_clashes(&mut self) {
        let Some(session) = self.session.clone() else { return };
        for entry in session.hooks().commands() {
            if BUILTINS.iter().any(|builtin| builtin.name == entry.name) {
                let owner = short_owner(&entry.owner.path);
                self.warn(&format!("{owner} takes the command /{}, which is one of tau", entry.name));
            }
        }
        for (owner, shortcut) in session.hooks().shortcuts() {
            let bindings = self.keys.bindings();
            if bindings.reserved(&shortcut.key).is_some() {
                // `/hotkeys` says that it is not in use.
                continue;
            }
            if let Some(binding) = bindings.of_editor(&shortcut.key) {
                let (owner, key, action) = (short_owner(&owner.path), shortcut.key, binding.id);
                self.warn(&format!("{owner} takes the key {key}, which is one of {action}"));
            }
        }
    }
}
