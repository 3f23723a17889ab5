//! How something ended, on every way that it can go.

use std::rc::Rc;

use super::limits;
use super::state::{Paths, State, unknown_of};
use crate::text::Text;

/// How something ended.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// Where it succeeded.
    pub ok: Paths,
    /// Where it failed.
    pub failed: Paths,
    /// What it wrote.
    pub output: Text,
}

impl Outcome {
    /// It may have succeeded or failed, and changed nothing.
    pub(super) fn either(state: &Rc<State>, output: Text) -> Self {
        Self { ok: vec![Rc::clone(state)], failed: vec![Rc::clone(state)], output }
    }

    /// It succeeded.
    pub(super) fn success(state: Rc<State>, output: Text) -> Self {
        Self { ok: vec![state], failed: Vec::new(), output }
    }

    /// It failed.
    pub(super) fn failure(state: Rc<State>) -> Self {
        Self { ok: Vec::new(), failed: vec![state], output: Text::default() }
    }

    /// Nothing ran.
    pub(super) fn nothing() -> Self {
        Self { ok: Vec::new(), failed: Vec::new(), output: Text::default() }
    }

    /// Wherever it ended.
    pub(super) fn all(self) -> Paths {
        join(self.ok, self.failed)
    }

    /// Either of the two happened.
    pub(super) fn or(self, other: Self) -> Self {
        let output = match (self.is_nothing(), other.is_nothing()) {
            (true, _) => other.output,
            (_, true) => self.output,
            _ if self.output == other.output => self.output,
            _ => unknown_of(&[&self.output, &other.output]),
        };
        Self { ok: join(self.ok, other.ok), failed: join(self.failed, other.failed), output }
    }

    fn is_nothing(&self) -> bool {
        self.ok.is_empty() && self.failed.is_empty()
    }
}

/// The ways of both.
pub(super) fn join(mut one: Paths, other: Paths) -> Paths {
    for state in other {
        if !one.iter().any(|known| Rc::ptr_eq(known, &state) || **known == *state) {
            one.push(state);
        }
    }
    if one.len() > limits::PATHS {
        return match one
            .iter()
            .skip(1)
            .fold(one.first().map(|first| State::clone(first)), |sum, state| sum.map(|sum| sum.widened(state)))
        {
            Some(sum) => vec![Rc::new(sum)],
            None => Vec::new(),
        };
    }
    one
}
