//! Loading settings, extensions and resources again while the session goes on.

use std::sync::Arc;

use tau_hooks::LoadError;
use tau_hooks::events::SessionStart;
use tau_hooks::payload::{DiscoverReason, SessionShutdownReason, SessionStartEvent, SessionStartReason};

use super::AgentSession;
use tokio_util::sync::CancellationToken;

use crate::extensions::{Lists, is_builtin_name};
use crate::parts::Parts;
use crate::pipeline::system_prompt::rebuild_prompt;
use crate::session::lifecycle::{report_settings, tell_shutdown};
use crate::session::mcp::report_servers;
use crate::session::resources::{discover_resources, load_resources};
use crate::session::themes::report_theme;

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
        let live = self.live();
        let Ok(_alone) = self.parts.lifecycle.changing.try_lock() else {
            return Err(if self.parts.activity.is_navigating() { ReloadError::Compacting } else { ReloadError::Busy });
        };
        check_quiet(&self.parts)?;
        let prepared = match &self.parts.extensions {
            Some(extensions) => Some(
                extensions
                    .prepare(&self.parts.services.settings, self.parts.mode)
                    .await
                    .map_err(ReloadError::Broken)?,
            ),
            None => None,
        };
        // Handlers of `agent_settled` come first: who hears of that event may ask at once. Whoever wants to begin a run waits
        // until the new extensions are there.
        let _held = self.parts.lifecycle.settle_gate.write().await;
        check_quiet(&self.parts)?;
        let _work = self.parts.lifecycle.background.begin();

        tell_shutdown(&live, SessionShutdownReason::Reload, None).await;
        if let (Some(extensions), Some(prepared)) = (&self.parts.extensions, prepared) {
            extensions.replace(prepared, &self.parts.services.settings).await;
            extensions.register_providers(&self.parts.services.models);
            let end = CancellationToken::new();
            extensions.refresh_models(&self.parts.services.models, Lists::New, &end).await;
            extensions.project_logins(&self.parts.services.models).await;
            self.parts.choices.refresh_model(&self.parts.services.models);
        } else {
            self.parts.services.settings.reload(self.parts.settings().is_trusted());
        }
        report_settings(&self.parts);
        load_resources(&self.parts);
        self.parts.choices.tools.set_default(self.parts.settings().default_tools());
        self.parts.choices.tools.refresh(&self.parts.hooks);
        rebuild_prompt(&self.parts);

        self.parts.lifecycle.expect_servers();
        let event = || SessionStartEvent { reason: SessionStartReason::Reload, previous_session_file: None };
        self.parts.hooks.dispatcher.dispatch::<SessionStart>(&live.scope(), event).await;
        if let Some(extensions) = &self.parts.extensions {
            extensions.session_started().await;
        }
        report_servers(&self.parts);
        discover_resources(&live, DiscoverReason::Reload).await;
        report_theme(&self.parts);
        self.parts.choices.tools.refresh(&self.parts.hooks);
        rebuild_prompt(&self.parts);
        let failures = self.parts.extensions.as_ref().map(|extensions| extensions.failures()).unwrap_or_default();
        // Commands and keys of extensions are there by now, too.
        self.parts.prompting.report_change();
        let loaded = self.parts.hooks.extensions().into_iter().filter(|owner| !is_builtin_name(&owner.path));
        Ok(Reloaded { extensions: loaded.count(), failures })
    }
}

pub(super) fn check_quiet(parts: &Parts) -> Result<(), ReloadError> {
    match (parts.lifecycle.has_ended(), parts.activity.is_idle()) {
        (true, _) => Err(ReloadError::ShuttingDown),
        (false, false) if parts.activity.asides.is_compacting_by_hand() => Err(ReloadError::Compacting),
        (false, false) => Err(ReloadError::Busy),
        (false, true) => Ok(()),
    }
}
