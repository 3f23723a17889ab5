//! The tree of the session, and forks of it.

use super::App;
use crate::dialogs::{Entry, ForkPanel, TreePanel, rows_of};
use tau_agent::settings::keys;

impl App {
    /// Opens the tree.
    pub(super) fn choose_place(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let rows = rows_of(&session.session());
        if rows.is_empty() {
            return self.note("The session is empty.");
        }
        let settings = self.settings();
        let filter = settings.of(keys::TREE_FILTER_MODE);
        let skips_summary = settings.of(keys::BRANCH_SUMMARY_SKIP_PROMPT);
        self.panels.open(Entry::own(TreePanel::new(rows, filter, skips_summary)), false);
        self.screen.changed();
    }

    /// Opens the choice of the prompt to fork at.
    pub(super) fn choose_fork(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.panels.open(Entry::own(ForkPanel::new(session.fork_points())), false);
        self.screen.changed();
    }

    /// Sets the label of an entry; an empty one takes it away.
    pub(super) fn label_entry(&mut self, id: &str, label: &str) {
        let Some(session) = &self.session else { return };
        if let Err(error) = session.label(id, Some(label).filter(|label| !label.is_empty())) {
            self.error(&error.to_string());
        }
    }
}
