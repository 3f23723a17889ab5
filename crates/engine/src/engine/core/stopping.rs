//! What happens after code of an extension had to be stopped: its jobs are cleared, its callbacks get less time, and what it
//! answered does not count.

use std::time::Duration;

use rquickjs::{Ctx, Object, Persistent};

use super::{CallGuest, Core, InFlight, Rejection};
use crate::engine::stack::stack_of;
use crate::engine::stops::{Ended, FIRST_STEP};
use crate::engine::{ExtensionId, Fault, FaultKind, Frame, Limits};

/// How much processor time clearing what a stopped extension left may take, at least.
const CLEARING: Duration = Duration::from_secs(2);

/// What makes jobs of functions: objects, with the name that it has there.
fn makers<'js>(ctx: &Ctx<'js>) -> [(Option<Object<'js>>, &'static str); 4] {
    let promises = crate::raw::promise_prototype(ctx);
    [(Some(ctx.globals()), "Promise"), (promises.clone(), "then"), (promises.clone(), "catch"), (promises, "finally")]
}

/// After how many stops in a row an extension loses its timers.
const MOST_IN_A_ROW: u32 = 8;

impl Core {
    /// Prepares for a job of which it is not known yet whether it must be cleared. Whether it may begin: an engine is given
    /// up when there is no end to what must be cleared, no matter which extension makes the jobs.
    pub(super) fn may_clear(&self) -> bool {
        let culprit = self.stops.culprit();
        if self.stops.spent() >= CLEARING.max(self.limits.budget()) {
            self.activity().give_up(culprit);
            return false;
        }
        if self.limits.is_tripped() {
            return false;
        }
        self.activity().set_at_work(culprit);
        let look = |steps| self.context.with(|_| self.interrupt.ask_in(steps));
        if self.stops.passes(&self.limits, look) {
            return true;
        }
        self.context.with(|ctx| {
            self.stops.are_wrapped(self.are_promises_wrapped(&ctx));
            self.stops.looking(&self.limits, || self.interrupt.ask_in(FIRST_STEP));
        });
        true
    }

    /// A job that had to be looked at is over. Looking, and what was stopped, is not the time of the other jobs.
    pub(super) fn has_cleared(&self, began: u64, how: &Ended) {
        let Some(took) = self.stops.spend(Limits::now().saturating_sub(began), how) else { return };
        self.limits.prolong(took);
        if matches!(how, Ended::ByItself) {
            self.forget_left_behind();
        }
    }

    /// Promises that a job of the engine's own rejected while jobs are cleared, for a reason that shows no place: code that
    /// was stopped, or is cleared, did not get to handle them.
    fn forget_left_behind(&self) {
        let job = self.stops.job();
        let is_left = |rejection: &Rejection| rejection.is_guess && rejection.job == job;
        if !self.rejections.borrow().iter().any(is_left) {
            return;
        }
        let made: Vec<Rejection> =
            self.rejections.borrow_mut().extract_if(.., |rejection| is_left(rejection)).collect();
        let kept = self.context.with(|ctx| {
            let has_place = |rejection: &Rejection| {
                let stack = rejection.reason.clone().restore(&ctx).ok().and_then(|reason| stack_of(&reason));
                let frames = Frame::parse(stack.as_deref().unwrap_or_default());
                frames.iter().any(|frame| self.loader.owner_of(&frame.file).is_some())
            };
            made.into_iter().filter(has_place).collect::<Vec<_>>()
        });
        self.rejections.borrow_mut().extend(kept);
    }

    /// Takes note of what makes jobs of functions as the language does it.
    pub(super) fn note_makers(&self, ctx: &Ctx<'_>) {
        for (holder, name) in makers(ctx) {
            if let Some(maker) = holder.and_then(|holder| crate::raw::behind(&holder, name).ok().flatten()) {
                self.host.callbacks().add_maker(Persistent::save(ctx, maker));
            }
        }
    }

    /// Whether somebody put code of their own before what promises call: then jobs of others begin in that.
    fn are_promises_wrapped(&self, ctx: &Ctx<'_>) -> bool {
        let queue = (Some(ctx.globals()), "queueMicrotask");
        makers(ctx).into_iter().chain([queue]).any(|(holder, name)| {
            let maker = holder.and_then(|holder| crate::raw::behind(&holder, name).ok().flatten());
            // Before any extension there is no `queueMicrotask`.
            maker.is_none_or(|maker| !self.host.callbacks().is_maker(&Persistent::save(ctx, maker)))
        })
    }

    /// A job was cleared. It was told before what the extension did, but a call of it may have begun since.
    pub(super) fn cleared(&self, extension: ExtensionId) {
        self.take_stops();
        self.forget_unfinished();
        let calls: Vec<u32> = {
            let calls = self.calls.borrow();
            calls.iter().filter(|(_, call)| call.extension == extension).map(|(id, _)| *id).collect()
        };
        for call in calls.into_iter().chain(self.cut.take()) {
            if let Some(call) = self.take_call(call) {
                let fault = Fault { kind: FaultKind::Stopped, ..Fault::gone(call.extension, &self.stops.why()) };
                self.settle(call, Err(fault));
            }
        }
    }

