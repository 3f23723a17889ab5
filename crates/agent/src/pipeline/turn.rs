//! What the stages of a run work on.

use std::ops::Deref;

use tau_hooks::Scope;

use super::run_state::Run;
use crate::parts::Live;

/// A run at work: the parts of its session, and the run itself.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    live: &'a Live,
    pub(crate) run: &'a Run,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(live: &'a Live, run: &'a Run) -> Self {
        Self { live, run }
    }

    /// Where events of the run are fired; see [`super::run_state::RunEnds::scope`].
    pub(crate) fn scope(&self) -> Scope {
        self.run.ends().scope(&self.live.host)
    }

    /// Whether the run is aborted or cannot go on.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.run.cancel.is_cancelled()
    }
}

impl Deref for Turn<'_> {
    type Target = Live;

    fn deref(&self) -> &Live {
        self.live
    }
}
