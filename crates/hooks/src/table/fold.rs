//! The fold rules: how the results of several handlers of an event become one.
//!
//! A [`Fold`] is made by a function for the types of its event, and only where the result can do what the rule needs:
//!
//! ```
//! # use tau_hooks::{events::{BeforeAgentStart, ToolResult, TurnStart}, table::fold};
//! let all = [fold::merge::<ToolResult>(), fold::first_kept::<BeforeAgentStart>(), fold::observe::<TurnStart>()];
//! # assert_eq!(all.map(|fold| fold.rule()), [fold::FoldRule::Merge, fold::FoldRule::FirstKept, fold::FoldRule::Observe]);
//! ```
//!
//! The answers of a gate are no fields that could be merged:
//!
//! ```compile_fail,E0277
//! # use tau_hooks::{events::{BeforeAgentStart, ToolCall, TurnStart}, table::fold};
//! let all = [fold::merge::<ToolCall>(), fold::first_kept::<BeforeAgentStart>(), fold::observe::<TurnStart>()];
//! # assert_eq!(all.map(|fold| fold.rule()), [fold::FoldRule::Merge, fold::FoldRule::FirstKept, fold::FoldRule::Observe]);
//! ```
//!
//! Nothing can be added to the first of several results of a tool:
//!
//! ```compile_fail,E0277
//! # use tau_hooks::{events::{ToolResult, TurnStart}, table::fold};
//! let all = [fold::merge::<ToolResult>(), fold::first_kept::<ToolResult>(), fold::observe::<TurnStart>()];
//! # assert_eq!(all.map(|fold| fold.rule()), [fold::FoldRule::Merge, fold::FoldRule::FirstKept, fold::FoldRule::Observe]);
//! ```
//!
//! Where there are results, they are not dropped in silence; a dialect that drops them says [`ignore`]:
//!
//! ```compile_fail,E0271
//! # use tau_hooks::{events::{BeforeAgentStart, ToolCall, ToolResult}, table::fold};
//! let all = [fold::merge::<ToolResult>(), fold::first_kept::<BeforeAgentStart>(), fold::observe::<ToolCall>()];
//! # assert_eq!(all.map(|fold| fold.rule()), [fold::FoldRule::Merge, fold::FoldRule::FirstKept, fold::FoldRule::Observe]);
//! ```

use std::any::Any;
use std::fmt;

use serde::Serialize;

use super::Event;
use crate::changes::Changes;
use crate::events::EventId;
use crate::payload::{Adds, Merges, Nothing, Output, Stop, Transforms};

/// How the results of several handlers of one event become one. Only the functions of [this module](self) make one.
#[derive(Clone, Copy)]
pub struct Fold {
    rule: FoldRule,
    event: EventId,
    stop: Option<&'static str>,
    how: Option<&'static str>,
    /// [`Steps`] for the types of the event.
    steps: &'static (dyn Any + Send + Sync),
}

/// What a [`Fold`] does, for those who describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum FoldRule {
    /// Results are ignored.
    Observe,
    /// Each handler sees what the ones before made of the payload; the last result is kept.
    Transform,
    /// Each handler sees what the ones before made of the payload, and all results are merged.
    Merge,
    /// All results are merged; the payload stays as it is.
    Collect,
    /// The last result that says something is kept.
    Last,
    /// The last result is kept as a whole, also one that says nothing, and every handler sees the original payload.
    LastWhole,
    /// The first result that says something stops the round.
    First,
    /// The first result that says something is kept, later ones add to it, and every handler sees the original payload.
    FirstKept,
}

impl Fold {
    /// What it does.
    pub fn rule(&self) -> FoldRule {
        self.rule
    }

    /// The event whose results it takes.
    pub fn event(&self) -> EventId {
        self.event
    }

