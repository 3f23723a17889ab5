//! What a round of calls came to, for who fired the event.

use std::sync::Arc;

use super::Shut;
use super::done::Done;
use crate::fold::Folding;
use crate::owner::Owner;
use crate::table::Event;

/// What a round of calls came to.
pub enum Dispatched<E: Event> {
    /// Nobody was called.
    Unheard,
    /// All handlers were called.
    Done(Folded<E>),
    /// The result of a handler ended the round.
    Stopped {
        /// Whose result it was.
        by: Arc<Owner>,
        /// What handlers made of the event, that result included.
        folded: Folded<E>,
    },
    /// The gate stays shut although nobody decided to shut it.
    Shut {
        /// Why.
        shut: Shut,
        /// What handlers made of the event before; `None` when nobody was called.
        folded: Option<Folded<E>>,
    },
    /// The round was cancelled while a handler was at work: what it would have said is missing.
    Cancelled {
        /// What the other handlers made of the event.
        folded: Folded<E>,
        /// Whether that must be kept from everybody, because the event [withholds](crate::EventRow::withholds).
        withheld: bool,
    },
    /// A handler was ended before it answered, of an event that [withholds](crate::EventRow::withholds).
    Withheld {
        /// The first such handler.
        by: Shut,
        /// What the other handlers made of the event.
        folded: Folded<E>,
    },
}

/// What handlers made of an event.
pub struct Folded<E: Event> {
    /// The payload as the handlers left it.
    pub payload: E::Payload,
    /// The results as one, by the fold rule.
    pub output: Option<E::Output>,
    /// Whose result changed the payload last.
    pub changed_by: Option<Arc<Owner>>,
}

impl<E: Event> Dispatched<E> {
    pub(super) fn new(done: Done, folding: Folding<'_, E>) -> Self {
        let Done { called, stopped_by, changed_by, shut, cut_off, withheld } = done;
        let (payload, output) = folding.finish();
        let folded = Folded { payload, output, changed_by };
        // A refusal is one even when the gate would be shut besides: its reason says more. Another answer has no effect then.
        let refuses = E::ID.row().fold.stop().is_some();
        match (stopped_by, shut) {
            (Some(by), shut) if shut.is_none() || refuses => Self::Stopped { by, folded },
            (_, Some(shut)) => Self::Shut { shut, folded: called.then_some(folded) },
            _ if cut_off => Self::Cancelled { folded, withheld: withheld.is_some() },
            _ => match withheld {
                Some(by) => Self::Withheld { by, folded },
                None if called => Self::Done(folded),
                None => Self::Unheard,
            },
        }
    }

    /// What handlers made of the event, however the round ended; `None` when nobody was called.
    pub fn into_folded(self) -> Option<Folded<E>> {
        match self {
            Self::Unheard => None,
            Self::Done(folded)
            | Self::Stopped { folded, .. }
            | Self::Cancelled { folded, .. }
            | Self::Withheld { folded, .. } => Some(folded),
            Self::Shut { folded, .. } => folded,
        }
    }

    /// The payload as the handlers left it, however the round ended; `None` when nobody was called.
    pub fn into_payload(self) -> Option<E::Payload> {
        self.into_folded().map(|folded| folded.payload)
    }

    /// The results as one, however the round ended.
    pub fn into_output(self) -> Option<E::Output> {
        self.into_folded()?.output
    }
}
