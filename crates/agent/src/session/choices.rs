//! The model, the thinking level and the name of a session.

use std::sync::Arc;

use tau_ai::{AssistantMessage, Model, ThinkingLevel};
use tau_hooks::events::{ModelSelect, SessionInfoChanged, ThinkingLevelSelect};
use tau_hooks::payload::{ModelSelectEvent, ModelSelectSource, SessionInfoChangedEvent, ThinkingLevelSelectEvent};
use tau_hooks::{Cycled, Direction, ScopedModel};
use tau_session::{EntryBody, SessionError};

use super::AgentSession;
use crate::explain::explain;
use crate::parts::SessionEvent;
use crate::pipeline::tell::tell_later;

impl AgentSession {
    /// The model in use.
    pub fn model(&self) -> Option<Arc<Model>> {
        self.parts.choices.model()
    }

    /// The thinking level in use.
    pub fn thinking_level(&self) -> ThinkingLevel {
        self.parts.choices.thinking_level()
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
    pub(crate) async fn choose_model_at(
        self: &Arc<Self>,
        model: Arc<Model>,
        thinking: Option<ThinkingLevel>,
        source: ModelSelectSource,
    ) -> Result<(), SessionError> {
        let live = self.live();
        let previous = self.parts.choices.model();
        let same = previous.as_ref().is_some_and(|old| old.provider == model.provider && old.id == model.id);
        if same {
            return Ok(());
        }
        self.parts.conversation.session().append(EntryBody::model_change(model.provider.clone(), model.id.clone()))?;
        self.parts.choices.set_model(Arc::clone(&model));
        let wanted =
            thinking.or_else(|| self.usual_thinking(&model)).unwrap_or_else(|| self.parts.choices.thinking_level());
        self.choose_thinking(wanted)?;
        let event = || ModelSelectEvent { model, previous_model: previous, source };
        self.parts.hooks.dispatcher.dispatch::<ModelSelect>(&live.scope(), event).await;
        Ok(())
    }

    /// The thinking level the user wants of a model, or of any.
    fn usual_thinking(&self, model: &Model) -> Option<ThinkingLevel> {
        let settings = self.parts.settings();
        let own = settings.model_thinking_level(&format!("{}/{}", model.provider, model.id));
        own.and_then(ThinkingLevel::parse).or_else(|| settings.default_thinking_level().and_then(ThinkingLevel::parse))
    }

    /// The models that cycling goes through, as the user chose them; all when there are none.
    pub fn scoped_models(&self) -> Arc<[ScopedModel]> {
        self.parts.choices.scoped_models()
    }

    /// Chooses the models that cycling goes through.
    pub fn set_scoped_models(&self, models: Vec<ScopedModel>) {
        self.parts.choices.set_scoped_models(models);
    }

    /// Goes on to the next model that can be asked, of those the user chose or of all; `None` when there is no other.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub async fn cycle_model(self: &Arc<Self>, direction: Direction) -> Result<Option<Cycled>, SessionError> {
        let available = self.parts.services.models.available();
        let same = |one: &Model, other: &Model| one.provider == other.provider && one.id == other.id;
        let scope = self.parts.choices.scoped_models();
        let is_scoped = !scope.is_empty();
        let choices: Vec<ScopedModel> = if is_scoped {
            scope.iter().filter(|scoped| available.iter().any(|model| same(model, &scoped.model))).cloned().collect()
        } else {
            available.into_iter().map(|model| ScopedModel { model, thinking_level: None }).collect()
        };
        if choices.len() <= 1 {
            return Ok(None);
        }
        let current = self.parts.choices.model();
        let at = current.and_then(|current| choices.iter().position(|choice| same(&choice.model, &current)));
        let at = at.unwrap_or_default();
        let next = match direction {
            Direction::Forward => (at + 1) % choices.len(),
            Direction::Backward => (at + choices.len() - 1) % choices.len(),
        };
        let ScopedModel { model, thinking_level } = choices[next].clone();
        self.choose_model_at(Arc::clone(&model), thinking_level, ModelSelectSource::Cycle).await?;
        Ok(Some(Cycled { model, thinking_level: self.parts.choices.thinking_level(), is_scoped }))
    }

    /// Goes on to the next thinking level of the model; `None` when it has none.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn cycle_thinking(self: &Arc<Self>) -> Result<Option<ThinkingLevel>, SessionError> {
        let Some(model) = self.parts.choices.model().filter(|model| model.reasoning) else { return Ok(None) };
        let levels = model.thinking_levels();
        let at = levels.iter().position(|level| *level == self.parts.choices.thinking_level());
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
        let live = self.live();
        let level = self.parts.choices.model().map_or(wanted, |model| model.clamp_thinking(wanted));
        let previous = self.parts.choices.thinking_level();
        if level == previous {
            return Ok(level);
        }
        self.parts.conversation.session().append(EntryBody::thinking_level_change(level.as_str()))?;
        self.parts.choices.set_thinking_level(level);
        let event = ThinkingLevelSelectEvent { level, previous_level: previous };
        tell_later::<ThinkingLevelSelect>(&live, &self.parts.lifecycle.lanes.thinking, event);
        self.parts.events.send(|| SessionEvent::ThinkingLevelChanged { level });
        Ok(level)
    }

    /// Names the session; an empty name clears. Handlers are told, not waited for.
    ///
    /// # Errors
    /// When the session file cannot be written.
    pub fn rename(self: &Arc<Self>, name: &str) -> Result<(), SessionError> {
        let live = self.live();
        let session = self.parts.conversation.session();
        session.append(EntryBody::session_info(name))?;
        let name = session.session_name();
        tell_later::<SessionInfoChanged>(
            &live,
            &self.parts.lifecycle.lanes.name,
            SessionInfoChangedEvent { name: name.clone() },
        );
        self.parts.events.send(|| SessionEvent::SessionInfoChanged { name });
        Ok(())
    }
}

impl AgentSession {
    /// Why an answer failed, for people: provider and model, where the key came from, what the provider says, and what to do
    /// next. `None` when nothing more is known than the answer's own error.
    pub fn explain_failure(&self, answer: &AssistantMessage) -> Option<String> {
        explain(&self.parts.services.models, answer)
    }
}
