//! What handlers, commands and tools can ask and do.

mod children;
mod replace;

use std::path::PathBuf;
use std::sync::Arc;

use tau_ai::{Model, ThinkingLevel};
use tau_session::Session;
use tau_tools::{NestedAnswer, NestedCall, NestedCalls, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::action_error::ActionError;
use crate::dialect::{Dialect, Reader};
use crate::host::{ExecOptions, ExecResult, Host};
use crate::limits::{CallClock, Pause};
use crate::mode::Mode;
use crate::owner::Owner;
use crate::payload::CompactionDone;
use crate::ui::Ui;

/// What a handler can ask and do. Cheap to clone.
#[derive(Clone)]
pub struct Ctx(Arc<Inner>);

struct Inner {
    host: Arc<dyn Host>,
    owner: Arc<Owner>,
    ui: Ui,
    clock: CallClock,
    signal: CancellationToken,
    command: bool,
    nested: NestedCalls,
}

impl Ctx {
    pub(crate) fn new(
        host: Arc<dyn Host>,
        owner: Arc<Owner>,
        ui: Ui,
        clock: CallClock,
        signal: CancellationToken,
        command: bool,
    ) -> Self {
        Self(Arc::new(Inner { host, owner, ui, clock, signal, command, nested: NestedCalls::default() }))
    }

    /// The context of a tool at work, which can call other tools.
    pub(crate) fn of_tool(
        host: Arc<dyn Host>,
        owner: Arc<Owner>,
        ui: Ui,
        clock: CallClock,
        signal: CancellationToken,
        nested: NestedCalls,
    ) -> Self {
        Self(Arc::new(Inner { host, owner, ui, clock, signal, command: false, nested }))
    }

    /// The tools that [`Ctx::execute_tool`] can call; none outside of a tool's `execute`.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.0.nested.tools()
    }

    /// Calls another tool, as a part of the call that this context belongs to. It passes validation and the handlers of
    /// `tool_call` and `tool_result` as a call of the model does; its events carry the id of the calling call. Never fails:
    /// a tool that is not there, arguments that do not fit, a gate that blocks and a tool that fails are outcomes. Dropping
    /// the answer cancels the call, and so does the return of the calling tool.
    ///
    /// Outside of a tool's `execute` there are no tools.
    pub fn execute_tool(&self, call: NestedCall) -> NestedAnswer {
        self.0.nested.call(call)
    }

    /// What measures the call.
    pub fn clock(&self) -> &CallClock {
        &self.0.clock
    }

    /// The session.
    pub fn host(&self) -> &Arc<dyn Host> {
        &self.0.host
    }

    /// The extension this context was made for.
    pub fn owner(&self) -> &Arc<Owner> {
        &self.0.owner
    }

    /// Fails once the extension was removed, as by a reload: whoever kept this context then asks about another
    /// extension's session.
    ///
    /// # Errors
    /// [`ActionError::Stale`], or [`ActionError::FailedToLoad`] when the extension never got to work.
    pub fn check(&self) -> Result<(), ActionError> {
        self.0.owner.check()
    }

    /// Dialogs, notices and the status line.
    pub fn ui(&self) -> &Ui {
        &self.0.ui
    }

    /// Whether this is a command's: it may do what would wait for itself in a handler.
    pub fn is_command(&self) -> bool {
        self.0.command
    }

    /// How tau was started.
    pub fn mode(&self) -> Mode {
        self.0.host.mode()
    }

    /// Whether dialogs and notices reach anybody.
    pub fn has_ui(&self) -> bool {
        self.0.ui.is_available() && self.0.owner.dialect.shows_ui(self.mode())
    }

    /// The working directory.
    pub fn cwd(&self) -> PathBuf {
        self.0.host.cwd()
    }

    /// The session's tree.
    pub fn session(&self) -> Arc<Session> {
        self.0.host.session()
    }

    /// Fires when the run this context belongs to is aborted.
    pub fn signal(&self) -> &CancellationToken {
        &self.0.signal
    }

    /// Stops the time limit of this call while the guard lives: for waiting that is not the handler's fault.
    pub fn pause_deadline(&self) -> Pause {
        self.0.clock.pause()
    }

    /// Runs a program without a shell in the session's working directory. Never fails: the result tells, also when the
    /// extension was removed.
    pub async fn exec(&self, program: &str, args: &[&str], options: ExecOptions) -> ExecResult {
        if let Err(stale) = self.check() {
            return ExecResult { stderr: stale.to_string(), code: 1, ..ExecResult::default() };
        }
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        self.0.host.exec(program, &args, options).await
    }

    /// Compacts the conversation in the background, which aborts the run that is under way; `done` is told how it went.
    ///
    /// # Errors
    /// See [`Ctx::check`].
    pub fn compact(
        &self,
        instructions: Option<String>,
        done: impl FnOnce(Result<CompactionDone, String>) + Send + 'static,
    ) -> Result<(), ActionError> {
        self.check()?;
        self.0.host.compact(instructions, Box::new(done));
        Ok(())
    }

    /// Waits until nothing is under way or queued.
    ///
    /// # Errors
    /// In an event handler: the session waits for the handler, so it would wait for itself. See also [`Ctx::check`].
    pub async fn wait_for_idle(&self) -> Result<(), ActionError> {
        self.in_command("waitForIdle")?.wait_for_idle().await
    }

    /// Loads the extensions again; this context is stale afterwards.
    ///
    /// # Errors
    /// In an event handler, as [`Ctx::wait_for_idle`]; when a run is under way; when the extensions on the disk cannot be
    /// loaded, in which case those that are loaded stay.
    pub async fn reload(&self) -> Result<(), ActionError> {
        self.in_command("reload")?.reload().await
    }

    /// The session, for what only a command may ask of it: in an event handler the session waits for the handler.
    pub(crate) fn in_command(&self, what: &'static str) -> Result<&Arc<dyn Host>, ActionError> {
        self.check()?;
        if self.0.command { Ok(&self.0.host) } else { Err(ActionError::WouldDeadlock(what)) }
    }
}

impl Reader for Ctx {
    fn session(&self) -> Arc<Session> {
        self.0.host.session()
    }

    fn model(&self) -> Option<Arc<Model>> {
        self.0.host.model()
    }

    fn thinking_level(&self) -> ThinkingLevel {
        self.0.host.thinking_level()
    }

    fn dialect(&self) -> &'static Dialect {
        self.0.owner.dialect
    }

    fn has_begun(&self) -> bool {
        self.0.owner.has_begun()
    }
}
