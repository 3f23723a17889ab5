//! Settings that a front end changes while the session goes on.
//!
//! They count at once and for the rest of the session, whatever a project says, and are kept in the user's file for the
//! next one.

use std::sync::Arc;

use serde_json::Value;

use super::AgentSession;
use crate::settings::{KeyPath, Layer, SettingsError, keys};
use tau_hooks::QueueMode;

impl AgentSession {
    /// How many steering messages go along with one request.
    pub fn steering_mode(&self) -> QueueMode {
        self.parts.steering_mode()
    }

    /// How many follow-up messages are sent at once.
    pub fn follow_up_mode(&self) -> QueueMode {
        self.parts.follow_up_mode()
    }

    /// Whether the conversation is compacted by itself when the context is nearly full.
    pub fn compacts_by_itself(&self) -> bool {
        self.parts.compacts_by_itself()
    }

    /// Whether failed requests are repeated by themselves.
    pub fn retries_by_itself(&self) -> bool {
        self.parts.retry_settings().enabled
    }

    /// See [`AgentSession::steering_mode`].
    ///
    /// # Errors
    /// When the user's settings cannot be written; the change counts for this session all the same.
    pub async fn set_steering_mode(self: &Arc<Self>, mode: QueueMode) -> Result<(), SettingsError> {
        self.parts.choices.switch(|switches| switches.steering = Some(mode));
        self.keep_setting(keys::STEERING_MODE, mode.as_str().into()).await
    }

    /// See [`AgentSession::follow_up_mode`].
    ///
    /// # Errors
    /// As [`AgentSession::set_steering_mode`].
    pub async fn set_follow_up_mode(self: &Arc<Self>, mode: QueueMode) -> Result<(), SettingsError> {
        self.parts.choices.switch(|switches| switches.follow_up = Some(mode));
        self.keep_setting(keys::FOLLOW_UP_MODE, mode.as_str().into()).await
    }

    /// See [`AgentSession::compacts_by_itself`].
    ///
    /// # Errors
    /// As [`AgentSession::set_steering_mode`].
    pub async fn set_auto_compaction(self: &Arc<Self>, on: bool) -> Result<(), SettingsError> {
        self.parts.choices.switch(|switches| switches.compaction = Some(on));
        self.keep_setting(keys::COMPACTION_ENABLED, on.into()).await
    }

    /// See [`AgentSession::retries_by_itself`].
    ///
    /// # Errors
    /// As [`AgentSession::set_steering_mode`].
    pub async fn set_auto_retry(self: &Arc<Self>, on: bool) -> Result<(), SettingsError> {
        self.parts.choices.switch(|switches| switches.retry = Some(on));
        self.keep_setting(keys::RETRY_ENABLED, on.into()).await
    }

    /// Another program may hold the file for a while.
    async fn keep_setting(self: &Arc<Self>, key: impl Into<KeyPath>, value: Value) -> Result<(), SettingsError> {
        // What is chosen for a child session is no choice of the user.
        if self.parts.family.is_child() {
            return Ok(());
        }
        let (settings, key) = (Arc::clone(&self.parts.services.settings), key.into());
        match tokio::task::spawn_blocking(move || settings.set(Layer::Global, key, Some(value))).await {
            Ok(done) => done,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The program ends; the setting is lost with it.
            Err(_) => Ok(()),
        }
    }
}
