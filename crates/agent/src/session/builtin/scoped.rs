//! `/scoped-models`: the models that cycling goes through.

use std::sync::Arc;

use tau_hooks::ScopedModel;

use super::Answer;
use super::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use crate::explain::shown_name;
use crate::pipeline::PromptError;
use crate::session::AgentSession;

/// For this session; `enabledModels` in the settings is for all.
pub(super) async fn scoped_models(session: &Arc<AgentSession>, argument: &str) -> Answer {
    match argument {
        "" => return Ok(BuiltinOutcome::Choice(list(session))),
        "all" => session.set_scoped_models(Vec::new()),
        patterns => {
            let patterns: Vec<&str> = patterns.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
            let (found, warnings) = session.models().resolve_list(&patterns);
            if !warnings.is_empty() || found.is_empty() {
                return Err(PromptError::Command(warnings.join("\n")));
            }
            let scoped =
                found.into_iter().map(|found| ScopedModel { model: found.model, thinking_level: found.thinking });
            session.set_scoped_models(scoped.collect());
        }
    }
    Ok(list(session).text.into())
}

fn list(session: &AgentSession) -> Choice {
    let scope = session.scoped_models();
    let name = |model: &tau_ai::Model| format!("{}/{}", model.provider, model.id);
    let names: Vec<String> = scope.iter().map(|scoped| name(&scoped.model)).collect();
    let option = |model: Arc<tau_ai::Model>| {
        let value = name(&model);
        let current = names.contains(&value);
        ChoiceOption { value, label: model.name.clone(), current }
    };
    let options = session.models().available().into_iter().map(option).collect();
    let text = if names.is_empty() {
        "Cycling goes through all models.".to_owned()
    } else {
        let shown: Vec<String> = names.iter().map(|name| shown_name(name)).collect();
        format!("Cycling goes through: {}", shown.join(", "))
    };
    Choice { command: "scoped-models", options, text }
}
