//! Where sessions live, what a project may do, and what extensions bring along.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Merges, Output, Stop};
use crate::owner::Owner;

/// A directory for session files is needed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionDirectoryEvent {
    /// The working directory.
    pub cwd: String,
}

/// Where session files go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionDirectoryResult {
    /// The directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_dir: Option<String>,
}

impl Output<SessionDirectoryEvent> for SessionDirectoryResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.session_dir.as_deref().is_none_or(str::is_empty)
    }
}

/// A project has resources that need the user's trust.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProjectTrustEvent {
    /// The project's directory.
    pub cwd: String,
}

/// Whether the project is trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectTrustResult {
    /// The decision.
    pub trusted: TrustDecision,
    /// Keep the decision for later sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<bool>,
}

/// A decision on trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrustDecision {
    /// Trusted.
    Yes,
    /// Not trusted.
    No,
    /// Somebody else shall decide.
    Undecided,
}

impl Output<ProjectTrustEvent> for ProjectTrustResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.trusted == TrustDecision::Undecided
    }
}

/// Extensions may bring skills, prompt templates and themes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ResourcesDiscoverEvent {
    /// The working directory.
    pub cwd: String,
    /// Why resources are collected.
    pub reason: DiscoverReason,
}

/// Why resources are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiscoverReason {
    /// A session begins.
    Startup,
    /// The user asked to reload.
    Reload,
}

/// Files and folders with resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourcesDiscoverResult {
    /// Skills.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skill_paths: Vec<String>,
    /// Prompt templates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompt_paths: Vec<String>,
    /// Themes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub theme_paths: Vec<String>,
    /// The extensions that named something, with how many paths of each list are theirs, in the order of the lists.
    #[serde(skip)]
    pub shares: Vec<ResourceShare>,
}

/// What of a [`ResourcesDiscoverResult`] one extension brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceShare {
    /// The file of the extension, or `<native:name>`.
    pub extension: Arc<str>,
    /// How many skill paths.
    pub skills: usize,
    /// How many prompt paths.
    pub prompts: usize,
    /// How many theme paths.
    pub themes: usize,
}

impl ResourceShare {
    /// Whether there is nothing of it.
    pub fn is_empty(&self) -> bool {
        self.skills + self.prompts + self.themes == 0
    }
}

impl Output<ResourcesDiscoverEvent> for ResourcesDiscoverResult {
    const STOPS: Option<Stop<Self>> = None;

    fn is_empty(&self) -> bool {
        self.skill_paths.is_empty() && self.prompt_paths.is_empty() && self.theme_paths.is_empty()
    }

    fn attribute(&mut self, owner: &Owner) {
        self.shares = vec![ResourceShare {
            extension: Arc::clone(&owner.path),
            skills: self.skill_paths.len(),
            prompts: self.prompt_paths.len(),
            themes: self.theme_paths.len(),
        }];
    }
}

impl Merges for ResourcesDiscoverResult {
    const HOW: &'static str = "the lists of all handlers are joined";

    fn merge(&mut self, later: Self) {
        self.shares.extend(later.shares);
        self.skill_paths.extend(later.skill_paths);
        self.prompt_paths.extend(later.prompt_paths);
        self.theme_paths.extend(later.theme_paths);
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, text};

    impl Sample for SessionDirectoryEvent {
        fn sample() -> Self {
            Self { cwd: text() }
        }
    }

    impl Sample for ProjectTrustEvent {
        fn sample() -> Self {
            Self { cwd: text() }
        }
    }

    impl Sample for ResourcesDiscoverEvent {
        fn sample() -> Self {
            Self { cwd: text(), reason: DiscoverReason::Reload }
        }
    }
}
