//! What is left of code that had to be stopped.
//!
//! A stop is an error that no program can catch, but functions of the engine can: `new Promise` and its like make a
//! rejected promise of it, and a handler of that may begin anew. And what was stopped may have made any number of jobs, each
//! with a stretch of its own to come. So it is noted where an extension is stopped, and the jobs that it leaves in the queue
//! are cleared: each is stopped at the first step that its code takes, before it can make another.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{Activity, ExtensionId, Limits};
use crate::loader::Loader;
use crate::raw::{Frames, Steps};

/// How many steps of a job are watched, while nothing shows whose it is. Each costs about half a millisecond.
const MOST_WATCHED: u32 = 4;

/// How many are watched of a job that begins in the code of somebody who put it before the code of others.
const MOST_WRAPPED: u32 = 16;

/// After how many jobs in a row that showed nobody's code fewer are looked at: looking takes far longer than such a job.
const MOST_MISSED: u32 = 64;

/// How many jobs pass at most between two that are looked at, as a power of two.
const MOST_PASSED: u32 = 10;

/// How many steps a job of the engine's own takes at most.
const STEPS_OF_PASSED: u32 = 4;

/// How many more steps pass until the engine asks among jobs that pass.
const STEPS_BESIDE: u32 = 64;

/// How many steps pass in a job before its code is at work. Watching a step is much more work than the step.
pub(super) const FIRST_STEP: u32 = 2;

/// How many stretches must end by themselves until it is forgotten that an extension was stopped.
const MOST_GOOD: u32 = 16;

/// How often the engine asks while jobs run until it is looked again whose they are.
const LOOK: u32 = 16;

/// The stops of one engine.
pub(super) struct Stops {
    loader: Rc<Loader>,
    activity: Arc<Activity>,
    /// A job runs.
    in_job: Cell<bool>,
    /// The number of the running job, or of the one before it.
    job: Cell<u64>,
    /// How often the engine asked while jobs ran.
    asked: Cell<u32>,
    /// Whose code was stopped in the running job, innermost first.
    stopped: RefCell<Vec<ExtensionId>>,
    /// In which file that was.
    place: RefCell<Option<String>>,
    /// Those whose jobs are cleared.
    cleared: RefCell<Vec<ExtensionId>>,
    /// Why, as people read it.
    why: RefCell<String>,
    /// A job runs while jobs are cleared.
    clearing: Cell<bool>,
    /// The running job was stopped because it belongs to one of them.
    is_cleared: Cell<bool>,
    watched: Cell<u32>,
    /// The running job is not to be cleared, whatever its code calls.
    is_others: Cell<bool>,
    /// How many jobs in a row were looked at and showed nobody's code.
    missed: Cell<u32>,
    /// How many jobs pass until the next is looked at.
    passing: Cell<u32>,
    /// The running job is not looked at.
    is_passed: Cell<bool>,
    /// The next job is the first of those that pass.
    has_begun_to_pass: Cell<bool>,
    /// Somebody put code of their own before what promises call.
    are_wrapped: Cell<bool>,
    /// The processor time that clearing has taken, in nanoseconds, without that of jobs of others.
    spent: Cell<u64>,
    /// What of it went into looking at the running job.
    looked: Cell<u64>,
    /// How often in a row something was stopped of which nothing shows whose it is.
    nobodys: Cell<u32>,
    /// Whose job was cleared last.
    last: Cell<Option<ExtensionId>>,
    /// How often in a row an extension was stopped.
    in_a_row: RefCell<HashMap<ExtensionId, u32>>,
    /// How many stretches of it have ended by themselves since.
    good: RefCell<HashMap<ExtensionId, u32>>,
}

impl Stops {
    pub(super) fn new(loader: Rc<Loader>, activity: Arc<Activity>) -> Self {
        Self {
            loader,
            activity,
            in_job: Cell::new(false),
            job: Cell::new(0),
            asked: Cell::new(0),
            stopped: RefCell::default(),
            place: RefCell::default(),
            cleared: RefCell::default(),
            why: RefCell::default(),
            clearing: Cell::new(false),
            is_cleared: Cell::new(false),
            watched: Cell::new(0),
            is_others: Cell::new(false),
            missed: Cell::new(0),
            passing: Cell::new(0),
            is_passed: Cell::new(false),
            has_begun_to_pass: Cell::new(false),
            are_wrapped: Cell::new(false),
            spent: Cell::new(0),
            looked: Cell::new(0),
            nobodys: Cell::new(0),
            last: Cell::new(None),
            in_a_row: RefCell::default(),
            good: RefCell::default(),
        }
    }

