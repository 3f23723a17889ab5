//! One call, or one visit, within its limits.
#![expect(
    clippy::disallowed_methods,
    reason = "a handler that is left behind stays on the runtime on which it was called"
)]

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Dispatcher, Scope};
use crate::context::Ctx;
use crate::dialect::Rule;
use crate::error::HandlerError;
use crate::events::EventId;
use crate::future::BoxFuture;
use crate::handler::visit::{Quiet, Step, Visit};
use crate::handler::{AnyOutput, AnyPayload, Callable, HeldUp, Registration, RemoteHandler};
use crate::limits::{CallClock, Limits};
use crate::mode::Mode;
use crate::owner::Owner;
use crate::report::{Report, ReportKind};
use crate::table::Deadline;

/// What calling one or several neighbouring handlers came to.
pub(super) struct Answered {
    /// Those that said nothing.
    pub(super) quiet: Vec<Quiet>,
    /// How long the one took that stands behind them.
    pub(super) took: Duration,
    /// What it said.
    pub(super) answer: Result<AnyOutput, HandlerError>,
}

/// Neighbours that are called one after the other, and the payload they get.
pub(super) struct Calls<'a> {
    pub(super) handlers: &'a [Registration],
    /// The handler to begin with, for the first payload.
    pub(super) first: usize,
    pub(super) payloads: &'a [&'a dyn AnyPayload],
    pub(super) event: EventId,
    pub(super) rule: Rule,
}

/// What is at work while the dispatcher waits.
struct AtWork<'a> {
    handlers: &'a [Registration],
    clock: &'a CallClock,
    visit: Option<&'a Arc<Visit>>,
    event: EventId,
    limit: Limit,
}

/// How long a handler may take.
#[derive(Clone, Copy)]
struct Limit {
    deadline: Deadline,
    /// What is left of it; `None` is as long as it wants.
    hard: Option<Duration>,
}

/// The one call when there is no visit.
const ALONE: Step = Step { handler: 0, payload: 0 };

impl AtWork<'_> {
    fn at(&self) -> Step {
        self.visit.map_or(ALONE, |visit| visit.at())
    }

    fn handler(&self, at: Step) -> &Registration {
        self.handlers.get(at.handler).unwrap_or(&self.handlers[0])
    }

    fn clock(&self, at: Step) -> CallClock {
        self.visit.and_then(|visit| visit.clock(at)).unwrap_or(self.clock).clone()
    }

    /// The call as it is left behind.
    fn left(&self, at: Step) -> Left {
        let remote = |visit: &Arc<Visit>| {
            let (handler, _) = visit.calls().get(at.handler)?;
            Some((Arc::clone(handler), Arc::clone(visit)))
        };
        Left { remote: self.visit.and_then(remote) }
    }

    /// Gives up on one handler, if it is still that one.
    fn give_up_on(&self, at: Step) -> bool {
        self.visit.is_none_or(|visit| visit.close_at(at))
    }

    /// Gives up on whichever handler is at work.
    fn give_up(&self) -> Step {
        self.visit.map_or(ALONE, |visit| visit.close())
    }
}

/// A call that nobody waits for any more.
struct Left {
    /// The handler and its visit, where it lives elsewhere.
    remote: Option<(Arc<dyn RemoteHandler>, Arc<Visit>)>,
}

impl Left {
    /// Ends what keeps the place of the handler busy on its behalf.
    fn cut(&self, held_up: bool) -> Option<String> {
        let (handler, visit) = self.remote.as_ref()?;
        handler.cut(visit, held_up)
    }

    /// Whether it waits only because the place of the handler is busy with something else.
    fn held_up(&self) -> Option<HeldUp> {
        let (handler, visit) = self.remote.as_ref()?;
        handler.held_up(visit)
    }

    /// Goes on without anybody. What of it keeps others from being called ends with its limit all the same: it may have
    /// begun only now, or was never waited for.
    async fn within(self, limit: Option<Duration>, future: impl Future<Output = ()>) {
        let mut future = std::pin::pin!(future);
        let Some(limit) = limit.filter(|_| self.remote.is_some()) else { return future.await };
        loop {
            tokio::select! {
                biased;
                () = &mut future => return,
                () = tokio::time::sleep(limit.max(LEAST)) => drop(self.cut(false)),
            }
        }
    }
}

/// Several looks at what a handler that takes long is at. One look would show whoever is at work at that very moment, and
/// those who share a place take turns.
struct Looks {
    at: Step,
    /// How long the handler had taken when they began.
    elapsed: Duration,
    count: usize,
    /// Who kept it waiting, with how often that was seen.
    by: Vec<(HeldUp, usize)>,
}

impl Looks {
    /// How many there are.
    const MOST: usize = 15;
    /// What lies between two.
    const PAUSE: Duration = Duration::from_millis(10);

