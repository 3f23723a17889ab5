//! Stage 3: built-in commands, looked up in what handlers of `input` made of the text. The table is in `builtins.rs`.

mod argument;
mod hotkeys;
mod logins;
mod session_commands;
mod settings;
mod trust;

use std::path::PathBuf;
use std::sync::Arc;

use tau_ai::ThinkingLevel;
use tau_hooks::payload::ModelSelectSource;

use self::argument::path_argument;
use self::session_commands as sessions;
pub use self::session_commands::session_line;
use crate::builtins::{Command, Typed};
use crate::pipeline::PromptError;
use crate::pipeline::credentials::ready_to_ask;
use crate::session::AgentSession;

/// Runs a built-in command; gives what it has to say.
pub(crate) async fn run(typed: Typed<'_>, session: &Arc<AgentSession>) -> Result<String, PromptError> {
    let argument = typed.argument;
    match typed.command {
        Command::Branch | Command::Fork => sessions::fork(session, argument).await,
        Command::Clear | Command::New => sessions::new(session).await,
        Command::Clone => sessions::clone(session).await,
        Command::Compact => compact(session, argument).await,
        Command::Export => export(session, argument),
        Command::Hotkeys => Ok(hotkeys::hotkeys(session)),
        Command::Import => sessions::import(session, argument).await,
        Command::Label => sessions::label(session, argument),
        Command::Login => logins::login(session, argument).await,
        Command::Logout => logins::logout(session, argument).await,
        Command::Model => model(session, argument).await,
        Command::Name => name(session, argument),
        Command::Quit => {
            session.exit_requested().cancel();
            Ok(String::new())
        }
        Command::Reload => reload(session).await,
        Command::Resume => sessions::resume(session, argument).await,
        Command::Session => summary_or_switch(session, argument).await,
        Command::Settings => settings::settings(session, argument).await,
        Command::Thinking => thinking(session, argument),
        Command::Tree => sessions::tree(session, argument).await,
        Command::Trust => trust::trust(session, argument).await,
    }
}

fn name(session: &Arc<AgentSession>, argument: &str) -> Result<String, PromptError> {
    if argument.is_empty() {
        return Ok(session.session().session_name().unwrap_or_else(|| "This session has no name.".to_owned()));
    }
    session.rename(argument)?;
    Ok(format!("Session name: {}", session.session().session_name().unwrap_or_default()))
}

fn export(session: &Arc<AgentSession>, argument: &str) -> Result<String, PromptError> {
    let failed = |why: String| PromptError::Command(format!("Failed to export session: {why}"));
    let path = path_argument(argument).map_err(|error| failed(error.to_owned()))?;
    let path = session.export(path.map(PathBuf::from)).map_err(|error| failed(error.to_string()))?;
    Ok(format!("Session exported to: {}", path.display()))
}

async fn compact(session: &Arc<AgentSession>, instructions: &str) -> Result<String, PromptError> {
    let instructions = (!instructions.is_empty()).then(|| instructions.to_owned());
    let done = session.compact(instructions).await.map_err(|error| PromptError::Command(error.to_string()))?;
    Ok(format!("Compacted: about {} tokens before, {} now", done.tokens_before, done.estimated_tokens_after))
}

async fn reload(session: &Arc<AgentSession>) -> Result<String, PromptError> {
    let done = session.reload().await.map_err(|error| PromptError::Command(error.to_string()))?;
    let (loaded, resources) = (done.extensions, session.resources());
    let (skills, templates) = (resources.skills.len(), resources.prompt_templates.len());
    let mut text = format!("Reloaded. Extensions: {loaded}, skills: {skills}, prompt templates: {templates}");
    if !done.failures.is_empty() {
        text.push_str(&format!(", extensions that failed: {}", done.failures.len()));
    }
    Ok(text)
}

async fn model(session: &Arc<AgentSession>, pattern: &str) -> Result<String, PromptError> {
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
    Ok(match session.model() {
        Some(model) => format!("Model: {}/{}", model.provider, model.id),
        None => "No model selected.".to_owned(),
    })
}

fn thinking(session: &Arc<AgentSession>, argument: &str) -> Result<String, PromptError> {
    let levels = session.model().map_or_else(|| ThinkingLevel::ALL.to_vec(), |model| model.thinking_levels());
    let names = levels.iter().map(|level| level.as_str()).collect::<Vec<_>>().join(", ");
    if argument.is_empty() {
        return Ok(format!("Thinking: {} (available: {names})", session.thinking_level()));
    }
    let level = ThinkingLevel::parse(argument)
        .ok_or_else(|| PromptError::Command(format!("Unknown thinking level \"{argument}\" (available: {names})")))?;
    Ok(format!("Thinking: {}", session.choose_thinking(level)?))
}

async fn summary_or_switch(session: &Arc<AgentSession>, argument: &str) -> Result<String, PromptError> {
    let failed = |why: &str| PromptError::Command(format!("Failed to open session: {why}"));
    match path_argument(argument).map_err(failed)? {
        None => Ok(summary(session)),
        Some(file) => sessions::switch(session, file.as_ref()).await,
    }
}

fn summary(session: &Arc<AgentSession>) -> String {
    let tree = session.session();
    let history = session.history();
    let count = |role: &str| history.iter().filter(|message| message.role() == role).count();
    let usage = history
        .iter()
        .filter_map(|message| message.as_assistant())
        .fold((0, 0.0), |(tokens, cost), answer| (tokens + answer.usage.total_tokens, cost + answer.usage.cost.total));
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
    lines.push(format!("Tokens: {}, cost: ${:.4}", usage.0, usage.1));
    lines.join("\n")
}
