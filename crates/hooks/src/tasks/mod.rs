//! Work that an extension does beside its handlers, for as long as it is loaded.
//!
//! A task belongs to its extension: it is told to end when the extension is unloaded, as by a reload, and when tau ends.
//! One that a context spawned ends with the session of that context, too. A task that does not end soon after it was told
//! to is dropped where it waits, and reported, and so is one that fails or panics.

mod timers;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::context::Ctx;
use crate::dispatch::{Dispatcher, panicked};
use crate::error::HandlerError;
use crate::extension::Registrar;
use crate::future::BoxFuture;
use crate::handler::IntoOutcome;
use crate::owner::Owner;
use crate::registry::Hooks;
use crate::report::{Report, ReportKind};

/// How long a task may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(2);

/// What a task gets: how to act, and when to end.
#[derive(Clone)]
pub struct Task {
    api: Api,
    ends: CancellationToken,
    life: Life,
}

impl Task {
    /// What the extension can do.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Fires when the task has to end. Two seconds later it is dropped where it waits.
    pub fn ends(&self) -> &CancellationToken {
        &self.ends
    }

    /// A context that belongs to no event. Its signal is [`Task::ends`]. Nobody waits for a task of an extension, so its
    /// context may do what commands may; the end of a session waits for the tasks of that session.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn ctx(&self) -> Result<Ctx, ActionError> {
        self.api.ctx(self.ends.clone(), self.life == Life::Extension)
    }

    /// Waits for so long; `false` when the task has to end.
    pub async fn sleep(&self, time: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.ends.cancelled() => false,
            () = tokio::time::sleep(time) => true,
        }
    }
}

/// A task that is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningTask {
    /// The extension's file, or `<native:name>`.
    pub extension: Arc<str>,
    /// The name that the extension gave it.
    pub name: Arc<str>,
}

/// What a task lives as long as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    Extension,
    Session,
}

type Begin = Box<dyn FnOnce(Task) -> BoxFuture<Result<(), HandlerError>> + Send>;

/// A task that has not begun.
pub(crate) struct Planned {
    name: Arc<str>,
    life: Life,
    /// Taken once; the lock is there because what extensions registered is shared between threads.
    begin: Mutex<Option<Begin>>,
}

impl Planned {
    fn new<F, Fut>(name: &str, life: Life, work: F) -> Self
    where
        F: FnOnce(Task) -> Fut + Send + 'static,
        Fut: Future<Output: IntoOutcome<()>> + Send + 'static,
    {
        let begin = |task| -> BoxFuture<Result<(), HandlerError>> {
            // In the future, so that a panic of the function itself is one of the task.
            Box::pin(async move { work(task).await.into_outcome().map(drop) })
        };
        Self { name: name.into(), life, begin: Mutex::new(Some(Box::new(begin))) }
    }
}

/// The tasks of the extensions of one session.
pub struct Tasks(Arc<Shared>);

struct Shared {
    reports: Weak<Dispatcher>,
    /// Fires when no task may go on.
    all: CancellationToken,
    /// Fires when the session that is open ends.
    session: Mutex<CancellationToken>,
    state: Mutex<State>,
    count: watch::Sender<usize>,
}

struct Running {
    id: u64,
    life: Life,
    task: RunningTask,
}

#[derive(Default)]
struct State {
    runtime: Option<Handle>,
    /// What begins as soon as there is a session.
    waiting: Vec<(Api, Planned)>,
    next: u64,
    running: Vec<Running>,
}

/// Tasks do not outlive the hooks.
impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.all.cancel();
    }
}

impl Tasks {
    pub(crate) fn new(dispatcher: &Arc<Dispatcher>) -> Self {
        let all = CancellationToken::new();
        Self(Arc::new(Shared {
            reports: Arc::downgrade(dispatcher),
            session: Mutex::new(all.child_token()),
            all,
            state: Mutex::default(),
            count: watch::Sender::new(0),
        }))
    }

