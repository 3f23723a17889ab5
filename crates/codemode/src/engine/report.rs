//! How a script ended, and what it did.

use std::time::Duration;

use super::output::Output;
use super::store::StoreWrites;

/// How a script ended, and what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How it ended.
    pub ended: Ended,
    /// What it put out until then.
    pub output: Output,
    /// The calls that it made, in order.
    pub calls: Vec<CallRecord>,
    /// From the request to the end, the wait for a place included.
    pub wall: Duration,
}

/// How a script ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// As it should; with what it kept.
    Completed(StoreWrites),
    /// Otherwise.
    Failed(Failure),
}

/// Why a script did not end as it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// It never began: the scripts that run left it no place in time.
    #[error("No place for the script became free within {} seconds: {places} scripts run, which is the most for this process.{}", waited.as_secs(), advice(*stuck, *places))]
    NoPlace {
        /// How long it waited.
        waited: Duration,
        /// How many run at most.
        places: usize,
        /// How many of the places belong to scripts that did not end when they were stopped.
        stuck: usize,
    },
    /// It threw; the text has the stack.
    #[error("{0}")]
    Threw(String),
    /// Its time limit passed.
    #[error("Script timed out: its limit of {0} ms has passed")]
    TimedOut(u64),
    /// Its time limit passed before it could begin.
    #[error("Script timed out: its limit of {0} ms passed while it waited for a place")]
    TimedOutWaiting(u64),
    /// The caller stopped it.
    #[error("Script aborted: the call was stopped")]
    Aborted,
    /// There is no engine for it.
    #[error("Script not run: {0}")]
    Engine(String),
}

/// What to do when there is no place.
fn advice(stuck: usize, places: usize) -> String {
    match stuck {
        0 => " Try again after they end.".to_owned(),
        _ => format!(
            " {stuck} of {places} places belong to scripts that did not end when they were stopped; a restart of tau ends them."
        ),
    }
}

impl Failure {
    /// Whether the script was never begun.
    pub fn before_start(&self) -> bool {
        matches!(self, Self::NoPlace { .. } | Self::TimedOutWaiting(_))
    }
}

/// A call that a script made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// The tool.
    pub name: String,
    /// What became of it.
    pub status: CallStatus,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    /// It is under way, or the end of the script cancelled it.
    Open,
    /// It gave a value.
    Ok,
    /// It gave an error.
    Error,
}

impl CallStatus {
    /// What people and models read once the script is over.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "cancelled",
            Self::Ok => "ok",
            Self::Error => "error",
        }
    }
}
