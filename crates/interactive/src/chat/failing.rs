//! How often the renderers of extensions fail.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tau_hooks::{InARow, Owner};

/// What a renderer draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Draws {
    /// Calls of a tool.
    Calls,
    /// Results of a tool.
    Results,
    /// Messages of a type.
    Messages,
    /// Entries of a type.
    Entries,
}

/// By what it draws, and the tool or the type: the extension that was loaded then, and the blocks in a row that failed.
type ByRenderer = HashMap<(Draws, String), (Weak<Owner>, InARow)>;

/// The failures of each renderer, over all blocks. Clones count together.
#[derive(Clone, Default)]
pub(crate) struct Failures(Arc<Mutex<ByRenderer>>);

impl Failures {
    /// Those of a renderer. An extension that is loaded again begins anew.
    pub(super) fn of(&self, owner: &Arc<Owner>, draws: Draws, name: &str) -> InARow {
        let mut all = self.0.lock();
        let known = all.entry((draws, name.to_owned())).or_default();
        if known.0.as_ptr() != Arc::as_ptr(owner) {
            *known = (Arc::downgrade(owner), InARow::default());
        }
        known.1.clone()
    }
}

#[cfg(test)]
mod tests {
    use tau_hooks::dialect::PI;

    use super::*;

    #[test]
    fn each_renderer_counts_for_itself_until_its_extension_is_loaded_again() {
        let (all, owner) = (Failures::default(), Owner::new("draws.ts", "draws", &PI));
        let over = all.of(&owner, Draws::Calls, "weigh");
        for _ in 0..InARow::MOST {
            over.failed();
        }
        assert!(all.clone().of(&owner, Draws::Calls, "weigh").is_over());
        assert!(!all.of(&owner, Draws::Results, "weigh").is_over());
        assert!(!all.of(&owner, Draws::Calls, "measure").is_over());
        let again = Owner::new("draws.ts", "draws", &PI);
        assert!(!all.of(&again, Draws::Calls, "weigh").is_over());
    }
}
