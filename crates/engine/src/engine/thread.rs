//! The thread an engine lives on, and the handle others hold.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::activity::LossSink;
use super::{Activity, Core, EngineOptions, ExtensionId, Fault, Limits, Whose};
use crate::loader::transform::{THREAD_STACK, stack};
use crate::ops::Completion;

type Task = Box<dyn FnOnce(&Rc<Core>) + Send>;

enum Message {
    Do(Task),
    /// End when nothing is under way any more, or after this long.
    End(Duration),
    Stop,
}

/// The engine has ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the JavaScript engine has ended")]
pub struct EngineGone;

/// A running engine. Dropping the last handle ends it.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    inbox: UnboundedSender<Message>,
    activity: Arc<Activity>,
    stretches: AtomicU64,
    /// The engine was told to end by itself.
    ending: AtomicBool,
}

/// A handle that does not keep the engine running.
#[derive(Clone, Default)]
pub struct WeakEngine(Weak<Inner>);

impl WeakEngine {
    /// The engine, while somebody keeps it.
    pub fn upgrade(&self) -> Option<Engine> {
        self.0.upgrade().map(|inner| Engine { inner })
    }

    /// Whether both are handles of one engine.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

/// Stops a stretch when it is dropped before the stretch was done.
pub struct StopOnDrop {
    activity: Arc<Activity>,
    tag: u64,
}

impl StopOnDrop {
    /// The stretch is done.
    pub fn disarm(mut self) {
        self.tag = 0;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if self.tag != 0 {
            self.activity.end(Whose::Call(self.tag));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.ending.load(Ordering::Relaxed) {
            // A thread that has ended need not be told.
            let _ = self.inbox.send(Message::Stop);
            self.activity.cut(Whose::Any);
        }
    }
}

impl Engine {
    /// Starts an engine; returns at once, the runtime comes up on its own thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(options: EngineOptions) -> std::io::Result<Self> {
        let (inbox, messages) = unbounded_channel();
        let limits = Arc::new(Limits::new(options.stretch));
        let activity = Activity::new(limits);
        let inner = Arc::new(Inner {
            inbox,
            activity: Arc::clone(&activity),
            stretches: AtomicU64::new(1),
            ending: AtomicBool::new(false),
        });
        let weak = WeakEngine(Arc::downgrade(&inner));
        // The parsers and the regular expression engine recurse on the native stack.
        let thread = std::thread::Builder::new().name("tau-js".to_owned()).stack_size(THREAD_STACK);
        thread.spawn(move || {
            stack::begin(THREAD_STACK);
            activity.begin();
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => {
                    tracing::error!(%error, "the JavaScript engine has no event loop");
                    return;
                }
            };
            let local = tokio::task::LocalSet::new();
            let ended = runtime.block_on(local.run_until(async {
                match Core::new(&options, activity, weak) {
                    Ok((core, completions)) => {
                        let completions = pump(&core, messages, completions).await;
                        Some((core, completions))
                    }
                    Err(error) => {
                        tracing::error!(%error, "the JavaScript engine does not start");
                        None
                    }
                }
            }));
            // Tasks that wait for processes and sockets, and what they had to tell, hold values of the runtime: they
            // go before it.
            drop(local);
            if let Some((core, completions)) = ended {
                drop(completions);
                drop(core);
            }
            runtime.shutdown_background();
        })?;
        Ok(Self { inner })
    }

    /// Sends work to the engine's thread and waits for its result.
    ///
    /// # Errors
    /// When the engine has ended, or ends before it got to the work.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Rc<Core>) -> T + Send + 'static,
    ) -> Result<T, EngineGone> {
        let (sender, result) = oneshot::channel();
        self.post(move |core| {
            // The one that waits may have given up.
            let _ = sender.send(work(core));
        })?;
        self.activity().answer(result).await.ok_or(EngineGone)
    }

    /// Sends work to the engine's thread.
    ///
    /// # Errors
    /// When the engine has ended, or is lost.
    pub fn post(&self, work: impl FnOnce(&Rc<Core>) + Send + 'static) -> Result<(), EngineGone> {
        if self.inner.activity.is_lost() {
            return Err(EngineGone);
        }
        self.inner.inbox.send(Message::Do(Box::new(work))).map_err(|_| EngineGone)
    }

    /// A handle that does not keep the engine running.
    pub fn downgrade(&self) -> WeakEngine {
        WeakEngine(Arc::downgrade(&self.inner))
    }

    /// A tag for the stretches of one call.
    pub fn stretch(&self) -> u64 {
        self.inner.stretches.fetch_add(1, Ordering::Relaxed)
    }

    /// Stops the stretches of a tag when it is dropped.
    pub fn stop_on_drop(&self, tag: u64) -> StopOnDrop {
        StopOnDrop { activity: Arc::clone(&self.inner.activity), tag }
    }

    /// What its thread is at.
    pub fn activity(&self) -> &Arc<Activity> {
        &self.inner.activity
    }

    /// Says who is told when the engine does not answer any more.
    pub fn on_loss(&self, sink: LossSink) {
        self.inner.activity.set_sink(sink);
    }

    /// Ends the stretch of JavaScript that is running, if one is, with the synchronous child it waits for.
    pub fn interrupt(&self) {
        self.inner.activity.end(Whose::Any);
    }

    /// Ends the engine as soon as calls that are under way have come back, and after `grace` in any case. Timers,
    /// servers and processes of extensions end at once.
    pub fn stop_within(&self, grace: Duration) {
        self.inner.ending.store(true, Ordering::Relaxed);
        // A thread that has ended need not be told.
        let _ = self.inner.inbox.send(Message::End(grace));
        // The thread does not see that its time is over while it waits for something.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let activity = Arc::clone(&self.inner.activity);
            runtime.spawn(async move {
                tokio::time::sleep(grace).await;
                activity.end(Whose::Any);
            });
        }
    }

    /// Ends the engine: calls under way fail, timers, servers and processes of extensions end.
    pub fn stop(&self) {
        // A thread that has ended need not be told.
        let _ = self.inner.inbox.send(Message::Stop);
        self.inner.activity.end(Whose::Any);
    }
}