    /// Takes in what was seen; whether that was the last look.
    fn again(&mut self, held_up: Option<HeldUp>) -> bool {
        self.count += 1;
        if let Some(held_up) = held_up {
            let owner = |held_up: &HeldUp| held_up.by.as_ref().map(Arc::as_ptr);
            match self.by.iter_mut().find(|(known, _)| owner(known) == owner(&held_up)) {
                Some((_, seen)) => *seen += 1,
                None => self.by.push((held_up, 1)),
            }
        }
        self.count >= Self::MOST
    }

    /// Who kept it waiting most of the time, if anybody did.
    fn held_up(mut self) -> Option<HeldUp> {
        let waited: usize = self.by.iter().map(|(_, seen)| seen).sum();
        self.by.sort_by_key(|(_, seen)| *seen);
        self.by.pop().filter(|_| waited * 2 > self.count).map(|(held_up, _)| held_up)
    }
}

/// The shortest time between two looks at a call that was left behind.
const LEAST: Duration = Duration::from_millis(100);

/// How many handlers a visit may call at least after one that ended early. A handler that has to be waited for ends a
/// visit, and what was made ready for those behind it is made again: if that were all of them each time, handlers that wait
/// would cost the square of their number.
pub(super) const VISIT: usize = 64;

impl Dispatcher {
    /// How many of the handlers can be called in one visit, the first included and not more than `most`.
    pub(super) fn neighbours(&self, handlers: &[Registration], rule: Rule, most: usize) -> usize {
        let Some(Callable::Remote(first)) = handlers.first().map(|first| &first.handler) else { return 1 };
        // What all share is handed out call by call.
        if rule.deadline == Deadline::Shutdown {
            return 1;
        }
        let joins = |next: &&Registration| {
            matches!(&next.handler, Callable::Remote(other) if first.joins(&**other)) && !self.is_left_behind(next.id)
        };
        1 + handlers.iter().take(most).skip(1).take_while(joins).count()
    }

    fn context(&self, scope: &Scope, owner: &Arc<Owner>, clock: &CallClock) -> Ctx {
        let ui = self.ui.ui_for(Arc::clone(owner), clock.clone(), scope.cancel.clone()).about(scope.tool_call.clone());
        // The extensions of a child are asked in its own session, which says so when it hands the question on.
        let child = scope.host.child().map(|child| child.name).filter(|name| self.child_name() != Some(name));
        let ui = ui.on_behalf_of(child);
        let (host, cancel) = (Arc::clone(&scope.host), scope.cancel.clone());
        Ctx::new(host, Arc::clone(owner), ui, clock.clone(), cancel, false)
    }

    /// Calls handlers that are neighbours, for each payload. A handler that answers at its first poll costs neither timer nor
    /// task.
    pub(super) async fn call(&self, scope: &Scope, calls: Calls<'_>, budget: &mut Budget) -> Answered {
        let Calls { handlers, first, payloads, event, rule } = calls;
        let started = Instant::now();
        let registration = &handlers[first];
        let clock = CallClock::start();
        let (visit, future) = match &registration.handler {
            Callable::Local(handler) => {
                let call = || handler.call(payloads[0], self.context(scope, &registration.owner, &clock));
                (None, std::panic::catch_unwind(AssertUnwindSafe(call)))
            }
            Callable::Remote(handler) => {
                let visit = Visit::new(self.contexts(scope, handlers, first, &clock), payloads.len(), first);
                let future = std::panic::catch_unwind(AssertUnwindSafe(|| handler.visit(&visit, payloads)));
                (Some(visit), future)
            }
        };
        let answer = match future.map_err(panicked) {
            Err(panicked) => Err(panicked),
            Ok(mut future) => match poll_once(&mut future).await {
                Poll::Ready(Ok(answer)) => answer,
                Poll::Ready(Err(panic)) => Err(panicked(panic)),
                Poll::Pending => {
                    let limit = Limit { deadline: rule.deadline, hard: budget.hard(rule.deadline) };
                    let at_work = AtWork { handlers, clock: &clock, visit: visit.as_ref(), event, limit };
                    self.wait(scope, &at_work, future).await
                }
            },
        };
        budget.spend(rule.deadline, &clock);
        let (quiet, entered) = visit.map_or((Vec::new(), started), |visit| visit.times());
        Answered { quiet, took: entered.elapsed(), answer }
    }

