//! RPC mode: another program drives tau through standard input and output.
//!
//! A thread reads lines (`input.rs`), a task tells answers to dialogs from commands (`route.rs`), commands go to the
//! session (`serve.rs`, `commands/`), and everything that is written goes through one queue (`writer.rs`).
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

mod commands;
mod events;
mod input;
mod route;
mod serve;
mod ui;
mod writer;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tau_agent::{AgentSession, SessionEvent};
use tau_hooks::dialect::Failures;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Hooks, ReportKind};
use tau_rpc::{ExtensionError, HookError, failure_line};
use tokio::sync::mpsc;

pub(crate) use events::{Partials, Told};

use self::route::Call;
use self::serve::{Connection, ENDING};
use self::ui::Ui;
use self::writer::{Item, Writer};
use crate::run::signals::Signalled;
use crate::run::start::{FAILURE, SUCCESS};

/// How many commands wait while the session starts, or is busy with one that is answered at once.
const WAITING: usize = 1024;

/// How long commands that are under way may take to come to their end before extensions are told.
const GRACE: Duration = Duration::from_secs(1);

/// How long the end waits for commands after that.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client at the other end of standard input and output.
pub(crate) struct Rpc {
    writer: Writer,
    ui: Arc<Ui>,
    calls: Mutex<Option<mpsc::Receiver<Call>>>,
    connection: Mutex<Option<Arc<Connection>>>,
    input_ended: Arc<AtomicBool>,
    /// The end is what the client wanted: it had no more to ask when it was there.
    is_done: AtomicBool,
    partials: Partials,
}

impl Rpc {
    /// Takes standard input and output for the protocol, and begins to read. Dialogs can be shown and answered from now
    /// on; commands wait for [`Rpc::run`].
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn open(hooks: &Arc<Hooks>, partials: Partials) -> io::Result<Self> {
        let (input, output) = tau_sys::stdio::take_over()?;
        let writer = Writer::start(Box::new(output))?;
        let ui = Ui::subscribe(&hooks.dialogs, &writer);
        let reports = writer.clone();
        hooks.dispatcher.reports.listen(move |report| {
            if let ReportKind::Error { message, .. } = &report.kind {
                let (path, event, error) = (report.extension.to_string(), report.event.clone(), message.clone());
                reports.push(match report.failures {
                    Failures::Extension => Item::json(&ExtensionError { extension_path: path, event, error }),
                    Failures::Hook => Item::json(&HookError { hook_path: path, event, error }),
                });
            }
        });
        let input = input::read(input, &writer)?;
        let (calls, receiver) = mpsc::channel(WAITING);
        tokio::spawn(route::route(input.frames, calls, Arc::clone(&ui), writer.clone()));
        let (calls, connection) = (Mutex::new(Some(receiver)), Mutex::new(None));
        Ok(Self { writer, ui, calls, connection, input_ended: input.ended, is_done: AtomicBool::new(false), partials })
    }

    /// Whether the client has no more to ask, although commands of it may wait.
    pub(crate) fn input_ended(&self) -> bool {
        self.input_ended.load(Ordering::Acquire)
    }

    /// Whether the session ended because the client had no more to ask. A signal after that is no other reason for the end;
    /// one that came first is the reason, also when the input ends meanwhile.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Begins to tell what happens in the session. Called as soon as there is one, before anything happens in it.
    pub(crate) fn begin(&self, session: &Arc<AgentSession>) {
        let (writer, partials) = (self.writer.clone(), self.partials);
        let failed = Arc::downgrade(session);
        session.listen(move |event| {
            writer.push(events::item(event, partials));
            if let (SessionEvent::AgentEnd { will_retry: false, .. }, Some(session)) = (event, failed.upgrade()) {
                explain(&session);
            }
        });
        let writer = self.writer.clone();
        session.set_pace(Arc::new(move || writer.room()));
    }

    /// Does what the client asks for, until it has no more to ask, the session is to end, or nobody reads any more. Then
    /// what is under way is stopped, and may come to its end.
    pub(crate) async fn run(&self, session: &Arc<AgentSession>, signalled: &Signalled) -> u8 {
        let connection = Arc::new(Connection::new(Arc::clone(session), self.writer.clone()));
        *self.connection.lock() = Some(Arc::clone(&connection));
        let calls = self.calls.lock().take();
        let code = match calls {
            Some(mut calls) => {
                let code = self.serve(session, &connection, signalled, &mut calls).await;
                self.refuse(calls);
                code
            }
            None => FAILURE,
        };
        self.ui.end();
        session.abort();
        session.abort_bash();
        connection.wait(GRACE).await;
        code
    }

    async fn serve(
        &self,
        session: &Arc<AgentSession>,
        connection: &Connection,
        signalled: &Signalled,
        calls: &mut mpsc::Receiver<Call>,
    ) -> u8 {
        loop {
            let call = tokio::select! {
                biased;
                () = signalled.fired() => return SUCCESS,
                () = self.writer.gone() => return FAILURE,
                () = session.exit_requested().cancelled() => break,
                call = calls.recv() => call,
            };
            match call {
                Some(call) => connection.serve(call).await,
                None => {
                    self.is_done.store(true, Ordering::Release);
                    return SUCCESS;
                }
            }
        }
        // Somebody asked for the end, which comes when nothing is under way. Dialogs are answered until then.
        tokio::select! {
            () = signalled.fired() => {}
            () = self.writer.gone() => {}
            () = session.wait_until_idle() => {}
        }
        SUCCESS
    }

    /// Answers commands that were read and that nobody begins any more.
    fn refuse(&self, mut calls: mpsc::Receiver<Call>) {
        calls.close();
        while let Ok(Call { id, name, .. }) = calls.try_recv() {
            self.writer.push(Item::Line(failure_line(id.as_ref(), &name, ENDING)));
        }
    }

    /// Writes what is left to say. The session has ended.
    pub(crate) async fn finish(&self) {
        self.ui.end();
        let connection = self.connection.lock().take();
        if let Some(connection) = connection {
            connection.wait(PATIENCE).await;
        }
        self.writer.finish(PATIENCE).await;
    }
}

/// Shows why the request failed that a run ended with, and what to do next. The event has the words of the provider, which
/// clients look for.
fn explain(session: &AgentSession) {
    let answer = session.last_answer();
    let answer = answer.as_deref().and_then(|message| message.as_assistant());
    if let Some(why) = answer.and_then(|answer| session.explain_failure(answer)) {
        session.hooks().dialogs.notify("tau".into(), why, NotifyLevel::Error);
    }
}
