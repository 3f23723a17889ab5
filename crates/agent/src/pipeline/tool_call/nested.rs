//! Calls that a tool makes while it runs.
//!
//! Such a call passes everything that a call of the model passes, but leaves no message: its result goes to the tool that
//! made it. Gates are asked one at a time, in the order of the calls; tools run side by side unless one wants to be alone
//! or the user chose `tau.toolExecution: "sequential"`. A call ends before the one that made it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use tau_ai::{StopReason, ToolCallBlock};
use tau_hooks::TracedCall;
use tau_tools::{CallTools, ExecutionMode, NestedAnswer, NestedCall, NestedOutcome, ToolFailure, ToolSpec};
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::crash::{Crash, guarded};
use crate::parts::{Line, Live, Place, WeakLive};
use crate::pipeline::tool_call::events::end_call;
use crate::pipeline::tool_call::site::{CallSite, Maker};
use crate::pipeline::tool_call::{Outcome, TakenUp, execute, refuse, take_up};
use crate::settings::ToolExecution;

/// How deep calls nest at most: a tool that calls itself must not fill the memory.
const DEPTH: usize = 64;

/// How many calls that one call of the model leads to are open at most.
const OPEN: usize = 4096;

/// Makes calls on behalf of a call that is under way.
#[derive(Clone)]
pub(super) struct Caller(Arc<Inner>);

struct Inner {
    session: WeakLive,
    /// Where the calls run; a tool may make them on a thread of its own.
    runtime: Handle,
    /// Where the caller itself was called.
    site: CallSite,
    id: Arc<str>,
    /// Ends what the caller called.
    cancel: CancellationToken,
    calls: Mutex<Calls>,
    /// What ended one of its calls that should end the run.
    crash: Mutex<Option<Crash>>,
    /// Where its calls wait for each other when the user wants everything one after the other. A line of its own, because
    /// a call that waits for those it makes must not be waited for by them.
    line: Line,
    one_over: Notify,
}

/// The calls of one caller.
#[derive(Default)]
struct Calls {
    /// Numbers them, from 1.
    last: u64,
    /// Those that are not over, with their places in the record.
    open: BTreeMap<u64, Option<usize>>,
    /// The caller has returned.
    closed: bool,
}

/// A call that is not over; over when this is dropped.
struct Open {
    caller: Caller,
    number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.caller.0.site.family.open.fetch_sub(1, Ordering::Relaxed);
        self.caller.0.calls.lock().open.remove(&self.number);
        self.caller.0.one_over.notify_waiters();
    }
}

/// Where a call waits before it is taken up.
enum Waits {
    /// For its gate only.
    ForGate(Place),
    /// Until the calls of its caller before it are over, and then for its gate.
    ForAll(Place),
}

impl Caller {
    /// Makes calls for a call with this id, which was made at `site`. They end with `cancel`.
    pub(super) fn new(live: &Live, site: &CallSite, id: &str, cancel: &CancellationToken) -> Self {
        Self(Arc::new(Inner {
            session: live.downgrade(),
            runtime: Handle::current(),
            site: site.clone(),
            id: id.into(),
            cancel: cancel.child_token(),
            calls: Mutex::default(),
            crash: Mutex::default(),
            line: Line::default(),
            one_over: Notify::new(),
        }))
    }

    /// Ends what the caller called.
    pub(super) fn ends(&self) -> CancellationToken {
        self.0.cancel.clone()
    }

    /// The caller has returned: its calls that are not over are cancelled, and no other begins. Waits for their end, so
    /// that their events come before the caller's last one.
    ///
    /// # Panics
    /// When one of the calls did: they have tasks of their own, and a panic of tau ends the run.
    pub(super) async fn close(&self) {
        let unfinished: Vec<usize> = {
            let mut calls = self.0.calls.lock();
            calls.closed = true;
            calls.open.values().filter_map(|record| *record).collect()
        };
        self.0.site.family.leave(&unfinished);
        self.0.cancel.cancel();
        loop {
            let mut one_over = std::pin::pin!(self.0.one_over.notified());
            // Before the look at what is open, so that none that ends in between is missed.
            one_over.as_mut().enable();
            if self.0.calls.lock().open.is_empty() {
                break;
            }
            one_over.await;
        }
        let crash = self.0.crash.lock().take();
        if let Some(crash) = crash {
            crash.resume();
        }
    }
}

impl CallTools for Caller {
    fn tools(&self) -> Vec<ToolSpec> {
        self.0.session.upgrade().map(|session| session.choices.tools.callable_specs()).unwrap_or_default()
    }

