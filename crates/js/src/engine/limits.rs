//! How long JavaScript may run without a pause.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};

/// Bounds every stretch of JavaScript that runs without giving the thread back.
///
/// The engine asks [`Limits::must_stop`] every few thousand steps, so it is one or two atomic loads and a look at
/// the clock. Arming, pausing and asking happen on the engine's thread; only tripping comes from others.
#[derive(Debug)]
pub(crate) struct Limits {
    budget: Duration,
    /// Processor time of the engine's thread in nanoseconds; zero while no JavaScript runs.
    deadline: AtomicU64,
    /// Somebody wants the running stretch to end now.
    tripped: AtomicBool,
    /// Whose stretch is running; zero is nobody's.
    tag: AtomicU64,
    /// What runs must not be cut in two: tripping waits.
    sheltered: AtomicBool,
    /// How long the thread waited for something that is not JavaScript.
    standing: Mutex<Standing>,
}

#[derive(Debug, Default)]
struct Standing {
    total: Duration,
    since: Option<Instant>,
}

impl Limits {
    pub(crate) fn new(budget: Duration) -> Self {
        Self {
            budget,
            deadline: AtomicU64::new(0),
            tripped: AtomicBool::new(false),
            tag: AtomicU64::new(0),
            sheltered: AtomicBool::new(false),
            standing: Mutex::default(),
        }
    }

    /// The longest stretch.
    pub(crate) fn budget(&self) -> Duration {
        self.budget
    }

    /// The processor time of this thread, in nanoseconds: on a busy machine waiting for a turn must not count.
    fn now() -> u64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
    }

    /// A stretch begins.
    pub(crate) fn arm(&self) {
        let budget = u64::try_from(self.budget.as_nanos()).unwrap_or(u64::MAX);
        self.deadline.store(Self::now().saturating_add(budget).max(1), Ordering::Relaxed);
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
        let tripped = || self.tripped.load(Ordering::Relaxed) && !self.sheltered.load(Ordering::Relaxed);
        deadline != 0 && (tripped() || Self::now() >= deadline)
    }

    /// Runs a piece of the runtime in the middle of a stretch. It has a budget of its own and is not ended by others:
    /// half of a module of the runtime would be of no use to anybody.
    pub(crate) fn sheltered<T>(&self, work: impl FnOnce() -> T) -> T {
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline == 0 || self.sheltered.swap(true, Ordering::Relaxed) {
            return work();
        }
        let before = Self::now();
        let budget = u64::try_from(self.budget.as_nanos()).unwrap_or(u64::MAX);
        self.deadline.store(before.saturating_add(budget).max(1), Ordering::Relaxed);
        let done = work();
        self.sheltered.store(false, Ordering::Relaxed);
        self.deadline.store(deadline.saturating_add(Self::now() - before), Ordering::Relaxed);
        done
    }

    /// Runs something that is not JavaScript in the middle of a stretch, such as waiting for a child process: its
    /// time does not count.
    pub(crate) fn paused<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = Self::now();
        let outer = self.standing.lock().since.replace(Instant::now());
        let done = work();
        {
            let mut standing = self.standing.lock();
            let since = std::mem::replace(&mut standing.since, outer);
            standing.total += since.map(|since| since.elapsed()).filter(|_| outer.is_none()).unwrap_or_default();
        }
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline != 0 {
            self.deadline.store(deadline.saturating_add(Self::now() - before), Ordering::Relaxed);
        }
        done
    }

    /// How long the thread has waited so far for things that are not JavaScript, such as child processes.
    pub(crate) fn stood_still(&self) -> Duration {
        let standing = self.standing.lock();
        standing.total + standing.since.map(|since| since.elapsed()).unwrap_or_default()
    }
}
