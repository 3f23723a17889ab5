//! What JavaScript asks for, made into a command of the system.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::Pid;
use serde::Deserialize;
use tau_sys::process::{GroupChild, Leftovers, Place, map_descriptors};
use tau_sys::terminal::{foreground_ended, gave_foreground};

use crate::ops::fs::FileArg;
use crate::ops::programs::find;
use crate::ops::{Json, OpError, OpHost};
use crate::raw::{with_default_signals, with_foreground};

/// How many characters of a command are shown.
const LONGEST_NAME: usize = 100;

/// A child as JavaScript describes it, with every default filled in.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Spec {
    pub(super) file: String,
    /// The first is what the program is told its own name is.
    pub(super) args: Vec<String>,
    cwd: Option<String>,
    env: Option<BTreeMap<String, String>>,
    stdio: Vec<Target>,
    #[serde(default)]
    pub(super) detached: bool,
    uid: Option<u32>,
    gid: Option<u32>,
    /// Of synchronous children, in milliseconds; zero is none.
    #[serde(default)]
    pub(super) timeout: f64,
    /// Of synchronous children: the most bytes of one stream; `None` is unlimited.
    pub(super) max_buffer: Option<f64>,
    /// Of synchronous children: what ends one that takes too long or says too much.
    #[serde(default)]
    pub(super) kill_signal: i32,
}

/// Where one descriptor of a child goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Target {
    Pipe,
    Ignore,
    /// A descriptor of the engine.
    Fd(i32),
}

impl Target {
    /// Whether it is one of the standard streams of JavaScript.
    fn is_standard(&self) -> bool {
        matches!(self, Self::Fd(0..=2))
    }
}

/// A child's command, and the engine's ends of its pipes beyond the first three.
pub(super) struct Prepared {
    pub(super) command: Command,
    extra: Vec<Option<UnixStream>>,
    /// It has the terminal of the user.
    has_terminal: bool,
}

impl Prepared {
    /// Starts the child. What comes last is to be kept until it has ended.
    pub(super) fn spawn(self, place: Place) -> io::Result<(GroupChild, Vec<Option<UnixStream>>, Option<Foreground>)> {
        let child = GroupChild::spawn(self.command, place)?;
        let foreground = self.has_terminal.then(|| {
            gave_foreground(child.pid());
            Foreground(child.pid())
        });
        Ok((child, self.extra, foreground))
    }
}

/// The foreground of the terminal while a child has it. Without a program there, ctrl+c would be for nobody.
pub(super) struct Foreground(Pid);

impl Drop for Foreground {
    fn drop(&mut self) {
        if let Err(error) = foreground_ended(io::stdin(), self.0) {
            tracing::debug!(%error, "the foreground of the terminal cannot be taken back");
        }
    }
}

impl Spec {
    pub(super) fn read(spec: Json) -> Result<Self, OpError> {
        serde_json::from_value(spec.0).map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()))
    }

    /// The command as a person would name it: the line of a shell, else the program with its arguments.
    pub(super) fn shown(&self) -> String {
        let line = match &self.args[..] {
            [_, flag, line] if flag == "-c" => line.clone(),
            [_, args @ ..] => [&self.file].into_iter().chain(args).map(String::as_str).collect::<Vec<_>>().join(" "),
            [] => self.file.clone(),
        };
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(LONGEST_NAME) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// The error of a child that did not start, in Node's words.
    pub(super) fn error(&self, error: &io::Error) -> OpError {
        let syscall = format!("spawn {}", self.file);
        let described = OpError::io(error, &syscall, Some(&self.file));
        let message = format!("{syscall} {}", described.code.as_deref().unwrap_or_default());
        OpError { message, ..described }
    }

    pub(super) fn command(&self, host: &OpHost) -> Result<Prepared, OpError> {
        let cwd = self.cwd.as_deref().map_or_else(|| host.cwd(), |cwd| host.resolve(cwd));
        let env = host.child_env(self.env.as_ref());
        let program = find(&self.file, &env, &cwd).map_err(|error| self.error(&error.into()))?;
        let mut command = Command::new(&program);
        let mut args = self.args.iter();
        if let Some(name) = args.next() {
            command.arg0(name);
        }
        command.args(args).env_clear().envs(env).current_dir(existing(cwd).map_err(|error| self.error(&error))?);
        if let Some(uid) = self.uid {
            command.uid(uid);
        }
        if let Some(gid) = self.gid {
            command.gid(gid);
        }
        with_default_signals(&mut command);
        let extra = self.connect(&mut command, host).map_err(|error| self.error(&error))?;
        let has_terminal =
            host.activity().has_terminal() && !self.detached && self.stdio.iter().any(Target::is_standard);
        if has_terminal {
            with_foreground(&mut command);
        }
        Ok(Prepared { command, extra, has_terminal })
    }

    fn connect(&self, command: &mut Command, host: &OpHost) -> io::Result<Vec<Option<UnixStream>>> {
        let standard = |at: usize| -> io::Result<Stdio> {
            Ok(match self.stdio.get(at).copied().unwrap_or(Target::Ignore) {
                Target::Pipe => Stdio::piped(),
                Target::Ignore => Stdio::null(),
                Target::Fd(number) => Stdio::from(descriptor(number, host)?),
            })
        };
        command.stdin(standard(0)?).stdout(standard(1)?).stderr(standard(2)?);
        let mut ends = Vec::new();
        let mut mappings = Vec::new();
        for (target, child_fd) in self.stdio.iter().zip(0..).skip(3) {
            let (end, parent_fd) = match target {
                Target::Ignore => (None, None),
                Target::Fd(number) => (None, Some(descriptor(*number, host)?)),
                Target::Pipe => {
                    let (mine, theirs) = UnixStream::pair()?;
                    (Some(mine), Some(OwnedFd::from(theirs)))
                }
            };
            mappings.extend(parent_fd.map(|parent_fd| (parent_fd, child_fd)));
            ends.push(end);
        }
        map_descriptors(command, mappings)?;
        Ok(ends)
    }

    /// Who takes what the child leaves running, if anybody: what was detached may outlive the session.
    pub(super) fn leftovers(&self, host: &OpHost) -> Option<Leftovers> {
        if self.detached { None } else { host.leftovers() }
    }

    /// Where it lives: a group of its own ends with the engine, and so does what it started.
    pub(super) fn place(&self) -> Place {
        if self.detached { Place::Session } else { Place::Group }
    }
}

/// A working directory that is not there is told before anything starts.
fn existing(cwd: PathBuf) -> io::Result<PathBuf> {
    cwd.metadata().map(|_| cwd)
}

fn descriptor(number: i32, host: &OpHost) -> io::Result<OwnedFd> {
    let file = FileArg::of(number, host);
    let file = file.get("spawn").map_err(|_| io::Error::from(rustix::io::Errno::BADF))?;
    Ok(OwnedFd::from(file.try_clone()?))
}