    /// There is a session: tasks run on this runtime from now on, and those that wait begin.
    pub(crate) fn open(&self, runtime: Handle) {
        let waiting = {
            let mut state = self.0.state.lock();
            state.runtime = Some(runtime);
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(|(api, task)| self.begin(api, task));
    }

    /// Begins a task, or lets it wait for the session.
    pub(crate) fn begin(&self, api: Api, task: Planned) {
        if self.0.all.is_cancelled() {
            return;
        }
        let mut state = self.0.state.lock();
        let Some(runtime) = state.runtime.clone() else { return state.waiting.push((api, task)) };
        let id = state.next;
        state.next += 1;
        let running = RunningTask { extension: Arc::clone(&api.owner().path), name: Arc::clone(&task.name) };
        state.running.push(Running { id, life: task.life, task: running });
        drop(state);
        self.0.count.send_modify(|count| *count += 1);
        let entry = Entry { tasks: Arc::clone(&self.0), id };
        let session = match task.life {
            Life::Extension => self.0.all.clone(),
            Life::Session => self.0.session.lock().clone(),
        };
        runtime.spawn(work(entry, api, task, session));
    }

    /// The tasks that are at work.
    pub fn running(&self) -> Vec<RunningTask> {
        self.0.state.lock().running.iter().map(|running| running.task.clone()).collect()
    }

    /// Waits until no task is at work.
    pub async fn done(&self) {
        // The sender outlives the receiver, so this only ends with a count of nothing.
        let _ = self.0.count.subscribe().wait_for(|count| *count == 0).await;
    }

    /// The session that is open ends and another may follow: ends the tasks that belong to it and waits for them, as long
    /// as a task may take.
    pub async fn end_session(&self) {
        let next = self.0.all.child_token();
        std::mem::replace(&mut *self.0.session.lock(), next).cancel();
        let before = self.0.state.lock().next;
        let is_left = || self.0.state.lock().running.iter().any(|one| one.life == Life::Session && one.id < before);
        let mut count = self.0.count.subscribe();
        // The sender outlives the receiver. Only a busy thread takes longer than the grace.
        let left = tokio::time::timeout(GRACE + GRACE / 2, count.wait_for(|_| !is_left())).await;
        if left.is_err() {
            tracing::warn!("tasks of a session go on although it has ended");
        }
    }

    /// Ends all tasks, and what waits never begins. Gives those that have not ended although they were dropped: they keep a
    /// thread busy and cannot be stopped.
    pub async fn end(&self) -> Vec<RunningTask> {
        self.0.all.cancel();
        self.0.state.lock().waiting.clear();
        // Each task ends itself after the grace, so only a busy thread takes longer.
        match tokio::time::timeout(GRACE + GRACE / 2, self.done()).await {
            Ok(()) => Vec::new(),
            Err(_) => self.running(),
        }
    }
}

/// Keeps a task in the list while it lives.
struct Entry {
    tasks: Arc<Shared>,
    id: u64,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.tasks.state.lock().running.retain(|running| running.id != self.id);
        self.tasks.count.send_modify(|count| *count -= 1);
    }
}

/// A task from its beginning to its end, whoever ends it.
async fn work(entry: Entry, api: Api, task: Planned, session: CancellationToken) {
    let (owner, ends) = (Arc::clone(api.owner()), CancellationToken::new());
    let Some(begin) = task.begin.lock().take() else { return tau_ai::broken("a task begins twice") };
    let given = Task { api, ends: ends.clone(), life: task.life };
    let mut working = Box::pin(AssertUnwindSafe(async move { begin(given).await }).catch_unwind());
    let told = async {
        tokio::select! {
            () = owner.life().cancelled() => {}
            () = session.cancelled() => {}
        }
    };
    let done = tokio::select! {
        biased;
        done = &mut working => Some(done),
        () = told => {
            ends.cancel();
            tokio::time::timeout(GRACE, &mut working).await.ok()
        }
    };
    // Its own end must not keep the count up while somebody is told.
    drop(working);
    let dispatcher = entry.tasks.reports.upgrade();
    let failure = match done {
        Some(Ok(Ok(()))) => None,
        // What it was at could not be finished any more.
        Some(Ok(Err(_))) if ends.is_cancelled() => None,
        Some(Ok(Err(error))) => Some(error),
        Some(Err(panic)) => Some(panicked(panic)),
        None => Some(HandlerError::msg(format!("did not end within {GRACE:?} after it was told to, and was dropped"))),
    };
    if let (Some(error), Some(dispatcher)) = (failure, dispatcher) {
        dispatcher.reports.send(&failed(&owner, &task.name, &error));
    }
    drop(entry);
}

/// What the user reads of a task that failed.
fn failed(owner: &Owner, name: &str, error: &HandlerError) -> Report {
    Report {
        extension: Arc::clone(&owner.path),
        event: format!("task:{name}"),
        kind: ReportKind::Error { message: error.to_string(), stack: None },
        location: None,
        failures: owner.dialect.failures,
    }
}

impl Registrar {
    /// Does something beside handlers, for as long as the extension is loaded: `registrar.spawn("index", |task| async move
    /// { … })`. It begins when the extension is registered and there is a session. `name` is what people read when it fails.
    pub fn spawn<F, Fut>(&mut self, name: &str, work: F) -> &mut Self
    where
        F: FnOnce(Task) -> Fut + Send + 'static,
        Fut: Future<Output: IntoOutcome<()>> + Send + 'static,
    {
        self.staged.tasks.push(Planned::new(name, Life::Extension, work));
        self
    }
}

impl Api {
    /// As [`Registrar::spawn`], for an extension that is loaded.
    ///
    /// # Errors
    /// When the session or the extension is gone, or the extension is still being registered.
    pub fn spawn<F, Fut>(&self, name: &str, work: F) -> Result<(), ActionError>
    where
        F: FnOnce(Task) -> Fut + Send + 'static,
        Fut: Future<Output: IntoOutcome<()>> + Send + 'static,
    {
        let hooks = self.hooks()?;
        Hooks::check_loaded(self.owner())?;
        hooks.tasks.begin(self.clone(), Planned::new(name, Life::Extension, work));
        Ok(())
    }
}

impl Ctx {
    /// As [`Api::spawn`]; the task also ends when another session takes the place of this one.
    ///
    /// # Errors
    /// As [`Api::spawn`].
    pub fn spawn<F, Fut>(&self, name: &str, work: F) -> Result<(), ActionError>
    where
        F: FnOnce(Task) -> Fut + Send + 'static,
        Fut: Future<Output: IntoOutcome<()>> + Send + 'static,
    {
        let api = self.api()?;
        Hooks::check_loaded(self.owner())?;
        api.hooks()?.tasks.begin(api, Planned::new(name, Life::Session, work));
        Ok(())
    }
}