    /// What is at work must stop: notes whose code it is. Whether it is anybody's.
    pub(super) fn note(&self, frames: &Frames) -> bool {
        let (mut owners, mut place) = (Vec::new(), None);
        for file in frames.files() {
            let Some(owner) = self.loader.owner_of(&file) else { continue };
            if !owners.contains(&owner) {
                owners.push(owner);
            }
            place.get_or_insert(file);
        }
        let is_known = !owners.is_empty();
        if is_known {
            *self.stopped.borrow_mut() = owners;
            *self.place.borrow_mut() = place;
        }
        is_known
    }

    /// The engine asks: looks now and then whose job is at work, for those who are kept waiting.
    pub(super) fn look(&self, steps: &Steps) {
        if self.in_job.get() {
            self.asked.set(self.asked.get().wrapping_add(1));
            if self.asked.get().is_multiple_of(LOOK)
                && let Some(owner) = steps.frames().files().find_map(|file| self.loader.owner_of(&file))
            {
                self.activity.set_at_work(Some(owner));
            }
        }
    }

    /// The extension that a job belongs to: that of the function that it began with. Where somebody put code of their own
    /// before what promises call, it is the one that this code calls.
    fn owner(&self, steps: &Steps) -> Option<ExtensionId> {
        let mut owners = Vec::new();
        for owner in steps.frames().files().filter_map(|file| self.loader.owner_of(&file)) {
            if owners.last() != Some(&owner) {
                owners.push(owner);
            }
        }
        let first = owners.pop();
        if !self.are_wrapped.get() {
            return first;
        }
        // What somebody calls whose jobs are not cleared shows soon, if it is that of another at all.
        let is_cleared = first.is_some_and(|first| self.cleared.borrow().contains(&first));
        let most = if is_cleared { MOST_WRAPPED } else { MOST_WATCHED };
        match owners.pop() {
            Some(called) => Some(called),
            None if self.watched.get() < most => None,
            None => first,
        }
    }

    /// Makes the engine ask soon. That takes much longer than what it asks about, and is not the time of the job.
    pub(super) fn looking(&self, limits: &Limits, look: impl FnOnce()) {
        let began = Limits::now();
        look();
        let took = Limits::now().saturating_sub(began);
        self.looked.set(self.looked.get().saturating_add(took));
        limits.prolong(took);
    }

    /// Whether what is at work is a job that must be cleared.
    pub(super) fn must_clear(&self, steps: &Steps, limits: &Limits) -> bool {
        if !self.clearing.get() || self.is_others.get() {
            return false;
        }
        match self.owner(steps) {
            Some(owner) if self.cleared.borrow().contains(&owner) => {
                self.is_cleared.set(true);
                self.last.set(Some(owner));
                true
            }
            Some(_) => {
                self.is_others.set(true);
                false
            }
            None if self.is_passed.get() => {
                let left = self.passing.get();
                self.looking(limits, || steps.ask_in(STEPS_OF_PASSED.saturating_mul(left) + STEPS_BESIDE));
                false
            }
            None => {
                let watched = self.watched.get();
                self.watched.set(watched + 1);
                if watched < if self.are_wrapped.get() { MOST_WRAPPED } else { MOST_WATCHED } {
                    self.looking(limits, || steps.ask_in(1));
                }
                false
            }
        }
    }

    /// From now on the jobs of these extensions are cleared, until the queue is empty, because of this.
    pub(super) fn clear(&self, extensions: &[ExtensionId], why: String) {
        *self.why.borrow_mut() = why;
        let mut cleared = self.cleared.borrow_mut();
        for extension in extensions {
            if *extension != ExtensionId::HOST && !cleared.contains(extension) {
                cleared.push(*extension);
            }
        }
    }

    /// Whether the jobs of this extension are cleared.
    pub(super) fn clears(&self, extension: ExtensionId) -> bool {
        self.cleared.borrow().contains(&extension)
    }

    /// Whether jobs are cleared.
    pub(super) fn is_clearing(&self) -> bool {
        !self.cleared.borrow().is_empty()
    }

    /// Whether the next job passes without a look of its own, because many before it were the engine's. What belongs to a
    /// stopped extension does not hide among such ones: `look` makes the engine ask behind as many steps as those that pass
    /// take together, and those that are looked at use up the time for clearing.
    pub(super) fn passes(&self, limits: &Limits, look: impl FnOnce(u32)) -> bool {
        let left = self.passing.get();
        self.passing.set(left.saturating_sub(1));
        self.is_passed.set(left > 0);
        if left > 0 && self.has_begun_to_pass.take() {
            self.looking(limits, || look(STEPS_OF_PASSED.saturating_mul(left) + STEPS_BESIDE));
        }
        left > 0
    }

    /// A job that was looked at, or that passed, is over.
    fn has_looked(&self, is_stopped: bool) {
        if is_stopped || self.is_others.get() {
            self.missed.set(0);
            self.passing.set(0);
        } else if !self.is_passed.get() {
            let missed = self.missed.get().saturating_add(1);
            self.missed.set(missed);
            if missed >= MOST_MISSED {
                self.passing.set(1 << (missed - MOST_MISSED).min(MOST_PASSED));
                self.has_begun_to_pass.set(true);
            }
        }
    }

