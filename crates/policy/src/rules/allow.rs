//! What an allow rule may answer for.

use super::condition::Condition;
use super::rule::Rule;
use crate::invocation::{Invocation, Via};

impl Rule {
    /// Whether the rule, which allows, answers what another one asks.
    pub(crate) fn answers_for(&self, asking: &str) -> bool {
        self.answers.is_empty() || self.answers.iter().any(|id| id == asking)
    }

    /// Whether nothing about a call is unknown, and it runs as the rule says.
    pub(crate) fn may_allow(&self, invocation: &Invocation) -> bool {
        let is_known = invocation.argv.iter().all(|arg| arg.known().is_some())
            && invocation.redirects.iter().all(|redirect| redirect.target.known().is_some())
            && invocation.directory.known().is_some();
        let asks = |about: fn(&Condition) -> bool| self.when.as_ref().is_some_and(|when| when.has(about));
        let is_plain = !invocation.via.iter().any(Via::is_route);
        let names_way = asks(|condition| matches!(condition, Condition::Via(_) | Condition::Route(_)));
        let names_variables = asks(|condition| matches!(condition, Condition::Variable(_)));
        is_known && (is_plain || names_way) && (invocation.environment.is_empty() || names_variables)
    }
}

impl Condition {
    /// Whether it, or a part of it, is of a kind.
    fn has(&self, wanted: fn(&Self) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.has(wanted)),
            Self::Not(part) => part.has(wanted),
            condition => wanted(condition),
        }
    }
}
