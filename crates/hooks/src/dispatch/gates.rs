//! Gates that are shut because somebody could not decide, or because their guard is not there.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Dispatcher;
use crate::error::HandlerError;
use crate::events::{EventId, TABLE};
use crate::table::Failure;

/// A gate that stays shut because somebody could not decide.
#[derive(Debug, Clone)]
pub struct Shut {
    /// The extension's file, or `<native:name>`.
    pub extension: Arc<str>,
    /// What went wrong.
    pub error: HandlerError,
}

impl Shut {
    /// What the model reads instead of a result.
    pub fn reason(&self) -> String {
        match &self.error {
            HandlerError::Failed { message, .. } => message.clone(),
            HandlerError::Aborted => self.error.to_string(),
            error => format!("Blocked: extension {} {error}", self.extension),
        }
    }

    /// What the model reads instead of the result of a tool that ran.
    pub fn withheld(&self) -> String {
        let colon = if matches!(self.error, HandlerError::Failed { .. }) { ":" } else { "" };
        format!("The tool ran, but its result is withheld: extension {}{colon} {}", self.extension, self.error)
    }
}

/// Gates that are shut because their guard is not there.
pub(super) struct Gate {
    shut: Shut,
    /// Only those of these events; all when empty.
    events: Vec<EventId>,
}

impl Dispatcher {
    /// Shuts every gate until the set of extensions is replaced or that one is loaded: an extension that guards them is not there.
    pub fn shut_gates(&self, extension: impl Into<Arc<str>>, why: impl Into<String>) {
        self.shut_gates_of(extension.into(), &[], HandlerError::Absent(why.into()));
    }

    /// Shuts the gates of these events, all of them when there are none; once for each extension.
    pub(crate) fn shut_gates_of(&self, extension: Arc<str>, events: &[EventId], error: HandlerError) {
        let mut gates = self.gates.write();
        gates.retain(|gate| gate.shut.extension != extension);
        gates.push(Gate { shut: Shut { extension, error }, events: events.to_vec() });
        self.any_gate.store(true, Ordering::Release);
    }

    /// Opens the gates that the absence of one extension shut.
    pub(crate) fn open_gates_of(&self, extension: &str) {
        let mut gates = self.gates.write();
        gates.retain(|gate| *gate.shut.extension != *extension);
        self.any_gate.store(!gates.is_empty(), Ordering::Release);
    }

    /// Opens the gates that absent extensions shut, and shuts those of `absent`, in one step: there is no moment in which
    /// a gate of both is open. Each has its name, the events of its gates, all when there are none, and why.
    pub(crate) fn replace_gates(&self, absent: Vec<(Arc<str>, Vec<EventId>, HandlerError)>) {
        let mut gates = self.gates.write();
        gates.clear();
        for (extension, events, error) in absent {
            gates.push(Gate { shut: Shut { extension, error }, events });
        }
        self.any_gate.store(!gates.is_empty(), Ordering::Release);
    }

    /// Whether an extension that guarded this event is not there, so that its gate is shut also without handlers.
    pub fn lacks_guard(&self, event: EventId) -> bool {
        self.any_gate.load(Ordering::Acquire) && self.gates.read().iter().any(|gate| gate.events.contains(&event))
    }

    /// The gates that are shut because an extension is not there: which one, the events, and why.
    pub fn absent_guards(&self) -> Vec<(Shut, Vec<EventId>)> {
        let of = |gate: &Gate| {
            if gate.events.is_empty() {
                TABLE.iter().filter(|row| row.failure == Failure::Block).map(|row| row.id).collect()
            } else {
                gate.events.clone()
            }
        };
        self.gates.read().iter().map(|gate| (gate.shut.clone(), of(gate))).collect()
    }

    #[inline]
    pub(super) fn has_shut_gates(&self) -> bool {
        self.any_gate.load(Ordering::Acquire)
    }

    pub(super) fn shut_gate(&self, event: EventId) -> Option<Shut> {
        let gates = self.gates.read();
        // What only some dialects can forbid is no gate unless one of them held it.
        let is_gate = event.row().failure == Failure::Block;
        let gate = gates.iter().find(|gate| (gate.events.is_empty() && is_gate) || gate.events.contains(&event))?;
        Some(gate.shut.clone())
    }
}
