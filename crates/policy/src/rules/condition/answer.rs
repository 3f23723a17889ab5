//! What a condition says.

use std::collections::BTreeMap;

use crate::site::Site;
use crate::truth::Truth;

/// What a condition says. `None` of it is: the condition is about something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    No,
    /// It depends on what is only known when the command runs.
    Maybe(Evidence),
    Yes(Evidence),
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Evidence {
    pub(crate) sites: Vec<Site>,
    /// Values for the placeholders of messages.
    pub(crate) values: BTreeMap<&'static str, String>,
    /// What is unknown.
    pub(crate) unknown: Option<String>,
}

impl Evidence {
    pub(crate) fn at(site: Site) -> Self {
        Self { sites: vec![site], ..Self::default() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.values.entry(name).or_insert_with(|| value.into());
        self
    }

    fn merge(&mut self, other: Self) {
        for site in other.sites {
            if !self.sites.contains(&site) {
                self.sites.push(site);
            }
        }
        for (name, value) in other.values {
            self.values.entry(name).or_insert(value);
        }
        self.unknown = self.unknown.take().or(other.unknown);
    }
}

impl Answer {
    pub(crate) fn of(truth: Truth, evidence: impl FnOnce() -> Evidence) -> Self {
        match truth {
            Truth::No => Self::No,
            Truth::Maybe => Self::Maybe(evidence()),
            Truth::Yes => Self::Yes(evidence()),
        }
    }

    pub(crate) fn when(holds: bool) -> Self {
        Self::of(holds.into(), Evidence::default)
    }

    /// Of two ways to hold the stronger, with what both rest on.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes(mut one), Self::Yes(other)) => {
                one.merge(other);
                Self::Yes(one)
            }
            (Self::Yes(one), _) | (_, Self::Yes(one)) => Self::Yes(one),
            (Self::Maybe(mut one), Self::Maybe(other)) => {
                one.merge(other);
                Self::Maybe(one)
            }
            (Self::Maybe(one), _) | (_, Self::Maybe(one)) => Self::Maybe(one),
            (Self::No, Self::No) => Self::No,
        }
    }

    /// Both.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes(mut one), Self::Yes(other)) => {
                one.merge(other);
                Self::Yes(one)
            }
            (Self::Yes(mut one) | Self::Maybe(mut one), Self::Yes(other) | Self::Maybe(other)) => {
                one.merge(other);
                Self::Maybe(one)
            }
        }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::No => Self::Yes(Evidence::default()),
            Self::Maybe(evidence) => Self::Maybe(evidence),
            Self::Yes(_) => Self::No,
        }
    }
}
