//! The bash tool: runs a shell command and returns the end of its output.

mod ends;
mod operations;
mod output;
mod shell;
mod user;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tokio::time::Instant;

use ends::Ends;
use operations::overdue;
pub use operations::{BashExec, BashExecError, BashOperations, LocalBash, OnData, Pace};
pub use output::{OutputAccumulator, OutputSnapshot};
pub use shell::{Environment, find_shell, shell_environment};
pub use user::{UserBash, UserBashOutput, run_user_command};

use crate::support::{PREFERS_STRICT, js_number, parse_args, tool_spec};
use crate::truncate::Limits;
use crate::{Invocation, Progress, Tool, ToolFailure, ToolOutput, ToolSpec};

/// Partial results come at most this often.
const UPDATE_EVERY: Duration = Duration::from_millis(100);

/// Supplies variables for each command, on top of our own environment.
pub type EnvProvider = Arc<dyn Fn() -> Vec<(String, Option<String>)> + Send + Sync>;
/// Makes another way to run commands of the one that is there.
pub type BashAround = Arc<dyn Fn(Arc<dyn BashOperations>) -> Arc<dyn BashOperations> + Send + Sync>;
/// May change what is about to run.
pub type SpawnHook = Arc<dyn Fn(BashSpawn) -> BashSpawn + Send + Sync>;

/// What is about to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BashSpawn {
    /// The command, with the prefix.
    pub command: String,
    /// The directory it runs in.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Environment,
}

/// Runs shell commands.
pub struct BashTool {
    spec: ToolSpec,
    cwd: PathBuf,
    operations: Arc<dyn BashOperations>,
    around: Option<BashAround>,
    command_prefix: Option<String>,
    spawn_hook: Option<SpawnHook>,
    env: Option<EnvProvider>,
    bin_dir: Option<PathBuf>,
    temp_dir: PathBuf,
}

#[derive(Deserialize)]
struct Args {
    command: String,
    timeout: Option<f64>,
}

impl BashTool {
    /// Runs commands in `cwd` with the shell that [`find_shell`] finds.
    pub fn new(cwd: PathBuf) -> Self {
        Self {
            spec: spec(),
            cwd,
            operations: Arc::new(LocalBash::default()),
            around: None,
            command_prefix: None,
            spawn_hook: None,
            env: None,
            bin_dir: None,
            temp_dir: std::env::temp_dir(),
        }
    }

    /// Runs commands elsewhere. Undoes [`Self::with_shell_path`].
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn BashOperations>) -> Self {
        self.operations = operations;
        self
    }

    /// Uses this shell. Undoes [`Self::with_operations`].
    #[must_use]
    pub fn with_shell_path(self, shell: PathBuf) -> Self {
        self.with_operations(Arc::new(LocalBash::new(Some(shell))))
    }

    /// Puts a line before every command.
    #[must_use]
    pub fn with_command_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.command_prefix = Some(prefix.into());
        self
    }

    /// Asks `hook` before every command.
    #[must_use]
    pub fn with_spawn_hook(mut self, hook: SpawnHook) -> Self {
        self.spawn_hook = Some(hook);
        self
    }

    /// Changes how commands are run; asked for each command.
    #[must_use]
    pub(crate) fn with_around(mut self, around: BashAround) -> Self {
        self.around = Some(around);
        self
    }

    /// Adds variables to the environment of every command.
    #[must_use]
    pub fn with_env(mut self, env: EnvProvider) -> Self {
        self.env = Some(env);
        self
    }

    /// Puts a directory first on the `PATH`.
    #[must_use]
    pub fn with_bin_dir(mut self, bin_dir: PathBuf) -> Self {
        self.bin_dir = Some(bin_dir);
        self
    }

    /// Saves long output in this directory instead of the system's temporary one.
    #[must_use]
    pub fn with_temp_dir(mut self, temp_dir: PathBuf) -> Self {
        self.temp_dir = temp_dir;
        self
    }

    fn prepare(&self, command: String) -> BashSpawn {
        let command = match &self.command_prefix {
            Some(prefix) if !prefix.is_empty() => format!("{prefix}\n{command}"),
            _ => command,
        };
        let extra = self.env.as_ref().map(|env| env()).unwrap_or_default();
        let spawn =
            BashSpawn { command, cwd: self.cwd.clone(), env: shell_environment(self.bin_dir.as_deref(), extra) };
        match &self.spawn_hook {
            Some(hook) => hook(spawn),
            None => spawn,
        }
    }
}

