//! Running a program that is given text and whose output is kept up to a limit.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::group::{GroupChild, Place};
use super::leftovers::Leftovers;
use super::run::{Flow, Manner, Rules, Sink, Stopped, run};

/// A program with what it is given.
#[derive(Debug, Clone, Default)]
pub struct PipedCommand {
    /// The program; looked up in the search path when it is only a name.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Changes to the inherited environment; `None` removes a variable.
    pub env: Vec<(String, Option<String>)>,
    /// What it reads from its standard input, which ends there.
    pub input: Vec<u8>,
    /// How many bytes are kept of each of its two outputs. The rest is read and dropped, so that it is never held up.
    pub keep: usize,
    /// After this its process group is killed.
    pub timeout: Option<Duration>,
    /// Takes what it leaves running in the background when it ends by itself; without it that goes on for good.
    pub leftovers: Option<Leftovers>,
    /// What its standard output must hold before silence is enough. Without it any silence is.
    pub answer: Option<IsWhole>,
}

/// Says whether a standard output with this beginning needs no more, from a program that ended with this code.
pub type IsWhole = fn(code: i32, stdout: &[u8]) -> bool;

/// What was kept of an output; bytes that are no UTF-8 show as U+FFFD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The beginning of it.
    pub text: String,
    /// Whether there was more.
    pub cut: bool,
    /// Whether bytes of it were no UTF-8.
    pub lossy: bool,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipedEnd {
    /// By itself, with this code.
    Code(i32),
    /// By itself, but what it left running kept its standard output open until its time was over, and what came was not
    /// whole. What was left in its process group was killed.
    Open,
    /// By a signal that was not ours.
    Signal(i32),
    /// It was killed because its time was over.
    TimedOut,
    /// It was killed because the caller cancelled.
    Cancelled,
}

/// What a program left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piped {
    /// How it ended.
    pub end: PipedEnd,
    /// Its standard output.
    pub stdout: Kept,
    /// Its standard error.
    pub stderr: Kept,
}

/// Runs a program in a process group of its own, without a shell. On timeout and cancellation the whole group is killed at
/// once; so it is when the call is dropped. What it leaves in the background when it ends by itself is not waited for, unless
/// that holds its standard output and [`PipedCommand::answer`] wants more of it: then it has the time of the program.
///
/// # Errors
/// When the program cannot be started.
pub async fn run_piped(command: PipedCommand, cancel: CancellationToken) -> io::Result<Piped> {
    let PipedCommand { program, args, cwd, env, input, keep, timeout, leftovers, answer } = command;
    let mut process = Command::new(&program);
    process.args(args).current_dir(cwd);
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, value) in env {
        match value {
            Some(value) => process.env(name, value),
            None => process.env_remove(name),
        };
    }
    let mut group = GroupChild::spawn_when_written(process, Place::Group).await?.leave_to(leftovers);
    let mut sink = Beginnings { answer, keep, kept: [const { (Vec::new(), false) }; 2] };
    let pipes = group.pipes();
    let rules = Rules { timeout, input, ..Rules::new(Manner::Kill, cancel) };
    let ended = run(group, pipes, rules, &mut sink).await;
    let end = match (ended.stopped, ended.status?) {
        (Some(Stopped::Cancelled), _) => PipedEnd::Cancelled,
        (Some(Stopped::Open), _) => PipedEnd::Open,
        (Some(Stopped::TimedOut | Stopped::Full), _) => PipedEnd::TimedOut,
        (None, status) => end_of(status.unwrap_or_default()),
    };
    let [stdout, stderr] = sink.kept.map(|(bytes, cut)| Kept::of(bytes, cut));
    Ok(Piped { end, stdout, stderr })
}

fn end_of(status: ExitStatus) -> PipedEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => PipedEnd::Code(code),
        (None, Some(signal)) => PipedEnd::Signal(signal),
        (None, None) => PipedEnd::Code(1),
    }
}

/// Keeps the beginning of each stream, and drops the rest so that nothing holds the program up.
struct Beginnings {
    answer: Option<IsWhole>,
    keep: usize,
    /// The bytes, and whether there were more.
    kept: [(Vec<u8>, bool); 2],
}

impl Sink for Beginnings {
    fn take(&mut self, stream: usize, bytes: &[u8]) -> Flow {
        let (kept, cut) = &mut self.kept[stream];
        let room = self.keep - kept.len();
        *cut |= bytes.len() > room;
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Flow::More
    }

    fn is_answer(&self, code: i32) -> Option<bool> {
        self.answer.map(|is_whole| is_whole(code, &self.kept[0].0))
    }

    fn misses_reason(&self) -> bool {
        self.kept[1].0.is_empty()
    }
}

