//! The model, the thinking level and the name of a session.

use std::sync::Arc;

use tau_ai::{Model, ThinkingLevel};
use tau_hooks::Scope;
use tau_hooks::events::{ModelSelect, SessionInfoChanged, ThinkingLevelSelect};
use tau_hooks::payload::{ModelSelectEvent, ModelSelectSource, SessionInfoChangedEvent, ThinkingLevelSelectEvent};
use tau_session::{EntryBody, SessionError};

use super::work::Lane;
use super::{AgentSession, SessionEvent};
use crate::pipeline::PromptError;

impl AgentSession {
    /// The model in use.
    pub fn model(&self) -> Option<Arc<Model>> {
        self.state.lock().model.clone()
    }

    /// The thinking level in use.
    pub fn thinking_level(&self) -> ThinkingLevel {
        self.state.lock().thinking
    }

    /// Makes sure there is a model and that it can be asked.
    pub(crate) async fn check_model(&self) -> Result<(), PromptError> {
        let model = self.model().ok_or(PromptError::NoModel)?;
        if self.models.api_for(&model).is_none() {
            return Err(PromptError::UnknownApi { model: model.id.clone(), api: model.api.clone() });
        }
        self.auth(&model).await.map_err(|error| PromptError::NoAuth(error.to_string()))?;
        Ok(())
    }

    /// Chooses a model for this session, and the nearest thinking level it has.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub async fn choose_model(
        self: &Arc<Self>,
        model: Arc<Model>,
        source: ModelSelectSource,
    ) -> Result<(), SessionError> {
        let previous = self.model();
        let same = previous.as_ref().is_some_and(|old| old.provider == model.provider && old.id == model.id);
        if same {
            return Ok(());
        }
        self.session.append(EntryBody::model_change(model.provider.clone(), model.id.clone()))?;
        self.state.lock().model = Some(Arc::clone(&model));
        self.choose_thinking(self.thinking_level())?;
        let event = || ModelSelectEvent { model, previous_model: previous, source };
        self.hooks.dispatcher.dispatch::<ModelSelect>(&self.scope(), event).await;
        Ok(())
    }

    /// Chooses the nearest thinking level the model has; returns it. Handlers are told, not waited for.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn choose_thinking(self: &Arc<Self>, wanted: ThinkingLevel) -> Result<ThinkingLevel, SessionError> {
        let level = self.model().map_or(wanted, |model| model.clamp_thinking(wanted));
        let previous = self.thinking_level();
        if level == previous {
            return Ok(level);
        }
        self.session.append(EntryBody::thinking_level_change(level.as_str()))?;
        self.state.lock().thinking = level;
        let event = ThinkingLevelSelectEvent { level, previous_level: previous };
        self.tell_later::<ThinkingLevelSelect>(&self.lanes.thinking, event);
        self.events.send(|| SessionEvent::ThinkingLevelChanged { level });
        Ok(level)
    }

    /// Names the session; an empty name clears. Handlers are told, not waited for.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn rename(self: &Arc<Self>, name: &str) -> Result<(), SessionError> {
        self.session.append(EntryBody::session_info(name))?;
        let name = self.session.session_name();
        self.tell_later::<SessionInfoChanged>(&self.lanes.name, SessionInfoChangedEvent { name: name.clone() });
        self.events.send(|| SessionEvent::SessionInfoChanged { name });
        Ok(())
    }

    /// Calls handlers without waiting for them, because the caller may be one.
    pub(super) fn tell_later<E: tau_hooks::Event>(self: &Arc<Self>, lane: &Lane, event: E::Payload) {
        if !self.hooks.dispatcher.has_handlers(E::ID) {
            return;
        }
        let scope: Scope = self.scope();
        let dispatcher = Arc::clone(&self.hooks.dispatcher);
        lane.push(self.background.begin(), async move {
            dispatcher.dispatch::<E>(&scope, || event).await;
        });
    }
}
