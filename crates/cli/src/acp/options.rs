//! What can be chosen in a session: the model and the thinking level. The thinking levels are its modes, and both are
//! among its options, for clients that know only one of the two.

use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelect, SessionConfigSelectGroup, SessionConfigSelectOption, SessionConfigSelectOptions, SessionMode,
    SessionModeState,
};
use tau_agent::AgentSession;
use tau_ai::{Model, ThinkingLevel};
use tau_hooks::payload::ModelSelectSource;

use super::errors::{bad_params, failed};

const MODEL: &str = "model";
const THINKING: &str = "thinking";

/// The modes of a session.
pub(super) fn modes(session: &AgentSession) -> SessionModeState {
    let mode =
        |level: ThinkingLevel| SessionMode::new(level.as_str(), name(level)).description(description(level).to_owned());
    SessionModeState::new(session.thinking_level().as_str(), levels(session).into_iter().map(mode).collect())
}

/// The options of a session.
pub(super) fn options(session: &AgentSession) -> Vec<SessionConfigOption> {
    let model = session.model().map(|model| {
        let select = SessionConfigSelect::new(value_of(&model), models(session, &model));
        SessionConfigOption::new(MODEL, "Model", SessionConfigKind::Select(select))
            .description("The model that answers".to_owned())
            .category(SessionConfigOptionCategory::Model)
    });
    let level = |level: ThinkingLevel| {
        SessionConfigSelectOption::new(level.as_str(), name(level)).description(description(level).to_owned())
    };
    let levels: Vec<_> = levels(session).into_iter().map(level).collect();
    let select = SessionConfigSelect::new(session.thinking_level().as_str(), levels);
    let thinking = SessionConfigOption::new(THINKING, "Thinking", SessionConfigKind::Select(select))
        .description("How much the model thinks before it answers".to_owned())
        .category(SessionConfigOptionCategory::ThoughtLevel);
    model.into_iter().chain([thinking]).collect()
}

/// Chooses a value of an option.
pub(super) async fn choose(
    session: &Arc<AgentSession>,
    option: &SessionConfigId,
    value: &SessionConfigOptionValue,
) -> Result<(), Error> {
    let SessionConfigOptionValue::ValueId { value } = value else {
        return Err(bad_params(format!("The option {option} takes one of its values, not yes or no.")));
    };
    match &*option.0 {
        MODEL => choose_model(session, &value.0).await,
        THINKING => choose_level(session, &value.0),
        other => Err(bad_params(format!("There is no option {other}; there are {MODEL} and {THINKING}."))),
    }
}

/// Chooses a thinking level by its name.
pub(super) fn choose_level(session: &Arc<AgentSession>, wanted: &str) -> Result<(), Error> {
    let levels = levels(session);
    let Some(level) = levels.iter().find(|level| level.as_str() == wanted) else {
        let names = levels.iter().map(|level| level.as_str()).collect::<Vec<_>>().join(", ");
        return Err(bad_params(format!("There is no mode {wanted}; the model has {names}.")));
    };
    session.choose_thinking(*level).map_err(failed)?;
    Ok(())
}

async fn choose_model(session: &Arc<AgentSession>, wanted: &str) -> Result<(), Error> {
    let available = session.models().available();
    let current = session.model();
    let Some(model) = available.into_iter().chain(current).find(|model| value_of(model) == wanted) else {
        return Err(bad_params(format!("There is no model {wanted} with credentials; see `tau --list-models`.")));
    };
    session.choose_model(model, ModelSelectSource::Set).await.map_err(failed)
}

fn levels(session: &AgentSession) -> Vec<ThinkingLevel> {
    session.model().map_or_else(|| vec![ThinkingLevel::Off], |model| model.thinking_levels())
}

fn value_of(model: &Model) -> String {
    format!("{}/{}", model.provider, model.id)
}

/// The models that can be asked, by provider when there are several.
fn models(session: &AgentSession, current: &Arc<Model>) -> SessionConfigSelectOptions {
    let mut models = session.models().available();
    if !models.iter().any(|model| value_of(model) == value_of(current)) {
        models.insert(0, Arc::clone(current));
    }
    let mut groups: Vec<(String, Vec<SessionConfigSelectOption>)> = Vec::new();
    for model in &models {
        let name = if model.name.is_empty() { &model.id } else { &model.name };
        let option = SessionConfigSelectOption::new(value_of(model), name.clone());
        match groups.iter_mut().find(|(provider, _)| *provider == model.provider) {
            Some((_, options)) => options.push(option),
            None => groups.push((model.provider.clone(), vec![option])),
        }
    }
    match groups.len() {
        0 | 1 => groups.pop().map(|(_, options)| options).unwrap_or_default().into(),
        _ => {
            let group =
                |(provider, options): (String, _)| SessionConfigSelectGroup::new(provider.clone(), provider, options);
            groups.into_iter().map(group).collect::<Vec<_>>().into()
        }
    }
}

fn name(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "Off",
        ThinkingLevel::Minimal => "Minimal",
        ThinkingLevel::Low => "Low",
        ThinkingLevel::Medium => "Medium",
        ThinkingLevel::High => "High",
        ThinkingLevel::Xhigh => "Very high",
        ThinkingLevel::Max => "Maximum",
    }
}

fn description(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "Answer without thinking first",
        ThinkingLevel::Minimal => "Hardly think first",
        ThinkingLevel::Low => "Think a little first",
        ThinkingLevel::Medium => "Think first",
        ThinkingLevel::High => "Think a lot first",
        ThinkingLevel::Xhigh => "Think very much first",
        ThinkingLevel::Max => "Think as much as the model can",
    }
}