impl Kept {
    fn of(bytes: Vec<u8>, cut: bool) -> Self {
        let (text, lossy) = match String::from_utf8(bytes) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        Self { text, cut, lossy }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use rustix::process::Signal;
    use tempfile::TempDir;

    use super::*;

    fn sh(dir: &Path, script: &str) -> PipedCommand {
        PipedCommand {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            cwd: dir.to_path_buf(),
            keep: 16,
            ..PipedCommand::default()
        }
    }

    async fn run(command: PipedCommand) -> Piped {
        run_piped(command, CancellationToken::new()).await.expect("a program that starts")
    }

    fn kept(text: &str, cut: bool) -> Kept {
        Kept { text: text.to_owned(), cut, lossy: false }
    }

    #[tokio::test]
    async fn input_goes_in_and_the_beginning_of_both_outputs_comes_back() {
        let dir = TempDir::new().expect("a folder");
        let mut command = sh(dir.path(), "cat; printf 0123456789abcdefg >&2; exit 3");
        command.input = b"0123456789abcdef".to_vec();
        let expected = Piped {
            end: PipedEnd::Code(3),
            stdout: kept("0123456789abcdef", false),
            stderr: kept("0123456789abcdef", true),
        };
        assert_eq!(run(command).await, expected);
    }

    #[tokio::test]
    async fn variables_are_set_and_taken_away() {
        let dir = TempDir::new().expect("a folder");
        let mut command = sh(dir.path(), "echo ${A-no} ${HOME-no}");
        command.env = vec![("A".to_owned(), Some("1".to_owned())), ("HOME".to_owned(), None)];
        assert_eq!(run(command).await.stdout, kept("1 no\n", false));
    }

    #[tokio::test]
    async fn how_a_program_ended_is_told() {
        let dir = TempDir::new().expect("a folder");
        assert_eq!(run(sh(dir.path(), "kill -15 $$")).await.end, PipedEnd::Signal(15));
        let slow = PipedCommand { timeout: Some(Duration::from_millis(50)), ..sh(dir.path(), "sleep 600") };
        assert_eq!(run(slow).await.end, PipedEnd::TimedOut);
        let cancel = CancellationToken::new();
        cancel.cancel();
        let done = run_piped(sh(dir.path(), "sleep 600"), cancel).await.expect("a program that starts");
        assert_eq!(done.end, PipedEnd::Cancelled);
        let missing = PipedCommand { program: "/no/such/program".into(), ..sh(dir.path(), "") };
        let error = run_piped(missing, CancellationToken::new()).await.expect_err("nothing to start");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn what_goes_on_in_the_background_is_not_waited_for() {
        let dir = TempDir::new().expect("a folder");
        let done = run(sh(dir.path(), "sleep 600 & echo $!")).await;
        assert_eq!(done.end, PipedEnd::Code(0));
        let child =
            done.stdout.text.trim().parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
        rustix::process::kill_process(child, Signal::KILL).expect("it is still there");
    }

    #[tokio::test]
    async fn what_goes_on_in_the_background_ends_with_whoever_took_it() {
        use tokio::io::AsyncReadExt;
        // As the program does: children do not inherit that it is ignored, should these tests run under `nohup`.
        let _taken = crate::signals::endings().expect("the signals");
        let dir = TempDir::new().expect("a folder");
        let leftovers = Leftovers::default();
        // Whatever lives holds the pipe; `nohup` means that it is to live on.
        let (reader, writer) = io::pipe().expect("a pipe");
        let mut reader = tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into()).expect("a pipe");
        let path = format!("/proc/{}/fd/{}", std::process::id(), std::os::fd::AsRawFd::as_raw_fd(&writer));
        let script = format!("{{ sleep 20; echo survived; }} > {path} & nohup sleep 600 > /dev/null 2>&1 & echo $!");
        let done = run(PipedCommand { leftovers: Some(leftovers.clone()), ..sh(dir.path(), &script) }).await;
        drop(writer);
        let stays =
            done.stdout.text.trim().parse().ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
        leftovers.end();
        let mut text = String::new();
        reader.read_to_string(&mut text).await.expect("text");
        assert_eq!(text, "");
        rustix::process::kill_process(stays, Signal::KILL).expect("it is still there");
    }

    #[tokio::test]
    async fn a_file_that_is_being_written_is_waited_for() {
        let dir = TempDir::new().expect("a folder");
        let path = dir.path().join("script");
        let mut file = fs::File::create(&path).expect("a file");
        file.write_all(b"#!/bin/sh\necho hi\n").expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        let command = PipedCommand { program: path.into(), args: Vec::new(), ..sh(dir.path(), "") };
        let done = tokio::spawn(run(command));
        tokio::time::sleep(Duration::from_millis(30)).await;
        drop(file);
        assert_eq!(done.await.expect("a task").stdout, kept("hi\n", false));
    }
}