    /// A job had to be stopped. Whether what else waits may have its turn: what the stopped extensions left is cleared first.
    pub(super) fn stopped(&self, fault: Fault, how: &Ended) -> bool {
        // What was cleared may be the end of another job, too: the engine passes it on as the reason of a promise.
        if matches!(how, Ended::ByItself) && fault.kind.cuts_off() && self.stops.clears(fault.extension) {
            self.cleared(fault.extension);
            return true;
        }
        if matches!(how, Ended::Stopped(_)) {
            self.forget_unfinished();
        }
        let is_limit = matches!(fault.kind, FaultKind::TooLong | FaultKind::OutOfMemory);
        let extensions = match how {
            // The others only called it.
            Ended::Stopped(owners) => owners.iter().take(1).copied().collect(),
            _ if fault.location.is_some() => vec![fault.extension],
            // Nobody's code was at work, so blaming anybody would be a guess.
            _ => Vec::new(),
        };
        let why = fault.message.clone();
        match self.cut.take() {
            Some(call) => self.cut(call, fault),
            None => self.fail(&fault),
        }
        if !is_limit {
            return false;
        }
        if extensions.is_empty() {
            if self.stops.stop_of_nobody() >= MOST_IN_A_ROW {
                self.activity().give_up(self.activity().only_extension());
            }
            return false;
        }
        self.stops.clear(&extensions, why);
        self.limits.turn();
        true
    }

    /// Runs `work` as a stretch for which nobody waits: less and less time for an extension that is stopped each time.
    pub(in crate::engine) fn enter_unasked(
        &self,
        extension: ExtensionId,
        work: impl FnOnce(&Ctx<'_>) -> Option<Fault>,
    ) {
        let before = self.stops.in_a_row(extension);
        let outer = self.unasked.replace(Some(extension));
        let fault = self.enter(extension, |ctx| {
            self.limits.hurry(before);
            work(ctx)
        });
        match fault {
            Some(fault) if fault.kind.cuts_off() => self.fail(&fault),
            Some(fault) => self.report(fault.of_kind(FaultKind::Unhandled)),
            None => {}
        }
        self.unasked.set(outer);
        self.stops.ended(extension, before);
    }

    /// Whether what an op has to tell an extension may still reach it: not when it is stopped each time and no call of it
    /// is under way.
    pub(in crate::engine) fn hears(&self, extension: ExtensionId) -> bool {
        self.stops.in_a_row(extension) < MOST_IN_A_ROW
            || self.calls.borrow().values().any(|call| call.extension == extension)
    }

    /// Fails where code was stopped since the handler or the stretch began, whatever the engine made of the stop: what was
    /// cut off in the middle has not answered.
    ///
    /// # Errors
    /// The stop.
    pub fn is_whole(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        // What memory was refused for in a job is looked at behind it.
        let is_refused = || !self.host.is_in_job() && self.limits.cause().is_some();
        if self.stops.is_noted() || is_refused() { Err(crate::raw::interrupt(ctx)) } else { Ok(()) }
    }

    /// Code of an extension was stopped in something that goes on all the same, such as an event on the bus. What its own
    /// gates go on to say is no answer.
    pub fn cut_gates(&self, ctx: &Ctx<'_>, extension: ExtensionId, fault: &Fault) {
        let is_cut = |call: &InFlight| {
            let is_its = call.extension == extension || call.extension == fault.extension;
            is_its && call.state.is(CallGuest::needs_whole_answers)
        };
        let ids: Vec<u32> = self.calls.borrow().iter().filter(|(_, call)| is_cut(call)).map(|(id, _)| *id).collect();
        for call in ids.into_iter().filter_map(|id| self.take_call(id)) {
            call.state.cut();
            let fault = Fault { extension: call.extension, ..fault.clone() };
            call.finish(ctx, Err(fault));
        }
    }

    /// An extension was stopped. One that is stopped each time loses its timers.
    pub(super) fn strike(&self, extension: ExtensionId) {
        let in_a_row = self.stops.strike(extension);
        if in_a_row == MOST_IN_A_ROW {
            self.host.timers().cancel_all(extension);
            let why = format!("its timers and callbacks end, because it was stopped {in_a_row} times in a row");
            self.report(Fault { kind: FaultKind::Unhandled, ..Fault::gone(extension, &why) });
        }
    }

    /// Takes the stops of which the engine made rejected promises.
    fn take_stops(&self) -> Vec<Rejection> {
        self.context.with(|ctx| {
            let is_stop = |rejection: &mut Rejection| {
                rejection.reason.clone().restore(&ctx).is_ok_and(|reason| crate::raw::is_uncatchable(&reason))
            };
            self.rejections.borrow_mut().extract_if(.., is_stop).collect()
        })
    }

    /// Promises that the stopped job had just rejected: it did not get to handle them.
    fn forget_unfinished(&self) {
        let job = self.stops.job();
        self.rejections.borrow_mut().retain(|rejection| !rejection.is_guess || rejection.job != job);
    }

    /// The stop that the engine caught in the job before, if it made a rejected promise of it.
    pub(super) fn caught_stop(&self) -> Option<Fault> {
        let first = self.take_stops().into_iter().next()?;
        self.limits.arm();
        let fault = self.context.with(|ctx| {
            let reason = first.reason.restore(&ctx).ok()?;
            Some(Fault::of_value(&ctx, self, first.extension, reason))
        });
        fault.filter(|fault| fault.kind.cuts_off())
    }
}
