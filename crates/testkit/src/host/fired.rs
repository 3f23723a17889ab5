//! What a round came to, side by side, for tests that look at all of it.

use std::sync::Arc;

use tau_hooks::{Dispatched, Event, Folded, Owner, Shut};

/// What a round came to.
pub struct Fired<E: Event> {
    /// The payload as the handlers left it; `None` when nobody was called.
    pub payload: Option<E::Payload>,
    /// The results as one.
    pub output: Option<E::Output>,
    /// Whose result ended the round.
    pub stopped_by: Option<Arc<Owner>>,
    /// Why the gate stays shut although nobody decided to shut it.
    pub shut: Option<Shut>,
}

impl<E: Event> From<Dispatched<E>> for Fired<E> {
    fn from(done: Dispatched<E>) -> Self {
        let stopped_by = match &done {
            Dispatched::Stopped { by, .. } => Some(Arc::clone(by)),
            _ => None,
        };
        let shut = match &done {
            Dispatched::Shut { shut, .. } => Some(shut.clone()),
            _ => None,
        };
        let folded = done.into_folded().map(|Folded { payload, output, .. }| (payload, output));
        let (payload, output) = folded.map_or((None, None), |(payload, output)| (Some(payload), output));
        Self { payload, output, stopped_by, shut }
    }
}
