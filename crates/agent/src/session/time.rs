//! The time of a session: that of its sources, which may be others than the system's.

use std::time::Duration;

use tau_ai::Clock;
use tokio::time::Instant;

use super::AgentSession;

/// Measures how long something takes, by the clock of a session.
#[derive(Clone)]
pub(crate) struct Stopwatch {
    began: Instant,
    /// Another clock than the system's, with what it showed.
    other: Option<(Clock, i64)>,
}

impl Stopwatch {
    /// Begins to measure by a clock.
    pub(crate) fn start(clock: &Clock) -> Self {
        let other = (!clock.is_real()).then(|| (clock.clone(), clock.now_ms()));
        Self { began: Instant::now(), other }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match &self.other {
            None => self.began.elapsed(),
            Some((clock, began)) => {
                Duration::from_millis(u64::try_from(clock.now_ms().saturating_sub(*began)).unwrap_or(0))
            }
        }
    }
}

impl AgentSession {
    /// Now, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.hooks.sources.clock.now_ms()
    }

    /// Begins to measure how long something takes.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(&self.hooks.sources.clock)
    }
}
