//! Compound commands: groups, conditions, loops, functions.

use brush_parser::ast::{
    CaseItemPostAction, Command, CompoundCommand, CompoundList, ExtendedTestExpr, FunctionBody, RedirectList, Word,
};
use std::rc::Rc;

use super::outcome::{Outcome, join};
use super::state::{Dialect, Field, Function, Paths, Same, State, Value, concatenated, unknown_of};
use super::{Context, Shell, limits, pattern};
use crate::evaluation::Reason;
use crate::invocation::Via;
use crate::text::{Source, Text};

impl Shell<'_> {
    /// Any command.
    pub(super) fn command(&mut self, command: &Command, state: Rc<State>, context: &Context) -> Outcome {
        if !self.step(context) {
            return Outcome::either(&state, Text::unknown(Source::Local));
        }
        match command {
            Command::Simple(simple) => self.simple(simple, state, context),
            Command::Compound(compound, redirects) => self.nested(context, state, |shell, state| {
                shell.redirected(redirects.as_ref(), state, context, |shell, state| {
                    shell.compound(compound, state, context)
                })
            }),
            Command::Function(definition) => {
                let mut new = State::clone(&state);
                if let Some(parsed) = &context.parsed {
                    let function =
                        Function { body: definition.body.clone(), script: context.script, parsed: Rc::clone(parsed) };
                    let name = definition.fname.value.clone();
                    Rc::make_mut(&mut new.functions).insert(name, vec![Same(Rc::new(function))]);
                }
                Outcome::success(Rc::new(new), Text::default())
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirected(redirects.as_ref(), state, context, |shell, state| {
                    let state = shell.test(&test.expr, state, context);
                    Outcome::either(&state, Text::default())
                })
            }
        }
    }

    /// One level deeper.
    pub(super) fn nested(
        &mut self,
        context: &Context,
        state: Rc<State>,
        run: impl FnOnce(&mut Self, Rc<State>) -> Outcome,
    ) -> Outcome {
        if self.depth >= limits::DEPTH {
            self.opaque(Reason::TooDeep { limit: limits::DEPTH }, context.site, false, context);
            return Outcome::either(&state, Text::unknown(Source::Local));
        }
        self.depth += 1;
        let outcome = run(self, state);
        self.depth -= 1;
        outcome
    }

    fn compound(&mut self, command: &CompoundCommand, state: Rc<State>, context: &Context) -> Outcome {
        match command {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, state, context),
            CompoundCommand::Subshell(subshell) => self.subshell(&subshell.list, state, context),
            CompoundCommand::Arithmetic(arithmetic) => {
                let mut new = State::clone(&state);
                self.arithmetic(&mut new, &arithmetic.expr.value, context);
                Outcome::either(&Rc::new(new), Text::default())
            }
            CompoundCommand::IfClause(clause) => {
                let condition = self.list(&clause.condition, state, context);
                let output = condition.output.clone();
                let mut sum = self.everywhere(condition.ok, |shell, state| shell.list(&clause.then, state, context));
                let mut rest = condition.failed;
                for branch in clause.elses.iter().flatten() {
                    let ended = match &branch.condition {
                        None => self.everywhere(std::mem::take(&mut rest), |shell, state| {
                            shell.list(&branch.body, state, context)
                        }),
                        Some(condition) => {
                            let condition = self.everywhere(std::mem::take(&mut rest), |shell, state| {
                                shell.list(condition, state, context)
                            });
                            rest = condition.failed;
                            self.everywhere(condition.ok, |shell, state| shell.list(&branch.body, state, context))
                        }
                    };
                    sum = sum.or(ended);
                }
                if !rest.is_empty() {
                    sum = sum.or(Outcome { ok: rest, failed: Vec::new(), output: Text::default() });
                }
                sum.output = concatenated(&output, &sum.output);
                sum
            }
            CompoundCommand::CaseClause(clause) => self.case(clause, state, context),
            CompoundCommand::ForClause(clause) => {
                let mut start = State::clone(&state);
                let fields = match &clause.values {
                    Some(words) => self.fields_of(&mut start, words, context),
                    None => self.parameters(&start),
                };
                self.for_each(&clause.variable_name, fields, &clause.body.list, Rc::new(start), context)
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                let mut start = State::clone(&state);
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&mut start, &part.value, context);
                }
                self.repeat(Rc::new(start), &context.through(Via::Loop), |shell, state, context| {
                    let mut state = State::clone(&state);
                    for part in [&clause.updater, &clause.condition].into_iter().flatten() {
                        shell.arithmetic(&mut state, &part.value, context);
                    }
                    shell.list(&clause.body.list, Rc::new(state), context)
                })
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                let is_until = matches!(command, CompoundCommand::UntilClause(_));
                self.repeat(state, &context.through(Via::Loop), |shell, state, context| {
                    let condition = shell.list(&clause.0, state, context);
                    let (go_on, end) =
                        if is_until { (condition.failed, condition.ok) } else { (condition.ok, condition.failed) };
                    let body = shell.everywhere(go_on, |shell, state| shell.list(&clause.1.list, state, context));
                    let output = concatenated(&condition.output, &body.output);
                    Outcome { ok: join(end, body.ok), failed: body.failed, output }
                })
            }
            CompoundCommand::Coprocess(coprocess) => {
                let inner = context.through(Via::Background);
                let ended = self.command(&coprocess.body, Rc::clone(&state), &inner);
                let after = |end: Rc<State>| Rc::new(state.after_subshell(&end));
                Outcome {
                    ok: ended.all().into_iter().map(after).collect(),
                    failed: Vec::new(),
                    output: Text::default(),
                }
            }
        }
    }

    /// Runs something on every way.
    fn everywhere(&mut self, paths: Paths, mut run: impl FnMut(&mut Self, Rc<State>) -> Outcome) -> Outcome {
        let mut sum = Outcome::nothing();
        for state in paths {
            sum = sum.or(run(self, state));
        }
        sum
    }

    /// `( … )`
    pub(super) fn subshell(&mut self, list: &CompoundList, state: Rc<State>, context: &Context) -> Outcome {
        let ended = self.list(list, Rc::clone(&state), context);
        let after = |paths: Paths| -> Paths {
            let all = paths.into_iter().map(|end| Rc::new(state.after_subshell(&end))).collect();
            join(Vec::new(), all)
        };
        Outcome { ok: after(ended.ok), failed: after(ended.failed), output: ended.output }
    }

    fn case(&mut self, clause: &brush_parser::ast::CaseClauseCommand, state: Rc<State>, context: &Context) -> Outcome {
        let mut start = State::clone(&state);
        let value = self.string(&mut start, &clause.value, context);
        let state = Rc::new(start);
        let mut sum = Outcome::nothing();
        // Where no item matched so far, and where the item before falls through.
        let (mut open, mut fallen): (bool, Paths) = (true, Vec::new());
        for item in &clause.cases {
            let mut is_certain = false;
            let mut may_match = false;
            for word in &item.patterns {
                let mut inner = State::clone(&state);
                let text = self.pattern_of(&mut inner, word, context);
                let matched = match (&text, value.known()) {
                    (Some(text), _) if text.chars().all(|ch| ch == '*') && !text.is_empty() => Some(true),
                    (Some(text), Some(value)) => pattern::matches(text, value),
                    _ => None,
                };
                may_match |= matched != Some(false);
                is_certain |= matched == Some(true);
            }
            let mut from = std::mem::take(&mut fallen);
            if open && may_match {
                from = join(from, vec![Rc::clone(&state)]);
            }
            open &= !is_certain;
            let ended = self.everywhere(from, |shell, state| match &item.cmd {
                Some(list) => shell.list(list, state, context),
                None => Outcome::success(state, Text::default()),
            });
            match item.post_action {
                CaseItemPostAction::ExitCase => {}
                CaseItemPostAction::UnconditionallyExecuteNextCaseItem => {
                    fallen = join(ended.ok.clone(), ended.failed.clone());
                }
                CaseItemPostAction::ContinueEvaluatingCases => open = true,
            }
            sum = sum.or(ended);
        }
        if open || clause.cases.is_empty() { sum.or(Outcome::success(state, Text::default())) } else { sum }
    }

    /// A loop over words: as it is if they are few and known.
    fn for_each(
        &mut self,
        name: &str,
        fields: Vec<Field>,
        body: &CompoundList,
        state: Rc<State>,
        context: &Context,
    ) -> Outcome {
        let context = &context.through(Via::Loop);
        let is_plain = |field: &Field| !field.is_many && !field.text.is_glob();
        if fields.len() <= limits::ITERATIONS && fields.iter().all(is_plain) {
            let mut outcome = Outcome::success(state, Text::default());
            for field in fields {
                outcome = self.then(outcome, context, |shell, state| {
                    let mut state = State::clone(&state);
                    state.set(name, Value::One(field.text.clone()), shell.is_inherited(name));
                    shell.list(body, Rc::new(state), context)
                });
            }
            return outcome;
        }
        // The values one by one, so that each is seen, then any of them.
        let mut sum = Outcome::success(Rc::clone(&state), Text::default());
        for field in fields.iter().filter(|field| is_plain(field)).take(limits::ITERATIONS) {
            let mut start = State::clone(&state);
            start.set(name, Value::One(field.text.clone()), self.is_inherited(name));
            sum = sum.or(self.list(body, Rc::new(start), context));
        }
        let texts: Vec<&Text> = fields.iter().map(|field| &field.text).collect();
        let any = common(&texts);
        let state = Rc::new(State::clone(&state));
        let repeated = self.repeat(state, context, |shell, state, context| {
            let mut state = State::clone(&state);
            state.set(name, Value::One(any.clone()), shell.is_inherited(name));
            shell.list(body, Rc::new(state), context)
        });
        sum.or(repeated)
    }

    /// Runs a body until another run changes nothing; after two, what still changes is unknown.
    fn repeat(
        &mut self,
        state: Rc<State>,
        context: &Context,
        mut body: impl FnMut(&mut Self, Rc<State>, &Context) -> Outcome,
    ) -> Outcome {
        let mut known: Paths = vec![Rc::clone(&state)];
        let mut output = Text::default();
        for round in 0..4 {
            let before = known.clone();
            let mut ends = Vec::new();
            for state in &before {
                let ended = body(self, Rc::clone(state), context);
                if !ended.output.pieces().is_empty() {
                    output = unknown_of(&[&output, &ended.output]);
                }
                ends = join(ends, ended.all());
            }
            known = join(known, ends);
            if round > 0 && known.len() > 1 {
                let first = known.first().map(|first| State::clone(first));
                let sum = known.iter().skip(1).fold(first, |sum, state| sum.map(|sum| sum.widened(state)));
                known = sum.map(|sum| vec![Rc::new(sum)]).unwrap_or_default();
            }
            if known == before {
                break;
            }
        }
        Outcome { ok: known.clone(), failed: known, output }
    }

    /// Calls every body that a function may have.
    pub(super) fn function(
        &mut self,
        name: &str,
        arguments: Vec<Field>,
        state: Rc<State>,
        context: &Context,
    ) -> Outcome {
        let bodies = state.functions.get(name).cloned().unwrap_or_default();
        let mut sum = Outcome::nothing();
        for Same(function) in bodies {
            let is_known = arguments.iter().all(|field| !field.is_many);
            let parameters = is_known.then(|| Rc::new(arguments.iter().map(|field| field.text.clone()).collect()));
            let inner = State { parameters, locals: Some(Rc::default()), ..State::clone(&state) };
            let place = Context {
                script: function.script,
                parsed: Some(Rc::clone(&function.parsed)),
                ..context.through(Via::Function(name.to_owned()))
            };
            let FunctionBody(body, redirects) = &function.body;
            let ended = self.nested(context, Rc::new(inner), |shell, state| {
                shell.redirected(redirects.as_ref(), state, &place, |shell, state| shell.compound(body, state, &place))
            });
            let restored =
                |paths: Paths| -> Paths { paths.into_iter().map(|end| Rc::new(state.after_function(&end))).collect() };
            sum = sum.or(Outcome { ok: restored(ended.ok), failed: restored(ended.failed), output: ended.output });
        }
        sum
    }

    /// Runs what is in the words of `[[ … ]]`.
    fn test(&mut self, expression: &ExtendedTestExpr, state: Rc<State>, context: &Context) -> Rc<State> {
        let mut word = |state: Rc<State>, word: &Word| {
            let mut new = State::clone(&state);
            let text = self.string(&mut new, word, context);
            if text.prefix().contains('[') {
                self.again(&mut new, &text, context);
            }
            Rc::new(new)
        };
        match expression {
            ExtendedTestExpr::And(one, two) | ExtendedTestExpr::Or(one, two) => {
                let state = self.test(one, state, context);
                self.test(two, state, context)
            }
            ExtendedTestExpr::Not(one) | ExtendedTestExpr::Parenthesized(one) => self.test(one, state, context),
            ExtendedTestExpr::UnaryTest(_, one) => word(state, one),
            ExtendedTestExpr::BinaryTest(_, one, two) => {
                let state = word(state, one);
                word(state, two)
            }
        }
    }

    /// Whether words with braces become several.
    pub(super) fn expands_braces(context: &Context) -> Option<bool> {
        match context.dialect {
            Dialect::Bash => Some(true),
            Dialect::Dash => Some(false),
            Dialect::Sh => None,
        }
    }

    pub(super) fn redirects_of(list: Option<&RedirectList>) -> &[brush_parser::ast::IoRedirect] {
        list.map(|list| list.0.as_slice()).unwrap_or_default()
    }
}

/// What all of them start and end with, and anything between.
fn common(texts: &[&Text]) -> Text {
    let is_remote = texts.iter().any(|text| text.is_remote());
    let mut prefix = texts.first().map(|text| text.prefix().to_owned()).unwrap_or_default();
    let mut suffix = texts.first().map(|text| text.suffix().to_owned()).unwrap_or_default();
    for text in texts {
        while !text.prefix().starts_with(&prefix) {
            prefix.pop();
        }
        while !text.suffix().ends_with(&suffix) {
            suffix.remove(0);
        }
    }
    let mut sum = Text::new(prefix);
    sum.append(&Text::unknown(if is_remote { Source::Remote } else { Source::Local }));
    sum.append(&Text::new(suffix));
    sum
}
