//! The dialect table.
//!
//! A dialect is a set of rules under which a group of extensions runs: which fold, failure rule and deadline
//! apply to an event, and how its payload looks to them. The dispatcher knows dialects only as rows of this
//! table. Groups nest: before a tool they are asked from the outermost to the innermost, after it the other way
//! round, and each group sees what the ones before it made of the event.

use serde_json::Value;

use crate::events::{EventId, TABLE};
use crate::table::{Deadline, Failure, Fold};

/// One row: the rules of one dialect.
#[derive(Debug)]
pub struct Dialect {
    /// The name shown to people.
    pub name: &'static str,
    /// Place in the nesting, 0 is outermost.
    pub layer: u8,
    /// The event that extensions of this dialect call by a name.
    pub event: fn(&str) -> Option<EventId>,
    /// The rules for an event; `None` when the dialect does not know it.
    pub rule: fn(EventId) -> Option<Rule>,
    /// Reshapes a JSON payload for handlers of this dialect; `None` when they get it as it is.
    pub project: Option<fn(EventId, Value) -> Value>,
    /// What the model reads when a handler blocks without giving a reason.
    pub default_block_reason: &'static str,
}

/// The rules of one dialect for one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// How results add up.
    pub fold: Fold,
    /// What a failing handler means.
    pub failure: Failure,
    /// How long a handler may take.
    pub deadline: Deadline,
}

/// The dialect of current extensions: the event table's own rules.
pub static PI: Dialect = Dialect {
    name: "pi",
    layer: 0,
    event: |name| TABLE.iter().find(|row| row.name == name).map(|row| row.id),
    rule: |event| {
        let row = event.row();
        Some(Rule { fold: row.fold, failure: row.failure, deadline: row.deadline })
    },
    project: None,
    default_block_reason: "Tool execution was blocked",
};
