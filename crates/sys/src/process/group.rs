//! A child process, and the group that it leads.
#![expect(clippy::disallowed_methods, reason = "the one place where programs are started")]

use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use command_fds::{CommandFdExt, FdMapping};
use parking_lot::{Mutex, RwLockReadGuard};
use process_wrap::tokio::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, ChildStdin};

use super::leftovers::{self, Leftovers};
use super::session;
use super::streams::Streams;
use crate::{signals, starting};

/// How often a file that somebody still writes to is tried, and the pause between.
const BUSY_TRIES: u32 = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

// A process that exits takes no child along: its groups are their own. So whoever ends the program must be able
// to find them, whichever session they belong to.
static RUNNING: LazyLock<Mutex<HashSet<Target>>> = LazyLock::new(Mutex::default);

/// The program ends: nothing may be started any more.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Where a child lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// A process group of its own, which ends with it.
    #[default]
    Group,
    /// A session of its own, and so a group: nothing that happens to our terminal reaches it.
    Session,
    /// A session of its own that a terminal controls and that the command itself begins. All groups of the session end
    /// with it: shells with job control put each job in one of its own.
    Terminal,
    /// Our own group, so that it can use our terminal, as programs do that ask for a password. What it starts is not ended
    /// with it.
    Ours,
}

/// What a signal goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    Group(Pid),
    /// All groups of a session.
    Session(Pid),
    Process(Pid),
}

/// A process may be started as long as this is held, and must be noted before it is dropped.
#[must_use = "the process must be noted before this is dropped"]
pub(super) struct Starting {
    _starts: RwLockReadGuard<'static, ()>,
}

impl Starting {
    /// Asks to start a process. One that is noted before this is dropped cannot escape [`kill_running_processes`].
    pub(super) fn begin() -> io::Result<Self> {
        let starts = starting::begin();
        if ENDED.load(Ordering::SeqCst) {
            Err(io::Error::other("nothing is started any more, because tau ends"))
        } else {
            Ok(Self { _starts: starts })
        }
    }
}

/// Kills all programs and commands that run now, and ends what programs left behind for a [`Leftovers`]; none can be
/// started from now on. For the moment before the program exits; calls that are still awaited return as if something
/// else had killed their process.
pub fn kill_running_processes() {
    ENDED.store(true, Ordering::SeqCst);
    // Whoever asked before is done now, or sees that it is too late.
    drop(starting::none_starts());
    leftovers::end_everywhere();
    for target in RUNNING.lock().iter() {
        target.send(Signal::KILL);
    }
}

/// Kills a process group. That nobody is left in it is no failure.
pub fn kill_group(group: Pid) {
    Target::Group(group).send(Signal::KILL);
}

/// What [`kill_running_processes`] kills too, for as long as this lives.
#[derive(Debug)]
pub(super) struct Running(Target);

impl Running {
    fn note(target: Target) -> Self {
        RUNNING.lock().insert(target);
        Self(target)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.lock().remove(&self.0);
    }
}

impl Target {
    fn of(pid: Pid, place: Place) -> Self {
        match place {
            Place::Group | Place::Session => Self::Group(pid),
            Place::Terminal => Self::Session(pid),
            Place::Ours => Self::Process(pid),
        }
    }

    /// That nobody is left to get it is no failure.
    fn send(self, signal: Signal) {
        let sent = match self {
            Self::Group(group) => kill_process_group(group, signal),
            Self::Session(session) => {
                // The group of the leader is there before the leader has begun the session.
                let others = session::groups(session).into_iter().filter(|group| *group != session);
                others.for_each(|group| Self::Group(group).send(signal));
                kill_process_group(session, signal)
            }
            Self::Process(pid) => kill_process(pid, signal),
        };
        if let Err(error) = sent
            && error != Errno::SRCH
        {
            tracing::debug!(target = ?self, %error, "signal not delivered");
        }
    }
}

/// What is known of a child as long as somebody asks.
#[derive(Debug)]
struct Shared {
    pid: Pid,
    place: Place,
    ended: AtomicBool,
    /// While it is among those that end with the program.
    running: Mutex<Option<Running>>,
}

impl Shared {
    fn target(&self) -> Target {
        Target::of(self.pid, self.place)
    }

    fn is_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }
}

