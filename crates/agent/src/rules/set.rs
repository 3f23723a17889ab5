//! All stream rules, ready to be looked for.

use std::sync::atomic::{AtomicBool, Ordering};

use super::rule::{Condition, Rule};
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::settings::{RuleInterrupt, RuleSettings};
use tau_script::{Expression, PatternEngine, Patterns, PatternsGone};

/// The rules of a session.
pub(crate) struct RuleSet {
    /// All rules it was made of, also those that cannot be used.
    all: Vec<Rule>,
    pub(super) settings: RuleSettings,
    pub(super) ready: Vec<Ready>,
    pub(super) expressions: Vec<ReadyExpression>,
    pub(super) patterns: Box<dyn Patterns>,
    /// What is wrong with the rules.
    diagnostics: Vec<Diagnostic>,
}

/// A rule that can match.
pub(super) struct Ready {
    pub(super) rule: Rule,
    pub(super) scope: Scope,
    pub(super) interrupt: RuleInterrupt,
    /// Places in [`RuleSet::expressions`].
    pub(super) expressions: Vec<usize>,
}

/// An expression that can match.
pub(super) struct ReadyExpression {
    condition: Condition,
    /// It took too long and is not looked for any more.
    off: AtomicBool,
}

impl RuleSet {
    /// Makes rules ready; only called with some.
    ///
    /// # Errors
    /// When there is no engine for their expressions.
    pub(crate) fn new(
        rules: &[Rule],
        engine: &dyn PatternEngine,
        settings: RuleSettings,
    ) -> Result<Self, PatternsGone> {
        let conditions = rules.iter().flat_map(|rule| rule.conditions.iter().map(move |condition| (rule, condition)));
        let conditions: Vec<(&Rule, &Condition)> = conditions.collect();
        let started = engine.start(conditions.iter().map(|(_, condition)| expression(&condition.source)).collect())?;
        let mut diagnostics = Vec::new();
        for ((rule, condition), invalid) in conditions.iter().zip(&started.invalid) {
            if let Some(why) = invalid {
                let message = format!("the expression \"{}\" is passed over: {why}", condition.source);
                diagnostics.push(Diagnostic::warning(&rule.source.path, message).at_line(condition.line));
            }
        }
        let mut valid = started.invalid.iter().map(Option::is_none).enumerate();
        let mut ready = Vec::new();
        for rule in rules {
            let taken = valid.by_ref().take(rule.conditions.len());
            let expressions: Vec<usize> = taken.filter(|(_, valid)| *valid).map(|(place, _)| place).collect();
            let mut wrong = Vec::new();
            let scope = Scope::new(&rule.scope, &rule.globs, &mut wrong);
            if scope.is_empty() {
                wrong.push("the rule looks at nothing and is passed over".to_owned());
            }
            let warn = |message| Diagnostic::warning(&rule.source.path, message).at_line(rule.scope_line);
            diagnostics.extend(wrong.into_iter().map(warn));
            if !expressions.is_empty() && !scope.is_empty() {
                let interrupt = rule.interrupt.unwrap_or(settings.interrupt);
                ready.push(Ready { rule: rule.clone(), scope, interrupt, expressions });
            }
        }
        let expression = |(_, condition): (&Rule, &Condition)| ReadyExpression {
            condition: condition.clone(),
            off: AtomicBool::new(false),
        };
        Ok(Self {
            all: rules.to_vec(),
            settings,
            ready,
            expressions: conditions.into_iter().map(expression).collect(),
            patterns: started.patterns,
            diagnostics,
        })
    }

    /// Whether it was made of these.
    pub(crate) fn is_of(&self, rules: &[Rule], settings: RuleSettings) -> bool {
        self.all == rules && self.settings == settings
    }

    /// What is wrong with the rules.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether an expression is still looked for.
    pub(super) fn is_on(&self, expression: usize) -> bool {
        self.expressions.get(expression).is_some_and(|expression| !expression.off.load(Ordering::Relaxed))
    }

    /// Gives an expression up; what to tell about it, once.
    pub(super) fn give_up(&self, rule: &Rule, expression: usize) -> Option<Diagnostic> {
        let expression = self.expressions.get(expression)?;
        if expression.off.swap(true, Ordering::Relaxed) {
            return None;
        }
        let Condition { source, line } = &expression.condition;
        let message = format!("the expression \"{source}\" takes too long and is off until the rules are read again");
        Some(Diagnostic::warning(&rule.source.path, message).at_line(*line))
    }
}

/// An expression as JavaScript takes it. A group of flags in front, which other languages have, becomes JavaScript's.
fn expression(source: &str) -> Expression {
    let flagged = source.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match flagged {
        Some((flags, rest)) if !flags.is_empty() && flags.chars().all(|flag| matches!(flag, 'i' | 'm' | 's')) => {
            let mut flags: Vec<char> = flags.chars().collect();
            flags.sort_unstable();
            flags.dedup();
            Expression { source: rest.to_owned(), flags: flags.into_iter().collect() }
        }
        _ => Expression { source: source.to_owned(), flags: String::new() },
    }
}
