//! What an engine's thread is at, for other threads that want it to stop.
//!
//! A stretch that has to end is asked to by its interrupt, and what it waits for is ended. That is not always enough:
//! some calls of the engine never ask whether they must stop, and some calls of the system never return. A thread that
//! does not answer within a grace cannot be helped, nor can one that has no memory left, so its engine is *lost*: whoever waits for it is told at once,
//! nothing is sent there any more, and the thread is left behind. Should it come back, it ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::Pid;
use tau_sys::process::{Handle, kill_group};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::tenant::Tenant;
use super::{ExtensionId, Limits};
use crate::raw::ThreadClock;

/// How often somebody who waits for an engine looks whether it still answers.
const LOOK: Duration = Duration::from_millis(500);

/// How much processor time past its limit a stretch may take before it is plain that it does not ask.
const OVERTIME: Duration = Duration::from_secs(2);

/// How long a stretch that was told to end may take to do so.
const GRACE: Duration = Duration::from_secs(3);

/// How long a stretch may go on by itself when the user stops what is under way: most are over by then.
const PATIENCE: Duration = Duration::from_millis(200);

/// The terminal of the user, lent to an extension.
pub trait Loan: Send + Sync {
    /// Whether the extension has it.
    fn is_held(&self) -> bool;
    /// The extension gives it back.
    fn end(&self);
}

/// What the thread of an engine is at. Its own thread writes, others read.
pub struct Activity {
    limits: Arc<Limits>,
    made: Instant,
    /// On whose behalf JavaScript runs.
    extension: AtomicU32,
    /// Whose code was last seen at work in the jobs of the running stretch; zero when nobody looked.
    at_work: AtomicU32,
    /// What handlers are called for, as a number of the guest plus one.
    task: AtomicU32,
    /// What the thread waits for in the middle of a stretch.
    waiting: Mutex<Option<Arc<Waiting>>>,
    /// Process groups that end with the engine.
    groups: Mutex<HashMap<Pid, Handle>>,
    tenants: Mutex<HashMap<u32, Tenant>>,
    /// The one owner, when there is no other; zero otherwise.
    only: AtomicU32,
    thread: Mutex<Option<Thread>>,
    lost: CancellationToken,
    /// Who was lent the terminal of the user, by the number of the extension.
    loans: Mutex<Vec<(ExtensionId, Box<dyn Loan>)>>,
    /// Is told of the loss, once.
    sink: Mutex<Option<LossSink>>,
}

struct Thread {
    clock: Option<ThreadClock>,
    id: Pid,
}

/// Is told that an engine is lost.
pub type LossSink = Box<dyn FnOnce(Loss) + Send>;

/// An engine that does not answer any more.
pub struct Loss {
    /// Whose code it is stuck in.
    pub culprit: Option<Tenant>,
    /// What it was called for, as a number of the guest.
    pub task: Option<u32>,
    /// What it waits for, if that is known.
    pub waiting: Option<String>,
    /// Why it was given up.
    pub why: Why,
    /// Every extension that lived there.
    pub tenants: Vec<Tenant>,
}

/// Why an engine is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It does not get to ask whether it must stop.
    Silent,
    /// It wanted more memory than there is.
    Starved,
    /// An extension that was stopped left more jobs than can be cleared.
    Flooded,
}

/// Something that the engine's thread waits for and that others can end.
pub struct Waiting {
    /// Such as "the command `make`".
    what: String,
    /// It belongs to a call without a limit, such as that of a tool.
    excused: bool,
    ended: CancellationToken,
    group: Mutex<Option<Pid>>,
}

impl Waiting {
    /// Fires when somebody wants it to end.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Whether somebody ended it.
    pub fn is_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Says which processes are waited for; none when they are over.
    pub fn set_group(&self, group: Option<Pid>) {
        *self.group.lock() = group;
        if self.is_ended() {
            self.end();
        }
    }

    /// It took all the time there is for it.
    pub fn give_up(&self) {
        self.end();
    }

    fn end(&self) {
        self.ended.cancel();
        if let Some(group) = *self.group.lock() {
            kill_group(group);
        }
    }
}

/// Which stretches somebody wants to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Whatever runs.
    Any,
    /// That of a call, by its tag.
    Call(u64),
    /// That of a call, and what keeps it waiting and belongs to no call.
    CallOrNobody(u64),
}

impl Activity {
    /// That of an engine with these limits, which has not begun.
    pub fn new(limits: Arc<Limits>) -> Arc<Self> {
        Arc::new(Self {
            limits,
            made: Instant::now(),
            extension: AtomicU32::new(0),
            at_work: AtomicU32::new(0),
            task: AtomicU32::new(0),
            waiting: Mutex::default(),
            groups: Mutex::default(),
            tenants: Mutex::default(),
            only: AtomicU32::new(0),
            thread: Mutex::default(),
            lost: CancellationToken::new(),
            loans: Mutex::default(),
            sink: Mutex::default(),
        })
    }