/// Sends signals to a child that something else waits for.
#[derive(Debug, Clone)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// The number of the process, and of its group if it leads one.
    pub fn pid(&self) -> Pid {
        self.0.pid
    }

    /// Sends a signal to the process alone; `false` when it has ended, whose number may belong to another by now. Signal
    /// zero only asks.
    ///
    /// # Errors
    /// When there is no such signal or it may not be sent.
    pub fn send(&self, signal: i32) -> io::Result<bool> {
        if self.0.is_ended() {
            return Ok(false);
        }
        match signals::send(self.0.pid, signal) {
            Ok(()) => Ok(true),
            Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Kills it with everything that ends with it. That nobody is left is no failure.
    pub fn kill(&self) {
        if !self.0.is_ended() {
            self.0.target().send(Signal::KILL);
        }
    }

    /// Whether it ends with its [`GroupChild`] and with the program; it does unless somebody lets go of it.
    pub fn keep(&self, keep: bool) {
        let mut running = self.0.running.lock();
        match keep && !self.0.is_ended() {
            true if running.is_none() => *running = Some(Running::note(self.0.target())),
            true => {}
            false => *running = None,
        }
    }
}

/// A child and everything it starts that does not leave its group. Dropping it before it was waited for kills
/// the group, so that a call which is given up leaves nothing behind.
#[derive(Debug)]
pub struct GroupChild {
    child: Child,
    shared: Arc<Shared>,
    leftovers: Option<Leftovers>,
}

impl GroupChild {
    /// Starts a program.
    ///
    /// # Errors
    /// When it cannot be started, or when this program ends.
    pub fn spawn(command: Command, place: Place) -> io::Result<Self> {
        // Dropped with the command, which holds the child's ends of the pipes.
        Self::start(&mut prepared(command, place)?, place)
    }

    /// As [`GroupChild::spawn`]; a file that somebody still writes to, which cannot be run for a moment, is waited for.
    ///
    /// # Errors
    /// As [`GroupChild::spawn`].
    pub(crate) async fn spawn_when_written(command: Command, place: Place) -> io::Result<Self> {
        let mut command = prepared(command, place)?;
        let mut tries = 1;
        loop {
            match Self::start(&mut command, place) {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                    tries += 1;
                    tokio::time::sleep(BUSY_PAUSE).await;
                }
                done => return done,
            }
        }
    }

    fn start(command: &mut tokio::process::Command, place: Place) -> io::Result<Self> {
        let _starting = Starting::begin()?;
        let child = command.spawn()?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        let running = Mutex::new(Some(Running::note(Target::of(pid, place))));
        let shared = Arc::new(Shared { pid, place, ended: AtomicBool::new(false), running });
        Ok(Self { child, shared, leftovers: None })
    }

    /// Gives what goes on in the group after its leader has ended to `leftovers`. Without it nobody ends that.
    #[must_use]
    pub fn leave_to(mut self, leftovers: Option<Leftovers>) -> Self {
        self.leftovers = leftovers;
        self
    }

    /// The number of the process, and of its group if it leads one.
    pub fn pid(&self) -> Pid {
        self.shared.pid
    }

    /// For those who send it signals meanwhile.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// The child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Its pipes: what it reads, and what it writes to standard output and standard error, in this order.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Streams) {
        let mut streams = Streams::default();
        streams.add(self.child.stdout.take());
        streams.add(self.child.stderr.take());
        (self.child.stdin.take(), streams)
    }

    /// Sends a signal to the whole group. That nobody is left to get it is no failure.
    pub(super) fn signal(&self, signal: Signal) {
        self.shared.target().send(signal);
    }

    /// Asks the whole group to end. That nobody is left is no failure.
    pub fn ask_to_end(&self) {
        if !self.shared.is_ended() {
            self.signal(Signal::TERM);
        }
    }

    /// Kills what is left of the group. The leader may have ended long ago, so its number may belong to something else.
    pub fn kill_rest(&self) {
        let leads = self.shared.place != Place::Ours;
        if !self.shared.is_ended() || (leads && leftovers::is_there(self.shared.pid)) {
            self.signal(Signal::KILL);
        }
    }

    /// Waits until the leader has ended.
    ///
    /// # Errors
    /// When the system says that there is no such child.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        // In any case: from here on the number may belong to something else.
        self.shared.ended.store(true, Ordering::SeqCst);
        // First, so that those who end everything find what is left in one place or the other.
        if let Some(leftovers) = self.leftovers.take().filter(|_| self.shared.place != Place::Ours) {
            match self.shared.place {
                Place::Terminal => leftovers.take_session(self.shared.pid),
                Place::Group | Place::Session | Place::Ours => leftovers.take(self.shared.pid),
            }
        }
        self.forget();
        status
    }

    fn forget(&self) {
        self.shared.running.lock().take();
    }
}