    /// What a handler says to stop the round, as it is written in JSON; `None` when nothing it says does.
    pub fn stop(&self) -> Option<&'static str> {
        self.stop
    }

    /// What results come to that are merged within a group, as half a sentence; `None` when they are not.
    pub fn how(&self) -> Option<&'static str> {
        self.how
    }

    /// Whether results are taken at all.
    pub fn takes_results(&self) -> bool {
        self.rule != FoldRule::Observe
    }

    /// Whether results change the payload.
    pub(crate) const fn changes_payload(&self) -> bool {
        matches!(self.rule, FoldRule::Transform | FoldRule::Merge | FoldRule::LastWhole | FoldRule::FirstKept)
    }

    /// Whether the payload changes when all handlers of a group were called, rather than after each.
    pub(crate) fn applies_at_end(&self) -> bool {
        matches!(self.rule, FoldRule::LastWhole | FoldRule::FirstKept)
    }

    /// Its steps in the types of its event; `None` for another event's types.
    pub(crate) fn steps<E: Event>(&self) -> Option<&'static Steps<E::Payload, E::Output>> {
        self.steps.downcast_ref()
    }

    const fn new<E: Event>(rule: FoldRule, steps: &'static Steps<E::Payload, E::Output>) -> Self {
        let stop = match &<E::Output as Output<E::Payload>>::STOPS {
            Some(stop) => Some(stop.said),
            None => None,
        };
        Self { rule, event: E::ID, stop, how: None, steps }
    }
}

impl fmt::Debug for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {}", self.rule, self.event)
    }
}

/// What becomes of results with these types.
pub(crate) struct Steps<P, O> {
    apply: Apply<P, O>,
    keep: Keep<O>,
    /// Adds the results of the next group to those of the groups before.
    join: fn(&mut O, O),
}

/// Whether and when a result changes the payload.
enum Apply<P, O> {
    Never,
    /// After each handler: the next one sees it.
    Each(fn(&O, &mut P) -> Changes),
    /// When the whole group was called.
    AtEnd(fn(&O, &mut P) -> Changes),
}

/// How a result is kept.
enum Keep<O> {
    Nothing,
    /// In the place of the one before it.
    Latest,
    /// The same, unless it says nothing.
    LatestSaid,
    /// The first that says something; it stops the round.
    FirstSaid,
    /// The first that says something, with what later ones add to it.
    FirstWith(fn(&mut O, O)),
    /// All are merged.
    Merged(fn(&mut O, O)),
}

impl<P, O: Output<P>> Steps<P, O> {
    /// Takes in a result, keeps it with the `kept` ones of its group and brings the payload up to date. Tells what changed
    /// and whether the round stops.
    pub(crate) fn take_in(&self, said: O, kept: &mut Option<O>, payload: &mut P) -> (Changes, bool) {
        let stops = stops(&said);
        let changes = match self.apply {
            Apply::Each(apply) => apply(&said, payload),
            Apply::Never | Apply::AtEnd(_) => Changes::none(),
        };
        match (&self.keep, &mut *kept) {
            (Keep::Nothing, _) => {}
            (Keep::Latest, _) => *kept = Some(said),
            (Keep::LatestSaid, _) => {
                if !said.is_empty() {
                    *kept = Some(said);
                }
            }
            (Keep::FirstSaid, _) => {
                if !said.is_empty() {
                    *kept = Some(said);
                    return (changes, true);
                }
            }
            (Keep::FirstWith(add), Some(first)) => add(first, said),
            (Keep::FirstWith(_), None) => {
                if !said.is_empty() {
                    *kept = Some(said);
                }
            }
            (Keep::Merged(merge), Some(earlier)) => merge(earlier, said),
            (Keep::Merged(_), None) => *kept = Some(said),
        }
        (changes, stops)
    }

    /// All handlers of a group were called: adds its results to those of the groups before.
    pub(crate) fn end(&self, group: O, before: &mut Option<O>, payload: &mut P) {
        if let Apply::AtEnd(apply) = self.apply {
            apply(&group, payload);
        }
        match before {
            Some(before) => (self.join)(before, group),
            None => *before = Some(group),
        }
    }
}

