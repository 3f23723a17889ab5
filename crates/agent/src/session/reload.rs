//! Loading settings, extensions and resources again while the session goes on.

use std::sync::Arc;

use tau_hooks::LoadError;
use tau_hooks::events::SessionStart;
use tau_hooks::payload::{DiscoverReason, SessionShutdownReason, SessionStartEvent, SessionStartReason};

use super::AgentSession;

/// Why nothing was loaded again.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReloadError {
    /// Somebody would be cut off.
    #[error("Wait for the current response to finish before reloading.")]
    Busy,
    /// A summary is being made.
    #[error("Wait for compaction to finish before reloading.")]
    Compacting,
    /// The session is shutting down.
    #[error("The session is shutting down.")]
    ShuttingDown,
    /// Something cannot be loaded as it is on the disk now. What was loaded before is still at work.
    #[error("Nothing was reloaded and the extensions of before stay. {}", list(.0))]
    Broken(Vec<LoadError>),
}

/// What was loaded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reloaded {
    /// How many extensions are loaded, those of the program included.
    pub extensions: usize,
    /// What could not be loaded.
    pub failures: Vec<LoadError>,
}

fn list(failures: &[LoadError]) -> String {
    failures.iter().map(LoadError::to_string).collect::<Vec<_>>().join("; ")
}

impl AgentSession {
    /// Loads settings, extensions, skills, prompt templates and themes again.
    ///
    /// First everything is read and compiled: if that fails, nothing has changed. Then the extensions are told that they
    /// end, are removed with all they have, and the new ones begin. While this goes on no run begins, and gates whose
    /// guards are gone are shut. Extensions that are part of the program stay; they are told as well.
    ///
    /// # Errors
    /// When a run, a summary or another reload is under way, when the session has ended, and when something cannot be
    /// loaded.
    pub async fn reload(self: &Arc<Self>) -> Result<Reloaded, ReloadError> {
        let Ok(_alone) = self.changing.try_lock() else {
            return Err(if self.is_navigating() { ReloadError::Compacting } else { ReloadError::Busy });
        };
        self.check_quiet()?;
        let prepared = match &self.extensions {
            Some(extensions) => Some(extensions.prepare(&self.settings, self.mode).await.map_err(ReloadError::Broken)?),
            None => None,
        };
        // Handlers of `agent_settled` come first: who hears of that event may ask at once. Whoever wants to begin a run waits
        // until the new extensions are there.
        let _held = self.settle_gate.write().await;
        self.check_quiet()?;
        let _work = self.background.begin();

        self.tell_shutdown(SessionShutdownReason::Reload, None).await;
        if let (Some(extensions), Some(prepared)) = (&self.extensions, prepared) {
            extensions.replace(prepared, &self.settings).await;
            extensions.register_providers(&self.models);
            extensions.project_logins(&self.models).await;
            self.refresh_model();
        } else {
            self.settings.reload(self.settings.snapshot().is_trusted());
        }
        self.report_settings();
        self.load_resources();
        self.tools.set_default(self.settings.snapshot().default_tools());
        self.tools.refresh(&self.hooks);
        self.rebuild_prompt();

        self.expect_servers();
        let event = || SessionStartEvent { reason: SessionStartReason::Reload, previous_session_file: None };
        self.hooks.dispatcher.dispatch::<SessionStart>(&self.scope(), event).await;
        if let Some(extensions) = &self.extensions {
            extensions.session_started().await;
        }
        self.report_servers();
        self.discover_resources(DiscoverReason::Reload).await;
        self.report_theme();
        self.tools.refresh(&self.hooks);
        self.rebuild_prompt();
        let failures = self.extensions.as_ref().map(|extensions| extensions.failures()).unwrap_or_default();
        Ok(Reloaded { extensions: self.hooks.extensions().len(), failures })
    }

    pub(super) fn check_quiet(&self) -> Result<(), ReloadError> {
        match (self.is_shut_down(), self.is_idle()) {
            (true, _) => Err(ReloadError::ShuttingDown),
            (false, false) if self.asides.is_compacting_by_hand() => Err(ReloadError::Compacting),
            (false, false) => Err(ReloadError::Busy),
            (false, true) => Ok(()),
        }
    }

    /// Takes the model in use from the registry again: its provider may be another one now.
    pub(crate) fn refresh_model(&self) {
        let mut state = self.state.lock();
        let fresh = state.model.as_ref().and_then(|model| self.models.find(&model.provider, &model.id));
        if fresh.is_some() {
            state.model = fresh;
        }
    }
}
