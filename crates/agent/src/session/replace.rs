//! Another session takes the place of the one that is open. Front ends keep their [`AgentSession`](super::AgentSession); what is behind it is
//! another tree, and extensions begin anew.

use std::sync::Arc;

use tau_ai::{Model, ThinkingLevel};
use tau_hooks::events::ModelSelect;
use tau_hooks::payload::{ModelSelectEvent, ModelSelectSource, SessionShutdownReason, SessionStartReason};
use tau_hooks::{ActionError, HandlerError, SessionSetup};
use tau_session::{EntryKind, Session, SessionError};
use tokio_util::sync::CancellationToken;

use super::MissingFolder;
use super::lifecycle::PATIENCE;
use crate::extensions::Lists;
use crate::parts::{Live, Parts, SessionEvent, WarmingStopped};
use crate::pipeline::credentials::ready_to_ask;
use crate::pipeline::record::{note_choices, prepare_loadout, recorded_model, restore_tools};
use crate::pipeline::settle::sync_session;
use crate::pipeline::system_prompt::rebuild_prompt;
use crate::pipeline::tell::tell_queues;
use crate::session::lifecycle::{announce, report_settings, tell_shutdown, watch_file};
use crate::session::own_tools::renew_tools;
use crate::session::resources::{load_resources, reload_resources};
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

/// Replaces the session. Whoever calls this holds `changing`, and nobody has said no.
pub(super) async fn replace(live: &Live, next: Next) -> Result<(), ReplaceError> {
    if live.lifecycle.has_ended() {
        return Err(ReplaceError::ShuttingDown);
    }
    let _leaving = live.conversation.leave();
    live.activity.cancel_run();
    live.warming.stop(WarmingStopped::Ended);
    live.activity.asides.commands.stop();
    if !live.lifecycle.background.done_within(PATIENCE).await && !live.activity.is_idle() {
        return Err(ReplaceError::Busy);
    }
    // Whoever wants to begin a run waits until the new session is there.
    let _held = live.lifecycle.settle_gate.write().await;
    if !live.activity.is_idle() {
        return Err(ReplaceError::Busy);
    }
    let _work = live.lifecycle.background.begin();
    let Next { session, reason, env, setup, keep_conversation } = next;
    let previous = file_of(&live.conversation.session());
    tell_shutdown(live, shutdown_reason(reason), file_of(&session)).await;
    live.hooks.tasks.end_session().await;
    sync_session(live).await;

    session.set_sources(live.services.sources.clone());
    let session = Arc::new(session);
    if live.activity.drop_queues() {
        tell_queues(live);
    }
    let moved = env.is_some();
    live.conversation.replace(Arc::clone(&session), env.map_or_else(|| live.conversation.env(), Arc::new));
    live.hooks.dispatcher.trace.set_session(session.id());
    let moved = renew_extensions(live, moved).await;
    let old = live.choices.model();
    let (model, thinking) = choices_of(live, &session, reason).await;
    // From here on there is no way back: what goes wrong is told when the new session is open.
    let noted = note_choices(&session, &live.services.models, model.as_deref(), thinking);
    live.choices.replace(model, thinking);
    renew_resources(live, moved);
    let set_up = match setup {
        Some(setup) => setup(Arc::clone(&session)).await,
        None => Ok(()),
    };
    let has_message = || session.entries().iter().any(|entry| entry.kind() == EntryKind::Message && !entry.is_system());
    let kept =
        if session.file().is_some() && !session.is_persisted() && has_message() { session.persist() } else { Ok(()) };
    if !keep_conversation {
        live.conversation.rebuild();
    }
    watch_file(live, &session);
    tell_opened(live, &session);
    prepare_loadout(live, true, &live.lifecycle.ending).await;
    announce(live, reason, previous).await;
    tell_restored(live, old).await;
    noted.and(kept)?;
    set_up.map_err(ReplaceError::Setup)
}

