//! Models and thinking levels.

use std::sync::Arc;

use serde_json::Value;
use tau_agent::AgentSession;
use tau_agent::settings::keys;
use tau_ai::{Model, ThinkingLevel};
use tau_hooks::ScopedModel;
use tau_tui::select::Item;

use super::App;
use crate::dialogs::{Deed, Effect, Entry, ListPanel, ModelRow, ModelsPanel, ScopedPanel, ScopedRow};
use crate::told::Told;

fn same(one: &Model, other: &Model) -> bool {
    one.provider == other.provider && one.id == other.id
}

fn about(level: ThinkingLevel) -> &'static str {
    match level.as_str() {
        "off" => "does not think before it answers",
        "minimal" => "thinks very briefly",
        "low" => "thinks a little",
        "medium" => "thinks as much as most tasks need",
        "high" => "thinks long",
        "xhigh" => "thinks very long",
        _ => "thinks as long as the model can",
    }
}

impl App {
    /// Opens the choice of a model. Servers on this machine are asked meanwhile.
    pub(super) fn choose_model(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.panels.open(Entry::own(ModelsPanel::new(self.model_rows(&session))), false);
        self.screen.changed();
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let before = session.models().available().len();
            for problem in session.add_local_models().await {
                tracing::warn!("local models: {problem}");
            }
            if session.models().available().len() != before {
                teller.tell(Told::Models);
            }
        });
    }

    /// Other models can be chosen now.
    pub(super) fn models_changed(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let rows = self.model_rows(&session);
        self.panels.models(&rows);
        self.screen.changed();
    }

    fn model_rows(&self, session: &AgentSession) -> Vec<ModelRow> {
        let settings = self.settings();
        let default = settings.default_provider().map(tau_ai::provider_name).zip(settings.default_model());
        let (current, scope) = (session.model(), session.scoped_models());
        let row = |model: Arc<Model>| ModelRow {
            is_current: current.as_ref().is_some_and(|current| same(current, &model)),
            is_default: default == Some((model.provider.as_str(), model.id.as_str())),
            is_scoped: scope.iter().any(|scoped| same(&scoped.model, &model)),
            provider: model.provider.clone(),
            id: model.id.clone(),
            name: model.name.clone(),
        };
        session.models().available().into_iter().map(row).collect()
    }

    /// New sessions begin with this model.
    pub(super) fn save_model(&mut self, provider: &str, id: &str) {
        let values =
            vec![(keys::DEFAULT_PROVIDER.into(), Some(provider.into())), (keys::DEFAULT_MODEL.into(), Some(id.into()))];
        self.keep_settings(values, Some(format!("New sessions begin with {provider}/{id}")));
    }

    /// Opens the choice of a thinking level.
    pub(super) fn choose_thinking(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let levels = session.thinking_levels();
        let now = session.thinking_level();
        let mark = |level: &ThinkingLevel| if *level == now { "✓ " } else { "" };
        let item = |level: &ThinkingLevel| Item::new(format!("{}{level}", mark(level))).about(about(*level));
        let items = levels.iter().map(item).collect();
        let current = levels.iter().position(|level| *level == now);
        let names: Vec<String> = levels.iter().map(ToString::to_string).collect();
        let kept = names.clone();
        let chosen = move |at: Option<usize>| match at.and_then(|at| names.get(at)) {
            Some(name) => Effect::Send(format!("/thinking {name}")),
            None => Effect::Nothing,
        };
        let panel = ListPanel::new("Thinking level", items, current, chosen).with_key(
            "app.thinking.save",
            "make it the default",
            move |at| {
                let name = kept.get(at).cloned();
                name.map_or(Effect::Nothing, |name| Effect::Do(Deed::SaveThinking(name)))
            },
        );
        self.panels.open(Entry::own(panel), false);
        self.screen.changed();
    }

    /// New sessions begin with this thinking level.
    pub(super) fn save_thinking(&mut self, level: &str) {
        let values = vec![(keys::DEFAULT_THINKING_LEVEL.into(), Some(level.into()))];
        self.keep_settings(values, Some(format!("New sessions begin with the thinking level {level}")));
    }

    /// Opens the choice of the models to cycle through.
    pub(super) fn choose_scope(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let scope = session.scoped_models();
        let row = |model: &Model, level: Option<ThinkingLevel>, is_in: bool| {
            let level = level.map(|level| format!(":{level}")).unwrap_or_default();
            ScopedRow {
                full: format!("{}/{}{level}", model.provider, model.id),
                provider: model.provider.clone(),
                name: model.name.clone(),
                is_in,
            }
        };
        let mut rows: Vec<ScopedRow> =
            scope.iter().map(|scoped| row(&scoped.model, scoped.thinking_level, true)).collect();
        let others = session.models().available();
        let others = others.iter().filter(|model| !scope.iter().any(|scoped| same(&scoped.model, model)));
        rows.extend(others.map(|model| row(model, None, false)));
        self.panels.open(Entry::own(ScopedPanel::new(rows)), false);
        self.screen.changed();
    }

    /// Cycling goes through these models from now on; through all without any.
    pub(super) fn set_scope(&mut self, names: &[String]) {
        let Some(session) = &self.session else { return };
        let (found, warnings) = session.models().resolve_list(names);
        let scoped = |found: tau_ai::ResolvedModel| ScopedModel { model: found.model, thinking_level: found.thinking };
        session.set_scoped_models(found.into_iter().map(scoped).collect());
        if !warnings.is_empty() {
            self.warn(&warnings.join("\n"));
        }
    }

    /// The same in sessions to come.
    pub(super) fn save_scope(&mut self, names: Vec<String>) {
        let value = (!names.is_empty()).then(|| Value::from(names));
        self.keep_settings(
            vec![(keys::ENABLED_MODELS.into(), value)],
            Some("The models to cycle through are kept".to_owned()),
        );
    }
}