    /// The handlers with a context for each extension; `clock` is that of the first call.
    fn contexts(
        &self,
        scope: &Scope,
        handlers: &[Registration],
        first: usize,
        clock: &CallClock,
    ) -> Vec<(Arc<dyn RemoteHandler>, Ctx)> {
        let begins = &handlers[first].owner;
        let mut ctx: Option<Ctx> = None;
        let calls = handlers.iter().filter_map(|registration| {
            let Callable::Remote(handler) = &registration.handler else {
                tau_ai::broken("a visit goes to a handler that lives here");
                return None;
            };
            let known = ctx.take().filter(|ctx| Arc::ptr_eq(ctx.owner(), &registration.owner));
            let made = known.unwrap_or_else(|| {
                if Arc::ptr_eq(begins, &registration.owner) {
                    self.context(scope, begins, clock)
                } else {
                    self.context(scope, &registration.owner, &CallClock::start())
                }
            });
            ctx = Some(made.clone());
            Some((Arc::clone(handler), made))
        });
        calls.collect()
    }

    async fn wait(
        &self,
        scope: &Scope,
        at_work: &AtWork<'_>,
        future: BoxFuture<Result<AnyOutput, HandlerError>>,
    ) -> Result<AnyOutput, HandlerError> {
        let (event, Limit { deadline, hard }) = (at_work.event, at_work.limit);
        let entry = Running::enter(self, at_work, event);
        let soft = self.limits.read().soft;
        let mut future = AssertUnwindSafe(future).catch_unwind();
        let mut warned = None;
        let mut looks: Option<Looks> = None;
        let (at, gave_up) = loop {
            let at = at_work.at();
            let clock = at_work.clock(at);
            tokio::select! {
                biased;
                answer = &mut future => return answer.map_err(panicked).and_then(|answer| answer),
                () = scope.cancel.cancelled() => break (at_work.give_up(), HandlerError::Aborted),
                () = entry.skip.cancelled() => break (at_work.give_up(), HandlerError::Skipped),
                () = passed(&clock, hard) => {
                    // The one this was about may have answered since.
                    if at_work.give_up_on(at) {
                        break (at, deadline.passed(hard.unwrap_or_default()));
                    }
                }
                () = tokio::time::sleep(Looks::PAUSE), if looks.as_ref().is_some_and(|looks| looks.at == at) => {
                    let Some(look) = &mut looks else { continue };
                    if look.again(at_work.left(at).held_up()) {
                        self.warn(at_work, event, looks.take());
                    }
                }
                // Another handler may be at work by now.
                () = tokio::time::sleep(soft), if warned == Some(at) && at_work.visit.is_some() => {}
                () = clock.passed(soft), if warned != Some(at) => {
                    if at_work.at() == at {
                        warned = Some(at);
                        looks = Some(Looks { at, elapsed: clock.elapsed(), count: 0, by: Vec::new() });
                        if at_work.visit.is_none() {
                            self.warn(at_work, event, looks.take());
                        }
                    }
                }
            }
        };
        // What it waited for need not have shown yet.
        self.warn(at_work, event, looks.filter(|looks| looks.at == at && looks.count > 0));
        let left = at_work.left(at);
        // Whoever aborts tells what runs.
        let doing = match gave_up {
            HandlerError::Aborted => None,
            _ => left.cut(true),
        };
        let limit = self.limits.read().hard(deadline, scope.host.mode());
        let future = left.within(limit, future.map(drop));
        self.leave_behind(at_work.handler(at).id, &gave_up, event, future);
        Err(gave_up.while_doing(doing))
    }

    /// Says that a handler takes long, or who keeps it waiting.
    fn warn(&self, at_work: &AtWork<'_>, event: EventId, looks: Option<Looks>) {
        if let Some(looks) = looks {
            self.reports.send(&slow(at_work.handler(looks.at), event, looks.elapsed, looks.held_up()));
        }
    }

    /// Lets a handler go on by itself. Cutting it off in the middle could leave its own state half-changed.
    fn leave_behind(
        &self,
        registration: u64,
        why: &HandlerError,
        event: EventId,
        future: impl Future<Output = ()> + Send + 'static,
    ) {
        let late = matches!(why, HandlerError::TimedOut(..) | HandlerError::HookTimedOut(_));
        let observes = event.row().deadline == Deadline::Observe && late;
        if !observes {
            tokio::spawn(future);
            return;
        }
        // Waiting for the same hung observer at every event would stop the session for good.
        let (left, any) = (Arc::clone(&self.left_behind), Arc::clone(&self.any_left_behind));
        left.lock().insert(registration);
        any.store(true, Ordering::Release);
        tokio::spawn(async move {
            future.await;
            let mut left = left.lock();
            left.remove(&registration);
            any.store(!left.is_empty(), Ordering::Release);
        });
    }
}