#[async_trait]
impl Tool for BashTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let Invocation { args, cancel, progress, .. } = invocation;
        let Args { command, timeout } = parse_args("bash", args)?;
        let spawn = self.prepare(command);
        progress.report(ToolOutput::default());
        let began = Instant::now();
        let live = Arc::new(Live::new(&self.temp_dir, progress));
        let on_data: OnData = Arc::new({
            let live = live.clone();
            move |chunk: &[u8]| live.append(chunk)
        });
        let exec = BashExec { on_data, cancel: cancel.clone(), timeout, env: Some(spawn.env), pace: None };
        let own = Arc::clone(&self.operations);
        let operations = match &self.around {
            Some(around) => around(own),
            None => own,
        };
        let running = operations.exec(&spawn.command, &spawn.cwd, exec);
        let result = tokio::select! {
            result = running => result,
            never = live.report_regularly() => match never {},
            () = overdue(&cancel) => Err(BashExecError::Aborted),
        };
        let took = began.elapsed();
        let (snapshot, ends) = live.finish();
        let text = |empty: &str| {
            let content = &snapshot.truncation.content;
            format!("{}{}", if content.is_empty() { empty } else { content }, snapshot.notice())
        };
        let failure = |text: String, status: String| {
            ToolFailure::new(if text.is_empty() { status } else { format!("{text}\n\n{status}") })
        };
        match result {
            Ok(Some(code)) => {
                let mut text = text("(no output)");
                if code != 0 {
                    text.push_str(&format!("\n\nCommand exited with code {code}"));
                }
                Ok(ToolOutput {
                    details: details(&snapshot),
                    structured_content: Some(structured(code, took, &snapshot, ends)),
                    is_error: code != 0,
                    ..ToolOutput::text(text)
                })
            }
            Ok(None) => Err(failure(text("(no output)"), "Command terminated without an exit code".to_owned())),
            Err(BashExecError::Aborted) => Err(failure(text(""), "Command aborted".to_owned())),
            Err(BashExecError::TimedOut(seconds)) => {
                Err(failure(text(""), format!("Command timed out after {} seconds", js_number(seconds))))
            }
            Err(BashExecError::Failed(error)) => Err(error.into()),
        }
    }
}

/// The result as data. The time is in seconds, to a tenth of one.
fn structured(code: i32, took: Duration, snapshot: &OutputSnapshot, ends: Ends) -> Value {
    let seconds = (took.as_secs_f64() * 10.0).round() / 10.0;
    let mut fields =
        json!({ "output": ends.text, "truncated": ends.is_cut, "exit_code": code, "wall_time_seconds": seconds });
    if let Some(path) = snapshot.full_output_path.as_ref().filter(|_| ends.is_cut) {
        fields["full_output_path"] = json!(path.to_string_lossy());
    }
    fields
}

/// What [`structured`] gives.
fn output_schema() -> Value {
    json!({
        "type": "object",
        "required": ["output", "truncated", "exit_code", "wall_time_seconds"],
        "properties": {
            "output": { "type": "string", "description": "Standard output and standard error; of long output both ends" },
            "truncated": { "type": "boolean" },
            "full_output_path": { "type": "string", "description": "The file with all output, when it was cut" },
            "exit_code": { "type": "number" },
            "wall_time_seconds": { "type": "number" },
        },
    })
}

fn details(snapshot: &OutputSnapshot) -> Option<Value> {
    if !snapshot.truncation.truncated {
        return None;
    }
    let mut details = json!({ "truncation": snapshot.truncation });
    if let Some(path) = &snapshot.full_output_path {
        details["fullOutputPath"] = json!(path.to_string_lossy());
    }
    Some(details)
}

/// The output so far, and when it was last reported.
struct Live {
    state: Mutex<LiveState>,
    progress: Progress,
}

struct LiveState {
    output: OutputAccumulator,
    reported_at: Option<Instant>,
    unreported: bool,
    finished: bool,
}

impl Live {
    fn new(temp_dir: &Path, progress: Progress) -> Self {
        let output = OutputAccumulator::new(temp_dir, Limits::default()).with_ends();
        let state = LiveState { output, reported_at: None, unreported: false, finished: false };
        Self { state: Mutex::new(state), progress }
    }

    fn append(&self, chunk: &[u8]) {
        let mut state = self.state.lock();
        if state.finished {
            return;
        }
        state.output.append(chunk);
        state.unreported = true;
        if state.reported_at.is_none_or(|at| at.elapsed() >= UPDATE_EVERY) {
            self.report(&mut state);
        }
    }

    /// Reports what [`Self::append`] held back. Never completes.
    async fn report_regularly(&self) -> Infallible {
        let mut ticks = tokio::time::interval(UPDATE_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let mut state = self.state.lock();
            if state.unreported && state.reported_at.is_none_or(|at| at.elapsed() >= UPDATE_EVERY) {
                self.report(&mut state);
            }
        }
    }

    /// The end of the output, and both ends of it as [`OutputAccumulator::take_ends`] gives them.
    fn finish(&self) -> (OutputSnapshot, Ends) {
        let mut state = self.state.lock();
        state.finished = true;
        state.output.finish();
        if state.unreported {
            self.report(&mut state);
        }
        (state.output.snapshot(), state.output.take_ends())
    }

    /// Under the lock, so that reports keep their order.
    fn report(&self, state: &mut LiveState) {
        state.unreported = false;
        state.reported_at = Some(Instant::now());
        let snapshot = state.output.snapshot();
        let details = details(&snapshot).or_else(|| Some(json!({})));
        let content = vec![ContentBlock::text(snapshot.truncation.content)];
        self.progress.report(ToolOutput { content, details, ..ToolOutput::default() });
    }
}

fn spec() -> ToolSpec {
    let spec = tool_spec(
        "bash",
        "Runs a bash command in the working directory and returns what it printed, standard output and standard error \
         together. Long output is cut to its last 2000 lines or 50KB, whichever is less; the complete output is then \
         in a file whose path is given. Set a timeout in seconds for commands that may hang.",
        json!({
            "type": "object",
            "required": ["command"],
            "properties": {
                "command": { "type": "string", "description": "The command line for bash" },
                "timeout": {
                    "type": "number",
                    "description": "Seconds after which the command is killed; without it, it may run for ever",
                },
            },
        }),
        "Run shell commands (builds, tests, git, searching)",
        &["Facts about this session (model, session file) are in environment variables named PI_*"],
    );
    ToolSpec { output_schema: Some(output_schema()), constrained_sampling: PREFERS_STRICT, ..spec }
}
