//! A moment of a session, as an answer needs to know it.

use tau_hooks::AnyPayload;
use tau_hooks::payload::{AgentBeforeSettleEvent, EntryDraft, InputEvent, StreamingBehavior};

use crate::found::SessionMoment;

/// What an answer needs of the event it is for.
pub(super) struct Scene {
    pub(super) moment: &'static SessionMoment,
    /// What others propose already.
    pub(super) proposed: Vec<EntryDraft>,
    /// The queue that the prompt goes to.
    pub(super) queue: Option<StreamingBehavior>,
}

impl Scene {
    pub(super) fn of(moment: &'static SessionMoment, payload: &dyn AnyPayload) -> Self {
        let payload = payload.as_any();
        let boundary = payload.downcast_ref::<AgentBeforeSettleEvent>().map(|event| &event.boundary);
        let queue = payload.downcast_ref::<InputEvent>().and_then(|event| event.streaming_behavior);
        Self { moment, proposed: boundary.map(|state| state.entries.clone()).unwrap_or_default(), queue }
    }
}
