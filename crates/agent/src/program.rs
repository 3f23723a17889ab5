//! Programs that extensions run.

use std::path::PathBuf;

use tau_hooks::{ExecOptions, ExecResult};
use tau_tools::{ExecCommand, Leftovers, exec_process};

/// Runs a program for an extension, in `cwd` unless it says where, with `env` in place of the environment of the process.
/// What it leaves running goes to `leftovers`, if somebody takes it.
pub(crate) async fn run_program(
    program: &str,
    args: &[String],
    cwd: PathBuf,
    env: Option<Vec<(String, String)>>,
    options: ExecOptions,
    leftovers: Option<Leftovers>,
) -> ExecResult {
    let ExecOptions { cwd: other, timeout, cancel } = options;
    let command = ExecCommand { timeout, env, leftovers, ..ExecCommand::new(program, args, other.unwrap_or(cwd)) };
    let done = exec_process(command, cancel.unwrap_or_default()).await;
    ExecResult { stdout: done.stdout, stderr: done.stderr, code: done.code, killed: done.killed }
}
