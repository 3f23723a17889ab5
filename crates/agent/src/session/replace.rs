//! Another session takes the place of the one that is open. Front ends keep their [`AgentSession`]; what is behind it is
//! another tree, and extensions begin anew.

use std::sync::Arc;

use tau_ai::{Model, ThinkingLevel};
use tau_hooks::events::ModelSelect;
use tau_hooks::payload::{ModelSelectEvent, ModelSelectSource, SessionShutdownReason, SessionStartReason};
use tau_hooks::{ActionError, HandlerError, Report, SessionSetup};
use tau_session::{EntryKind, Session, SessionError};

use super::builder::{history_of, note_choices};
use super::choices::recorded_model;
use super::lifecycle::PATIENCE;
use super::{AgentSession, MissingFolder, SessionEvent};
use crate::settings::{Environment, Settings};

/// Why the session was not replaced, or its leaf not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// A run is under way and its end was waited for in vain.
    #[error("The response that is under way does not end; the session stays open.")]
    Busy,
    /// A run is under way.
    #[error("Wait for the current response to finish before navigating the session tree.")]
    Running,
    /// The session is shutting down.
    #[error("The session is shutting down.")]
    ShuttingDown,
    /// The file cannot be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// There is no such entry, or it is no message of the user and should be left out.
    #[error("Invalid entry ID for forking: {0}")]
    InvalidFork(String),
    /// There is nothing that a fork could be made of.
    #[error("This session has not been saved yet; there is nothing to fork or clone before the first message.")]
    NotSaved,
    /// The directory of the session is gone.
    #[error(transparent)]
    NoDirectory(MissingFolder),
    /// A child session works in the folder that it was opened for.
    #[error("A child session stays in its folder; open another one for a session in another folder.")]
    StaysInFolder,
    /// A summary was wanted and there is no model.
    #[error("No model available for summarization")]
    NoModel,
    /// The summary of the branch could not be made.
    #[error("{0}")]
    Summary(String),
    /// The new session is open, but whoever asked for it could not fill it.
    #[error("the setup of the new session failed: {0}")]
    Setup(HandlerError),
}

