//! The id of a run, and how many turns and requests it has begun: by these, records of a trace belong together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tau_ai::Ids;
use tau_hooks::RunIds;

/// Counts what a run begins.
pub(crate) struct RunCount {
    id: Arc<str>,
    turns: AtomicU32,
    requests: AtomicU32,
}

impl RunCount {
    /// A run that begins.
    pub(crate) fn new(ids: &Ids) -> Self {
        let id = ids.id("run").to_string().into();
        Self { id, turns: AtomicU32::new(0), requests: AtomicU32::new(0) }
    }

    /// A turn begins.
    pub(super) fn begin_turn(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// A request begins.
    pub(super) fn begin_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Where the run is.
    pub(crate) fn ids(&self) -> RunIds {
        let begun = |count: &AtomicU32| Some(count.load(Ordering::Relaxed)).filter(|count| *count > 0);
        RunIds { run_id: Some(Arc::clone(&self.id)), turn: begun(&self.turns), request: begun(&self.requests) }
    }
}
