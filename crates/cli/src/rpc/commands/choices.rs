//! The model and the queues.

use std::sync::Arc;

use tau_agent::AgentSession;
use tau_hooks::HostActions as _;
use tau_hooks::{Direction, QueueMode as Mode};
use tau_rpc::{CycledModel, Failure, Model, QueueMode, SetModel};

pub(in crate::rpc) async fn set_model(session: &Arc<AgentSession>, choice: SetModel) -> Result<Model, Failure> {
    let SetModel { provider, model_id } = choice;
    let known = session.models().available();
    let model = known.into_iter().find(|model| model.provider == provider && model.id == model_id);
    let model = model.ok_or_else(|| Failure(format!("Model not found: {provider}/{model_id}")))?;
    // The one of the trait asks for credentials first.
    if session.set_model(Arc::clone(&model)).await? {
        Ok(Model::clone(&model))
    } else {
        Err(Failure(format!("No API key for {provider}/{model_id}")))
    }
}

pub(in crate::rpc) async fn cycle_model(session: &Arc<AgentSession>) -> Result<Option<CycledModel>, Failure> {
    let cycled = session.cycle_model(Direction::Forward).await?;
    Ok(cycled.map(|cycled| CycledModel {
        model: cycled.model,
        thinking_level: cycled.thinking_level,
        is_scoped: cycled.is_scoped,
    }))
}

pub(in crate::rpc) fn queue_mode(mode: QueueMode) -> Mode {
    match mode {
        QueueMode::All => Mode::All,
        QueueMode::OneAtATime => Mode::OneAtATime,
    }
}

pub(in crate::rpc) fn told_mode(mode: Mode) -> QueueMode {
    match mode {
        Mode::All => QueueMode::All,
        Mode::OneAtATime => QueueMode::OneAtATime,
    }
}
