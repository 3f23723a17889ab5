//! Shell commands of the user, typed with `!` or, to keep their output from the model, `!!`.
#![expect(clippy::disallowed_methods, reason = "it goes on when its caller is gone, on the session's runtime")]

use std::sync::Arc;

use serde_json::Value;
use tau_ai::{BashExecutionMessage, JsonMap, Message};
use tau_hooks::events::UserBash;
use tau_hooks::payload::{BashResult, UserBashEvent, UserBashResult};
use tau_hooks::{Dispatched, Scope};
use tau_session::{EntryBody, Session, SessionError};
use tau_tools::bash::{BashOperations, LocalBash, UserBash as Running, run_user_command, shell_environment};

use crate::crash::Crash;
use crate::parts::{KeptCommand, Live, Parts, SessionEvent};

/// A shell command of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCommand {
    /// The command line.
    pub command: String,
    /// The model does not see the output.
    pub exclude_from_context: bool,
}

impl UserCommand {
    /// The command in what somebody typed: behind `!`, or behind `!!` when the model shall not see the output. `None`
    /// for text that is none.
    pub fn parse(typed: &str) -> Option<Self> {
        let rest = typed.trim().strip_prefix('!')?;
        let hidden = rest.strip_prefix('!');
        let command = hidden.unwrap_or(rest).trim();
        let command = Self { command: command.to_owned(), exclude_from_context: hidden.is_some() };
        (!command.command.is_empty()).then_some(command)
    }
}

/// Why a command of the user gave no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BashError {
    /// An extension stopped it, or one that guards such commands could not decide.
    #[error("{0}")]
    Blocked(String),
    /// It could not be run.
    #[error("{0}")]
    Failed(String),
    /// The session file cannot be written.
    #[error("{0}")]
    Session(Arc<SessionError>),
    /// Part of tau panicked.
    #[error(transparent)]
    Crashed(#[from] Crash),
    /// The session is shutting down.
    #[error("The session is shutting down.")]
    ShuttingDown,
}

/// Runs a shell command for the user and keeps it in the conversation: at once, or when the tool calls that are open
/// have their results. It is in the session file when this returns. Its output arrives in pieces, as
/// [`SessionEvent::BashExecutionUpdate`] with this `id`.
///
/// Extensions may run it elsewhere, give its result, or stop it; when one of them fails the command is not run.
///
/// # Errors
/// When it was stopped before it began, when it could not be run, and when it cannot be kept. A command that failed
/// or that `abort_bash` stopped has a result.
pub(crate) async fn run_bash(live: &Live, command: UserCommand, id: Option<Value>) -> Result<BashResult, BashError> {
    if live.lifecycle.has_ended() {
        return Err(BashError::ShuttingDown);
    }
    let (live, session) = (live.clone(), live.conversation.session());
    let (aside, work) = (live.activity.asides.begin_command(), live.lifecycle.background.begin());
    let task = tokio::spawn(async move {
        let _work = work;
        let cancel = aside.token();
        let answer = ask_about_bash(&live, &live.scope_until(&cancel), &command).await?;
        let result = match answer.result {
            Some(result) => result,
            None => {
                let own = answer
                    .operations
                    .as_ref()
                    .map(|operations| operations.get::<Arc<dyn BashOperations>>().cloned().ok_or_else(not_operations));
                run_command_line(&live.parts, &command.command, own.transpose()?, cancel, id).await?
            }
        };
        record_bash(&live, &session, &command, &result).await.map_err(BashError::Session)?;
        Ok(result)
    });
    match task.await {
        Ok(done) => done,
        Err(error) => Err(Crash::of_task(error).map_or(BashError::ShuttingDown, BashError::Crashed)),
    }
}

