//! A script from its request to its end: the side that asks the host.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::host::{Answer, Ask, ScriptHost};
use super::output::Output;
use super::pool::{Place, Pool};
use super::report::{CallRecord, CallStatus, Ended, Failure, Report};
use super::script::Script;
use super::surface::Surface;
use super::worker::{self, Brief, End, Links, ToScript};

/// How many questions of one script are open at once; the others wait in their order.
const OPEN: usize = 256;

/// How long a script that was stopped may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// Questions of a script that had no answer when it ended. They are cancelled when this is dropped: the caller can first
/// note that they are unfinished.
#[must_use = "dropping it cancels what the script asked for"]
pub struct Unfinished {
    _open: FuturesUnordered<BoxFuture<'static, (u64, Option<usize>, Answer)>>,
    _life: Option<DropGuard>,
}

/// Runs a script. Never fails: the report says how it ended. When this is dropped the script ends as well.
pub async fn run(
    script: &Script,
    surface: Surface,
    host: Arc<dyn ScriptHost>,
    pool: &Pool,
    cancel: CancellationToken,
) -> (Report, Unfinished) {
    let clock = surface.sources.clock.clone();
    let began = clock.now_ms();
    let report = |ended, output, calls| {
        let wall = u64::try_from(clock.now_ms().saturating_sub(began)).unwrap_or(0);
        Report { ended, output, calls, wall: Duration::from_millis(wall) }
    };
    let nothing = || Unfinished { _open: FuturesUnordered::new(), _life: None };
    let refused = |failure| (report(Ended::Failed(failure), Output::default(), Vec::new()), nothing());
    let mut limit = Box::pin({
        let (clock, limit) = (clock.clone(), script.timeout_ms);
        async move {
            match limit {
                Some(ms) => {
                    clock.reached(began.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))).await;
                    ms
                }
                None => std::future::pending().await,
            }
        }
    });
    let place = tokio::select! {
        biased;
        () = cancel.cancelled() => return refused(Failure::Aborted),
        place = pool.enter(&clock) => match place {
            Ok(place) => place,
            Err(waited) => return refused(Failure::NoPlace { waited, places: pool.places(), stuck: pool.stuck() }),
        },
        ms = &mut limit => return refused(Failure::TimedOutWaiting(ms)),
    };
    let mut running = match Running::begin(script, surface, host, place) {
        Ok(running) => running,
        Err(error) => return refused(Failure::Engine(format!("no thread can be started for it: {error}"))),
    };
    let ended = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => break running.stop(Failure::Aborted).await,
            ms = &mut limit => break running.stop(Failure::TimedOut(ms)).await,
            Some((id, ask)) = running.asked.recv() => running.take_up(id, ask),
            Some((id, record, answer)) = running.open.next(), if !running.open.is_empty() => running.settle(id, record, answer),
            end = &mut running.end => {
                running.is_over = true;
                break match end {
                    Ok(end) => ended(end),
                    Err(_) => Ended::Failed(Failure::Engine("its thread crashed".to_owned())),
                };
            }
        }
    };
    let output = std::mem::take(&mut *running.links.output.lock());
    let calls = std::mem::take(&mut running.calls);
    (report(ended, output, calls), running.leave())
}

fn ended(end: End) -> Ended {
    match end {
        End::Completed(writes) => Ended::Completed(writes),
        End::Threw(text) => Ended::Failed(Failure::Threw(text)),
        End::Interrupted => Ended::Failed(Failure::Aborted),
    }
}

/// A script at work.
struct Running {
    host: Arc<dyn ScriptHost>,
    links: Arc<Links>,
    to_script: UnboundedSender<ToScript>,
    asked: UnboundedReceiver<(u64, Ask)>,
    end: tokio::sync::oneshot::Receiver<End>,
    place: Place,
    /// The thread has ended.
    is_over: bool,
    /// Ends what the script asked for.
    life: CancellationToken,
    /// Drops with the script, unless somebody takes it.
    guard: Option<DropGuard>,
    open: FuturesUnordered<BoxFuture<'static, (u64, Option<usize>, Answer)>>,
    waiting: VecDeque<(u64, Ask)>,
    calls: Vec<CallRecord>,
}

/// Nobody may be there to hear how it ends.
impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_over {
            self.tell_to_stop();
            self.place.leave();
        }
    }
}

impl Running {
    fn begin(script: &Script, surface: Surface, host: Arc<dyn ScriptHost>, place: Place) -> std::io::Result<Self> {
        let (asks, asked) = tokio::sync::mpsc::unbounded_channel();
        let (to_script, answers) = tokio::sync::mpsc::unbounded_channel();
        let (ends, end) = tokio::sync::oneshot::channel();
        let links = Arc::new(Links { output: Mutex::default(), stop: false.into(), backlog: 0.into() });
        let brief = Brief { code: script.code.clone(), surface, asks, answers, links: Arc::clone(&links) };
        let held = place.clone();
        worker::start(brief, move |end| {
            // Nobody waits for one that was left behind. The place is free before anybody hears of the end.
            drop(held);
            drop(ends.send(end));
        })?;
        let life = CancellationToken::new();
        let guard = Some(life.clone().drop_guard());
        Ok(Self {
            host,
            links,
            to_script,
            asked,
            end,
            place,
            is_over: false,
            life,
            guard,
            open: FuturesUnordered::new(),
            waiting: VecDeque::new(),
            calls: Vec::new(),
        })
    }

    /// A question came in.
    fn take_up(&mut self, id: u64, ask: Ask) {
        if self.open.len() < OPEN { self.begin_ask(id, ask) } else { self.waiting.push_back((id, ask)) }
    }

    fn begin_ask(&mut self, id: u64, ask: Ask) {
        let record = ask.target.is_call().then(|| {
            self.calls.push(CallRecord { name: ask.target.name().to_owned(), status: CallStatus::Open });
            self.calls.len() - 1
        });
        let answer = self.host.ask(ask, self.life.child_token());
        self.open.push(Box::pin(async move { (id, record, answer.await) }));
    }

    /// A question has its answer.
    fn settle(&mut self, id: u64, record: Option<usize>, answer: Answer) {
        if let Some(call) = record.and_then(|record| self.calls.get_mut(record)) {
            call.status = if answer.is_ok() { CallStatus::Ok } else { CallStatus::Error };
        }
        let answer = answer.map(|value| value.as_ref().map(Value::to_string));
        // A script that is over takes no answer.
        drop(self.to_script.send(ToScript::Answer { id, answer }));
        if let Some((id, ask)) = self.waiting.pop_front() {
            self.begin_ask(id, ask);
        }
    }

    /// What is still open.
    fn leave(mut self) -> Unfinished {
        Unfinished { _open: std::mem::take(&mut self.open), _life: self.guard.take() }
    }

    /// Stops the script. One that does not end is left behind.
    async fn stop(&mut self, why: Failure) -> Ended {
        self.asked.close();
        self.tell_to_stop();
        self.is_over = tokio::time::timeout(GRACE, &mut self.end).await.is_ok();
        if !self.is_over {
            tracing::warn!("a script does not end after {GRACE:?} and is left behind");
        }
        Ended::Failed(why)
    }

    fn tell_to_stop(&self) {
        self.links.stop.store(true, Ordering::Release);
        // The thread is over when nobody takes it.
        drop(self.to_script.send(ToScript::Stop));
    }
}
