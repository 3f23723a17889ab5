//! How long JavaScript may run without a pause.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bounds every stretch of JavaScript that runs without giving the thread back.
///
/// The engine asks [`Limits::must_stop`] every few thousand steps, so it is one or two atomic loads and a look at
/// the clock.
#[derive(Debug)]
pub(crate) struct Limits {
    start: Instant,
    budget: Duration,
    /// Nanoseconds since `start`; zero while no JavaScript runs.
    deadline: AtomicU64,
    /// Somebody wants the running stretch to end now.
    tripped: AtomicBool,
    /// Whose stretch is running; zero is nobody's.
    tag: AtomicU64,
}

impl Limits {
    pub(crate) fn new(budget: Duration) -> Self {
        Self { start: Instant::now(), budget, deadline: AtomicU64::new(0), tripped: AtomicBool::new(false), tag: AtomicU64::new(0) }
    }

    /// The longest stretch.
    pub(crate) fn budget(&self) -> Duration {
        self.budget
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// A stretch begins.
    pub(crate) fn arm(&self) {
        let budget = u64::try_from(self.budget.as_nanos()).unwrap_or(u64::MAX);
        self.deadline.store(self.now().saturating_add(budget).max(1), Ordering::Relaxed);
    }

    /// The stretch is over.
    pub(crate) fn disarm(&self) {
        self.deadline.store(0, Ordering::Relaxed);
        self.tripped.store(false, Ordering::Relaxed);
    }

    /// Ends the stretch that is running, if one is.
    pub(crate) fn trip(&self) {
        if self.deadline.load(Ordering::Relaxed) != 0 {
            self.tripped.store(true, Ordering::Relaxed);
        }
    }

    /// Says whose stretch begins.
    pub(crate) fn tag(&self, tag: u64) {
        self.tag.store(tag, Ordering::Relaxed);
    }

    /// Ends the running stretch if it carries this tag.
    pub(crate) fn trip_tagged(&self, tag: u64) {
        if self.tag.load(Ordering::Relaxed) == tag {
            self.trip();
        }
    }

    /// Whether the running stretch was told to end.
    pub(crate) fn is_tripped(&self) -> bool {
        self.tripped.load(Ordering::Relaxed)
    }

    /// Whether the running stretch must end.
    pub(crate) fn must_stop(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline != 0 && (self.tripped.load(Ordering::Relaxed) || self.now() >= deadline)
    }

    /// Runs something that is not JavaScript in the middle of a stretch, such as waiting for a child process: its
    /// time does not count.
    pub(crate) fn paused<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.now();
        let done = work();
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline != 0 {
            self.deadline.store(deadline.saturating_add(self.now() - before), Ordering::Relaxed);
        }
        done
    }
}
