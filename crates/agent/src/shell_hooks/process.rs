//! Running a hook.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use tau_tools::{IsWhole, Kept, Leftovers, Piped, PipedCommand, PipedEnd, run_piped};
use tokio_util::sync::CancellationToken;

use crate::found::Program;
use crate::found::interpreter_of;
use crate::found::{SCRIPTS, is_executable};

/// How much is kept of each output of a script.
const KEEP: usize = 1024 * 1024;
/// Linux: the file is no program that the system knows.
const NO_EXEC_FORMAT: i32 = 8;

/// How a script ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself.
    Code { code: i32, stdout: Kept, stderr: Kept },
    /// It was never at work, or not to its end; the text says why, to be read behind its name.
    Failed(String),
    /// The run was aborted.
    Aborted,
}

/// Where and how a script runs.
pub(super) struct Launch {
    pub cwd: std::path::PathBuf,
    pub env: Vec<(String, Option<String>)>,
    pub input: Vec<u8>,
    pub timeout: Option<Duration>,
    /// The setting that the timeout comes from, when it is not the hook's own.
    pub limited_by: Option<&'static str>,
    pub leftovers: Leftovers,
    /// What its standard output must hold before nothing more is waited for.
    pub answer: IsWhole,
}

/// Runs a script to its end.
pub(super) async fn run(program: &Program, launch: Launch, cancel: &CancellationToken) -> Ended {
    let Launch { cwd, env, input, timeout, limited_by, leftovers, answer } = launch;
    let (leftovers, answer) = (Some(leftovers), Some(answer));
    let command = PipedCommand { cwd, env, input, keep: KEEP, timeout, leftovers, answer, ..PipedCommand::default() };
    let missing_cwd =
        (!command.cwd.is_dir()).then(|| format!("the directory {} does not exist", command.cwd.display()));
    match start(program, command, cancel).await {
        Ok(piped) => ended(piped, timeout, limited_by),
        Err(error) => Ended::Failed(format!("could not be started: {}", missing_cwd.unwrap_or(error))),
    }
}

async fn start(program: &Program, command: PipedCommand, cancel: &CancellationToken) -> Result<Piped, String> {
    let with = |words: Vec<OsString>, command: PipedCommand| {
        let mut words = words.into_iter();
        PipedCommand { program: words.next().unwrap_or_default(), args: words.collect(), ..command }
    };
    let path = match program {
        // The user's own text, as a whole; what the call is about comes by standard input.
        Program::Command(text) => {
            let command = with(vec!["sh".into(), "-c".into(), text.into()], command);
            return run_piped(command, cancel.clone()).await.map_err(|error| format!("sh: {error}"));
        }
        Program::File(path) => path,
    };
    if !path.is_file() {
        return Err("the file is not there".to_owned());
    }
    if is_empty(path) {
        return Err("the file is empty, so it decides nothing; write the script into it or remove it".to_owned());
    }
    if is_executable(path) {
        match run_piped(with(vec![path.into()], command.clone()), cancel.clone()).await {
            // A script without a first line for the system.
            Err(error) if error.raw_os_error() == Some(NO_EXEC_FORMAT) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let named = interpreter_of(path).map(|words| words.join(" ")).unwrap_or_default();
                return Err(format!("its interpreter {named} is not there"));
            }
            done => return done.map_err(|error| error.to_string()),
        }
    }
    let words = interpreter_for(path);
    let shown = words.join(" ");
    let words = words.into_iter().map(OsString::from).chain([path.into()]).collect();
    run_piped(with(words, command), cancel.clone()).await.map_err(|error| format!("{shown}: {error}"))
}

/// Whether there is nothing in a file: it was meant to be something, and its writing may have failed.
fn is_empty(path: &Path) -> bool {
    const BLANK: u64 = 4096;
    let small = path.metadata().is_ok_and(|data| data.len() <= BLANK);
    small && std::fs::read(path).is_ok_and(|bytes| bytes.iter().all(u8::is_ascii_whitespace))
}

/// What runs a file that the system does not run: what its first line says, else what its name does, else `sh`.
fn interpreter_for(path: &Path) -> Vec<String> {
    let by_name = || {
        let extension = path.extension()?.to_str()?;
        let (_, words) = SCRIPTS.iter().find(|(known, _)| *known == extension)?;
        Some(words.iter().map(|word| (*word).to_owned()).collect())
    };
    interpreter_of(path).or_else(by_name).unwrap_or_else(|| vec!["sh".to_owned()])
}

fn ended(piped: Piped, timeout: Option<Duration>, limited_by: Option<&str>) -> Ended {
    let Piped { end, stdout, stderr } = piped;
    let failed = |why: String| match short(&stderr.text) {
        "" => Ended::Failed(why),
        text => Ended::Failed(format!("{why}; it wrote: {text}")),
    };
    match end {
        // What a shell says of a command that it cannot run.
        PipedEnd::Code(code @ (126 | 127)) => {
            let why = match stderr.text.trim() {
                "" => format!("exit code {code}"),
                text => format!("{} (exit code {code})", short(text)),
            };
            Ended::Failed(format!("could not be started: {why}"))
        }
        PipedEnd::Code(code) => Ended::Code { code, stdout, stderr },
        PipedEnd::Open => failed(format!(
            "ended, but what it left running kept its standard output open for {:?} and no answer came; start what is to run \
             on with `> /dev/null 2>&1`",
            timeout.unwrap_or_default()
        )),
        PipedEnd::Signal(signal) => failed(format!("was ended by signal {signal}")),
        PipedEnd::TimedOut => {
            let limit = timeout.unwrap_or_default();
            let by = limited_by.map(|setting| format!(", the limit of {setting},")).unwrap_or_default();
            failed(format!("did not end within {limit:?}{by} and was killed"))
        }
        PipedEnd::Cancelled => Ended::Aborted,
    }
}

/// A text of a script as far as a message has room for it.
pub(super) fn short(text: &str) -> &str {
    let text = text.trim();
    let end = text.char_indices().nth(500).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// What the model reads of standard error.
pub(super) fn reason(stderr: &str) -> Option<String> {
    const MOST: usize = 10_000;
    let text = stderr.trim();
    let end = text.char_indices().nth(MOST).map(|(at, _)| at);
    match end {
        _ if text.is_empty() => None,
        Some(end) => Some(format!("{} […]", &text[..end])),
        None => Some(text.to_owned()),
    }
}
