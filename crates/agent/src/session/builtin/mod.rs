//! Stage 3: built-in commands, looked up in what handlers of `input` made of the text. The table is in `builtins.rs`.

mod argument;
mod copy;
mod diff;
mod help;
mod hotkeys;
mod logins;
pub mod outcome;
mod scoped;
mod session_commands;
mod settings;
mod themes;
mod trust;
mod undo;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tau_ai::{Model, ThinkingLevel};
use tau_hooks::payload::ModelSelectSource;

use self::argument::path_argument;
use self::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use self::session_commands as sessions;
pub use self::session_commands::session_line;
use crate::builtins::{Command, Typed};
use crate::doctor::{examine, examine_extensions};
use crate::explain::shown_name;
use crate::parts::WarmingStatus;
use crate::pipeline::PromptError;
use crate::pipeline::credentials::ready_to_ask;
use crate::session::AgentSession;
use tau_hooks::SessionStats;

/// What a command is answered.
pub(super) type Answer = Result<BuiltinOutcome, PromptError>;

/// Runs a built-in command; gives what it has to say.
pub(crate) async fn run(typed: Typed<'_>, session: &Arc<AgentSession>) -> Answer {
    let argument = typed.argument;
    // In a box of its own each: some are large, and a prompt that is no command should not carry them along.
    let running: BoxFuture<'_, Answer> = match typed.command {
        Command::Branch | Command::Fork => Box::pin(sessions::fork(session, argument)),
        Command::Clear | Command::New => Box::pin(sessions::new(session)),
        Command::Clone => Box::pin(sessions::clone(session)),
        Command::Compact => Box::pin(compact(session, argument)),
        Command::Copy => return copy::copy(session),
        Command::Diff => return Ok(BuiltinOutcome::Changes(diff::changes(session))),
        Command::Doctor => Box::pin(doctor(session)),
        Command::Export => return export(session, argument),
        Command::Help => return Ok(help::help(session).into()),
        Command::Hotkeys => return Ok(hotkeys::hotkeys(session).into()),
        Command::Import => Box::pin(sessions::import(session, argument)),
        Command::Label => return sessions::label(session, argument),
        Command::Login => Box::pin(logins::login(session, argument)),
        Command::Logout => Box::pin(logins::logout(session, argument)),
        Command::Model => Box::pin(model(session, argument)),
        Command::Name => return name(session, argument),
        Command::Quit => {
            session.exit_requested().cancel();
            return Ok(BuiltinOutcome::Nothing);
        }
        Command::Reload => Box::pin(reload(session)),
        Command::Resume => Box::pin(sessions::resume(session, argument)),
        Command::ScopedModels => Box::pin(scoped::scoped_models(session, argument)),
        Command::Session => Box::pin(summary_or_switch(session, argument)),
        Command::Settings => Box::pin(settings::settings(session, argument)),
        Command::Theme => Box::pin(themes::theme(session, argument)),
        Command::Thinking => return thinking(session, argument),
        Command::Tree => Box::pin(sessions::tree(session, argument)),
        Command::Trust => Box::pin(trust::trust(session, argument)),
        Command::Undo => Box::pin(undo::undo(session)),
    };
    running.await
}

fn name(session: &Arc<AgentSession>, argument: &str) -> Answer {
    if argument.is_empty() {
        let name = session.session().session_name();
        return Ok(name.unwrap_or_else(|| "This session has no name.".to_owned()).into());
    }
    session.rename(argument)?;
    Ok(format!("Session name: {}", session.session().session_name().unwrap_or_default()).into())
}

fn export(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let failed = |why: String| PromptError::Command(format!("Failed to export session: {why}"));
    let path = path_argument(argument).map_err(|error| failed(error.to_owned()))?;
    let path = session.export(path.map(PathBuf::from)).map_err(|error| failed(error.to_string()))?;
    Ok(format!("Session exported to: {}", path.display()).into())
}

async fn doctor(session: &Arc<AgentSession>) -> Answer {
    let mut checked = examine(&session.env(), &session.settings().snapshot(), session.models());
    checked.extend(examine_extensions(session.hooks()).await);
    Ok(BuiltinOutcome::Checked(checked))
}

async fn compact(session: &Arc<AgentSession>, instructions: &str) -> Answer {
    let instructions = (!instructions.is_empty()).then(|| instructions.to_owned());
    let done = session.compact(instructions).await.map_err(|error| PromptError::Command(error.to_string()))?;
    Ok(format!("Compacted: about {} tokens before, {} now", done.tokens_before, done.estimated_tokens_after).into())
}

async fn reload(session: &Arc<AgentSession>) -> Answer {
    let done = session.reload().await.map_err(|error| PromptError::Command(error.to_string()))?;
    let (loaded, resources) = (done.extensions, session.resources());
    let (skills, templates) = (resources.skills.len(), resources.prompt_templates.len());
    let mut text = format!("Reloaded. Extensions: {loaded}, skills: {skills}, prompt templates: {templates}");
    if !done.failures.is_empty() {
        text.push_str(&format!(", extensions that failed: {}", done.failures.len()));
    }
    Ok(text.into())
}

