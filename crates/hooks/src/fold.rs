//! Folding: the results of several handlers become one, by the [rule](crate::table::fold) of their group.
//!
//! A dispatch sees only [`AnyFolding`], so that it is compiled once and not for every event. What needs the types of an
//! event is in [`Folding`], and is kept short: each line of it is compiled as often as there are events.

use std::any::Any;

use crate::changes::Changes;
use crate::dialect::Terms;
use crate::error::HandlerError;
use crate::handler::{AnyOutput, AnyPayload, Registration};
use crate::output::{Tell, parse_output};
use crate::payload::Output;
use crate::table::Event;
use crate::table::fold::{Steps, stops};

/// What handlers make of an event that is known only at run time.
///
/// Handlers are called in groups. A group begins, each of its results is taken in, and it ends; then the next one begins.
pub(crate) trait AnyFolding: Send {
    /// The payload as the pipeline knows it.
    fn payload(&self) -> &dyn Any;

    /// What the next handler sees.
    fn view(&self) -> &dyn AnyPayload;

    /// A group begins.
    fn begin(&mut self, terms: &Terms);

    /// Judges what a handler said, takes it in and brings the payload up to date. `tell` gets what has no effect.
    ///
    /// # Errors
    /// When the result is malformed.
    fn take_in(
        &mut self,
        any: AnyOutput,
        terms: &Terms,
        by: &Registration,
        tell: &mut Tell<'_>,
    ) -> Result<Option<Taken>, HandlerError>;

    /// The group ends; whether the results of all groups so far end the round.
    fn end(&mut self, terms: &Terms) -> bool;

    /// All groups were called. Those that follow are of the session above: what they say replaces what was said here.
    fn go_up(&mut self);
}

/// What one result did.
pub(crate) struct Taken {
    /// What it changed.
    pub(crate) changes: Changes,
    /// Whether it ends the round.
    pub(crate) stops: bool,
}

/// Brings a payload up to date after a result, and knows whose it was.
pub(crate) type AfterEach<'a, P> = &'a mut (dyn FnMut(&mut P, &Registration) + Send);

/// What handlers make of an event.
pub(crate) struct Folding<'a, E: Event> {
    payload: E::Payload,
    /// What handlers see in its place.
    shown: Option<E::Payload>,
    /// Results of the group that is being called.
    output: Option<E::Output>,
    /// Results of the groups before.
    before: Option<E::Output>,
    /// Results of the sessions below.
    below: Option<E::Output>,
    /// For the results of this session.
    after_each: Option<AfterEach<'a, E::Payload>>,
}

impl<'a, E: Event> Folding<'a, E> {
    pub(crate) fn new(payload: E::Payload, after_each: Option<AfterEach<'a, E::Payload>>) -> Self {
        Self { payload, shown: None, output: None, before: None, below: None, after_each }
    }

    /// The payload and the results of all groups.
    pub(crate) fn finish(self) -> (E::Payload, Option<E::Output>) {
        (self.payload, self.before.or(self.below))
    }
}

impl<E: Event> AnyFolding for Folding<'_, E> {
    fn payload(&self) -> &dyn Any {
        &self.payload
    }

    fn view(&self) -> &dyn AnyPayload {
        match &self.shown {
            Some(shown) => shown,
            None => &self.payload,
        }
    }

    fn begin(&mut self, terms: &Terms) {
        self.shown = E::Output::shown(&self.payload, terms);
    }

    fn take_in(
        &mut self,
        any: AnyOutput,
        terms: &Terms,
        by: &Registration,
        tell: &mut Tell<'_>,
    ) -> Result<Option<Taken>, HandlerError> {
        let Some(mut output) = parse_output::<E>(any, &self.payload, terms, tell)? else { return Ok(None) };
        let Some(steps) = steps::<E>(terms) else {
            return Err(HandlerError::Malformed(format!("`{}` has the fold of another event", E::ID)));
        };
        output.attribute(&by.owner);
        let (changes, stops) = steps.take_in(output, &mut self.output, &mut self.payload);
        if let Some(after) = &mut self.after_each {
            after(&mut self.payload, by);
        }
        self.shown = E::Output::shown(&self.payload, terms);
        Ok(Some(Taken { changes, stops }))
    }

    fn end(&mut self, terms: &Terms) -> bool {
        if let Some(mut output) = self.output.take()
            && let Some(steps) = steps::<E>(terms)
        {
            output.conclude(terms);
            steps.end(output, &mut self.before, &mut self.payload);
        }
        self.before.as_ref().is_some_and(stops)
    }

    fn go_up(&mut self) {
        if let Some(said) = self.before.take() {
            self.below = Some(said);
        }
        self.after_each = None;
    }
}

/// What the fold rule of a group does with results of the event.
fn steps<E: Event>(terms: &Terms) -> Option<&'static Steps<E::Payload, E::Output>> {
    let steps = terms.rule.fold.steps::<E>();
    if steps.is_none() {
        tau_ai::broken(&format!("{} folds `{}` as {:?}", terms.dialect.title, E::ID, terms.rule.fold));
    }
    steps
}