async fn ask_about_bash(live: &Live, scope: &Scope, command: &UserCommand) -> Result<UserBashResult, BashError> {
    let event = || UserBashEvent {
        command: command.command.clone(),
        exclude_from_context: command.exclude_from_context,
        cwd: live.conversation.cwd().display().to_string(),
    };
    let done = live.hooks.dispatcher.dispatch::<UserBash>(scope, event).await;
    match done {
        Dispatched::Shut { shut, .. } => Err(BashError::Blocked(shut.reason())),
        Dispatched::Unheard => Ok(UserBashResult::default()),
        Dispatched::Done(folded)
        | Dispatched::Stopped { folded, .. }
        | Dispatched::Cancelled { folded, .. }
        | Dispatched::Withheld { folded, .. } => Ok(folded.output.unwrap_or_default()),
    }
}

/// Runs the command with an extension's operations, or here.
async fn run_command_line(
    parts: &Arc<Parts>,
    command: &str,
    own: Option<Arc<dyn BashOperations>>,
    cancel: tokio_util::sync::CancellationToken,
    id: Option<Value>,
) -> Result<BashResult, BashError> {
    let settings = parts.settings();
    let command = match settings.shell_command_prefix() {
        Some(prefix) => format!("{prefix}\n{command}"),
        None => command.to_owned(),
    };
    // Elsewhere our environment means nothing.
    let env = own.is_none().then(|| shell_environment(Some(&parts.bin_dir()), parts.hooks.variables.changes()));
    let operations = own.unwrap_or_else(|| Arc::new(LocalBash::new(settings.shell_path())));
    let heard = Arc::clone(parts);
    let on_text = Arc::new(move |delta: &str| {
        heard.events.send(|| SessionEvent::BashExecutionUpdate { id: id.clone(), delta: delta.to_owned() });
    });
    let cwd = parts.conversation.cwd().to_owned();
    let running = Running { on_text, cancel, env, temp_dir: parts.temp_dir(), pace: parts.events.pace() };
    let done = run_user_command(&command, &cwd, &*operations, running).await;
    let done = done.map_err(|error| BashError::Failed(error.to_string()))?;
    Ok(BashResult {
        output: done.output,
        exit_code: done.exit_code.map(i64::from),
        cancelled: done.cancelled,
        truncated: done.truncated,
        full_output_path: done.full_output_path.map(|path| path.to_string_lossy().into_owned()),
    })
}

/// Keeps a command and its result: now, or behind the results of open tool calls, as providers refuse a conversation
/// in which something stands between a call and its result. In the session it was typed in, also when that was
/// replaced meanwhile.
async fn record_bash(
    parts: &Parts,
    session: &Arc<Session>,
    command: &UserCommand,
    result: &BashResult,
) -> Result<(), Arc<SessionError>> {
    let message = Arc::new(Message::BashExecution(BashExecutionMessage {
        command: command.command.clone(),
        output: result.output.clone(),
        exit_code: result.exit_code,
        cancelled: result.cancelled,
        truncated: result.truncated,
        full_output_path: result.full_output_path.clone(),
        timestamp: parts.services.now_ms(),
        exclude_from_context: command.exclude_from_context.then_some(true),
        extra: JsonMap::new(),
    }));
    if !Arc::ptr_eq(session, &parts.conversation.session()) {
        return session.append(EntryBody::message(message)).map(drop).map_err(Arc::new);
    }
    let parked = match parts.conversation.keep_command(message) {
        KeptCommand::Now(done) => return done,
        KeptCommand::Parked(written) => written,
    };
    // The run writes what is parked however it ends; without it there is a panic that says more.
    parked.await.unwrap_or(Ok(()))
}

fn not_operations() -> BashError {
    BashError::Blocked("Blocked: an extension gave operations that cannot run a command".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_begin_with_an_exclamation_mark() {
        let parsed = |text| UserCommand::parse(text).map(|command| (command.command, command.exclude_from_context));
        assert_eq!(parsed(" ! ls -l "), Some(("ls -l".to_owned(), false)));
        assert_eq!(parsed("!!git log"), Some(("git log".to_owned(), true)));
        assert_eq!(parsed("!!!x"), Some(("!x".to_owned(), true)));
        for text in ["", "ls", "!", "!!", " !! "] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }
}
