//! Where rules come from.

use std::fmt;

use super::file::{Rule, parse};

/// Whose a rule is; a later one replaces an earlier one of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Layer {
    /// The suite's, part of the program.
    Suite,
    /// The user's.
    User,
    /// The project's.
    Project,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Suite => "suite",
            Self::User => "user",
            Self::Project => "project",
        })
    }
}

/// A file of rules in one of the layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// The name of the file, which rules replace each other by.
    pub(super) name: String,
    pub(super) layer: Layer,
    /// Where it is, as it is shown.
    pub(super) place: String,
    /// The rule; in place of one that cannot be read, what it was before.
    pub(super) rule: Option<Rule>,
    /// What is wrong with the file, with its place.
    pub(super) problem: Option<String>,
}

/// The rules of the suite.
const SUITE: &[(&str, &str)] = &[
    ("00-core.md", include_str!("../../rules/00-core.md")),
    ("10-routing.md", include_str!("../../rules/10-routing.md")),
    ("35-memory.md", include_str!("../../rules/35-memory.md")),
    ("40-critical.md", include_str!("../../rules/40-critical.md")),
];

/// The rules of the suite.
pub(super) fn suite() -> Vec<Source> {
    let source = |(name, text): &(&str, &str)| Source {
        name: (*name).to_owned(),
        layer: Layer::Suite,
        place: format!("builtin:rules/{name}"),
        rule: parse(text).ok(),
        problem: None,
    };
    SUITE.iter().map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_rules_are_short_and_in_their_band() {
        for source in suite() {
            let rule = source.rule.unwrap_or_else(|| panic!("{} cannot be read", source.place));
            assert!(!rule.text.is_empty() && !rule.is_stream_rule, "{}", source.place);
            assert!(rule.text.len() < 2_500, "{}: {} bytes", source.place, rule.text.len());
            assert!(source.name.get(..2).and_then(|band| band.parse::<u8>().ok()).is_some_and(|band| band < 70));
        }
    }
}
