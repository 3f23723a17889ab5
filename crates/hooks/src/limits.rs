//! How long handlers may take.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::context::Mode;
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
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            soft: Duration::from_secs(5),
            observe: Duration::from_secs(30),
            decide: Duration::from_secs(600),
            shutdown: Duration::from_secs(5),
            decide_in_terminal: None,
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
        }
    }
}

/// Measures one handler call; stands still while somebody answers a dialog or a synchronous child runs.
#[derive(Debug, Clone)]
pub struct CallClock(Arc<Mutex<ClockState>>);

#[derive(Debug)]
struct ClockState {
    started: Instant,
    paused: Duration,
    pauses: u32,
    since: Option<Instant>,
}

/// Keeps a [`CallClock`] standing still until it is dropped.
#[derive(Debug)]
pub struct Pause(Arc<Mutex<ClockState>>);

impl Default for CallClock {
    fn default() -> Self {
        let state = ClockState { started: Instant::now(), paused: Duration::ZERO, pauses: 0, since: None };
        Self(Arc::new(Mutex::new(state)))
    }
}

impl CallClock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self::default()
    }

    /// Time that counts, so far.
    pub fn elapsed(&self) -> Duration {
        let state = self.0.lock();
        let now = Instant::now();
        let standing = state.since.map_or(Duration::ZERO, |since| now - since);
        (now - state.started).saturating_sub(state.paused + standing)
    }

    /// Starts to count again, for the next handler of the same extension. What stands still goes on standing still.
    pub(crate) fn restart(&self) {
        let mut state = self.0.lock();
        let now = Instant::now();
        state.started = now;
        state.paused = Duration::ZERO;
        state.since = state.since.map(|_| now);
    }

    fn is_paused(&self) -> bool {
        self.0.lock().pauses > 0
    }

    /// Stops the clock until the guard is dropped; guards may overlap.
    pub fn pause(&self) -> Pause {
        let mut state = self.0.lock();
        state.pauses += 1;
        if state.pauses == 1 {
            state.since = Some(Instant::now());
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
        let mut state = self.0.lock();
        state.pauses = state.pauses.saturating_sub(1);
        if state.pauses == 0
            && let Some(since) = state.since.take()
        {
            state.paused += Instant::now() - since;
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

    #[test]
    fn deciding_handlers_have_no_limit_in_the_terminal() {
        let limits = Limits::default();
        assert_eq!(limits.hard(Deadline::Decide, Mode::Tui), None);
        assert_eq!(limits.hard(Deadline::Decide, Mode::Print), Some(Duration::from_secs(600)));
        assert_eq!(limits.hard(Deadline::Observe, Mode::Tui), Some(Duration::from_secs(30)));
    }
}
