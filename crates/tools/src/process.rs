//! A child process that leads its own process group.

use std::collections::HashSet;
use std::io;
use std::process::ExitStatus;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use crate::leftovers::{self, Leftovers};

/// How long a pipe may stay silent after the process that opened it has ended. Something it left running in
/// the background may hold the other end for ever.
pub(crate) const QUIET: Duration = Duration::from_millis(100);
/// How long output is still taken after the process ended, however much comes.
pub(crate) const DRAIN: Duration = Duration::from_secs(5);

// A process that exits takes no child along: its groups are their own. So whoever ends the program must be able
// to find them, whichever session they belong to.
static RUNNING: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

/// The program ends: nothing may be started any more.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Read by those who start a process, until it is among those that run.
static STARTING: RwLock<()> = RwLock::new(());

/// How long processes that are being started are waited for at the end: the system may not let go of one.
const STARTED: Duration = Duration::from_secs(2);

/// A process may be started as long as this is held, and must be noted before it is dropped.
#[must_use = "the process must be noted before this is dropped"]
pub struct Starting {
    _starts: RwLockReadGuard<'static, ()>,
}

impl Starting {
    /// Asks to start a process. One that is noted before this is dropped cannot escape [`kill_running_processes`].
    ///
    /// # Errors
    /// When the program ends.
    pub fn begin() -> io::Result<Self> {
        let starts = STARTING.read();
        match ENDED.load(Ordering::SeqCst) {
            true => Err(io::Error::other("nothing is started any more, because tau ends")),
            false => Ok(Self { _starts: starts }),
        }
    }
}

/// Kills all programs and commands that run now, and ends what programs left behind for a [`Leftovers`]; none can be
/// started from now on. For the moment before the program exits; calls that are still awaited return as if something
/// else had killed their process.
pub fn kill_running_processes() {
    ENDED.store(true, Ordering::SeqCst);
    // Whoever asked before is done now, or sees that it is too late.
    drop(STARTING.try_write_for(STARTED));
    leftovers::end_everywhere();
    for group in RUNNING.lock().iter() {
        kill(*group, Signal::KILL);
    }
}

/// A group of processes that [`kill_running_processes`] kills too, for as long as this lives.
#[derive(Debug)]
pub struct RunningGroup(Pid);

impl RunningGroup {
    /// Notes a group that somebody else started and looks after.
    pub fn new(group: Pid) -> Self {
        RUNNING.lock().insert(group);
        Self(group)
    }
}

impl Drop for RunningGroup {
    fn drop(&mut self) {
        RUNNING.lock().remove(&self.0);
    }
}

/// A child and everything it starts that does not leave its group. Dropping it before it was waited for kills
/// the group, so that a call which is given up leaves nothing behind.
pub(crate) struct GroupChild {
    child: Child,
    group: Option<Pid>,
    ended: bool,
    leftovers: Option<Leftovers>,
}

impl GroupChild {
    /// Starts `command` as the leader of a new group.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        let _starting = Starting::begin()?;
        let child = command.process_group(0).spawn()?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        RUNNING.lock().extend(group);
        Ok(Self { child, group, ended: false, leftovers: None })
    }

    /// Gives what goes on in the group after its leader has ended to `leftovers`. Without it nobody ends that.
    pub(crate) fn leave_to(mut self, leftovers: Option<Leftovers>) -> Self {
        self.leftovers = leftovers;
        self
    }

    /// The child itself, for its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Sends `signal` to the whole group. That nobody is left to get it is no failure.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            kill(group, signal);
        }
    }

    /// Kills what is left of the group. The leader may have ended long ago, so its number may belong to something else.
    pub(crate) fn kill_rest(&self) {
        if let Some(group) = self.group
            && (!self.ended || leftovers::is_there(group))
        {
            kill(group, Signal::KILL);
        }
    }

    /// Waits until the leader has ended.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.ended = true;
        // First, so that those who end everything find what is left in one place or the other.
        if let (Some(leftovers), Some(group)) = (&self.leftovers, self.group) {
            leftovers.take(group);
        }
        self.forget();
        Ok(status)
    }

    fn forget(&self) {
        if let Some(group) = &self.group {
            RUNNING.lock().remove(group);
        }
    }
}

impl Drop for GroupChild {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
        }
        self.forget();
    }
}

fn kill(group: Pid, signal: Signal) {
    if let Err(error) = kill_process_group(group, signal)
        && error != rustix::io::Errno::SRCH
    {
        tracing::debug!(?group, %error, "signal not delivered");
    }
}

/// The exit code as a shell reports it: death by signal N is `128 + N`.
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}