/// Lets extensions begin anew, here or in another directory. Gives whether everything else has to begin anew too:
/// in another directory, or when other settings count because the project is trusted now, or no longer.
async fn renew_extensions(live: &Live, moved: bool) -> bool {
    let env = live.conversation.env();
    let mut changed = moved;
    match &live.extensions {
        Some(extensions) if moved => {
            match extensions.move_to(&env, &live.services.settings, live.mode).await {
                Ok(decision) => {
                    let not_saved = decision.not_saved.as_ref();
                    let not_saved = not_saved.map(|error| format!("the answer could not be kept: {error}"));
                    for text in decision.notice().into_iter().chain(not_saved) {
                        live.report("trust", "project_trust", text);
                    }
                }
                Err(error) => live.report("trust", "project_trust", error.to_string()),
            }
            report_settings(live);
        }
        Some(extensions) => {
            changed = extensions.begin_again(&live.services.settings, live.mode).await;
            if changed {
                report_settings(live);
            }
        }
        None if moved => live.services.settings.replace(Arc::new(Settings::load(&env, false))),
        None => {}
    }
    if let Some(extensions) = &live.extensions {
        extensions.register_providers(&live.services.models);
        extensions.refresh_models(&live.services.models, Lists::New, &CancellationToken::new()).await;
    }
    live.choices.refresh_model(&live.services.models);
    changed
}

fn renew_resources(live: &Live, moved: bool) {
    live.choices.tools.set_default(live.settings().default_tools());
    if moved {
        renew_tools(live);
        load_resources(live);
    } else {
        reload_resources(live);
    }
    live.choices.tools.forget_choices();
    live.choices.tools.refresh(&live.hooks);
    restore_tools(live, true);
    rebuild_prompt(live);
}

/// The model and the thinking level of a session: those of its file, if the model can be asked.
async fn choices_of(
    parts: &Parts,
    session: &Session,
    reason: SessionStartReason,
) -> (Option<Arc<Model>>, ThinkingLevel) {
    let (mut model, mut thinking) = (parts.choices.model(), parts.choices.thinking_level());
    if reason == SessionStartReason::New {
        return (model, thinking);
    }
    let choices = session.choices();
    if let Some(choice) = recorded_model(&choices, &parts.services.models) {
        let is_chosen = |model: &Arc<Model>| model.provider == choice.provider && model.id == choice.model_id;
        let usable = match parts.services.models.find(&choice.provider, &choice.model_id) {
            _ if model.as_ref().is_some_and(is_chosen) => model.clone(),
            Some(known) => ready_to_ask(parts, &known).await.ok().map(|(known, _)| known),
            None => None,
        };
        if usable.is_none() {
            let now = model.as_ref().map_or("no model".to_owned(), |now| format!("{}/{}", now.provider, now.id));
            let text = format!("Could not restore model {}/{}. Using {now}.", choice.provider, choice.model_id);
            parts.report("session", "model", text);
        }
        model = usable.or(model);
    }
    if let Some(level) = choices.thinking_level.as_deref().and_then(ThinkingLevel::parse) {
        thinking = level;
    }
    let thinking = model.as_ref().map_or(thinking, |model| model.clamp_thinking(thinking));
    (model, thinking)
}

/// Tells front ends which session is open now.
fn tell_opened(parts: &Parts, session: &Session) {
    parts.events.send(|| {
        let mut header = session.header().to_value().unwrap_or_else(|error| {
            tau_ai::broken(&format!("the header of a session cannot be written as JSON: {error}"));
            serde_json::Map::new()
        });
        header.shift_remove("type");
        SessionEvent::Session { header }
    });
}

/// Tells extensions when the session brought another model with it.
async fn tell_restored(live: &Live, previous: Option<Arc<Model>>) {
    let Some(model) = live.choices.model() else { return };
    let same = previous.as_ref().is_some_and(|old| old.provider == model.provider && old.id == model.id);
    if !same {
        let source = ModelSelectSource::Restore;
        let event = || ModelSelectEvent { model, previous_model: previous, source };
        live.hooks.dispatcher.dispatch::<ModelSelect>(&live.scope(), event).await;
    }
}
