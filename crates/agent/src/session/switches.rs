//! Settings that a front end changes while the session goes on.
//!
//! They count at once and for the rest of the session, whatever a project says, and are kept in the user's file for the
//! next one.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::AgentSession;
use crate::settings::{Layer, QueueMode, RetrySettings, SettingsError};

/// What was changed.
#[derive(Default)]
pub(super) struct Switches(Mutex<Changed>);

#[derive(Default, Clone, Copy)]
struct Changed {
    steering: Option<QueueMode>,
    follow_up: Option<QueueMode>,
    compaction: Option<bool>,
    retry: Option<bool>,
}

impl AgentSession {
    /// How many steering messages go along with one request.
    pub fn steering_mode(&self) -> QueueMode {
        self.changed().steering.unwrap_or_else(|| self.settings.snapshot().steering_mode())
    }

    /// How many follow-up messages are sent at once.
    pub fn follow_up_mode(&self) -> QueueMode {
        self.changed().follow_up.unwrap_or_else(|| self.settings.snapshot().follow_up_mode())
    }

    /// Whether the conversation is compacted by itself when the context is nearly full.
    pub fn compacts_by_itself(&self) -> bool {
        self.changed().compaction.unwrap_or_else(|| self.settings.snapshot().compaction(None).enabled)
    }

    /// Whether failed requests are repeated by themselves.
    pub fn retries_by_itself(&self) -> bool {
        self.retry_settings().enabled
    }

    pub(crate) fn retry_settings(&self) -> RetrySettings {
        let settings = self.settings.snapshot().retry();
        RetrySettings { enabled: self.changed().retry.unwrap_or(settings.enabled), ..settings }
    }

    /// See [`AgentSession::steering_mode`].
    ///
    /// # Errors
    /// When the user's settings cannot be written; the change counts for this session all the same.
    pub async fn set_steering_mode(self: &Arc<Self>, mode: QueueMode) -> Result<(), SettingsError> {
        self.switches.0.lock().steering = Some(mode);
        self.keep_setting("steeringMode", mode.as_str().into()).await
    }

    /// See [`AgentSession::follow_up_mode`].
    ///
    /// # Errors
    /// As [`AgentSession::set_steering_mode`].
    pub async fn set_follow_up_mode(self: &Arc<Self>, mode: QueueMode) -> Result<(), SettingsError> {
        self.switches.0.lock().follow_up = Some(mode);
        self.keep_setting("followUpMode", mode.as_str().into()).await
    }

    /// See [`AgentSession::compacts_by_itself`].
    ///
    /// # Errors
    /// As [`AgentSession::set_steering_mode`].
    pub async fn set_auto_compaction(self: &Arc<Self>, on: bool) -> Result<(), SettingsError> {
        self.switches.0.lock().compaction = Some(on);
        self.keep_setting("compaction.enabled", on.into()).await
    }

    /// See [`AgentSession::retries_by_itself`].
    ///
    /// # Errors
    /// As [`AgentSession::set_steering_mode`].
    pub async fn set_auto_retry(self: &Arc<Self>, on: bool) -> Result<(), SettingsError> {
        self.switches.0.lock().retry = Some(on);
        self.keep_setting("retry.enabled", on.into()).await
    }

    fn changed(&self) -> Changed {
        *self.switches.0.lock()
    }

    /// Another program may hold the file for a while.
    async fn keep_setting(self: &Arc<Self>, key: &'static str, value: Value) -> Result<(), SettingsError> {
        // What is chosen for a child session is no choice of the user.
        if self.lineage.is_some() {
            return Ok(());
        }
        let settings = Arc::clone(&self.settings);
        match tokio::task::spawn_blocking(move || settings.set(Layer::Global, key, Some(value))).await {
            Ok(done) => done,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The program ends; the setting is lost with it.
            Err(_) => Ok(()),
        }
    }
}