fn slow(registration: &Registration, event: EventId, elapsed: Duration, held_up: Option<HeldUp>) -> Report {
    let owner = &registration.owner;
    let (culprit, kind) = match held_up {
        None => (None, ReportKind::Slow(elapsed)),
        Some(HeldUp { by: None }) => (None, ReportKind::HeldUp(elapsed)),
        Some(HeldUp { by: Some(by) }) => (Some(by), ReportKind::HoldsUp(elapsed, Arc::clone(&owner.path))),
    };
    Report {
        extension: Arc::clone(culprit.as_ref().map_or(&owner.path, |by| &by.path)),
        event: owner.dialect.name_of(event).to_owned(),
        kind,
        location: culprit.is_none().then(|| registration.location.to_string()),
        failures: owner.dialect.failures,
    }
}

/// What is left of limits that several handlers share.
pub(super) struct Budget {
    limits: Limits,
    mode: Mode,
    spent: Duration,
}

impl Budget {
    pub(super) fn new(limits: &Limits, mode: Mode) -> Self {
        Self { limits: limits.clone(), mode, spent: Duration::ZERO }
    }

    fn hard(&self, deadline: Deadline) -> Option<Duration> {
        let limit = self.limits.hard(deadline, self.mode)?;
        Some(match deadline {
            Deadline::Shutdown => limit.saturating_sub(self.spent),
            Deadline::Observe | Deadline::Decide | Deadline::Hook | Deadline::Unlimited => limit,
        })
    }

    /// Takes off what a call has used: the time that counts, so not that of a dialog.
    fn spend(&mut self, deadline: Deadline, clock: &CallClock) {
        if deadline == Deadline::Shutdown {
            self.spent += clock.elapsed();
        }
    }
}

async fn passed(clock: &CallClock, limit: Option<Duration>) {
    match limit {
        Some(limit) => clock.passed(limit).await,
        None => std::future::pending().await,
    }
}

impl Deadline {
    /// The failure of a handler that took longer.
    pub fn passed(self, limit: Duration) -> HandlerError {
        match self {
            Self::Hook => HandlerError::HookTimedOut(limit),
            Self::Observe | Self::Decide | Self::Shutdown | Self::Unlimited => {
                HandlerError::TimedOut(limit, self.setting().unwrap_or("no setting"))
            }
        }
    }
}

type Panic = Box<dyn std::any::Any + Send>;

async fn poll_once<T>(future: &mut BoxFuture<T>) -> Poll<Result<T, Panic>> {
    std::future::poll_fn(|cx| {
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| future.poll_unpin(cx)));
        Poll::Ready(match polled {
            Ok(Poll::Ready(answer)) => Poll::Ready(Ok(answer)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(panic)),
        })
    })
    .await
}

pub(crate) fn panicked(panic: Panic) -> HandlerError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "of unknown cause".to_owned());
    HandlerError::Panicked(message)
}

/// A call in the list of running calls.
pub(super) struct Entry {
    id: u64,
    event: EventId,
    extension: Arc<str>,
    visit: Option<Arc<Visit>>,
    skip: CancellationToken,
}

impl Entry {
    /// Who is at work.
    fn extension(&self) -> Arc<str> {
        let visited = self
            .visit
            .as_ref()
            .and_then(|visit| Some(Arc::clone(&visit.calls().get(visit.at().handler)?.1.owner().path)));
        visited.unwrap_or_else(|| Arc::clone(&self.extension))
    }
}

/// A call that is still at work.
#[derive(Debug, Clone)]
pub struct RunningCall {
    /// For [`Dispatcher::skip`].
    pub id: u64,
    /// The extension's file, or `<native:name>`.
    pub extension: Arc<str>,
    /// The event.
    pub event: EventId,
}

impl Dispatcher {
    /// The calls that are still at work and did not answer at once.
    pub fn running(&self) -> Vec<RunningCall> {
        let running = self.running.lock();
        running
            .iter()
            .map(|entry| RunningCall { id: entry.id, extension: entry.extension(), event: entry.event })
            .collect()
    }

    /// Goes on without waiting for a call; names the extension that was left behind.
    pub fn skip(&self, id: u64) -> Option<Arc<str>> {
        let running = self.running.lock();
        let entry = running.iter().find(|entry| entry.id == id)?;
        entry.skip.cancel();
        Some(entry.extension())
    }
}

/// Keeps a call in the list of running calls while it lives.
struct Running<'a> {
    dispatcher: &'a Dispatcher,
    id: u64,
    skip: CancellationToken,
}

impl<'a> Running<'a> {
    fn enter(dispatcher: &'a Dispatcher, at_work: &AtWork<'_>, event: EventId) -> Self {
        let id = dispatcher.next_id.fetch_add(1, Ordering::Relaxed);
        let skip = CancellationToken::new();
        let extension = Arc::clone(&at_work.handler(at_work.at()).owner.path);
        let entry = Entry { id, event, extension, visit: at_work.visit.cloned(), skip: skip.clone() };
        dispatcher.running.lock().push(entry);
        Self { dispatcher, id, skip }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.dispatcher.running.lock().retain(|call| call.id != self.id);
    }
}
