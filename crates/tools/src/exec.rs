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

use crate::OpError;
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
    /// Its exit code; `128 + N` when signal N ended it, 1 when it could not be started or when its output was cut and it
    /// did not end with an error of its own.
    pub code: i32,
    /// It was stopped by us, because of the timeout, because the caller cancelled, or because it said too much.
    pub killed: bool,
    /// It said more than is kept.
    pub truncated: bool,
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
    /// The most that is kept of both streams together, in bytes; [`MAX_OUTPUT`] when absent or larger.
    pub max_buffer: Option<usize>,
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
/// [`ExecCommand::max_buffer`], [`ExecCommand::room`] or [`MAX_OUTPUT`] allows. A limit that the caller did not set is
/// named in a line at the end of `stderr`. Never fails: what goes wrong is in the output.
pub async fn exec_process(command: ExecCommand, cancel: CancellationToken) -> ExecOutput {
    let ExecCommand { program, args, cwd, env, timeout, max_buffer, room, leftovers } = command;
    let mut process = Command::new(&program);
    process.args(args).current_dir(&cwd).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(env) = env {
        process.env_clear().envs(env);
    }
    let room = room.unwrap_or_else(|| Box::new(|_| true));
    let limit = Limit { max_buffer: max_buffer.filter(|most| *most <= MAX_OUTPUT), room, out: 0 };
    match GroupChild::spawn(&mut process) {
        Ok(group) => collect(group.leave_to(leftovers), timeout, cancel, limit).await,
        Err(error) => {
            let reason = if cwd.is_dir() {
                match OpError::from_io(&error, "spawn", None).code {
                    Some(code) => format!("spawn {program} {code}"),
                    None => format!("spawn {program}: {error}"),
                }
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
    mut limit: Limit,
) -> ExecOutput {
    let mut cut = None;
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
        cut = cut.or_else(|| limit.cut(&mut out, &mut err));
        if cut.is_some() && stop == Stop::Never {
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
        cut = cut.or_else(|| limit.cut(&mut out, &mut err));
        if Instant::now() >= until {
            break;
        }
    }
    if stop != Stop::Never {
        // The program obeyed; what it started may have not.
        group.kill_rest();
    }
    let held = out.bytes.len() + err.bytes.len();
    let truncated = cut.is_some();
    let (stdout, mut stderr) = (out.into_text(truncated), err.into_text(truncated));
    if cut == Some(Cut::Ours) {
        stderr.push_str(&format!(
            "\n[The output was cut after {}, and the program was stopped]\n",
            format_size(held as u64)
        ));
    }
    // What was cut must not look like a success, nor like a signal that somebody else sent.
    let own = status.ok().filter(|status| !truncated || status.code().is_some_and(|code| code != 0));
    ExecOutput { stdout, stderr, code: own.map_or(1, exit_code), killed: truncated || stop != Stop::Never, truncated }
}

/// How much is kept.
struct Limit {
    max_buffer: Option<usize>,
    room: OutputRoom,
    /// Bytes of standard output at the last look.
    out: usize,
}

/// Whose limit cut the output.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// The caller's own.
    Asked,
    /// One that the caller did not set.
    Ours,
}

impl Limit {
    /// Stops listening when there is too much, and drops what is over the limit.
    fn cut<R, S>(&mut self, out: &mut Pipe<R>, err: &mut Pipe<S>) -> Option<Cut> {
        let most = self.max_buffer.unwrap_or(MAX_OUTPUT);
        let over = (out.bytes.len() + err.bytes.len()).saturating_sub(most);
        // The buffers double when they are full, and become text.
        let held = out.bytes.capacity() + err.bytes.capacity();
        if over == 0 && (self.room)(held) {
            self.out = out.bytes.len();
            return None;
        }
        (out.reader, err.reader) = (None, None);
        // What is over the limit came with the last read, which was of one stream.
        let last = if out.bytes.len() > self.out { &mut out.bytes } else { &mut err.bytes };
        last.truncate(last.len() - over);
        Some(if over > 0 && self.max_buffer.is_some() { Cut::Asked } else { Cut::Ours })
    }
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

    /// The text; of one that was cut, a character at the end that was cut in half is left out.
    fn into_text(mut self, cut: bool) -> String {
        if cut {
            let half = self.bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
            if std::str::from_utf8(half).is_err_and(|error| error.error_len().is_none()) {
                self.bytes.truncate(self.bytes.len() - half.len());
            }
        }
        String::from_utf8(self.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
