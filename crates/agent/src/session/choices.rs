//! The model, the thinking level and the name of a session.

use std::sync::Arc;

use serde::Serialize;
use tau_ai::{AssistantMessage, Model, ModelRegistry, ThinkingLevel};
use tau_hooks::events::{ModelSelect, SessionInfoChanged, ThinkingLevelSelect};
use tau_hooks::payload::{ModelSelectEvent, ModelSelectSource, SessionInfoChangedEvent, ThinkingLevelSelectEvent};
use tau_hooks::{Scope, ScopedModel};
use tau_session::{EntryBody, ModelChoice, SessionContext, SessionError};

use super::work::Lane;
use super::{AgentSession, SessionEvent};
use crate::explain::{explain, why_no_model};
use crate::pipeline::PromptError;

/// The model that a session's file says: the one that answered last or was chosen since. A virtual model that was chosen
/// stays while it is known, because answers name the models they came from.
pub fn recorded_model<'a>(context: &'a SessionContext, models: &ModelRegistry) -> Option<&'a ModelChoice> {
    let is_virtual =
        |choice: &&ModelChoice| models.find(&choice.provider, &choice.model_id).is_some_and(|model| model.is_virtual());
    context.chosen.as_ref().filter(is_virtual).or(context.model.as_ref())
}

/// Which way to go through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the next one.
    Forward,
    /// To the one before.
    Backward,
}

/// The model that cycling came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cycled {
    /// The model.
    pub model: Arc<Model>,
    /// The thinking level in use now.
    pub thinking_level: ThinkingLevel,
    /// Whether the user chose which models to go through.
    pub is_scoped: bool,
}

impl AgentSession {
    /// The model in use.
    pub fn model(&self) -> Option<Arc<Model>> {
        self.state.lock().model.clone()
    }

    /// The thinking level in use.
    pub fn thinking_level(&self) -> ThinkingLevel {
        self.state.lock().thinking
    }

    /// Why there is no model to ask.
    pub(crate) fn no_model(&self) -> PromptError {
        PromptError::NoModel { why: why_no_model(&self.models) }
    }

    /// That the wire format of a model does not exist.
    pub(crate) fn unknown_api(&self, model: &Model) -> PromptError {
        PromptError::UnknownApi { model: model.id.clone(), problem: self.models.unknown_api(&model.api) }
    }

    /// Makes sure there is a model and that it can be asked.
    pub(crate) async fn check_model(&self) -> Result<(), PromptError> {
        let model = self.model().ok_or_else(|| self.no_model())?;
        if !model.is_virtual() && self.models.api_for(&model).is_none() {
            return Err(self.unknown_api(&model));
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
        self.choose_model_at(model, None, source).await
    }

    /// As [`AgentSession::choose_model`], with a thinking level to go with it. Without one it is the model's own of the
    /// settings, else the one to start with, else the one in use.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub async fn choose_model_at(
        self: &Arc<Self>,
        model: Arc<Model>,
        thinking: Option<ThinkingLevel>,
        source: ModelSelectSource,
    ) -> Result<(), SessionError> {
        let previous = self.model();
        let same = previous.as_ref().is_some_and(|old| old.provider == model.provider && old.id == model.id);
        if same {
            return Ok(());
        }
        self.session().append(EntryBody::model_change(model.provider.clone(), model.id.clone()))?;
        self.state.lock().model = Some(Arc::clone(&model));
        let wanted = thinking.or_else(|| self.usual_thinking(&model)).unwrap_or_else(|| self.thinking_level());
        self.choose_thinking(wanted)?;
        let event = || ModelSelectEvent { model, previous_model: previous, source };
        self.hooks.dispatcher.dispatch::<ModelSelect>(&self.scope(), event).await;
        Ok(())
    }

    /// The thinking level the user wants of a model, or of any.
    fn usual_thinking(&self, model: &Model) -> Option<ThinkingLevel> {
        let settings = self.settings.snapshot();
        let own = settings.model_thinking_level(&format!("{}/{}", model.provider, model.id));
        own.and_then(ThinkingLevel::parse).or_else(|| settings.default_thinking_level().and_then(ThinkingLevel::parse))
    }

    /// The models that cycling goes through, as the user chose them; all when there are none.
    pub fn scoped_models(&self) -> Arc<[ScopedModel]> {
        Arc::clone(&self.scope_of_models.read())
    }

    /// Chooses the models that cycling goes through.
    pub fn set_scoped_models(&self, models: Vec<ScopedModel>) {
        *self.scope_of_models.write() = models.into();
    }

    /// Goes on to the next model that can be asked, of those the user chose or of all; `None` when there is no other.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub async fn cycle_model(self: &Arc<Self>, direction: Direction) -> Result<Option<Cycled>, SessionError> {
        let available = self.models.available();
        let same = |one: &Model, other: &Model| one.provider == other.provider && one.id == other.id;
        let scope = self.scoped_models();
        let is_scoped = !scope.is_empty();
        let choices: Vec<ScopedModel> = match is_scoped {
            true => scope
                .iter()
                .filter(|scoped| available.iter().any(|model| same(model, &scoped.model)))
                .cloned()
                .collect(),
            false => available.into_iter().map(|model| ScopedModel { model, thinking_level: None }).collect(),
        };
        if choices.len() <= 1 {
            return Ok(None);
        }
        let current = self.model();
        let at = current.and_then(|current| choices.iter().position(|choice| same(&choice.model, &current)));
        let at = at.unwrap_or_default();
        let next = match direction {
            Direction::Forward => (at + 1) % choices.len(),
            Direction::Backward => (at + choices.len() - 1) % choices.len(),
        };
        let ScopedModel { model, thinking_level } = choices[next].clone();
        self.choose_model_at(Arc::clone(&model), thinking_level, ModelSelectSource::Cycle).await?;
        Ok(Some(Cycled { model, thinking_level: self.thinking_level(), is_scoped }))
    }

    /// Goes on to the next thinking level of the model; `None` when it has none.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn cycle_thinking(self: &Arc<Self>) -> Result<Option<ThinkingLevel>, SessionError> {
        let Some(model) = self.model().filter(|model| model.reasoning) else { return Ok(None) };
        let levels = model.thinking_levels();
        let at = levels.iter().position(|level| *level == self.thinking_level());
        let next = at.map_or(0, |at| at + 1) % levels.len().max(1);
        match levels.get(next) {
            Some(level) => self.choose_thinking(*level).map(Some),
            None => Ok(None),
        }
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
        self.session().append(EntryBody::thinking_level_change(level.as_str()))?;
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
        let session = self.session();
        session.append(EntryBody::session_info(name))?;
        let name = session.session_name();
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

impl AgentSession {
    /// Why an answer failed, for people: provider and model, where the key came from, what the provider says, and what to do
    /// next. `None` when nothing more is known than the answer's own error.
    pub fn explain_failure(&self, answer: &AssistantMessage) -> Option<String> {
        explain(&self.models, answer)
    }
}
