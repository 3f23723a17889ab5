//! What a session uses and does not own: others may use it too.

use std::sync::Arc;

use tau_ai::ModelRegistry;
use tokio::runtime::Handle;

use crate::settings::{Settings, SettingsStore};

/// The settings, the models, the clock, and the threads that a session works on.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) settings: Arc<SettingsStore>,
    pub(crate) models: Arc<ModelRegistry>,
    /// What the session works on, also when an extension asks from a thread of its own.
    pub(crate) runtime: Handle,
    sources: Sources,
}

/// Where times, ids and chance come from.
#[derive(Clone)]
struct Sources {
    /// Now, in milliseconds since the epoch.
    clock: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// An id for a time, which holds chance.
    ids: Arc<dyn Fn(i64) -> String + Send + Sync>,
}

impl Default for Sources {
    /// The clock and the chance of the system.
    fn default() -> Self {
        Self { clock: Arc::new(tau_ai::now_ms), ids: Arc::new(|ms| tau_ai::id_at(ms).to_string()) }
    }
}

impl Services {
    pub(crate) fn new(settings: Arc<SettingsStore>, models: Arc<ModelRegistry>, runtime: Handle) -> Self {
        Self { settings, models, runtime, sources: Sources::default() }
    }

    /// The same at a time that stands still.
    #[cfg(test)]
    pub(crate) fn at(mut self, now_ms: i64) -> Self {
        self.sources.clock = Arc::new(move || now_ms);
        self
    }

    /// The settings as they are now.
    pub(crate) fn snapshot(&self) -> Arc<Settings> {
        self.settings.snapshot()
    }

    /// Now, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        (self.sources.clock)()
    }

    /// An id that nothing else has, and that tells when it was made.
    pub(crate) fn new_id(&self) -> String {
        (self.sources.ids)(self.now_ms())
    }
}
