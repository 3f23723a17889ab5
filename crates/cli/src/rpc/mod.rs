//! RPC mode: another program drives tau through standard input and output.
//!
//! A thread reads lines (`input.rs`), a task tells answers to dialogs from commands (`route.rs`), commands go to the
//! session (`connection.rs`, `serve.rs`, `commands/`), and everything that is written goes through one queue (`writer.rs`).
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

mod commands;
mod connection;
mod events;
mod input;
mod route;
mod serve;
mod server;
mod step;
mod told;
mod ui;
mod writer;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tau_agent::{AgentSession, SessionEvent};
use tau_hooks::dialect::Failures;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::{Hooks, ReportKind};
use tau_launch::args::Cli;
use tau_launch::{FrontEnd, Launcher, Prepared, Request, Stop, Which};
use tau_rpc::{Command, ExtensionError, HookError, Order, failure_line};
use tokio::sync::mpsc;

pub(crate) use told::{Partials, Told};

use self::connection::Connection;
use self::route::Call;
use self::server::ENDING;
use self::ui::Ui;
use self::writer::{Item, Writer};
use crate::exit::{End, FAILURE, Reported, SUCCESS, code_of};
use crate::pick::Lines;
use crate::{diagnostics, one_session};

/// How many commands wait while the session starts, or is busy with one that is answered at once.
const WAITING: usize = 1024;

/// How long commands that are under way may take to come to their end before extensions are told.
const GRACE: Duration = Duration::from_secs(1);

/// How long the end waits for commands after that.
const PATIENCE: Duration = Duration::from_secs(5);

/// The mode in which a client drives one session.
pub(crate) struct Client;

#[async_trait(?Send)]
impl FrontEnd for Client {
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode {
        let prepared = launcher.prepare(Request::default());
        let ending = prepared.ending();
        // From here on standard output belongs to the client alone.
        let rpc = match Rpc::open(prepared.hooks(), Partials::of(launcher.args())) {
            Ok(rpc) => rpc,
            Err(error) => {
                return diagnostics::fail(&format!("standard input and output cannot be used: {error}"));
            }
        };
        // What a start needs is large. In a box it is not moved, so it touches less of the stack.
        let done = Box::pin(rpc.session(prepared, &stop)).await;
        ending.end().await;
        rpc.finish().await;
        code_of(done, &ending)
    }
}

/// A client at the other end of standard input and output.
struct Rpc {
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
    fn open(hooks: &Arc<Hooks>, partials: Partials) -> io::Result<Self> {
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
    fn input_ended(&self) -> bool {
        self.input_ended.load(Ordering::Acquire)
    }

    /// Whether the session ended because the client had no more to ask. A signal after that is no other reason for the end;
    /// one that came first is the reason, also when the input ends meanwhile.
    fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Begins to tell what happens in the session. Called as soon as there is one, before anything happens in it.
    fn begin(&self, session: &Arc<AgentSession>) {
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

    async fn session(&self, prepared: Prepared, stop: &Stop) -> Result<End, Reported> {
        let configured = one_session::configure(prepared).await?;
        no_prompts(configured.cli())?;
        let opened = configured.open(Which::Arguments(&Lines)).await;
        let ready = opened.map_err(|error| Reported::fail(&error))?;
        if let Some(missing) = ready.missing() {
            diagnostics::warning(&missing.notice());
        }
        let (session, is_started) = one_session::begin(ready, stop, |session| self.begin(session)).await?;
        // Before there is a session that could take its commands, the end of its input is all that a client says.
        let is_wanted = !is_started && self.input_ended();
        let code = if is_started { self.run(&session, stop).await } else { FAILURE };
        let code = one_session::end(&session, code).await;
        let signal = stop.code().filter(|_| !is_wanted && !self.is_done());
        Ok(signal.map_or(End::Own(code), End::Other))
    }

    /// Does what the client asks for, until it has no more to ask, the session is to end, or nobody reads any more. Then
    /// what is under way is stopped, and may come to its end.
    async fn run(&self, session: &Arc<AgentSession>, stop: &Stop) -> u8 {
        let connection = Arc::new(Connection::new(Arc::clone(session), self.writer.clone()));
        *self.connection.lock() = Some(Arc::clone(&connection));
        let calls = self.calls.lock().take();
        let code = match calls {
            Some(mut calls) => {
                let code = self.serve(session, &connection, stop, &mut calls).await;
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
        stop: &Stop,
        calls: &mut mpsc::Receiver<Call>,
    ) -> u8 {
        loop {
            let call = tokio::select! {
                biased;
                () = stop.fired() => return SUCCESS,
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
        // Somebody asked for the end, which comes when nothing is under way. Until then dialogs and questions are answered, and
        // the run can be stopped; nothing new begins.
        loop {
            let call = tokio::select! {
                biased;
                () = stop.fired() => return SUCCESS,
                () = self.writer.gone() => return SUCCESS,
                () = session.wait_until_idle() => return SUCCESS,
                call = calls.recv() => call,
            };
            match call {
                Some(call) if call.order == Order::Now || matches!(call.command, Command::Abort(_)) => {
                    connection.serve(call).await;
                }
                Some(call) => self.refuse_one(&call),
                None => {
                    self.is_done.store(true, Ordering::Release);
                    return SUCCESS;
                }
            }
        }
    }

    /// Answers commands that were read and that nobody begins any more.
    fn refuse(&self, mut calls: mpsc::Receiver<Call>) {
        calls.close();
        while let Ok(call) = calls.try_recv() {
            self.refuse_one(&call);
        }
    }

    fn refuse_one(&self, call: &Call) {
        self.writer.push(Item::Line(failure_line(call.id.as_ref(), &call.name, ENDING)));
    }

    /// Writes what is left to say. The session has ended.
    async fn finish(&self) {
        self.ui.end();
        let connection = self.connection.lock().take();
        if let Some(connection) = connection {
            connection.wait(PATIENCE).await;
        }
        self.writer.finish(PATIENCE).await;
    }
}

/// Prompts come from the client.
fn no_prompts(cli: &Cli) -> Result<(), Reported> {
    if !cli.files.is_empty() {
        return Err(Reported::fail("@file arguments are not supported in RPC mode"));
    }
    if !cli.messages.is_empty() {
        diagnostics::warning("prompts on the command line are not used in RPC mode");
    }
    Ok(())
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
