//! What an event is about, where a dialect may care.

use std::any::Any;

/// What an event is about, where a dialect may care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// What it usually is about.
    Ordinary,
    /// Something failed.
    Failure,
    /// The program or its extensions start.
    Beginning,
    /// Another session is about to take the place of this one.
    Replacement,
    /// Another session took the place of the one before.
    Renewal,
    /// A message of an extension starts a run.
    Triggered,
}

/// A payload that says on which occasion the event fires.
pub(crate) trait OnOccasion: Any {
    fn occasion(&self) -> Occasion;
}

/// For the `occasion` column of a row.
pub(crate) fn occasion_of<P: OnOccasion>(payload: &dyn Any) -> Occasion {
    payload.downcast_ref::<P>().map_or(Occasion::Ordinary, P::occasion)
}
