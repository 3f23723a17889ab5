//! Where commands run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tau_sys::other_variables;
use tau_sys::process::{Flow, GroupChild, Manner, Place, Room, Rules, Sink, Stopped, Streams, exit_code, run};
use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use super::shell::{Environment, find_shell};
use crate::OpError;
use crate::support::js_number;

/// The largest timeout, in milliseconds: what a timer of JavaScript holds.
const MAX_TIMEOUT_MS: f64 = 2_147_483_647.0;

/// Takes output as it comes, standard output and standard error mixed.
pub type OnData = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Says how long to wait before more output is taken; `None` when there is room.
pub type Pace = Arc<dyn Fn() -> Option<Room> + Send + Sync>;

/// How a command runs.
#[derive(Clone)]
pub struct BashExec {
    /// Takes the output.
    pub on_data: OnData,
    /// Asks to stop.
    pub cancel: CancellationToken,
    /// Seconds after which the command is stopped.
    pub timeout: Option<f64>,
    /// The whole environment; `None` inherits ours.
    pub env: Option<Environment>,
    /// Slows the command down when nobody has room for its output.
    pub pace: Option<Pace>,
}

/// Why a command has no exit code.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BashExecError {
    /// It was stopped because the call was.
    #[error("aborted")]
    Aborted,
    /// It ran longer than this many seconds.
    #[error("timeout:{}", js_number(*.0))]
    TimedOut(f64),
    /// It could not be run.
    #[error(transparent)]
    Failed(#[from] OpError),
}

/// Runs commands, here or elsewhere.
#[async_trait]
pub trait BashOperations: Send + Sync {
    /// Runs `command` in `cwd` until it ends. `Ok(None)` means that it ended without an exit code.
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError>;
}

/// Runs commands on this machine, each in a process group of its own with empty standard input. Stopping one
/// kills the group at once. When a command leaves something behind in the background that holds its output
/// open, the call returns soon after the shell itself has ended.
#[derive(Debug, Clone, Default)]
pub struct LocalBash {
    shell: Option<PathBuf>,
}

impl LocalBash {
    /// Uses `shell`, or looks one up as [`find_shell`] does.
    pub fn new(shell: Option<PathBuf>) -> Self {
        Self { shell }
    }
}

#[async_trait]
impl BashOperations for LocalBash {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        let timeout = duration(exec.timeout)?;
        if exec.cancel.is_cancelled() {
            return Err(BashExecError::Aborted);
        }
        let shell = find_shell(self.shell.as_deref())?;
        if tokio::fs::metadata(cwd).await.is_err() {
            let reason = format!("Working directory does not exist: {}\nCannot execute bash commands.", cwd.display());
            return Err(OpError::new(reason).into());
        }
        let failed = |error: std::io::Error| OpError::from_io(&error, &format!("spawn {}", shell.display()), None);
        // One pipe for both streams keeps their lines in the order in which they were written.
        let (reader, writer) = std::io::pipe().map_err(failed)?;
        let reader = pipe::Receiver::from_owned_fd(reader.into()).map_err(failed)?;
        let mut process = Command::new(&shell);
        process.arg("-c").arg(command).current_dir(cwd).stdin(Stdio::null());
        process.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
        if let Some(env) = &exec.env {
            process.env_clear().envs(env);
            // Text cannot hold these, so no hook had a say about them.
            process.envs(other_variables());
        }
        // A program that wants the terminal, for a password or to set its modes, fails in a session of its own. In a group
        // it would be stopped, and the command would never end.
        let group = GroupChild::spawn(process, Place::Session).map_err(failed)?;
        let mut streams = Streams::default();
        streams.add(Some(reader));
        let rules = Rules { timeout, ..Rules::new(Manner::Kill, exec.cancel.clone()) };
        let mut passed_on = PassedOn(&exec);
        let ended = run(group, (None, streams), rules, &mut passed_on).await;
        match (ended.stopped, ended.status) {
            (Some(Stopped::TimedOut), _) => Err(BashExecError::TimedOut(exec.timeout.unwrap_or_default())),
            (Some(_), _) => Err(BashExecError::Aborted),
            (None, Ok(status)) => Ok(status.map(exit_code)),
            (None, Err(error)) => Err(OpError::from_io(&error, "wait", None).into()),
        }
    }
}

/// Passes on what a command writes, at the pace at which there is room for it.
struct PassedOn<'a>(&'a BashExec);

impl Sink for PassedOn<'_> {
    fn take(&mut self, _: usize, bytes: &[u8]) -> Flow {
        (self.0.on_data)(bytes);
        Flow::More
    }

    fn room(&mut self) -> Option<Room> {
        self.0.pace.as_ref().and_then(|pace| pace())
    }
}

/// Completes some time after `cancel` fired, longer than killing a local command takes: operations from
/// elsewhere may ignore the token.
pub(super) async fn overdue(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
}

fn duration(timeout: Option<f64>) -> Result<Option<Duration>, OpError> {
    let Some(seconds) = timeout else { return Ok(None) };
    if !seconds.is_finite() || seconds <= 0.0 {
        return Err(OpError::new("Invalid timeout: must be a finite number of seconds"));
    }
    if seconds * 1000.0 > MAX_TIMEOUT_MS {
        return Err(OpError::new(format!(
            "Invalid timeout: maximum is {} seconds",
            js_number(MAX_TIMEOUT_MS / 1000.0)
        )));
    }
    Ok(Some(Duration::from_secs_f64(seconds)))
}
