//! Running a program without a shell.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tau_sys::process::{Flow, GroupChild, Leftovers, Manner, Place, Rules, Sink, exit_code, run};
use tokio_util::sync::CancellationToken;

use crate::OpError;
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
    let timeout = timeout.filter(|timeout| !timeout.is_zero());
    let rules = Rules { timeout, ..Rules::new(Manner::Ask(KILL_AFTER), cancel) };
    let max_buffer = max_buffer.filter(|most| *most <= MAX_OUTPUT);
    let room = room.unwrap_or_else(|| Box::new(|_| true));
    let collected = Collected { max_buffer, room, streams: Default::default(), cut: None };
    match GroupChild::spawn(process, Place::Group) {
        Ok(group) => collect(group.leave_to(leftovers), rules, collected).await,
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

async fn collect(mut group: GroupChild, rules: Rules, mut collected: Collected) -> ExecOutput {
    let pipes = group.pipes();
    let ended = run(group, pipes, rules, &mut collected).await;
    let Collected { streams, cut, .. } = collected;
    let held = streams.iter().map(Vec::len).sum::<usize>();
    let truncated = cut.is_some();
    let [stdout, mut stderr] = streams.map(|bytes| into_text(bytes, truncated));
    if cut == Some(Cut::Ours) {
        stderr.push_str(&format!(
            "\n[The output was cut after {}, and the program was stopped]\n",
            format_size(held as u64)
        ));
    }
    // What was cut must not look like a success, nor like a signal that somebody else sent.
    let own = ended.status().filter(|status| !truncated || status.code().is_some_and(|code| code != 0));
    ExecOutput { stdout, stderr, code: own.map_or(1, exit_code), killed: ended.stopped.is_some(), truncated }
}

/// What a program said, up to a limit.
struct Collected {
    max_buffer: Option<usize>,
    room: OutputRoom,
    streams: [Vec<u8>; 2],
    cut: Option<Cut>,
}

/// Whose limit cut the output.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// The caller's own.
    Asked,
    /// One that the caller did not set.
    Ours,
}

impl Sink for Collected {
    /// Stops listening when there is too much, and drops what is over the limit.
    fn take(&mut self, stream: usize, bytes: &[u8]) -> Flow {
        self.streams[stream].extend_from_slice(bytes);
        let most = self.max_buffer.unwrap_or(MAX_OUTPUT);
        let over = self.streams.iter().map(Vec::len).sum::<usize>().saturating_sub(most);
        // The buffers double when they are full, and become text.
        let held = self.streams.iter().map(Vec::capacity).sum();
        if over == 0 && (self.room)(held) {
            return Flow::More;
        }
        let last = &mut self.streams[stream];
        last.truncate(last.len() - over);
        self.cut = Some(if over > 0 && self.max_buffer.is_some() { Cut::Asked } else { Cut::Ours });
        Flow::Enough
    }
}

/// The text; of one that was cut, a character at the end that was cut in half is left out.
fn into_text(mut bytes: Vec<u8>, cut: bool) -> String {
    if cut {
        let half = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
        if std::str::from_utf8(half).is_err_and(|error| error.error_len().is_none()) {
            bytes.truncate(bytes.len() - half.len());
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
