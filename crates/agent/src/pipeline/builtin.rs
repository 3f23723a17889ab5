//! Stage 3: built-in commands, looked up in what handlers of `input` made of the text.

mod hotkeys;
mod logins;
pub mod outcome;
mod settings;
mod trust;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tau_ai::{Model, ThinkingLevel};
use tau_hooks::payload::ModelSelectSource;

use self::outcome::{BuiltinOutcome, Choice, ChoiceOption};
use super::PromptError;
use super::session_commands as sessions;
use crate::session::AgentSession;

/// A built-in command.
pub struct Builtin {
    /// Without the slash.
    pub name: &'static str,
    /// Its argument, for help.
    pub argument: &'static str,
    /// What it does.
    pub doc: &'static str,
    run: Runner,
}

/// What a command is answered.
pub(super) type Answer = Result<BuiltinOutcome, PromptError>;

type Runner = for<'a> fn(&'a Arc<AgentSession>, &'a str) -> BoxFuture<'a, Answer>;

/// All built-in commands.
pub static BUILTINS: &[Builtin] = &[
    Builtin {
        name: "branch",
        argument: "[ENTRY [before|at]]",
        doc: "The same as /fork",
        run: |session, argument| Box::pin(sessions::fork(session, argument)),
    },
    Builtin {
        name: "clear",
        argument: "",
        doc: "The same as /new",
        run: |session, _| Box::pin(sessions::new(session)),
    },
    Builtin {
        name: "clone",
        argument: "",
        doc: "Go on in a copy of the session",
        run: |session, _| Box::pin(sessions::clone(session)),
    },
    Builtin {
        name: "compact",
        argument: "[INSTRUCTIONS]",
        doc: "Replace the older part of the conversation by a summary",
        run: |session, argument| Box::pin(compact(session, argument)),
    },
    Builtin {
        name: "export",
        argument: "[PATH]",
        doc: "Write the session to a file: a page, or the branch as lines when the name ends in .jsonl",
        run: |session, argument| Box::pin(async move { export(session, argument) }),
    },
    Builtin {
        name: "fork",
        argument: "[ENTRY [before|at]]",
        doc: "Show the messages at which the session can be forked, or go on in a fork",
        run: |session, argument| Box::pin(sessions::fork(session, argument)),
    },
    Builtin {
        name: "hotkeys",
        argument: "",
        doc: "Show which keys do what",
        run: |session, _| Box::pin(async { Ok(hotkeys::hotkeys(session).into()) }),
    },
    Builtin {
        name: "import",
        argument: "FILE [here]",
        doc: "Go on with a copy of a session file from elsewhere; `here`: in this directory",
        run: |session, argument| Box::pin(sessions::import(session, argument)),
    },
    Builtin {
        name: "label",
        argument: "[ENTRY [NAME]]",
        doc: "Show the labels of entries, or set or clear one",
        run: |session, argument| Box::pin(async move { sessions::label(session, argument) }),
    },
    Builtin {
        name: "login",
        argument: "[PROVIDER]",
        doc: "Log in to a provider of models, with an account or an API key",
        run: |session, argument| Box::pin(logins::login(session, argument)),
    },
    Builtin {
        name: "logout",
        argument: "[PROVIDER]",
        doc: "Show what is stored by logins, or remove it for a provider",
        run: |session, argument| Box::pin(logins::logout(session, argument)),
    },
    Builtin {
        name: "model",
        argument: "[PATTERN]",
        doc: "Show the model, or choose another one",
        run: |session, argument| Box::pin(model(session, argument)),
    },
    Builtin {
        name: "name",
        argument: "[NAME]",
        doc: "Show the session's name, or give it one",
        run: |session, argument| Box::pin(async move { name(session, argument) }),
    },
    Builtin {
        name: "new",
        argument: "",
        doc: "Go on in a new session",
        run: |session, _| Box::pin(sessions::new(session)),
    },
    Builtin {
        name: "quit",
        argument: "",
        doc: "End the program",
        run: |session, _| {
            session.exit_requested().cancel();
            Box::pin(async { Ok(BuiltinOutcome::Nothing) })
        },
    },
    Builtin {
        name: "reload",
        argument: "",
        doc: "Load settings, extensions, skills, prompts and themes again",
        run: |session, _| Box::pin(reload(session)),
    },
    Builtin {
        name: "resume",
        argument: "[SESSION]",
        doc: "Show the sessions of this directory, or go on with one: a file, or the beginning of an id",
        run: |session, argument| Box::pin(sessions::resume(session, argument)),
    },
    Builtin {
        name: "session",
        argument: "[FILE]",
        doc: "Show the session's file, id and size, or go on with the session in a file",
        run: |session, argument| Box::pin(summary_or_switch(session, argument)),
    },
    Builtin {
        name: "settings",
        argument: "[[-l] KEY [VALUE]]",
        doc: "Show the settings, tell where a value comes from, or set it; `-l`: for this project",
        run: |session, argument| Box::pin(settings::settings(session, argument)),
    },
    Builtin {
        name: "thinking",
        argument: "[LEVEL]",
        doc: "Show the thinking level, or choose another one",
        run: |session, argument| Box::pin(async move { thinking(session, argument) }),
    },
    Builtin {
        name: "tree",
        argument: "[ENTRY [summarize [INSTRUCTIONS]]]",
        doc: "Show the places of the session's tree, or go to one",
        run: |session, argument| Box::pin(sessions::tree(session, argument)),
    },
    Builtin {
        name: "trust",
        argument: "[yes|parent|no|forget]",
        doc: "Show whether the project is trusted, or keep another answer for the next start",
        run: |session, argument| Box::pin(trust::trust(session, argument)),
    },
];

