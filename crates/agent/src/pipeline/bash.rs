//! Shell commands of the user, typed with `!` or, to keep their output from the model, `!!`.

use std::sync::Arc;

use serde_json::Value;
use tau_ai::{BashExecutionMessage, JsonMap, Message};
use tau_hooks::events::UserBash;
use tau_hooks::payload::{BashResult, UserBashEvent, UserBashResult};
use tau_hooks::{Host, Scope};
use tau_session::{EntryBody, Session, SessionError};
use tau_tools::bash::{BashOperations, LocalBash, UserBash as Running, run_user_command, shell_environment};

use crate::crash::Crash;
use crate::session::{AgentSession, ParkedBash, SessionEvent};

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

impl AgentSession {
    /// Runs a shell command for the user and keeps it in the conversation: at once, or when the tool calls that are open
    /// have their results. It is in the session file when this returns. Its output arrives in pieces, as
    /// [`SessionEvent::BashExecutionUpdate`] with this `id`.
    ///
    /// Extensions may run it elsewhere, give its result, or stop it; when one of them fails the command is not run.
    ///
    /// # Errors
    /// When it was stopped before it began, when it could not be run, and when it cannot be kept. A command that failed
    /// or that [`AgentSession::abort_bash`] stopped has a result.
    pub async fn run_bash(self: &Arc<Self>, command: UserCommand, id: Option<Value>) -> Result<BashResult, BashError> {
        if self.is_shut_down() {
            return Err(BashError::ShuttingDown);
        }
        let (me, session) = (Arc::clone(self), self.session());
        let (aside, work) = (self.asides().begin_command(), self.begin_work());
        let task = tokio::spawn(async move {
            let _work = work;
            let cancel = aside.token();
            let scope = Scope::until(Arc::clone(&me) as Arc<dyn Host>, cancel.clone());
            let answer = me.ask_about_bash(&scope, &command).await?;
            let result = match answer.result {
                Some(result) => result,
                None => {
                    let own = answer.operations.as_ref().map(|operations| {
                        operations.get::<Arc<dyn BashOperations>>().cloned().ok_or_else(not_operations)
                    });
                    me.run_command_line(&command.command, own.transpose()?, cancel, id).await?
                }
            };
            me.record_bash(&session, &command, &result).await.map_err(BashError::Session)?;
            Ok(result)
        });
        match task.await {
            Ok(done) => done,
            Err(error) => Err(Crash::of_task(error).map_or(BashError::ShuttingDown, BashError::Crashed)),
        }
    }

    async fn ask_about_bash(
        self: &Arc<Self>,
        scope: &Scope,
        command: &UserCommand,
    ) -> Result<UserBashResult, BashError> {
        let event = || UserBashEvent {
            command: command.command.clone(),
            exclude_from_context: command.exclude_from_context,
            cwd: self.cwd().display().to_string(),
        };
        let done = self.hooks().dispatcher.dispatch::<UserBash>(scope, event).await;
        match done.shut {
            Some(shut) => Err(BashError::Blocked(shut.reason())),
            None => Ok(done.output.unwrap_or_default()),
        }
    }

    /// Runs the command with an extension's operations, or here.
    async fn run_command_line(
        self: &Arc<Self>,
        command: &str,
        own: Option<Arc<dyn BashOperations>>,
        cancel: tokio_util::sync::CancellationToken,
        id: Option<Value>,
    ) -> Result<BashResult, BashError> {
        let settings = self.settings().snapshot();
        let command = match settings.shell_command_prefix() {
            Some(prefix) => format!("{prefix}\n{command}"),
            None => command.to_owned(),
        };
        // Elsewhere our environment means nothing.
        let env = own.is_none().then(|| shell_environment(Some(&self.bin_dir()), self.hooks().variables.changes()));
        let operations = own.unwrap_or_else(|| Arc::new(LocalBash::new(settings.shell_path())));
        let me = Arc::clone(self);
        let on_text = Arc::new(move |delta: &str| {
            me.events().send(|| SessionEvent::BashExecutionUpdate { id: id.clone(), delta: delta.to_owned() });
        });
        let cwd = self.cwd().to_owned();
        let running = Running { on_text, cancel, env, temp_dir: self.temp_dir(), pace: self.events().pace() };
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
        &self,
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
            timestamp: self.now_ms(),
            exclude_from_context: command.exclude_from_context.then_some(true),
            extra: JsonMap::new(),
        }));
        if !Arc::ptr_eq(session, &self.session()) {
            return session.append(EntryBody::message(message)).map(drop).map_err(Arc::new);
        }
        let parked = {
            // An answer with calls takes the same lock: either it comes before this, or it waits.
            let keeping = self.keeping().lock();
            match self.park_bash(message) {
                Ok(written) => written,
                Err(message) => return self.keep_message_in(&keeping, message).map(drop).map_err(Arc::new),
            }
        };
        // The run writes what is parked however it ends; without it there is a panic that says more.
        parked.await.unwrap_or(Ok(()))
    }

    /// Keeps the commands that waited for the results of tool calls.
    pub(crate) fn record_parked_bash(&self) {
        let keeping = self.keeping().lock();
        for ParkedBash { message, written } in self.close_calls() {
            let kept = self.keep_message_in(&keeping, message).map(drop).map_err(Arc::new);
            // Nobody waits any more when the session is being shut down.
            let _ = written.send(kept);
        }
    }
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