    /// A job begins.
    pub(super) fn begin_job(&self) {
        self.in_job.set(true);
        self.job.set(self.job.get().wrapping_add(1));
        self.watched.set(0);
        self.clearing.set(self.is_clearing());
    }

    /// The number of the running job, or of the one before it.
    pub(super) fn job(&self) -> u64 {
        self.job.get()
    }

    /// Whether somebody put code of their own before what promises call.
    pub(super) fn are_wrapped(&self, are_wrapped: bool) {
        self.are_wrapped.set(are_wrapped);
    }

    /// A job is over: what became of it.
    pub(super) fn end_job(&self) -> Ended {
        self.in_job.set(false);
        let stopped = self.take();
        if self.clearing.take() {
            self.has_looked(self.is_cleared.get() || !stopped.is_empty());
        }
        match (self.is_cleared.take(), stopped.is_empty()) {
            (true, _) => Ended::Cleared(self.last.get().unwrap_or(ExtensionId::HOST)),
            (false, true) => Ended::ByItself,
            (false, false) => Ended::Stopped(stopped),
        }
    }

    /// A job that was looked at took so many nanoseconds. Gives what of that is still to be added to the time of the
    /// others; nothing when it was the job of one of them, or passed.
    pub(super) fn spend(&self, took: u64, how: &Ended) -> Option<u64> {
        let looked = self.looked.take();
        let is_passed = self.is_passed.get() && matches!(how, Ended::ByItself);
        let is_others = self.is_others.take() || is_passed;
        self.spent.set(self.spent.get().saturating_add(if is_others { looked } else { took }));
        (!is_others).then(|| took.saturating_sub(looked))
    }

    /// How long clearing has taken so far.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.get())
    }

    /// Something was stopped of which nothing shows whose it is; how often in a row.
    pub(super) fn stop_of_nobody(&self) -> u32 {
        self.nobodys.set(self.nobodys.get().saturating_add(1));
        self.nobodys.get()
    }

    /// What was stopped before is nothing to what begins now.
    pub(super) fn forget(&self) {
        self.stopped.borrow_mut().clear();
    }

    /// Whether code was stopped that has not been told of.
    pub(super) fn is_noted(&self) -> bool {
        !self.stopped.borrow().is_empty()
    }

    /// In which file code was stopped last.
    pub(super) fn place(&self) -> Option<String> {
        self.place.borrow().clone()
    }

    /// Whose code was stopped, innermost first, for somebody who tells of it.
    pub(super) fn take(&self) -> Vec<ExtensionId> {
        std::mem::take(&mut *self.stopped.borrow_mut())
    }

    /// Why jobs are cleared, as people read it.
    pub(super) fn why(&self) -> String {
        self.why.borrow().clone()
    }

    /// There is nothing left to clear.
    pub(super) fn are_over(&self) {
        self.cleared.borrow_mut().clear();
        self.spent.set(0);
        self.nobodys.set(0);
        self.are_wrapped.set(false);
        self.missed.set(0);
        self.passing.set(0);
        self.is_passed.set(false);
        self.last.set(None);
    }

    /// An extension was stopped; how often in a row.
    pub(super) fn strike(&self, extension: ExtensionId) -> u32 {
        let mut all = self.in_a_row.borrow_mut();
        let count = all.entry(extension).or_default();
        *count = count.saturating_add(1);
        self.good.borrow_mut().remove(&extension);
        *count
    }

    /// How often in a row an extension was stopped.
    pub(super) fn in_a_row(&self, extension: ExtensionId) -> u32 {
        self.in_a_row.borrow().get(&extension).copied().unwrap_or(0)
    }

    /// A stretch of an extension has ended that had been stopped `before` times in a row. It takes several that end by
    /// themselves to make up for that.
    pub(super) fn ended(&self, extension: ExtensionId, before: u32) {
        if before == 0 || self.in_a_row(extension) != before {
            return;
        }
        let mut good = self.good.borrow_mut();
        let count = good.entry(extension).or_default();
        *count += 1;
        if *count >= MOST_GOOD {
            good.remove(&extension);
            self.in_a_row.borrow_mut().remove(&extension);
        }
    }

    /// In whose name jobs are cleared: the one whose job was cleared last.
    pub(super) fn culprit(&self) -> Option<ExtensionId> {
        self.last.get().or_else(|| self.cleared.borrow().first().copied())
    }
}

/// How a job ended.
pub(super) enum Ended {
    /// Nothing stopped it.
    ByItself,
    /// It was stopped in the code of these extensions, innermost first, whatever the engine made of that.
    Stopped(Vec<ExtensionId>),
    /// It belongs to this extension, whose jobs are cleared.
    Cleared(ExtensionId),
}
