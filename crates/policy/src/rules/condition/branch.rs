//! States of branches that rules ask about.

use super::answer::{Answer, Evidence};
use super::context::Context;
use crate::git::{self, GitUse, Head};

/// A state of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BranchState {
    /// Nobody pushes to it.
    Protected,
    /// The head is on no branch.
    Detached,
    /// Its commits are in the default branch, and it has no others.
    Merged,
    /// A pull request merged it.
    MergedPullRequest,
}

pub(crate) const STATES: &[(&str, BranchState)] = &[
    ("protected", BranchState::Protected),
    ("detached", BranchState::Detached),
    ("merged", BranchState::Merged),
    ("merged-pull-request", BranchState::MergedPullRequest),
];

/// Whether a head is in one of some states.
pub(super) fn state(usage: &GitUse, head: &Head, wanted: &[BranchState], context: &Context<'_>) -> Answer {
    // Of a repository that cannot be read nothing is known.
    let state = git::branch_state(usage, head, context.world).unwrap_or(git::BranchState::Unknown);
    let on = |branch: String| Evidence::default().with("branch", branch);
    let (found, evidence) = match state {
        git::BranchState::Free => return Answer::No,
        git::BranchState::Unknown => return doubt(),
        git::BranchState::Detached => (BranchState::Detached, Evidence::default()),
        git::BranchState::Protected { branch, .. } => (BranchState::Protected, on(branch)),
        git::BranchState::Merged { branch, into } => (BranchState::Merged, on(branch).with("base", into)),
        git::BranchState::MergedByRequest { branch, number } => {
            (BranchState::MergedPullRequest, on(branch).with("number", number.to_string()))
        }
    };
    Answer::of(wanted.contains(&found).into(), || evidence)
}

/// What is said where nothing is known of a branch.
pub(super) fn doubt() -> Answer {
    let evidence = Evidence { unknown: Some("the branch".to_owned()), ..Evidence::default() };
    Answer::Maybe(evidence.with("branch", "…"))
}
