//! Keys and commands of extensions, where they take the place of those of tau.

use std::pin::pin;
use std::time::Instant;

use tau_agent::BUILTINS;
use tokio_util::sync::CancellationToken;

use super::App;
use super::listen::PATIENCE;
use crate::paths::short_owner;
use crate::told::Told;

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
        self.shortcut_at = Some(Instant::now());
        self.listening.shortcut_begins();
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            // A failure is reported as any other.
            let mut run = pin!(session.hooks().run_shortcut(&owner, &shortcut, CancellationToken::new()));
            let is_over = tokio::time::timeout(PATIENCE, &mut run).await.is_ok();
            teller.tell(Told::ShortcutBegan);
            if !is_over {
                run.await;
            }
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
            if let Some(binding) = bindings.reserved(&shortcut.key) {
                let (owner, key, action) = (short_owner(&owner.path), shortcut.key, binding.id);
                self.warn(&format!("{owner} cannot have the key {key}, which stays with {action}"));
                continue;
            }
            if let Some(binding) = bindings.of_editor(&shortcut.key) {
                let (owner, key, action) = (short_owner(&owner.path), shortcut.key, binding.id);
                self.warn(&format!("{owner} takes the key {key}, which is one of {action}"));
            }
        }
    }
}