/// Does something that blocks, where nobody waits for the thread.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// A built-in command as it was typed.
pub(crate) struct Typed<'a> {
    builtin: &'static Builtin,
    argument: &'a str,
}

impl Typed<'_> {
    /// Runs it; gives what it has to say.
    pub(crate) async fn run(&self, session: &Arc<AgentSession>) -> Answer {
        (self.builtin.run)(session, self.argument).await
    }
}

impl Builtin {
    /// The built-in command that a text is, if any; a command of an extension with its name comes before it.
    pub fn typed(text: &str) -> Option<&'static Self> {
        find_builtin(text).map(|typed| typed.builtin)
    }
}

/// The built-in command that a text is, if any. A command that takes no argument is only one when nothing follows its name.
pub(crate) fn find_builtin(text: &str) -> Option<Typed<'_>> {
    let line = text.trim().strip_prefix('/')?;
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let builtin = BUILTINS.iter().find(|builtin| builtin.name == name)?;
    (argument.is_empty() || !builtin.argument.is_empty()).then_some(Typed { builtin, argument })
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

/// The path that an argument is: all of it, with its spaces, or what stands in quotes. `None` where there is nothing.
///
/// # Errors
/// When a quote is not closed, and when something follows it.
pub(super) fn path_argument(argument: &str) -> Result<Option<&str>, &'static str> {
    let argument = argument.trim();
    let path = match argument.chars().next() {
        Some(quote @ ('"' | '\'')) => match argument[1..].split_once(quote) {
            Some((path, "")) => path,
            Some(_) => return Err("there is more text behind the quotes"),
            None => return Err("a quote is not closed"),
        },
        _ => argument,
    };
    Ok(Some(path).filter(|path| !path.is_empty()))
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
    if !pattern.is_empty() {
        let found =
            session.models().resolve_pattern(None, pattern).map_err(|error| PromptError::Command(error.to_string()))?;
        let ready = session.ready_to_ask(&found.model).await;
        let (model, _) = ready.map_err(|error| PromptError::NoAuth(error.to_string()))?;
        session.choose_model(model, ModelSelectSource::Set).await?;
        if let Some(level) = found.thinking {
            session.choose_thinking(level)?;
        }
    }
    let current = session.model();
    let name = |model: &Model| format!("{}/{}", model.provider, model.id);
    let text = match &current {
        Some(model) => format!("Model: {}", name(model)),
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

#[cfg(test)]
mod tests {
    use super::path_argument;

    #[test]
    fn a_path_is_the_rest_of_the_line_or_stands_in_quotes() {
        assert_eq!(path_argument(""), Ok(None));
        assert_eq!(path_argument("  a.html "), Ok(Some("a.html")));
        assert_eq!(path_argument("my page of it.html"), Ok(Some("my page of it.html")));
        assert_eq!(path_argument("\"a b.html\" "), Ok(Some("a b.html")));
        assert_eq!(path_argument("it's.html"), Ok(Some("it's.html")));
        assert_eq!(path_argument("'a \"b'"), Ok(Some("a \"b")));
        assert_eq!(path_argument("''"), Ok(None));
        assert_eq!(path_argument("\"a"), Err("a quote is not closed"));
        assert_eq!(path_argument("\"a\" b"), Err("there is more text behind the quotes"));
    }
}
