//! What calls of handlers came to.

use std::sync::Arc;

use super::Shut;
use crate::owner::Owner;

/// What calls came to, without the payload and the results: those are with what folds them.
#[derive(Default)]
pub(super) struct Done {
    /// There was somebody to call.
    pub(super) called: bool,
    /// Whose result ended the round.
    pub(super) stopped_by: Option<Arc<Owner>>,
    /// Whose result changed the payload last.
    pub(super) changed_by: Option<Arc<Owner>>,
    /// Why the gate stays shut although nobody decided to shut it.
    pub(super) shut: Option<Shut>,
    /// The round was cancelled while a handler was at work.
    pub(super) cut_off: bool,
    /// Where results are withheld: the first handler that was ended before it answered.
    pub(super) withheld: Option<Shut>,
}

impl Done {
    /// Nobody was called because the gate is shut.
    pub(super) fn shut(shut: Shut) -> Self {
        Self { shut: Some(shut), ..Self::default() }
    }
}
