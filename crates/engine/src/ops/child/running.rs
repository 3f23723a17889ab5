//! Children that run while JavaScript goes on.
#![expect(clippy::disallowed_methods, reason = "called on the thread of the engine only")]

use std::cell::{Cell, RefCell};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;
use tau_sys::process::{GroupChild, Handle};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use super::command::{Foreground, Spec};
use crate::engine::{Activity, Group};
use crate::ops::{Json, OpError, OpHost, Stream};

/// A child that was started. One that still runs when the engine ends is ended with its whole group, unless it was
/// let go on purpose.
pub(super) struct Child {
    handle: Handle,
    detached: bool,
    referenced: Cell<bool>,
    status: Cell<Option<ExitStatus>>,
    ended: CancellationToken,
    /// While it runs and belongs to the engine.
    group: RefCell<Option<Group>>,
    activity: Arc<Activity>,
}

impl Child {
    /// Follows a program to its end.
    pub(super) fn follow(
        mut process: GroupChild,
        detached: bool,
        foreground: Option<Foreground>,
        host: &OpHost,
    ) -> Rc<Self> {
        let handle = process.handle();
        let child = Rc::new(Self {
            detached,
            referenced: Cell::new(true),
            status: Cell::new(None),
            ended: CancellationToken::new(),
            group: RefCell::new(Some(host.activity().keep(handle.clone()))),
            activity: Arc::clone(host.activity()),
            handle,
        });
        let watched = Rc::clone(&child);
        tokio::task::spawn_local(async move {
            let status = process.wait().await;
            drop(foreground);
            watched.status.set(Some(status.unwrap_or_default()));
            watched.group.take();
            watched.ended.cancel();
        });
        child
    }

    /// The number of the process.
    pub(super) fn pid(&self) -> i32 {
        self.handle.pid().as_raw_nonzero().get()
    }

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
        self.handle.send(signal).map_err(|error| OpError::io(&error, "kill", None))
    }

    /// Whether it belongs to the engine. One that is detached and let go outlives it.
    pub(super) fn set_ref(&self, keep: bool) {
        self.referenced.set(keep);
        let belongs = self.status.get().is_none() && !self.is_let_go();
        self.handle.keep(belongs);
        let mut group = self.group.borrow_mut();
        match belongs {
            true if group.is_none() => *group = Some(self.activity.keep(self.handle.clone())),
            true => {}
            false => *group = None,
        }
    }

    fn is_let_go(&self) -> bool {
        self.detached && !self.referenced.get()
    }
}

/// Starts a child: `{rid, pid, stdio}` with the number of a stream for every pipe. What it leaves running ends with the
/// session.
pub(super) fn start(spec: &Spec, host: &Rc<OpHost>) -> Result<Json, OpError> {
    let prepared = spec.command(host)?;
    let (process, extra, foreground) = prepared.spawn(spec.place()).map_err(|error| spec.error(&error))?;
    let mut process = process.leave_to(spec.leftovers(host));
    let add = |stream: Rc<Stream>| Some(host.resources().add(stream));
    let pipes = process.child();
    let mut stdio = vec![
        pipes.stdin.take().and_then(|pipe| add(Stream::writable(pipe))),
        pipes.stdout.take().and_then(|pipe| add(Stream::readable(pipe))),
        pipes.stderr.take().and_then(|pipe| add(Stream::readable(pipe))),
    ];
    for end in extra {
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

    let child = Child::follow(process, spec.detached, foreground, host);
    let pid = child.pid();
    let rid = host.resources().add(child);
    Ok(Json(json!({"rid": rid, "pid": pid, "stdio": stdio})))
}