    /// How long the engine has been there.
    pub fn age(&self) -> Duration {
        self.made.elapsed()
    }

    /// The calling thread is the engine's.
    pub fn begin(&self) {
        #[cfg(target_os = "linux")]
        let id = rustix::thread::gettid();
        #[cfg(not(target_os = "linux"))]
        let id = rustix::process::getpid();
        *self.thread.lock() = Some(Thread { clock: ThreadClock::own(), id });
    }

    /// Says who is told when the engine is lost.
    pub fn set_sink(&self, sink: LossSink) {
        *self.sink.lock() = Some(sink);
    }

    /// Says who an extension is.
    pub fn name(&self, extension: ExtensionId, tenant: Tenant) {
        let mut owners = self.tenants.lock();
        owners.insert(extension.0, tenant);
        self.only.store(if owners.len() == 1 { extension.0 } else { 0 }, Ordering::Relaxed);
    }

    /// The extension that lives here, if there is one and no other.
    pub fn only_extension(&self) -> Option<ExtensionId> {
        match self.only.load(Ordering::Relaxed) {
            0 => None,
            only => Some(ExtensionId(only)),
        }
    }

    /// The file that an extension begins with.
    pub fn path_of(&self, extension: ExtensionId) -> Option<Arc<str>> {
        self.tenants.lock().get(&extension.0).map(|owner| Arc::clone(&owner.path))
    }

    /// The names of the extensions that live here.
    pub fn names(&self) -> Vec<Arc<str>> {
        let mut owners: Vec<(u32, Arc<str>)> =
            self.tenants.lock().iter().map(|(id, owner)| (*id, owner.name.clone())).collect();
        owners.sort_by_key(|(id, _)| *id);
        owners.into_iter().map(|(_, name)| name).collect()
    }

    /// JavaScript runs on behalf of another extension from now on.
    pub fn set_extension(&self, extension: ExtensionId) {
        self.extension.store(extension.0, Ordering::Relaxed);
    }

    /// Code of this extension was seen at work in a job; of none when a stretch begins or ends.
    pub fn set_at_work(&self, extension: Option<ExtensionId>) {
        self.at_work.store(extension.map_or(0, |extension| extension.0), Ordering::Relaxed);
    }

    /// Handlers are called from now on for this, which is a number of the guest; for nothing when it is none.
    pub fn set_task(&self, task: Option<u32>) {
        self.task.store(task.map_or(0, |task| task.saturating_add(1)), Ordering::Relaxed);
    }