impl From<ReplaceError> for ActionError {
    fn from(error: ReplaceError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// What comes next.
pub(super) struct Next {
    pub(super) session: Session,
    /// Why, as `session_start` says it.
    pub(super) reason: SessionStartReason,
    /// When it is in another directory, that one.
    pub(super) env: Option<Environment>,
    pub(super) setup: Option<SessionSetup>,
    /// Whether the model goes on with the conversation of before, whatever the new session holds.
    pub(super) keep_conversation: bool,
}

impl Next {
    pub(super) fn new(session: Session, reason: SessionStartReason) -> Self {
        Self { session, reason, env: None, setup: None, keep_conversation: false }
    }
}

fn shutdown_reason(reason: SessionStartReason) -> SessionShutdownReason {
    match reason {
        SessionStartReason::New => SessionShutdownReason::New,
        SessionStartReason::Resume => SessionShutdownReason::Resume,
        SessionStartReason::Fork => SessionShutdownReason::Fork,
        SessionStartReason::Reload => SessionShutdownReason::Reload,
        SessionStartReason::Startup => SessionShutdownReason::Quit,
    }
}

pub(super) fn file_of(session: &Session) -> Option<String> {
    session.file().map(|file| file.display().to_string())
}

impl AgentSession {
    /// Replaces the session. Whoever calls this holds `changing`, and nobody has said no.
    pub(super) async fn replace(self: &Arc<Self>, next: Next) -> Result<(), ReplaceError> {
        if self.is_shut_down() {
            return Err(ReplaceError::ShuttingDown);
        }
        let _leaving = self.current.leave();
        self.cancel_run();
        self.abort_bash();
        if !self.background.done_within(PATIENCE).await && !self.is_idle() {
            return Err(ReplaceError::Busy);
        }
        // Whoever wants to begin a run waits until the new session is there.
        let _held = self.settle_gate.write().await;
        if !self.is_idle() {
            return Err(ReplaceError::Busy);
        }
        let _work = self.background.begin();
        let Next { session, reason, env, setup, keep_conversation } = next;
        let previous = file_of(&self.session());
        self.tell_shutdown(shutdown_reason(reason), file_of(&session)).await;
        self.sync_session().await;

        let session = Arc::new(session);
        let queues = std::mem::take(&mut *self.queues.lock());
        if !queues.steering.is_empty() || !queues.follow_up.is_empty() {
            self.tell_queues();
        }
        let moved = env.is_some();
        self.current.replace(Arc::clone(&session), env.map_or_else(|| self.env(), Arc::new));
        let moved = self.renew_extensions(moved).await;
        let old = self.model();
        let choices = self.choices_of(&session, reason).await;
        // From here on there is no way back: what goes wrong is told when the new session is open.
        let noted = note_choices(&session, &self.models, choices.0.as_deref(), choices.1);
        (self.state.lock().model, self.state.lock().thinking) = choices;
        self.renew_resources(moved);
        let set_up = match setup {
            Some(setup) => setup(Arc::clone(&session)).await,
            None => Ok(()),
        };
        let has_message =
            || session.entries().iter().any(|entry| entry.kind() == EntryKind::Message && !entry.is_system());
        let kept = match session.file().is_some() && !session.is_persisted() && has_message() {
            true => session.persist(),
            false => Ok(()),
        };
        if !keep_conversation {
            let history = history_of(&session);
            self.state.lock().history = history;
        }
        self.watch_file(&session);
        self.tell_opened(&session);
        self.prepare_loadout(true, &self.ending).await;
        self.announce(reason, previous).await;
        self.tell_restored(old).await;
        noted.and(kept)?;
        set_up.map_err(ReplaceError::Setup)
    }

    /// Lets extensions begin anew, here or in another directory. Gives whether everything else has to begin anew too:
    /// in another directory, or when other settings count because the project is trusted now, or no longer.
    async fn renew_extensions(self: &Arc<Self>, moved: bool) -> bool {
        let env = self.env();
        let mut changed = moved;
        match &self.extensions {
            Some(extensions) if moved => {
                match extensions.move_to(&env, &self.settings, self.mode).await {
                    Ok(decision) => {
                        let not_saved = decision.not_saved.as_ref();
                        let not_saved = not_saved.map(|error| format!("the answer could not be kept: {error}"));
                        for text in decision.notice().into_iter().chain(not_saved) {
                            let report = Report::diagnostic("trust", "project_trust", text);
                            self.hooks.dispatcher.reports.send(&report);
                        }
                    }
                    Err(error) => {
                        let report = Report::diagnostic("trust", "project_trust", error.to_string());
                        self.hooks.dispatcher.reports.send(&report);
                    }
                }
                self.report_settings();
            }
            Some(extensions) => {
                changed = extensions.begin_again(&self.settings, self.mode).await;
                if changed {
                    self.report_settings();
                }
            }
            None if moved => self.settings.replace(Arc::new(Settings::load(&env, false))),
            None => {}
        }
        if let Some(extensions) = &self.extensions {
            extensions.register_providers(&self.models);
        }
        self.refresh_model();
        changed
    }

    fn renew_resources(&self, moved: bool) {
        self.tools.set_default(self.settings.snapshot().default_tools());
        if moved {
            self.renew_tools();
            self.load_resources();
        } else {
            self.reload_resources();
        }
        self.tools.forget_choices();
        self.tools.refresh(&self.hooks);
        self.restore_tools(true);
        self.rebuild_prompt();
    }

    /// The model and the thinking level of a session: those of its file, if the model can be asked.
    async fn choices_of(&self, session: &Session, reason: SessionStartReason) -> (Option<Arc<Model>>, ThinkingLevel) {
        let (mut model, mut thinking) = (self.model(), self.thinking_level());
        if reason == SessionStartReason::New {
            return (model, thinking);
        }
        let context = session.context();
        if let Some(choice) = recorded_model(&context, &self.models) {
            let is_chosen = |model: &Arc<Model>| model.provider == choice.provider && model.id == choice.model_id;
            let usable = match self.models.find(&choice.provider, &choice.model_id) {
                _ if model.as_ref().is_some_and(is_chosen) => model.clone(),
                Some(known) => self.ready_to_ask(&known).await.ok().map(|(known, _)| known),
                None => None,
            };
            if usable.is_none() {
                let now = model.as_ref().map_or("no model".to_owned(), |now| format!("{}/{}", now.provider, now.id));
                let text = format!("Could not restore model {}/{}. Using {now}.", choice.provider, choice.model_id);
                self.hooks.dispatcher.reports.send(&Report::diagnostic("session", "model", text));
            }
            model = usable.or(model);
        }
        if let Some(level) = context.thinking_level.as_deref().and_then(ThinkingLevel::parse) {
            thinking = level;
        }
        let thinking = model.as_ref().map_or(thinking, |model| model.clamp_thinking(thinking));
        (model, thinking)
    }

    /// Tells front ends which session is open now.
    fn tell_opened(&self, session: &Session) {
        self.events.send(|| {
            let mut header = session.header().to_value().unwrap_or_else(|error| {
                tau_ai::broken(&format!("the header of a session cannot be written as JSON: {error}"));
                serde_json::Map::new()
            });
            header.shift_remove("type");
            SessionEvent::Session { header }
        });
    }

    /// Tells extensions when the session brought another model with it.
    async fn tell_restored(self: &Arc<Self>, previous: Option<Arc<Model>>) {
        let Some(model) = self.model() else { return };
        let same = previous.as_ref().is_some_and(|old| old.provider == model.provider && old.id == model.id);
        if !same {
            let source = ModelSelectSource::Restore;
            let event = || ModelSelectEvent { model, previous_model: previous, source };
            self.hooks.dispatcher.dispatch::<ModelSelect>(&self.scope(), event).await;
        }
    }
}
