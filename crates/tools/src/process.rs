//! A child process that leads its own process group.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// How long a pipe may stay silent after the process that opened it has ended. Something it left running in
/// the background may hold the other end for ever.
pub(crate) const QUIET: Duration = Duration::from_millis(100);
/// How long output is still taken after the process ended, however much comes.
pub(crate) const DRAIN: Duration = Duration::from_secs(5);

/// A child and everything it starts that does not leave its group. Dropping it before it was waited for kills
/// the group, so that a call which is given up leaves nothing behind.
pub(crate) struct GroupChild {
    child: Child,
    group: Option<Pid>,
    ended: bool,
}

impl GroupChild {
    /// Starts `command` as the leader of a new group.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Ok(Self { child, group, ended: false })
    }

    /// The child itself, for its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Sends `signal` to the whole group. That nobody is left to get it is no failure.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(group) = self.group
            && let Err(error) = kill_process_group(group, signal)
            && error != rustix::io::Errno::SRCH
        {
            tracing::debug!(?group, %error, "signal not delivered");
        }
    }

    /// Waits until the leader has ended.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.ended = true;
        Ok(status)
    }
}

impl Drop for GroupChild {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
        }
    }
}

/// The exit code as a shell reports it: death by signal N is `128 + N`.
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}
