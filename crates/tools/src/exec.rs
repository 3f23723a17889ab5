//! Running a program without a shell.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::leftovers::Leftovers;
use crate::process::{DRAIN, GroupChild, QUIET, exit_code};
use crate::truncate::format_size;

/// How long a program that was asked to stop may take before it is killed.
const KILL_AFTER: Duration = Duration::from_secs(5);

/// The most that is kept of what a program says, in bytes.
pub const MAX_OUTPUT: usize = 128 << 20;

/// What a program left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecOutput {
    /// What it wrote to stdout; bytes that are no UTF-8 show as U+FFFD.
    pub stdout: String,
    /// What it wrote to stderr, or why it could not be started.
    pub stderr: String,
    /// Its exit code; `128 + N` when signal N ended it, 1 when it could not be started.
    pub code: i32,
    /// It was stopped by us, because of the timeout or because the caller cancelled.
    pub killed: bool,
}

/// Says whether so many bytes of output may be held in all; asked before more is read.
pub type OutputRoom = Box<dyn FnMut(usize) -> bool + Send>;

/// A program to run, and how.
#[derive(Default)]
pub struct ExecCommand {
    /// The program; looked up in the search path when it is only a name.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// An environment that replaces the inherited one.
    pub env: Option<Vec<(String, String)>>,
    /// After this it is asked to stop; zero is no limit.
    pub timeout: Option<Duration>,
    /// A limit for callers who can hold only so much, below [`MAX_OUTPUT`].
    pub room: Option<OutputRoom>,
    /// Takes what it leaves running in the background; without it that runs on for good.
    pub leftovers: Option<Leftovers>,
}

impl ExecCommand {
    /// A program with its arguments in a folder, and the defaults for the rest.
    pub fn new(program: impl Into<String>, args: &[String], cwd: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: args.to_vec(), cwd: cwd.into(), ..Self::default() }
    }
}

/// Runs a program and collects its output. Standard input is empty. On timeout or cancellation its process group gets
/// SIGTERM, and SIGKILL five seconds later if it is still there; so it is stopped when it says more than
/// [`ExecCommand::room`] or [`MAX_OUTPUT`] allows, and then its `stderr` ends with a line that says so. Never fails: what
/// goes wrong is in the output.
pub async fn exec_process(command: ExecCommand, cancel: CancellationToken) -> ExecOutput {
    let ExecCommand { program, args, cwd, env, timeout, room, leftovers } = command;
    let mut process = Command::new(&program);
    process.args(args).current_dir(&cwd).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(env) = env {
        process.env_clear().envs(env);
    }
    let room = room.unwrap_or_else(|| Box::new(|_| true));
    match GroupChild::spawn(&mut process) {
        Ok(group) => collect(group.leave_to(leftovers), timeout, cancel, room).await,
        Err(error) => {
            let reason = if cwd.is_dir() {
                format!("{program}: {error}")
            } else {
                format!("{program}: working directory {} does not exist", cwd.display())
            };
            ExecOutput { stderr: reason, code: 1, ..ExecOutput::default() }
        }
    }
}

async fn collect(
    mut group: GroupChild,
    timeout: Option<Duration>,
    cancel: CancellationToken,
    mut room: OutputRoom,
) -> ExecOutput {
    let mut cut = false;
    let mut out = Pipe::new(group.child().stdout.take());
    let mut err = Pipe::new(group.child().stderr.take());
    let mut stop = Stop::Never;
    // A timeout too large for the clock is no timeout.
    let deadline = timeout.filter(|timeout| !timeout.is_zero()).and_then(|t| Instant::now().checked_add(t));
    let status = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled(), if stop == Stop::Never => stop = ask_to_stop(&group),
            () = sleep_until(deadline), if stop == Stop::Never && deadline.is_some() => stop = ask_to_stop(&group),
            () = sleep_until(stop.kill_at()), if stop.kill_at().is_some() => {
                group.signal(Signal::KILL);
                stop = Stop::Killed;
            }
            status = group.wait() => break status,
            () = out.read(), if out.open() => {}
            () = err.read(), if err.open() => {}
        }
        cut |= cut_off(&mut out, &mut err, &mut room);
        if cut && stop == Stop::Never {
            stop = ask_to_stop(&group);
        }
    };
    let until = Instant::now() + DRAIN;
    while out.open() || err.open() {
        let quiet_at = (Instant::now() + QUIET).min(until);
        tokio::select! {
            biased;
            () = out.read(), if out.open() => {}
            () = err.read(), if err.open() => {}
            () = tokio::time::sleep_until(quiet_at) => break,
        }
        cut |= cut_off(&mut out, &mut err, &mut room);
        if Instant::now() >= until {
            break;
        }
    }
    if stop != Stop::Never {
        // The program obeyed; what it started may have not.
        group.kill_rest();
    }
    let held = out.bytes.len() + err.bytes.len();
    let (stdout, mut stderr) = (out.into_text(), err.into_text());
    if cut {
        stderr.push_str(&format!(
            "\n[The output was cut after {}, and the program was stopped]\n",
            format_size(held as u64)
        ));
    }
    ExecOutput { stdout, stderr, code: status.map_or(1, exit_code), killed: stop != Stop::Never }
}

/// Stops listening when there is no room for more; whether that was so.
fn cut_off<R, S>(out: &mut Pipe<R>, err: &mut Pipe<S>, room: &mut OutputRoom) -> bool {
    // The buffers double when they are full, and become text.
    let held = out.bytes.capacity() + err.bytes.capacity();
    let is_full = held > 2 * MAX_OUTPUT || !room(held);
    if is_full {
        (out.reader, err.reader) = (None, None);
    }
    is_full
}

#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Never,
    Asked { kill_at: Instant },
    Killed,
}

impl Stop {
    fn kill_at(self) -> Option<Instant> {
        match self {
            Self::Asked { kill_at } => Some(kill_at),
            _ => None,
        }
    }
}

fn ask_to_stop(group: &GroupChild) -> Stop {
    group.signal(Signal::TERM);
    Stop::Asked { kill_at: Instant::now() + KILL_AFTER }
}

/// Sleeps until `deadline`; for ever without one.
pub(crate) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

struct Pipe<R> {
    reader: Option<R>,
    bytes: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(reader: Option<R>) -> Self {
        Self { reader, bytes: Vec::new() }
    }

    fn open(&self) -> bool {
        self.reader.is_some()
    }

    async fn read(&mut self) {
        let Some(reader) = &mut self.reader else { return };
        self.bytes.reserve(8 * 1024);
        if !matches!(reader.read_buf(&mut self.bytes).await, Ok(read) if read > 0) {
            self.reader = None;
        }
    }

    fn into_text(self) -> String {
        String::from_utf8(self.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