/// Whether a result stops the round by what it says.
pub(crate) fn stops<P, O: Output<P>>(said: &O) -> bool {
    matches!(O::STOPS, Some(Stop { is, .. }) if is(said))
}

fn replace<O>(before: &mut O, later: O) {
    *before = later;
}

/// Results are ignored, of an event that has none.
pub const fn observe<E: Event<Output = Nothing>>() -> Fold {
    ignore::<E>()
}

/// Results are ignored, in a dialect that does not take those that the event has.
pub const fn ignore<E: Event>() -> Fold {
    let steps = const { &Steps { apply: Apply::Never, keep: Keep::Nothing, join: replace } };
    Fold::new::<E>(FoldRule::Observe, steps)
}

/// Each handler sees what the ones before made of the payload; the last result is kept.
pub const fn transform<E: Event>() -> Fold
where
    E::Output: Transforms<E::Payload>,
{
    let steps = const { &Steps { apply: Apply::Each(E::Output::apply), keep: Keep::Latest, join: replace } };
    Fold::new::<E>(FoldRule::Transform, steps)
}

/// Each handler sees what the ones before made of the payload, and all results are merged.
pub const fn merge<E: Event>() -> Fold
where
    E::Output: Transforms<E::Payload> + Merges,
{
    let steps = const {
        let keep = Keep::Merged(E::Output::merge);
        &Steps { apply: Apply::Each(E::Output::apply), keep, join: E::Output::merge }
    };
    Fold { how: Some(E::Output::HOW), ..Fold::new::<E>(FoldRule::Merge, steps) }
}

/// All results are merged; the payload stays as it is.
pub const fn collect<E: Event>() -> Fold
where
    E::Output: Merges,
{
    let steps = const { &Steps { apply: Apply::Never, keep: Keep::Merged(E::Output::merge), join: E::Output::merge } };
    Fold { how: Some(E::Output::HOW), ..Fold::new::<E>(FoldRule::Collect, steps) }
}

/// The last result that says something is kept.
pub const fn last<E: Event>() -> Fold {
    let steps = const { &Steps { apply: Apply::Never, keep: Keep::LatestSaid, join: replace } };
    Fold::new::<E>(FoldRule::Last, steps)
}

/// The last result is kept as a whole, also one that says nothing, and every handler sees the original payload. Results of
/// several groups are merged.
pub const fn last_whole<E: Event>() -> Fold
where
    E::Output: Transforms<E::Payload> + Merges,
{
    let steps = const { &Steps { apply: Apply::AtEnd(E::Output::apply), keep: Keep::Latest, join: E::Output::merge } };
    Fold::new::<E>(FoldRule::LastWhole, steps)
}

/// The first result that says something stops the round.
pub const fn first<E: Event>() -> Fold {
    let steps = const { &Steps { apply: Apply::Never, keep: Keep::FirstSaid, join: replace } };
    Fold::new::<E>(FoldRule::First, steps)
}

/// The first result that says something is kept, later ones add to it, and every handler sees the original payload. Results
/// of several groups are merged.
pub const fn first_kept<E: Event>() -> Fold
where
    E::Output: Transforms<E::Payload> + Merges + Adds,
{
    let steps = const {
        let keep = Keep::FirstWith(E::Output::add);
        &Steps { apply: Apply::AtEnd(E::Output::apply), keep, join: E::Output::merge }
    };
    Fold::new::<E>(FoldRule::FirstKept, steps)
}

#[cfg(test)]
mod tests {
    use crate::dialect::DIALECTS;
    use crate::events::TABLE;

    /// The tables make folds by the names of their rows; this is for rules that are put together in another way.
    #[test]
    fn every_rule_folds_the_results_of_its_own_event() {
        for row in TABLE {
            assert_eq!(row.fold.event(), row.id);
            for dialect in DIALECTS {
                let fold = (dialect.rule)(row.id).map(|rule| rule.fold.event());
                assert!(fold.is_none_or(|event| event == row.id), "{row:?} in {}", dialect.title);
            }
        }
    }
}
