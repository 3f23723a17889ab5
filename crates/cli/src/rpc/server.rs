//! A command, from when it was read to its one response.

use std::any::TypeId;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use serde_json::Value;
use tau_agent::AgentSession;
use tau_rpc::{Command, Done, Failure, Request, failure_line, success_line};
use tokio_util::task::TaskTracker;

use super::writer::{Item, Together, Writer};

/// What a command hears that comes when nothing is begun any more.
pub(super) const ENDING: &str = "The session is ending.";

/// One command while it is done.
#[derive(Clone)]
pub(super) struct Server(Arc<Inner>);

struct Inner {
    session: Arc<AgentSession>,
    writer: Writer,
    tasks: TaskTracker,
    id: Option<Value>,
    name: String,
    /// It has its response.
    answered: AtomicBool,
    /// Its response comes later than its method returns.
    later: AtomicBool,
}

impl Server {
    /// For the command with that id and name.
    pub(super) fn new(
        session: Arc<AgentSession>,
        writer: Writer,
        tasks: TaskTracker,
        id: Option<Value>,
        name: String,
    ) -> Self {
        let (answered, later) = (AtomicBool::new(false), AtomicBool::new(false));
        Self(Arc::new(Inner { session, writer, tasks, id, name, answered, later }))
    }

    pub(super) fn session(&self) -> &Arc<AgentSession> {
        &self.0.session
    }

    pub(super) fn id(&self) -> Option<&Value> {
        self.0.id.as_ref()
    }

    /// A response comes whatever happens.
    pub(super) async fn serve(&self, command: Command) {
        if AssertUnwindSafe(command.serve(self)).catch_unwind().await.is_err() {
            self.fail("the command crashed, which is a defect of tau");
        }
    }

    /// Goes on with a command after its method has returned; what `work` ends with is its response.
    pub(super) fn go_on(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.later.store(true, Ordering::Release);
        let me = self.clone();
        self.0.tasks.spawn(async move {
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                me.fail("the command crashed, which is a defect of tau");
            }
        });
    }

    /// Whether the response is not that of the command's method.
    pub(super) fn answers_later(&self) -> bool {
        self.0.later.load(Ordering::Acquire)
    }

    /// See [`Writer::together`].
    pub(super) fn together(&self) -> Together<'_> {
        self.0.writer.together()
    }

    /// Writes the response, if there was none.
    pub(super) fn respond<R: Request>(&self, done: Result<R::Answer, Failure>) {
        let data = match done {
            Ok(data) => data,
            Err(Failure(why)) => return self.fail(&why),
        };
        let nothing = TypeId::of::<R::Answer>() == TypeId::of::<Done>();
        match success_line(self.id(), &self.0.name, (!nothing).then_some(&data)) {
            Ok(line) => self.write(line),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    pub(super) fn fail(&self, why: &str) {
        self.write(failure_line(self.id(), &self.0.name, why));
    }

    fn write(&self, line: Vec<u8>) {
        if !self.0.answered.swap(true, Ordering::AcqRel) {
            self.0.writer.push(Item::Line(line));
        }
    }
}
