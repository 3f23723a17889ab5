//! What was chosen: the model, the thinking level, the tools, and what a front end switched on and off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tau_ai::{Model, ModelRegistry, ThinkingLevel};
use tau_hooks::ScopedModel;

use super::lock::{Part, Rank, RwLock};
use super::tools::ToolSet;
use tau_hooks::QueueMode;

const CHOSEN: Rank = Rank::new(Part::Choices, 0);

/// The choices of a session.
pub(crate) struct Choices {
    chosen: RwLock<Chosen>,
    pub(crate) tools: ToolSet,
    /// The leaf is on a branch that may say something else about model and thinking level.
    unrecorded: AtomicBool,
}

struct Chosen {
    model: Option<Arc<Model>>,
    thinking: ThinkingLevel,
    /// The models that cycling goes through.
    scope: Arc<[ScopedModel]>,
    switches: Switches,
}

/// Settings that a front end changed. They count at once and for the rest of the session, whatever a project says.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Switches {
    pub(crate) steering: Option<QueueMode>,
    pub(crate) follow_up: Option<QueueMode>,
    pub(crate) compaction: Option<bool>,
    pub(crate) retry: Option<bool>,
}

impl Choices {
    pub(crate) fn new(
        model: Option<Arc<Model>>,
        thinking: ThinkingLevel,
        scope: Vec<ScopedModel>,
        tools: ToolSet,
    ) -> Self {
        let chosen = Chosen { model, thinking, scope: scope.into(), switches: Switches::default() };
        Self { chosen: RwLock::new(CHOSEN, chosen), tools, unrecorded: AtomicBool::new(false) }
    }

    /// The model in use.
    pub(crate) fn model(&self) -> Option<Arc<Model>> {
        self.chosen.read().model.clone()
    }

    /// The thinking level in use.
    pub(crate) fn thinking_level(&self) -> ThinkingLevel {
        self.chosen.read().thinking
    }

    pub(crate) fn set_model(&self, model: Arc<Model>) {
        self.chosen.write().model = Some(model);
    }

    pub(crate) fn set_thinking_level(&self, level: ThinkingLevel) {
        self.chosen.write().thinking = level;
    }

    /// The choices of another session.
    pub(crate) fn replace(&self, model: Option<Arc<Model>>, thinking: ThinkingLevel) {
        let mut chosen = self.chosen.write();
        chosen.model = model;
        chosen.thinking = thinking;
    }

    /// Takes the model in use from the registry again: its provider may be another one now.
    pub(crate) fn refresh_model(&self, models: &ModelRegistry) {
        let Some(old) = self.model() else { return };
        let Some(fresh) = models.find(&old.provider, &old.id) else { return };
        let mut chosen = self.chosen.write();
        // Another one may have been chosen meanwhile.
        if chosen.model.as_ref().is_some_and(|now| Arc::ptr_eq(now, &old)) {
            chosen.model = Some(fresh);
        }
    }

    /// The models that cycling goes through, as the user chose them; all when there are none.
    pub(crate) fn scoped_models(&self) -> Arc<[ScopedModel]> {
        Arc::clone(&self.chosen.read().scope)
    }

    pub(crate) fn set_scoped_models(&self, models: Vec<ScopedModel>) {
        self.chosen.write().scope = models.into();
    }

    pub(crate) fn switches(&self) -> Switches {
        self.chosen.read().switches
    }

    pub(crate) fn switch(&self, change: impl FnOnce(&mut Switches)) {
        change(&mut self.chosen.write().switches);
    }

    /// The leaf moved to a branch that may say something else about model and thinking level, or what was chosen could not
    /// be written.
    pub(crate) fn note_unrecorded(&self) {
        self.unrecorded.store(true, Ordering::Release);
    }

    /// Whether the branch has to be told of the choices; the caller does that.
    pub(crate) fn take_unrecorded(&self) -> bool {
        self.unrecorded.swap(false, Ordering::AcqRel)
    }
}
