//! How long handlers may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::mode::Mode;
use crate::table::Deadline;

/// Time limits; all of them are settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// After this a slow handler is named to the user.
    pub soft: Duration,
    /// After this a handler that only observes is left behind.
    pub observe: Duration,
    /// After this a handler whose result is needed counts as failed, where nobody can press Escape.
    pub decide: Duration,
    /// What all handlers of the shutdown share.
    pub shutdown: Duration,
    /// Overrides `decide` in the terminal, where there is no limit otherwise.
    pub decide_in_terminal: Option<Duration>,
    /// After this a handler of a dialect that has the setting `hookTimeout` counts as failed.
    pub hook: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            soft: Duration::from_secs(5),
            observe: Duration::from_secs(30),
            decide: Duration::from_secs(600),
            shutdown: Duration::from_secs(5),
            decide_in_terminal: None,
            hook: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// The hard limit for one handler; `None` is no limit.
    pub fn hard(&self, deadline: Deadline, mode: Mode) -> Option<Duration> {
        match (deadline, mode) {
            (Deadline::Observe, _) => Some(self.observe),
            (Deadline::Shutdown, _) => Some(self.shutdown),
            (Deadline::Decide, Mode::Tui) => self.decide_in_terminal,
            (Deadline::Decide, _) => Some(self.decide),
            (Deadline::Hook, _) => Some(self.hook),
            (Deadline::Unlimited, _) => None,
        }
    }
}

/// Measures one handler call; stands still while somebody answers a dialog.
#[derive(Debug, Clone)]
pub struct CallClock(Arc<Measure>);

#[derive(Debug)]
struct Measure {
    made: Instant,
    /// When the call began that is measured, in nanoseconds since the clock was made. The handlers of an extension are
    /// called one after another with one clock, which then begins anew: that takes no lock.
    begun: AtomicU64,
    pauses: Mutex<Pauses>,
}

#[derive(Debug)]
struct Pauses {
    /// The call that all this is about.
    of: u64,
    paused: Duration,
    count: u32,
    since: Option<Instant>,
}

/// Keeps a [`CallClock`] standing still until it is dropped.
#[derive(Debug)]
pub struct Pause(Arc<Measure>);

impl Default for CallClock {
    fn default() -> Self {
        let pauses = Mutex::new(Pauses { of: 0, paused: Duration::ZERO, count: 0, since: None });
        Self(Arc::new(Measure { made: Instant::now(), begun: AtomicU64::new(0), pauses }))
    }
}

impl Measure {
    /// The pauses of the call that is measured now, and when it began.
    fn pauses(&self) -> (MutexGuard<'_, Pauses>, Instant) {
        let mut pauses = self.pauses.lock();
        let of = self.begun.load(Ordering::Acquire);
        let begun = self.made + Duration::from_nanos(of);
        if pauses.of != of {
            pauses.of = of;
            pauses.paused = Duration::ZERO;
            // What stands still goes on standing still.
            pauses.since = pauses.since.map(|since| since.max(begun));
        }
        (pauses, begun)
    }
}

impl CallClock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self::default()
    }

    /// Time that counts, so far.
    pub fn elapsed(&self) -> Duration {
        let (pauses, begun) = self.0.pauses();
        let now = Instant::now();
        let standing = pauses.since.map_or(Duration::ZERO, |since| now - since);
        (now - begun).saturating_sub(pauses.paused + standing)
    }

    /// Starts to count again, for the next handler of the same extension.
    pub(crate) fn restart(&self, now: Instant) {
        let begun = u64::try_from((now - self.0.made).as_nanos()).unwrap_or(u64::MAX);
        self.0.begun.store(begun, Ordering::Release);
    }

    fn is_paused(&self) -> bool {
        self.0.pauses().0.count > 0
    }

    /// Stops the clock until the guard is dropped; guards may overlap.
    pub fn pause(&self) -> Pause {
        let (mut pauses, _) = self.0.pauses();
        pauses.count += 1;
        if pauses.count == 1 {
            pauses.since = Some(Instant::now());
        }
        Pause(Arc::clone(&self.0))
    }

    /// Waits until `limit` of counted time has passed.
    pub async fn passed(&self, limit: Duration) {
        loop {
            let left = limit.saturating_sub(self.elapsed());
            if left.is_zero() {
                return;
            }
            // While the clock stands still there is nothing to be exact about.
            let least = if self.is_paused() { Duration::from_millis(100) } else { Duration::from_millis(1) };
            tokio::time::sleep(left.max(least)).await;
        }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let (mut pauses, _) = self.0.pauses();
        pauses.count = pauses.count.saturating_sub(1);
        if pauses.count == 0
            && let Some(since) = pauses.since.take()
        {
            pauses.paused += Instant::now() - since;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_in_a_pause_does_not_count() {
        let clock = CallClock::start();
        tokio::time::advance(Duration::from_secs(1)).await;
        let outer = clock.pause();
        let inner = clock.pause();
        tokio::time::advance(Duration::from_secs(100)).await;
        drop(outer);
        assert_eq!(clock.elapsed(), Duration::from_secs(1));
        drop(inner);
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(3));
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_call_is_measured_without_the_pauses_of_the_one_before() {
        let clock = CallClock::start();
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(clock.pause());
        let over = clock.pause();
        tokio::time::advance(Duration::from_secs(10)).await;
        clock.restart(Instant::now());
        tokio::time::advance(Duration::from_secs(100)).await;
        // A pause that lasts goes on for the next call.
        assert_eq!(clock.elapsed(), Duration::ZERO);
        drop(over);
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(2));
        clock.restart(Instant::now());
        assert_eq!(clock.elapsed(), Duration::ZERO);
    }

    #[test]
    fn deciding_handlers_have_no_limit_in_the_terminal() {
        let limits = Limits::default();
        assert_eq!(limits.hard(Deadline::Decide, Mode::Tui), None);
        assert_eq!(limits.hard(Deadline::Decide, Mode::Print), Some(Duration::from_secs(600)));
        assert_eq!(limits.hard(Deadline::Observe, Mode::Tui), Some(Duration::from_secs(30)));
    }
}