    fn call(&self, call: NestedCall) -> NestedAnswer {
        let refuse = |call: NestedCall, why: String| -> NestedAnswer {
            let why = format!("Tool {} was not run: {why}", call.name);
            Box::pin(std::future::ready(NestedOutcome::refused(call, ToolFailure::new(why))))
        };
        let over = || format!("the call {} that asked for it is over", self.0.id);
        let Some(session) = self.0.session.upgrade() else { return refuse(call, over()) };
        let site = &self.0.site;
        if site.depth >= DEPTH {
            return refuse(call, format!("nested tool calls are limited to {DEPTH} levels"));
        }
        let sequential = session.settings().tool_execution() == ToolExecution::Sequential;
        // The number of a call, its place in the record and its place in the line are the same order.
        let (open, id, record, waits) = {
            let mut calls = self.0.calls.lock();
            if calls.closed {
                return refuse(call, over());
            }
            if site.family.open.fetch_add(1, Ordering::Relaxed) >= OPEN {
                site.family.open.fetch_sub(1, Ordering::Relaxed);
                return refuse(call, format!("at most {OPEN} calls can be open at once; wait for some of them"));
            }
            calls.last += 1;
            let number = calls.last;
            let id = format!("{}/{number}", self.0.id);
            let record = site.family.begin(&id, &call.name, &call.args, session.services.stopwatch());
            calls.open.insert(number, record);
            let waits = if sequential {
                Waits::ForAll(self.0.line.join())
            } else {
                Waits::ForGate(session.activity.lines.gates.join())
            };
            (Open { caller: self.clone(), number }, id, record, waits)
        };
        let NestedCall { name, args, cancel: asked, progress, own } = call;
        let cancel = self.0.cancel.child_token();
        if asked.is_cancelled() {
            cancel.cancel();
        }
        let site = CallSite {
            cancel: cancel.clone(),
            maker: Maker::Tool { parent: Arc::clone(&self.0.id), progress, own },
            depth: site.depth + 1,
            is_begun: Arc::default(),
            ..site.clone()
        };
        let block =
            ToolCallBlock { id: id.clone(), name: name.clone(), arguments: args.clone(), ..ToolCallBlock::default() };
        let dropped = cancel.clone().drop_guard();
        let (done, answer) = oneshot::channel();
        self.0.runtime.spawn(async move {
            let (family, trace, began) = (Arc::clone(&site.family), session.clone(), session.services.stopwatch());
            let ends = site.clone();
            let outcome = {
                // Beside the task, which is moved before it runs.
                let mut called = Box::pin(guarded(call_nested(&session, site, &block, waits)));
                tokio::select! {
                    biased;
                    outcome = &mut called => outcome,
                    () = asked.cancelled() => {
                        cancel.cancel();
                        called.await
                    }
                }
            };
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(crash) => {
                    let outcome = Outcome::failed(crash.to_string());
                    if ends.is_begun.load(Ordering::Acquire) {
                        // A second panic says nothing new: the first one ends the run.
                        let _ = guarded(end_call(&trace, &ends, &block, &outcome)).await;
                    }
                    open.caller.0.crash.lock().get_or_insert(crash);
                    outcome
                }
            };
            family.end(record, &outcome);
            let traced = TracedCall { id: block.id.clone(), name: block.name.clone() };
            let scope = ends.scope(&trace.host, &block);
            trace.hooks.dispatcher.trace.record_call(&scope, traced, began.elapsed(), outcome.is_error);
            drop(open);
            // The caller may not wait for it.
            let _ = done.send(outcome);
        });
        Box::pin(async move {
            let outcome = answer.await.unwrap_or_else(|_| Outcome::failed(format!("Tool {name} crashed")));
            dropped.disarm();
            let duration = outcome.duration;
            NestedOutcome { id, name, args, output: outcome.into_output(), duration }
        })
    }
}

async fn call_nested(live: &Live, mut site: CallSite, call: &ToolCallBlock, waits: Waits) -> Outcome {
    let cancel = site.cancel.clone();
    let lines = &live.activity.lines;
    // A call that asks a gate waits only for the gate, so the line always moves.
    let (mut turns, gate) = match waits {
        Waits::ForGate(gate) => (Vec::new(), gate),
        Waits::ForAll(place) => {
            let Some(turn) = cancel.run_until_cancelled(place.turn()).await else {
                return refuse(live, &site, call, "Operation aborted").await;
            };
            (vec![turn], lines.gates.join())
        }
    };
    let Some(gate) = cancel.run_until_cancelled(gate.turn()).await else {
        return refuse(live, &site, call, "Operation aborted").await;
    };
    let allowed = match take_up(live, &site, call, &StopReason::ToolUse).await {
        TakenUp::Allowed(allowed) => allowed,
        TakenUp::Over(outcome) => return outcome,
    };
    let waits = !site.is_alone && allowed.tool.spec().execution_mode == ExecutionMode::Sequential;
    let place = waits.then(|| lines.alone.join());
    drop(gate);
    if let Some(place) = place {
        site.is_alone = true;
        // A call that is cancelled while it waits does not run.
        turns.extend(cancel.run_until_cancelled(place.turn()).await);
    }
    let outcome = execute(live, &site, allowed).await;
    drop(turns);
    outcome
}
