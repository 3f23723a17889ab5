//! What a condition is asked about.

use crate::evaluation::{Evaluation, Opaque};
use crate::invocation::Invocation;
use crate::paths::{FileUse, Places, Scene};
use crate::world::World;

/// What a condition is asked about, and where facts come from.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) places: &'a Places,
    pub(crate) subject: Subject<'a>,
}

impl<'a> Context<'a> {
    /// What classes of paths need of it.
    pub(crate) fn scene(&self) -> Scene<'a> {
        Scene { world: self.world, places: self.places }
    }
}

/// One thing that rules judge.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    Invocation(&'a Invocation),
    Opaque(&'a Opaque),
    File(&'a FileUse),
}

impl Evaluation {
    /// Everything that rules judge, with the index of an invocation.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = (Option<usize>, Subject<'_>)> {
        let invocations = self.invocations.iter().enumerate();
        let invocations = invocations.map(|(index, invocation)| (Some(index), Subject::Invocation(invocation)));
        invocations.chain(self.opaque.iter().map(|opaque| (None, Subject::Opaque(opaque))))
    }
}
