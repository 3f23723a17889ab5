//! Several handlers called in one visit to where they live.
//!
//! A handler on a thread of its own is reached by waking that thread, which costs far more than the call. So
//! neighbours that live in the same place are called one after another there, as long as they say nothing; the first
//! answer, and the first failure, ends the visit, and the dispatcher goes on behind it. Observers may be told of several
//! events in one visit: all of them of the first, then all of them of the second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::context::Ctx;
use crate::handler::AnyHandler;
use crate::limits::CallClock;

/// A row of handlers and how far their calls have come.
pub struct Visit {
    calls: Vec<(Arc<dyn AnyHandler>, Ctx)>,
    payloads: usize,
    state: Mutex<State>,
}

/// Which call of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The handler, by its place among the calls.
    pub handler: usize,
    /// The payload, by its place among those of the visit.
    pub payload: usize,
}

struct State {
    at: Step,
    entered: Instant,
    /// How long the handlers took that said nothing.
    took: Vec<Duration>,
    closed: bool,
}

impl Visit {
    /// A visit that begins now with the handler at `first`.
    pub(crate) fn new(calls: Vec<(Arc<dyn AnyHandler>, Ctx)>, payloads: usize, first: usize) -> Arc<Self> {
        let at = Step { handler: first, payload: 0 };
        let state = State { at, entered: Instant::now(), took: Vec::with_capacity(calls.len()), closed: false };
        Arc::new(Self { calls, payloads, state: Mutex::new(state) })
    }

    /// The handlers with the context of each. Handlers of one extension share a context.
    pub fn calls(&self) -> &[(Arc<dyn AnyHandler>, Ctx)] {
        &self.calls
    }

    /// The call at work, or the one that ended the visit.
    pub fn at(&self) -> Step {
        self.state.lock().at
    }

    /// The handler at work said nothing. The next call; none when this was the last, and none when nobody waits any more.
    pub fn advance(&self) -> Option<Step> {
        let mut state = self.state.lock();
        let Step { handler, payload } = state.at;
        let next = match handler + 1 < self.calls.len() {
            true => Step { handler: handler + 1, payload },
            false => Step { handler: 0, payload: payload + 1 },
        };
        if state.closed || next.payload >= self.payloads {
            return None;
        }
        let now = Instant::now();
        let took = now - state.entered;
        state.took.push(took);
        state.at = next;
        state.entered = now;
        if let Some((_, ctx)) = self.calls.get(next.handler) {
            ctx.clock().restart();
        }
        Some(next)
    }

    /// The clock of a handler.
    pub(crate) fn clock(&self, at: Step) -> Option<&CallClock> {
        self.calls.get(at.handler).map(|(_, ctx)| ctx.clock())
    }

    /// Nobody waits for the handler at work any more, and none is called after it. Says which call it is.
    pub(crate) fn close(&self) -> Step {
        let mut state = self.state.lock();
        state.closed = true;
        state.at
    }

    /// As [`Visit::close`], unless another call than this one is at work.
    pub(crate) fn close_at(&self, at: Step) -> bool {
        let mut state = self.state.lock();
        state.closed |= state.at == at;
        state.at == at
    }

    /// How long the handlers took that said nothing, and since when the one is at work that did not.
    pub(crate) fn times(&self) -> (Vec<Duration>, Instant) {
        let mut state = self.state.lock();
        (std::mem::take(&mut state.took), state.entered)
    }
}
