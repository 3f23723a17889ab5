//! Several handlers called in one visit to where they live.
//!
//! A handler on a thread of its own is reached by waking that thread, which costs far more than the call. So
//! neighbours that live in the same place are called one after another there, as long as they say nothing; the first
//! answer, and the first failure, ends the visit, and the dispatcher goes on behind it. Observers may be told of several
//! events in one visit: all of them of the first, then all of them of the second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::RemoteHandler;
use crate::context::Ctx;
use crate::limits::CallClock;

/// A row of handlers and how far their calls have come.
///
/// Going on to the next handler is one step of an atomic number: the one who calls handlers takes it for every call, and
/// the one who waits for them only looks.
pub struct Visit {
    calls: Vec<(Arc<dyn RemoteHandler>, Ctx)>,
    /// The number of the first call, and of the one behind the last: the handlers are counted through once for each
    /// payload.
    first: usize,
    end: usize,
    /// The number of the call at work; with [`CLOSED`] when nobody waits for it any more.
    at: AtomicUsize,
    began: Instant,
    /// By which the one who calls the handlers knows the visit.
    mark: AtomicU64,
    /// When each call ended that said nothing, in nanoseconds since the visit began.
    ends: Box<[AtomicU64]>,
}

/// Marks the number of a call.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// Which call of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The handler, by its place among the calls.
    pub handler: usize,
    /// The payload, by its place among those of the visit.
    pub payload: usize,
}

/// A call that said nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quiet {
    pub(crate) took: Duration,
    /// When it was over.
    pub(crate) ended: Instant,
}

impl Visit {
    /// A visit that begins now with the handler at `first`.
    pub(crate) fn new(calls: Vec<(Arc<dyn RemoteHandler>, Ctx)>, payloads: usize, first: usize) -> Arc<Self> {
        let end = calls.len() * payloads;
        if first >= end {
            tau_ai::broken(&format!("a visit begins with call {first} of {end}"));
        }
        let ends = std::iter::repeat_with(AtomicU64::default).take(end.saturating_sub(first)).collect();
        Arc::new(Self {
            calls,
            first,
            end,
            at: AtomicUsize::new(first),
            began: Instant::now(),
            mark: AtomicU64::new(0),
            ends,
        })
    }

    /// Notes a number by which the one who calls the handlers knows the visit.
    pub fn set_mark(&self, mark: u64) {
        self.mark.store(mark, Ordering::Relaxed);
    }

    /// The number that was noted; zero when there is none.
    pub fn mark(&self) -> u64 {
        self.mark.load(Ordering::Relaxed)
    }

    /// The handlers with the context of each. Handlers of one extension share a context.
    pub fn calls(&self) -> &[(Arc<dyn RemoteHandler>, Ctx)] {
        &self.calls
    }

    /// The call at work, or the one that ended the visit.
    pub fn at(&self) -> Step {
        self.step(self.at.load(Ordering::Acquire) & !CLOSED)
    }

    fn step(&self, number: usize) -> Step {
        let handlers = self.calls.len().max(1);
        Step { handler: number % handlers, payload: number / handlers }
    }

    fn number(&self, step: Step) -> usize {
        step.payload * self.calls.len() + step.handler
    }

    /// The handler at work said nothing. The next call; none when this was the last, and none when nobody waits any more.
    pub fn advance(&self) -> Option<Step> {
        let number = self.at.load(Ordering::Relaxed);
        let next = number + 1;
        if number & CLOSED != 0 || next >= self.end {
            return None;
        }
        let step = self.step(next);
        let now = Instant::now();
        self.ends[self.index(number)].store(nanoseconds(now - self.began), Ordering::Relaxed);
        if let Some((_, ctx)) = self.calls.get(step.handler) {
            ctx.clock().restart(now);
        }
        // What was noted for this call is seen by whoever sees the number of the next.
        let went_on = self.at.compare_exchange(number, next, Ordering::AcqRel, Ordering::Relaxed);
        went_on.is_ok().then_some(step)
    }

    /// The place of a call in `ends`. Numbers only grow.
    fn index(&self, number: usize) -> usize {
        number - self.first
    }

    /// The clock of a handler.
    pub(crate) fn clock(&self, at: Step) -> Option<&CallClock> {
        self.calls.get(at.handler).map(|(_, ctx)| ctx.clock())
    }

    /// Nobody waits for the handler at work any more, and none is called after it. Says which call it is.
    pub(crate) fn close(&self) -> Step {
        self.step(self.at.fetch_or(CLOSED, Ordering::AcqRel) & !CLOSED)
    }

    /// As [`Visit::close`], unless another call than this one is at work.
    pub(crate) fn close_at(&self, at: Step) -> bool {
        let number = self.number(at);
        match self.at.compare_exchange(number, number | CLOSED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(now) => now & !CLOSED == number,
        }
    }

    /// The calls that said nothing, and since when the one is at work that did not.
    pub(crate) fn times(&self) -> (Vec<Quiet>, Instant) {
        let done = self.index(self.at.load(Ordering::Acquire) & !CLOSED);
        let mut entered = self.began;
        let quiet = self.ends[..done].iter().map(|end| {
            let ended = self.began + Duration::from_nanos(end.load(Ordering::Relaxed));
            let took = ended - entered;
            entered = ended;
            Quiet { took, ended }
        });
        let quiet = quiet.collect();
        (quiet, entered)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(debug_assertions, should_panic = "a visit begins with call 0 of 0")]
    fn a_visit_to_nobody_is_a_defect() {
        Visit::new(Vec::new(), 1, 0);
    }
}
