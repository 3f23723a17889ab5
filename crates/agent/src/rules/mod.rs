//! Stream rules: rules that cost nothing until the model writes something they are about. Then its answer is cut off,
//! it is told the rule, and it answers again.
//!
//! [`find`] knows where rule files lie, [`rule`] reads one, [`scope`] says what of an answer a rule looks at, [`set`] is
//! all of them made ready, [`watch`] follows one answer, [`memory`] knows which were told when. What follows from a match
//! is in `pipeline/rules.rs`.
//!
//! The expressions are JavaScript's, which this crate knows nothing of: the program brings a [`PatternEngine`](tau_script::PatternEngine).

mod find;
mod memory;
mod rule;
mod scope;
mod set;
mod watch;
mod wording;

pub(crate) use find::{find_rules, rules_of_project};
pub(crate) use memory::Memory;
pub(crate) use rule::Rule;
pub(crate) use set::RuleSet;
pub(crate) use watch::Watch;
pub(crate) use wording::{INJECTION, Told, injection};

#[cfg(test)]
mod tests;
