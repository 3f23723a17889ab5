//! Lists and pipelines.

use brush_parser::ast::{AndOr, AndOrList, Command, CompoundList, Pipeline, SeparatorOperator};
use std::rc::Rc;

use super::outcome::{Outcome, join};
use super::state::{Paths, State, concatenated, unknown_of};
use super::{Context, Shell};
use crate::invocation::{Stdin, Via};
use crate::text::Text;

impl Shell<'_> {
    /// Commands one after the other.
    pub(super) fn list(&mut self, list: &CompoundList, state: Rc<State>, context: &Context) -> Outcome {
        let mut outcome = Outcome::success(state, Text::default());
        for item in &list.0 {
            outcome = self.then(outcome, context, |shell, state| match item.1 {
                SeparatorOperator::Sequence => shell.and_or(&item.0, state, context),
                SeparatorOperator::Async => {
                    let inner = context.through(Via::Background);
                    let ended = shell.and_or(&item.0, Rc::clone(&state), &inner);
                    let after = |end: Rc<State>| Rc::new(state.after_subshell(&end));
                    let output = ended.output.clone();
                    Outcome { ok: ended.all().into_iter().map(after).collect(), failed: Vec::new(), output }
                }
            });
        }
        outcome
    }

    /// `a && b || c`
    fn and_or(&mut self, list: &AndOrList, state: Rc<State>, context: &Context) -> Outcome {
        let mut outcome = self.pipeline(&list.first, state, context);
        for next in &list.additional {
            let (from, rest, pipeline): (Paths, Paths, _) = match next {
                AndOr::And(pipeline) => (outcome.ok, outcome.failed, pipeline),
                AndOr::Or(pipeline) => (outcome.failed, outcome.ok, pipeline),
            };
            let is_certain = rest.is_empty();
            let mut sum = Outcome::nothing();
            for state in from {
                sum = sum.or(self.pipeline(pipeline, state, context));
            }
            let with = concatenated(&outcome.output, &sum.output);
            let output = if is_certain || with == outcome.output { with } else { unknown_of(&[&with]) };
            outcome = match next {
                AndOr::And(_) => Outcome { ok: sum.ok, failed: join(rest, sum.failed), output },
                AndOr::Or(_) => Outcome { ok: join(rest, sum.ok), failed: sum.failed, output },
            };
        }
        outcome
    }

    /// `a | b`
    fn pipeline(&mut self, pipeline: &Pipeline, state: Rc<State>, context: &Context) -> Outcome {
        let ended = match pipeline.seq.as_slice() {
            [one] => self.command(one, state, context),
            all => self.stages(all, state, context),
        };
        if pipeline.bang { Outcome { ok: ended.failed, failed: ended.ok, output: ended.output } } else { ended }
    }

    /// Every stage runs in a shell of its own.
    fn stages(&mut self, stages: &[Command], state: Rc<State>, context: &Context) -> Outcome {
        let mut now = Rc::clone(&state);
        let mut last = Outcome::success(Rc::clone(&state), Text::default());
        for (index, stage) in stages.iter().enumerate() {
            let inner = if index == 0 { context.clone() } else { context.through(Via::Pipe) };
            let stdin = if index == 0 { state.stdin.clone() } else { Stdin::Text(last.output.clone()) };
            let start = State { stdin, ..State::clone(&now) };
            last = self.command(stage, Rc::new(start), &inner);
            // Stages run at once: what any of them leaves behind counts for the next.
            let ends = join(last.ok.clone(), last.failed.clone());
            if let Some(sum) = ends
                .iter()
                .skip(1)
                .fold(ends.first().map(|end| State::clone(end)), |sum, end| sum.map(|sum| sum.widened(end)))
            {
                now = Rc::new(state.after_subshell(&sum));
            }
        }
        let after = |paths: Paths| -> Paths { if paths.is_empty() { Vec::new() } else { vec![Rc::clone(&now)] } };
        Outcome { ok: after(last.ok), failed: after(last.failed), output: last.output }
    }
}