async fn model(session: &Arc<AgentSession>, pattern: &str) -> Answer {
    if pattern.is_empty() || session.models().resolve_pattern(None, pattern).is_err() {
        warn(session.add_local_models().await);
    }
    if !pattern.is_empty() {
        let found =
            session.models().resolve_pattern(None, pattern).map_err(|error| PromptError::Command(error.to_string()))?;
        let ready = ready_to_ask(session.parts(), &found.model).await;
        let (model, _) = ready.map_err(|error| PromptError::NoAuth(error.to_string()))?;
        session.choose_model(model, ModelSelectSource::Set).await?;
        if let Some(level) = found.thinking {
            session.choose_thinking(level)?;
        }
    }
    let current = session.model();
    let name = |model: &Model| format!("{}/{}", model.provider, model.id);
    let text = match &current {
        Some(model) => format!("Model: {}", shown_name(&name(model))),
        None => "No model selected.".to_owned(),
    };
    if !pattern.is_empty() {
        return Ok(text.into());
    }
    let option = |model: Arc<Model>| {
        let is_current = |current: &Arc<Model>| current.provider == model.provider && current.id == model.id;
        let current = current.as_ref().is_some_and(is_current);
        ChoiceOption { value: name(&model), label: model.name.clone(), current }
    };
    let options = session.models().available().into_iter().map(option).collect();
    Ok(BuiltinOutcome::Choice(Choice { command: "model", options, text }))
}

fn warn(problems: Vec<String>) {
    for problem in problems {
        tracing::warn!("local models: {problem}");
    }
}

fn thinking(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let levels = session.model().map_or_else(|| ThinkingLevel::ALL.to_vec(), |model| model.thinking_levels());
    let names = levels.iter().map(|level| level.as_str()).collect::<Vec<_>>().join(", ");
    if argument.is_empty() {
        let now = session.thinking_level();
        let option = |level: &ThinkingLevel| {
            let name = level.as_str();
            ChoiceOption { value: name.to_owned(), label: name.to_owned(), current: *level == now }
        };
        let options = levels.iter().map(option).collect();
        let text = format!("Thinking: {now} (available: {names})");
        return Ok(BuiltinOutcome::Choice(Choice { command: "thinking", options, text }));
    }
    let level = ThinkingLevel::parse(argument)
        .ok_or_else(|| PromptError::Command(format!("Unknown thinking level \"{argument}\" (available: {names})")))?;
    Ok(format!("Thinking: {}", session.choose_thinking(level)?).into())
}

async fn summary_or_switch(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let failed = |why: &str| PromptError::Command(format!("Failed to open session: {why}"));
    match path_argument(argument).map_err(failed)? {
        None => Ok(summary(session).into()),
        Some(file) => sessions::switch(session, file.as_ref()).await,
    }
}

fn summary(session: &Arc<AgentSession>) -> String {
    let tree = session.session();
    let history = session.history();
    let count = |role: &str| history.iter().filter(|message| message.role() == role).count();
    let mut lines = vec![
        format!("Session: {}", tree.id()),
        match tree.file() {
            Some(file) => format!("File: {}", file.display()),
            None => "File: none (in memory)".to_owned(),
        },
    ];
    lines.extend(tree.session_name().map(|name| format!("Name: {name}")));
    lines.push(format!(
        "Messages: {} ({} user, {} assistant, {} tool results)",
        history.len(),
        count("user"),
        count("assistant"),
        count("toolResult")
    ));
    let SessionStats { tokens, cost, .. } = session.stats();
    let input = tokens.input.saturating_add(tokens.cache_read).saturating_add(tokens.cache_write);
    let cached = match tokens.cache_read.saturating_mul(100) / input.max(1) {
        0 => String::new(),
        percent => format!(" ({percent} % from caches)"),
    };
    lines.push(format!("Tokens: {input} in{cached}, {} out", tokens.output));
    lines.push(format!("Cost: ${cost:.4}"));
    let costs = session.costs_by_model();
    if costs.len() > 1 {
        lines.extend(costs.iter().map(|(model, cost)| format!("  {model}: ${cost:.4}")));
    }
    lines.push(warming(session));
    lines.join("\n")
}

/// What is done to keep the last prompt cached, and what that cost.
fn warming(session: &AgentSession) -> String {
    let mode = session.settings().snapshot().cache_warming();
    let status = match session.cache_warming() {
        WarmingStatus::Due(at) => {
            let left = at.saturating_sub(session.parts.services.now_ms());
            format!("next decision in {} s", u64::try_from(left).unwrap_or(0).div_ceil(1000))
        }
        WarmingStatus::Refreshing => "refreshing now".to_owned(),
        WarmingStatus::Stopped(why) => why.to_string(),
    };
    let spent = match session.cache_warmings() {
        (0, _) => String::new(),
        (1, cost) => format!("; 1 refresh for ${cost:.4}"),
        (count, cost) => format!("; {count} refreshes for ${cost:.4}"),
    };
    format!("Cache warming: {} ({status}){spent}", mode.as_str())
}
