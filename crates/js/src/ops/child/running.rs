//! Children that run while JavaScript goes on.

use std::cell::{Cell, RefCell};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use serde_json::json;
use tau_tools::Starting;
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use super::command::Spec;
use super::signals;
use crate::engine::{Activity, Group};
use crate::ops::{Json, OpError, OpHost, Stream};

/// A child that was started. One that still runs when it is dropped is ended with its whole group, unless it was
/// let go on purpose.
pub(super) struct Child {
    pid: Pid,
    detached: bool,
    referenced: Cell<bool>,
    status: Cell<Option<ExitStatus>>,
    ended: CancellationToken,
    /// While it runs and belongs to the engine.
    group: RefCell<Option<Group>>,
    activity: Arc<Activity>,
}

impl Child {
    /// `{code, signal}` when it has ended; the signal is a number, and one of the two is null.
    pub(super) async fn wait(&self) -> serde_json::Value {
        self.ended.cancelled().await;
        let status = self.status.get();
        json!({
            "code": status.and_then(|status| status.code()),
            "signal": status.and_then(|status| status.signal()),
        })
    }

    /// Sends a signal; `false` when the child has ended. Signal zero only asks.
    pub(super) fn kill(&self, signal: i32) -> Result<bool, OpError> {
        // Its number may belong to another process by now.
        if self.status.get().is_some() {
            return Ok(false);
        }
        match signals::send(self.pid, signal) {
            Ok(()) => Ok(true),
            Err(Errno::SRCH) => Ok(false),
            Err(error) => Err(OpError::io(&error.into(), "kill", None)),
        }
    }

    /// Whether it belongs to the engine. One that is detached and let go outlives it.
    pub(super) fn set_ref(&self, keep: bool) {
        self.referenced.set(keep);
        let belongs = self.status.get().is_none() && !self.is_let_go();
        let mut group = self.group.borrow_mut();
        match belongs {
            true if group.is_none() => *group = Some(self.activity.keep(self.pid)),
            true => {}
            false => *group = None,
        }
    }

    fn is_let_go(&self) -> bool {
        self.detached && !self.referenced.get()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.status.get().is_none() && !self.is_let_go() {
            let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
            let _ = rustix::process::kill_process(self.pid, Signal::KILL);
        }
    }
}

/// Starts a child: `{rid, pid, stdio}` with the number of a stream for every pipe. What it leaves running ends with the
/// session.
pub(super) fn start(spec: &Spec, host: &Rc<OpHost>) -> Result<Json, OpError> {
    let prepared = spec.command(host)?;
    let starting = Starting::begin().map_err(|error| spec.error(&error))?;
    let spawned = spec.finish(prepared.command).and_then(|mut command| command.spawn());
    let mut process = spawned.map_err(|error| spec.error(&error))?;
    let number = process.id().and_then(|id| i32::try_from(id).ok());
    let pid = number.and_then(Pid::from_raw).ok_or_else(|| spec.error(&Errno::SRCH.into()))?;
    // From here on it ends with the engine, also when its pipes cannot be used.
    let child = Rc::new(Child {
        pid,
        detached: spec.detached,
        referenced: Cell::new(true),
        status: Cell::new(None),
        ended: CancellationToken::new(),
        group: RefCell::new(Some(host.activity().keep(pid))),
        activity: Arc::clone(host.activity()),
    });
    drop(starting);

    let add = |stream: Rc<Stream>| Some(host.resources().add(stream));
    let mut stdio = vec![
        process.stdin.take().and_then(|pipe| add(Stream::writable(pipe))),
        process.stdout.take().and_then(|pipe| add(Stream::readable(pipe))),
        process.stderr.take().and_then(|pipe| add(Stream::readable(pipe))),
    ];
    for end in prepared.extra {
        stdio.push(match end {
            None => None,
            Some(end) => {
                let open = || -> std::io::Result<Rc<Stream>> {
                    end.set_nonblocking(true)?;
                    let (reader, writer) = UnixStream::from_std(end)?.into_split();
                    Ok(Stream::new(Some(Box::new(reader)), Some(Box::new(writer))))
                };
                add(open().map_err(|error| spec.error(&error))?)
            }
        });
    }

    let (watched, leftovers) = (Rc::clone(&child), spec.leftovers(host));
    tokio::task::spawn_local(async move {
        let status = process.wait().await;
        // Noted before anything else runs: the process is reaped, so its number must not be used again.
        watched.status.set(Some(status.unwrap_or_default()));
        // First, so that those who end everything find what is left in one place or the other.
        if let Some(leftovers) = leftovers {
            leftovers.take(watched.pid);
        }
        watched.group.take();
        watched.ended.cancel();
    });
    let rid = host.resources().add(child);
    Ok(Json(json!({"rid": rid, "pid": number, "stdio": stdio})))
}
