//! What happens after code of an extension had to be stopped: its jobs are cleared, its callbacks get less time, and what it
//! answered does not count.

use std::time::Duration;

use rquickjs::Ctx;

use super::{Core, Rejection};
use crate::engine::stops::{Ended, FIRST_STEP};
use crate::engine::{ExtensionId, Fault, FaultKind};

/// How much processor time clearing what a stopped extension left may take, at least.
const CLEARING: Duration = Duration::from_secs(2);

/// After how many stops in a row an extension loses its timers.
const MOST_IN_A_ROW: u32 = 8;

impl Core {
    /// Prepares for a job of which it is not known yet whether it must be cleared. Whether there is time for it: an engine
    /// is given up when there is no end to what must be cleared.
    pub(super) fn may_clear(&self) -> bool {
        if self.limits.is_over() {
            if let Some(culprit) = self.stops.last() {
                self.activity().give_up(culprit);
            }
            return false;
        }
        if let Some(culprit) = self.stops.last() {
            self.activity().set_at_work(Some(culprit));
        }
        self.context.with(|_| self.interrupt.ask_in(FIRST_STEP));
        true
    }

    /// A job was cleared. It was told before what the extension did, but a call of it may have begun since.
    pub(super) fn cleared(&self, extension: ExtensionId) {
        self.take_stops();
        let calls: Vec<u32> = {
            let calls = self.calls.borrow();
            calls.iter().filter(|(_, call)| call.extension == extension).map(|(id, _)| *id).collect()
        };
        for call in calls.into_iter().chain(self.cut.take()) {
            if let Some(call) = self.take_call(call) {
                let fault = Fault { kind: FaultKind::Stopped, ..Fault::gone(call.extension, "was stopped") };
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
        let is_limit = matches!(fault.kind, FaultKind::TooLong | FaultKind::OutOfMemory);
        let extensions = match how {
            // The others only called it.
            Ended::Stopped(owners) => owners.iter().take(1).copied().collect(),
            _ if fault.location.is_some() => vec![fault.extension],
            // Nobody's code was at work, so blaming anybody would be a guess.
            _ => Vec::new(),
        };
        match self.cut.take() {
            Some(call) => self.cut(call, fault),
            None => self.fail(&fault),
        }
        if !is_limit || extensions.is_empty() {
            return false;
        }
        self.stops.clear(&extensions);
        self.limits.turn();
        self.limits.allow(CLEARING);
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
    pub(crate) fn is_whole(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        // What memory was refused for in a job is looked at behind it.
        let is_refused = || !self.host.is_in_job() && self.limits.cause().is_some();
        match self.stops.is_noted() || is_refused() {
            true => Err(crate::raw::interrupt(ctx)),
            false => Ok(()),
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
