//! The fold rules: how the results of several handlers become one.

use crate::changes::Changes;
use crate::dialect::Terms;
use crate::payload::Output;
use crate::table::{Event, Fold};

/// A group of handlers being folded by one rule.
pub(crate) struct Folding<E: Event> {
    terms: Terms,
    payload: E::Payload,
    /// What handlers see in its place.
    shown: Option<E::Payload>,
    /// Results of the groups before.
    before: Option<E::Output>,
    output: Option<E::Output>,
}

impl<E: Event> Folding<E> {
    pub(crate) fn new(terms: Terms, payload: E::Payload, before: Option<E::Output>) -> Self {
        let shown = E::Output::shown(&payload, &terms);
        Self { terms, payload, shown, before, output: None }
    }

    /// The payload as the pipeline knows it.
    pub(crate) fn payload(&self) -> &E::Payload {
        &self.payload
    }

    /// What the next handler sees.
    pub(crate) fn view(&self) -> &E::Payload {
        self.shown.as_ref().unwrap_or(&self.payload)
    }

    /// Takes in one result and brings the payload up to date; tells what it changed and whether it ends the round.
    pub(crate) fn step(&mut self, output: E::Output, after: impl FnOnce(&mut E::Payload)) -> (Changes, bool) {
        let done = self.take_in(output);
        after(&mut self.payload);
        self.shown = E::Output::shown(&self.payload, &self.terms);
        done
    }

    fn take_in(&mut self, output: E::Output) -> (Changes, bool) {
        match self.terms.rule.fold {
            Fold::Observe => (Changes::none(), false),
            Fold::Transform | Fold::Mutate | Fold::FirstBlock => {
                let changes = output.apply(&mut self.payload);
                let stop = output.stops();
                self.output = Some(output);
                (changes, stop)
            }
            Fold::MergeFields | Fold::AccumulateAndChain | Fold::Boundary => {
                let changes = output.apply(&mut self.payload);
                self.merge(output);
                (changes, false)
            }
            Fold::Collect => {
                self.merge(output);
                (Changes::none(), false)
            }
            Fold::Last => {
                if !output.is_empty() {
                    self.output = Some(output);
                }
                (Changes::none(), false)
            }
            Fold::LastWithCancel => {
                let stop = output.stops();
                self.output = Some(output);
                (Changes::none(), stop)
            }
            Fold::FirstResult => {
                let stop = !output.is_empty();
                if stop {
                    self.output = Some(output);
                }
                (Changes::none(), stop)
            }
            Fold::LastObject => {
                self.output = Some(output);
                (Changes::none(), false)
            }
            Fold::FirstKept => {
                match &mut self.output {
                    Some(kept) => kept.add(output),
                    None if !output.is_empty() => self.output = Some(output),
                    None => {}
                }
                (Changes::none(), false)
            }
        }
    }

    fn merge(&mut self, output: E::Output) {
        match &mut self.output {
            Some(earlier) => earlier.merge(output),
            None => self.output = Some(output),
        }
    }

    /// The payload and the results of all groups so far.
    pub(crate) fn finish(mut self) -> (E::Payload, Option<E::Output>) {
        if let Some(output) = &mut self.output {
            output.conclude(&self.terms);
            if matches!(self.terms.rule.fold, Fold::LastObject | Fold::FirstKept) {
                output.apply(&mut self.payload);
            }
        }
        let output = match (self.before, self.output) {
            (Some(mut before), Some(output)) => {
                before.merge(output);
                Some(before)
            }
            (before, output) => output.or(before),
        };
        (self.payload, output)
    }
}
