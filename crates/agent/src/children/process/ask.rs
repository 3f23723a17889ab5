//! The side of the child: a gate behind all others that asks the parent.
//!
//! It stands above the session, as the hooks of a parent in the same process do: so it is asked last, whatever rules the
//! session's own extensions run under, and no reload of theirs moves it.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tau_hooks::dialect::PI;
use tau_hooks::events::{EventId, ToolCall, UserBash};
use tau_hooks::payload::{ToolCallResult, UserBashResult};
use tau_hooks::{Ctx, HandlerError, Hooks, Owner, Registrar};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use super::serve::is_socket;
use super::{Answer, LONGEST, Question, VARIABLE};
use crate::settings::Environment;

/// What the gate is called.
const NAME: &str = "<parent session>";

/// The gates of the session in another process that started this one.
#[derive(Clone)]
pub(crate) struct ParentGate {
    socket: PathBuf,
}

impl ParentGate {
    /// The parent that the environment announces. An announcement that leads nowhere is one all the same.
    pub(crate) fn announced(env: &Environment) -> Option<Self> {
        let socket = env.vars.get(VARIABLE)?;
        Some(Self { socket: PathBuf::from(socket) })
    }

    /// Puts the gate above the hooks of a session.
    pub(crate) fn guard(self, hooks: &Arc<Hooks>) {
        let above = Hooks::with_sources(hooks.sources.clone());
        let below = Arc::downgrade(hooks);
        above.dispatcher.reports.listen(move |report| {
            if let Some(hooks) = below.upgrade() {
                hooks.dispatcher.reports.send(report);
            }
        });
        let owner = Owner::new(NAME, "parent session", &PI);
        let loaded = above.load_with(owner, |registrar| {
            self.register(registrar);
            Ok(())
        });
        if let Err(error) = loaded {
            above.dispatcher.shut_gates(NAME, error.to_string());
        }
        hooks.stand_below(&above, &NAME.into());
        hooks.keep(Box::new(above));
    }

    fn register(self, registrar: &mut Registrar) {
        let gate = self.clone();
        registrar.on::<ToolCall>(move |call, ctx| {
            let gate = gate.clone();
            async move {
                match gate.ask(EventId::ToolCall, tau_ai::to_json(&call), &ctx).await? {
                    Answer::Allow { input: None } => Ok(None),
                    Answer::Allow { input } => Ok(Some(ToolCallResult { input, ..ToolCallResult::default() })),
                    Answer::Block { reason, terminate } => {
                        let terminate = terminate.then_some(true);
                        Ok(Some(ToolCallResult { terminate, ..ToolCallResult::block(reason) }))
                    }
                    Answer::Done(_) => Err(unexpected()),
                }
            }
        });
        registrar.on::<UserBash>(move |command, ctx| {
            let gate = self.clone();
            async move {
                match gate.ask(EventId::UserBash, tau_ai::to_json(&command), &ctx).await? {
                    Answer::Allow { .. } => Ok(None),
                    Answer::Done(result) => Ok(Some(UserBashResult { result: Some(result), operations: None })),
                    Answer::Block { reason, .. } => Err(HandlerError::msg(reason)),
                }
            }
        });
    }

    /// Asks the parent. Everything that keeps it from answering is an error, which keeps the gate shut.
    async fn ask(&self, event: EventId, payload: Value, ctx: &Ctx) -> Result<Answer, HandlerError> {
        let failed = |why: String| HandlerError::msg(format!("Blocked: the parent session cannot be asked: {why}"));
        if !is_socket(&self.socket) {
            return Err(failed(format!("{} is no socket", self.socket.display())));
        }
        let question = Question { event: event.name().to_owned(), cwd: ctx.cwd(), pid: std::process::id(), payload };
        // The time that somebody above takes to answer is measured there.
        let _pause = ctx.pause_deadline();
        self.converse(&question).await.map_err(failed)
    }

    async fn converse(&self, question: &Question) -> Result<Answer, String> {
        let stream = UnixStream::connect(&self.socket).await.map_err(|error| error.to_string())?;
        if !tau_sys::is_users(&stream) {
            return Err("somebody else answers at its socket".to_owned());
        }
        let (read, mut write) = stream.into_split();
        let mut line = serde_json::to_vec(question).map_err(|error| error.to_string())?;
        line.push(b'\n');
        write.write_all(&line).await.map_err(|error| error.to_string())?;
        let mut answer = Vec::new();
        let read = BufReader::new(read).take(LONGEST).read_until(b'\n', &mut answer).await;
        read.map_err(|error| error.to_string())?;
        if answer.last() != Some(&b'\n') {
            return Err("it ended before it answered".to_owned());
        }
        serde_json::from_slice(&answer).map_err(|error| format!("its answer makes no sense: {error}"))
    }
}

fn unexpected() -> HandlerError {
    HandlerError::msg("Blocked: the parent session answered something else")
}