/// Runs whatever is next until the engine is told to stop.
async fn pump(
    core: &Rc<Core>,
    mut messages: UnboundedReceiver<Message>,
    mut completions: UnboundedReceiver<Completion>,
) -> UnboundedReceiver<Completion> {
    let timers = Rc::clone(core.host().timers());
    let mut end: Option<tokio::time::Instant> = None;
    let mut abandoned = false;
    loop {
        // A thread that comes back after its engine was given up has nothing left to do.
        if (end.is_some() && core.is_idle()) || core.activity().is_lost() {
            break;
        }
        if core.has_jobs() {
            core.run_jobs();
        }
        if timers.immediates() > 0 {
            turn(core, &mut completions).await;
        }
        tokio::select! {
            message = messages.recv(), if !abandoned => match message {
                Some(Message::Do(task)) => task(core),
                Some(Message::End(grace)) => {
                    core.quiet();
                    end = Some(tokio::time::Instant::now() + grace);
                }
                // All handles are gone; what is under way may still come to its end.
                None if end.is_some() => abandoned = true,
                Some(Message::Stop) | None => break,
            },
            Some(completion) = completions.recv() => complete(core, completion),
            // What asked for an immediate and for a timer gets the immediate first.
            (id, extension) = timers.next(), if timers.immediates() == 0 => fire(core, id, extension),
            () = std::future::ready(()), if timers.immediates() > 0 => {}
            () = tokio::time::sleep_until(end.unwrap_or_else(tokio::time::Instant::now)), if end.is_some() => break,
            () = std::future::ready(()), if core.has_jobs() => {}
        }
    }
    core.close("the session ended or was reloaded");
    completions
}

/// One turn while immediates wait: what ops have to tell, then the immediates there are now, then the timers that are
/// due. An immediate of an op's callback thus runs before any timer of it, and immediates that ask for immediates
/// starve nobody.
async fn turn(core: &Rc<Core>, completions: &mut UnboundedReceiver<Completion>) {
    tokio::task::yield_now().await;
    for _ in 0..completions.len() {
        if let Ok(completion) = completions.try_recv() {
            complete(core, completion);
        }
    }
    let timers = core.host().timers();
    for _ in 0..timers.immediates() {
        if let Some((id, extension)) = timers.next_immediate() {
            fire(core, id, extension);
        }
    }
    let now = tokio::time::Instant::now();
    while let Some((id, extension)) = timers.due(now) {
        fire(core, id, extension);
    }
}

fn complete(core: &Rc<Core>, (extension, settle): Completion) {
    if core.hears(extension) {
        in_stretch(core, extension, |ctx| settle(ctx))
    } else {
        // It holds values of the engine.
        core.enter(extension, |_| drop(settle))
    }
}

fn fire(core: &Rc<Core>, id: u32, extension: ExtensionId) {
    in_stretch(core, extension, |ctx| core.host().callbacks().fire_timer(ctx, id));
}

/// A stretch whose failure belongs to no call.
fn in_stretch(core: &Rc<Core>, extension: ExtensionId, work: impl FnOnce(&rquickjs::Ctx<'_>) -> rquickjs::Result<()>) {
    core.enter_unasked(extension, |ctx| match work(ctx).and_then(|()| core.is_whole(ctx)) {
        Ok(()) => None,
        Err(rquickjs::Error::Exception) => Some(Fault::caught(ctx, core, extension)),
        Err(error) => Some(Fault { message: error.to_string(), ..Fault::gone(extension, "") }),
    });
}