impl Drop for GroupChild {
    fn drop(&mut self) {
        let is_kept = self.shared.running.lock().is_some();
        if is_kept && !self.shared.is_ended() {
            self.signal(Signal::KILL);
            // It may have left its group.
            Target::Process(self.shared.pid).send(Signal::KILL);
        }
        self.forget();
    }
}

fn prepared(mut command: Command, place: Place) -> io::Result<tokio::process::Command> {
    if place == Place::Group {
        command.process_group(0);
    }
    let mut command = tokio::process::Command::from(command);
    if place == Place::Session {
        ProcessSession.pre_spawn(&mut command, &CommandWrap::from(tokio::process::Command::new("")))?;
    }
    Ok(command)
}

/// Hands descriptors to a program, each under a number.
///
/// # Errors
/// When a number is used twice.
pub fn map_descriptors(command: &mut Command, descriptors: Vec<(OwnedFd, i32)>) -> io::Result<()> {
    if descriptors.is_empty() {
        return Ok(());
    }
    let mappings = descriptors.into_iter().map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd }).collect();
    command.fd_mappings(mappings).map(|_| ()).map_err(io::Error::other)
}

/// Runs a program to its end and collects its output, with empty standard input and the terminal of this program. Blocks
/// the thread. The program is killed when this one ends.
///
/// # Errors
/// When it cannot be started, or when this program ends.
pub fn output(command: Command) -> io::Result<Output> {
    let (child, _running) = piped(command, Place::Ours)?;
    child.wait_with_output()
}

pub(super) fn piped(command: Command, place: Place) -> io::Result<(std::process::Child, Option<Running>)> {
    let mut command = prepared(command, place)?.into_std();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let starting = Starting::begin()?;
    let child = command.spawn()?;
    let pid = pid_of(&child);
    let running = pid.map(|pid| Running::note(Target::of(pid, place)));
    drop(starting);
    Ok((child, running))
}

pub(super) fn pid_of(child: &std::process::Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The exit code as a shell reports it: death by signal N is `128 + N`.
pub fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use nix::unistd::{Pid, getpgid, getpgrp, getsid};
    use rustix::process::test_kill_process;
    use tokio::io::AsyncReadExt;

    use super::*;

    fn sleeper(place: Place) -> GroupChild {
        let mut command = Command::new("sleep");
        command.arg("600").stdout(Stdio::piped());
        GroupChild::spawn(command, place).expect("a program that starts")
    }

    #[tokio::test]
    async fn a_child_lives_where_it_was_put() {
        for place in [Place::Group, Place::Session, Place::Ours] {
            let child = sleeper(place);
            let pid = Pid::from_raw(child.pid().as_raw_nonzero().get());
            let group = getpgid(Some(pid)).expect("its group");
            assert_eq!(group, if place == Place::Ours { getpgrp() } else { pid }, "{place:?}");
            let leads_session = getsid(Some(pid)).expect("its session") == pid;
            assert_eq!(leads_session, place == Place::Session, "{place:?}");
        }
    }

    #[tokio::test]
    async fn one_that_is_dropped_ends_and_one_that_was_let_go_does_not() {
        for place in [Place::Group, Place::Ours] {
            let mut child = sleeper(place);
            let mut stdout = child.child().stdout.take().expect("a pipe");
            drop(child);
            // The pipe closes when the program is gone.
            assert_eq!(stdout.read(&mut [0]).await.expect("the end"), 0);
        }
        let child = sleeper(Place::Session);
        let handle = child.handle();
        handle.keep(false);
        drop(child);
        test_kill_process(handle.pid()).expect("it is there");
        assert_eq!(handle.send(9).ok(), Some(true));
    }

    #[tokio::test]
    async fn one_that_has_ended_gets_no_signal() {
        let mut child = GroupChild::spawn(Command::new("true"), Place::Group).expect("a program that starts");
        let handle = child.handle();
        child.wait().await.expect("its status");
        assert_eq!(handle.send(9).ok(), Some(false));
    }

    #[test]
    fn output_is_collected_without_input() {
        let mut command = Command::new("sh");
        command.args(["-c", "cat; echo out; echo err >&2; exit 3"]);
        let done = output(command).expect("a program that starts");
        assert_eq!((done.stdout, done.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
        assert_eq!(exit_code(done.status), 3);
    }
}
