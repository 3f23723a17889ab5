//! Stops that do not end what they were to end.
//!
//! A stop is an error that no program can catch, but functions of the engine can: `new Promise` and its like make a rejected
//! promise of it, and whoever handles that may begin anew. And jobs may make more jobs than are stopped. So whoever was
//! stopped is noted where it happens, and an engine in which stops do not help is given up.

use std::cell::{Cell, RefCell};

/// After how many stretches in a row that had to be stopped, with jobs still waiting, an engine is given up.
const MOST: u32 = 8;

/// The stops of one engine.
#[derive(Default)]
pub(super) struct Stops {
    /// The last one of the running stretch.
    last: RefCell<Option<Stop>>,
    /// How many stretches in a row had to be stopped while they ran jobs.
    in_a_row: Cell<u32>,
}

/// A stop of code of an extension.
#[derive(Clone)]
pub(super) struct Stop {
    /// The extension's innermost file at work.
    pub(super) file: String,
    /// The stack, which the engine cannot always tell in the middle of a function.
    pub(super) stack: Option<String>,
}

impl Stops {
    /// A stretch begins.
    pub(super) fn forget(&self) {
        self.last.borrow_mut().take();
    }

    /// Code of this file is stopped.
    pub(super) fn note(&self, file: String, stack: Option<String>) {
        *self.last.borrow_mut() = Some(Stop { file, stack });
    }

    /// The last stop of this stretch.
    pub(super) fn last(&self) -> Option<Stop> {
        self.last.borrow().clone()
    }

    /// Jobs had to be stopped; whether that does not help any more.
    pub(super) fn is_hopeless(&self) -> bool {
        self.in_a_row.set(self.in_a_row.get() + 1);
        self.in_a_row.get() >= MOST
    }

    /// All jobs have run.
    pub(super) fn are_over(&self) {
        self.in_a_row.set(0);
    }

    /// Whether the jobs that wait were stopped before.
    pub(super) fn go_on(&self) -> bool {
        self.in_a_row.get() > 0
    }
}
