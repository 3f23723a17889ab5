//! What a session uses and does not own: others may use it too.

use std::sync::Arc;
use std::time::Duration;

use tau_ai::{Clock, ModelRegistry, Sources};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::settings::{Settings, SettingsStore};

/// The settings, the models, the clock, and the threads that a session works on.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) settings: Arc<SettingsStore>,
    pub(crate) models: Arc<ModelRegistry>,
    /// What the session works on, also when an extension asks from a thread of its own.
    pub(crate) runtime: Handle,
    /// Where times, ids and chance come from.
    pub(crate) sources: Sources,
}

impl Services {
    pub(crate) fn new(
        settings: Arc<SettingsStore>,
        models: Arc<ModelRegistry>,
        runtime: Handle,
        sources: Sources,
    ) -> Self {
        Self { settings, models, runtime, sources }
    }

    /// The same at a time that stands still.
    #[cfg(test)]
    pub(crate) fn at(mut self, now_ms: i64) -> Self {
        self.sources.clock = Clock::of(move || now_ms);
        self
    }

    /// The settings as they are now.
    pub(crate) fn snapshot(&self) -> Arc<Settings> {
        self.settings.snapshot()
    }

    /// Now, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.sources.clock.now_ms()
    }

    /// An id that nothing else has, and that tells when it was made.
    pub(crate) fn new_id(&self) -> String {
        self.sources.ids.id_at("request", self.now_ms()).to_string()
    }

    /// Begins to measure how long something takes.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(&self.sources.clock)
    }
}

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