    /// The thread waits for something in the middle of a stretch.
    pub fn waits(&self, what: String, excused: bool) -> Waits<'_> {
        let waiting = Arc::new(Waiting { what, excused, ended: CancellationToken::new(), group: Mutex::default() });
        *self.waiting.lock() = Some(Arc::clone(&waiting));
        // Whoever told the stretch to end before this looked for something to end and found nothing.
        if self.limits.is_tripped() {
            waiting.end();
        }
        Waits { activity: self, waiting }
    }

    /// An extension has the terminal of the user, as long as the loan says so.
    pub fn lend(&self, extension: ExtensionId, loan: Box<dyn Loan>) {
        let mut loans = self.loans.lock();
        loans.retain(|(_, loan)| loan.is_held());
        loans.push((extension, loan));
    }

    /// Whether JavaScript has the terminal of the user: its standard streams are there.
    pub fn has_terminal(&self) -> bool {
        self.loans.lock().iter().any(|(_, loan)| loan.is_held())
    }

    /// An extension gives the terminal back, or cannot do so itself any more. Without one, it is all of them.
    pub fn give_terminal_back(&self, extension: Option<ExtensionId>) {
        let is_meant = |id: ExtensionId| extension.is_none_or(|extension| extension == id);
        let (given, kept) = std::mem::take(&mut *self.loans.lock()).into_iter().partition(|(id, _)| is_meant(*id));
        let given: Vec<(ExtensionId, Box<dyn Loan>)> = given;
        self.loans.lock().extend::<Vec<_>>(kept);
        for (_, loan) in given {
            loan.end();
        }
    }

    /// Keeps a child that ends with the engine, and so does its group.
    pub fn keep(self: &Arc<Self>, child: Handle) -> Group {
        let group = child.pid();
        self.groups.lock().insert(group, child.clone());
        if self.is_lost() {
            child.kill();
        }
        Group { activity: Arc::clone(self), group }
    }

    /// How many groups of processes live.
    pub fn group_count(&self) -> usize {
        self.groups.lock().len()
    }

    /// Ends all groups of processes of the engine.
    pub fn end_groups(&self) {
        self.groups.lock().values().for_each(Handle::kill);
    }

    /// Ends the running stretch, with what it waits for, if it is one of those; gives its number.
    pub fn cut(&self, whose: Whose) -> Option<u64> {
        let waiting = self.waiting.lock();
        let stretch = self.limits.stretch()?;
        let running = self.limits.current_tag();
        let fits = match whose {
            Whose::Any => true,
            Whose::Call(tag) => running == tag,
            Whose::CallOrNobody(tag) => {
                running == tag || (running == 0 && waiting.as_ref().is_some_and(|waiting| !waiting.excused))
            }
        };
        if !fits {
            return None;
        }
        self.limits.trip_stretch(stretch);
        if let Some(waiting) = &*waiting {
            waiting.end();
        }
        Some(stretch)
    }

    /// As [`Activity::cut`]. An engine whose stretch goes on all the same is lost after a while.
    pub fn end(self: &Arc<Self>, whose: Whose) {
        let Some(stretch) = self.cut(whose) else { return };
        // Without an event loop nobody waits for the engine either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let me = Arc::clone(self);
            runtime.spawn(async move {
                tokio::time::sleep(GRACE).await;
                me.lose_in(stretch);
            });
        }
    }

    /// Ends whatever runs unless it is over in a moment.
    pub fn end_soon(self: &Arc<Self>) {
        let (Some(stretch), Ok(runtime)) = (self.limits.stretch(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        let me = Arc::clone(self);
        runtime.spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            if me.limits.stretch() == Some(stretch) {
                me.end(Whose::Any);
            }
        });
    }

    /// Whether what runs is the call with this tag, into this extension; none while nothing runs.
    fn is_own(&self, tag: u64, extension: ExtensionId) -> Option<bool> {
        self.limits.stretch()?;
        let running = self.limits.current_tag();
        // The jobs of a stretch may be anybody's.
        match self.at_work.load(Ordering::Relaxed) {
            0 => {}
            at_work => return Some(at_work == extension.0),
        }
        // What belongs to no call may go on with this one behind an `await`.
        Some(running == tag || (running == 0 && self.extension.load(Ordering::Relaxed) == extension.0))
    }

    /// Whether the call with this tag, into this extension, waits for something else to end at this moment, and for whom if
    /// that is known.
    pub fn held_up(&self, tag: u64, extension: ExtensionId) -> Option<Option<Tenant>> {
        (!self.is_own(tag, extension)?).then(|| self.culprit())
    }

    /// What the thread is at, as an explanation why the call with this tag, into this extension, had no answer in time;
    /// nothing when it is the call's own work, or none.
    pub fn explain(&self, tag: u64, extension: ExtensionId) -> Option<String> {
        if self.is_lost() {
            return Some(LOST.to_owned());
        }
        let waiting = self.waiting.lock().as_ref().map(|waiting| waiting.what.clone());
        let own = self.is_own(tag, extension)?;
        match (waiting, (!own).then(|| self.culprit()).flatten()) {
            (Some(what), None) => Some(format!("it waited for {what}")),
            (Some(what), Some(culprit)) => {
                Some(format!("its script engine was busy with {}, which waits for {what}", culprit.path))
            }
            (None, Some(culprit)) => Some(format!("its script engine was busy with {}", culprit.path)),
            (None, None) => None,
        }
    }

    /// The number of the running stretch; none while no JavaScript runs.
    pub fn stretch(&self) -> Option<u64> {
        self.limits.stretch()
    }

    /// On whose behalf JavaScript runs.
    pub fn extension(&self) -> ExtensionId {
        ExtensionId(self.extension.load(Ordering::Relaxed))
    }

    /// The engine's limits.
    pub fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    /// Waits for an answer of the engine's thread; none when it ends, or does not answer any more.
    pub async fn answer<T>(&self, answer: oneshot::Receiver<T>) -> Option<T> {
        tokio::select! {
            biased;
            answer = answer => answer.ok(),
            () = self.watch() => None,
        }
    }

    /// Whose code is at work.
    pub fn culprit(&self) -> Option<Tenant> {
        let at_work = match self.at_work.load(Ordering::Relaxed) {
            0 => self.extension.load(Ordering::Relaxed),
            at_work => at_work,
        };
        self.tenants.lock().get(&at_work).cloned()
    }

    /// Whether code of this extension is at work, or what it left for promises to do.
    pub fn is_at_work(&self, extension: ExtensionId) -> bool {
        let at_work = match self.at_work.load(Ordering::Relaxed) {
            0 => self.extension.load(Ordering::Relaxed),
            at_work => at_work,
        };
        self.limits.stretch().is_some() && at_work == extension.0
    }

    /// Whether the engine was given up.
    pub fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Completes when the engine is lost; looks now and then whether it is. For whoever waits for an answer.
    pub async fn watch(&self) {
        // Most answers are there before that.
        tokio::time::sleep(LOOK).await;
        let mut seen = self.look();
        while !self.is_lost() {
            tokio::select! {
                () = self.lost.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            let now = self.look();
            match now.stretch.filter(|_| now.is_same(&seen) && !self.limits.is_paused()) {
                Some(stretch) if now.spent.saturating_sub(seen.spent) >= self.limits.budget() + OVERTIME => {
                    self.lose_in(stretch);
                }
                Some(_) => {}
                None => seen = now,
            }
        }
    }

    fn look(&self) -> Seen {
        let clock = self.thread.lock().as_ref().and_then(|thread| thread.clock);
        Seen {
            stretch: self.limits.stretch(),
            polls: self.limits.polls(),
            spent: clock.and_then(ThreadClock::read).unwrap_or_else(|| self.made.elapsed()),
        }
    }

    /// Gives the engine up, if this very stretch still runs.
    fn lose_in(&self, stretch: u64) {
        if self.limits.stretch() != Some(stretch) {
            return;
        }
        // If it ever gets to ask, it stops.
        self.limits.trip_stretch(stretch);
        self.lose(Why::Silent);
    }

    /// Gives the engine up because there is no memory left for it, and it would not survive that. Its thread, which calls
    /// this, must not go on with anything of the engine.
    pub fn starve(self: &Arc<Self>) {
        let me = Arc::clone(self);
        // Whoever is told may do anything, and here nothing may fail.
        let told = std::thread::Builder::new().name("tau-js-lost".to_owned()).spawn(move || me.lose(Why::Starved));
        if told.is_err() {
            self.lose(Why::Starved);
        }
    }

    /// Gives the engine up because of this extension, of whose jobs there is no end; of none when nothing shows whose they
    /// are. Its thread calls this, and ends.
    pub fn give_up(&self, culprit: Option<ExtensionId>) {
        self.set_at_work(culprit);
        if culprit.is_none() {
            self.set_extension(ExtensionId::HOST);
        }
        // A job belongs to no event any more.
        self.task.store(0, Ordering::Relaxed);
        self.lose(Why::Flooded);
    }

    fn lose(&self, why: Why) {
        let Some(sink) = self.take_sink() else { return };
        let mut tenants: Vec<(u32, Tenant)> =
            self.tenants.lock().iter().map(|(id, tenant)| (*id, tenant.clone())).collect();
        tenants.sort_by_key(|(id, _)| *id);
        let loss = Loss {
            culprit: self.culprit(),
            task: self.task.load(Ordering::Relaxed).checked_sub(1),
            waiting: self.waiting.lock().as_ref().map(|waiting| waiting.what.clone()),
            why,
            tenants: tenants.into_iter().map(|(_, tenant)| tenant).collect(),
        };
        self.lost.cancel();
        self.end_groups();
        self.give_terminal_back(None);
        self.yield_processor();
        if let Some(sink) = sink {
            sink(loss);
        }
    }

    /// Who is told of the loss, if anybody; none when the engine is lost already.
    fn take_sink(&self) -> Option<Option<LossSink>> {
        let mut sink = self.sink.lock();
        (!self.is_lost()).then(|| sink.take())
    }

    /// The thread gets the processor only when nobody else wants it.
    fn yield_processor(&self) {
        #[cfg(target_os = "linux")]
        if let Some(thread) = &*self.thread.lock() {
            // A system that says no leaves it as it is.
            if let Err(error) = rustix::process::setpriority_process(Some(thread.id), 19) {
                tracing::debug!(%error, "the thread of a lost engine keeps its priority");
            }
        }
    }
}

/// What is said of an engine that does not answer.
pub const LOST: &str = "its script engine does not answer any more; /reload starts a fresh one";

/// The engine as it was at a moment.
struct Seen {
    stretch: Option<u64>,
    polls: u64,
    /// Processor time of its thread; time, where that cannot be had.
    spent: Duration,
}

impl Seen {
    /// Whether the same stretch ran at both moments and never asked in between.
    fn is_same(&self, other: &Self) -> bool {
        self.stretch.is_some() && self.stretch == other.stretch && self.polls == other.polls
    }
}

/// Lasts as long as the thread waits.
pub struct Waits<'a> {
    activity: &'a Activity,
    waiting: Arc<Waiting>,
}

impl Waits<'_> {
    /// What is waited for.
    pub fn waiting(&self) -> &Arc<Waiting> {
        &self.waiting
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.activity.waiting.lock().take();
    }
}

/// A group of processes that ends with the engine.
pub struct Group {
    activity: Arc<Activity>,
    group: Pid,
}

impl Drop for Group {
    fn drop(&mut self) {
        self.activity.groups.lock().remove(&self.group);
    }
}
