//! What rules ask about branches and files.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use tau_git::{Facts, GitError, Repository, Stop};

use crate::argument::Arg;
use crate::invocation::Invocation;
use crate::world::{File, World};

use super::globals::Globals;
use super::paths::{plain, real};
use super::pathspec::Here;
use super::place::directory;
use super::program::{self, Program};
use super::{GitPlace, GitUse, Head};

/// Branches that nobody commits to, in every repository.
const PROTECTED: &[&str] = &["main", "master"];
/// How long the history of a branch may be, in bytes.
const LONGEST: u64 = 4 << 20;
/// How many commits of the default branch are followed.
const MOST: usize = 5_000;

/// What is known of the branch that a call works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchState {
    /// There is no branch: the head is on a commit.
    Detached,
    /// Nobody commits to it.
    Protected {
        /// Its name.
        branch: String,
        /// Why the forge did not say so.
        fallback: Option<String>,
    },
    /// A pull request merged it.
    MergedByRequest {
        /// Its name.
        branch: String,
        /// The number of the pull request.
        number: u64,
    },
    /// Its commits are in the default branch, and it has no others.
    Merged {
        /// Its name.
        branch: String,
        /// The default branch.
        into: String,
    },
    /// Nothing is against it.
    Free,
    /// Nobody knows where the head is, or nothing is known of the repository.
    Unknown,
}

/// What is known of one of the heads of a call.
///
/// # Errors
/// When the repository cannot be read.
pub fn branch_state(usage: &GitUse, head: &Head, world: &dyn World) -> Result<BranchState, GitError> {
    let (branch, is_unborn) = match head {
        Head::Branch(name) => (name, false),
        Head::Unborn(name) => (name, true),
        Head::Detached => return Ok(BranchState::Detached),
        Head::Unknown => return Ok(BranchState::Unknown),
    };
    let Some(repository) = repository_of(&usage.place, world)? else {
        // One that the command makes has nothing yet that could be protected, but for what a clone brings.
        let is_protected = !is_unborn && PROTECTED.contains(&branch.as_str());
        let protected = BranchState::Protected { branch: branch.clone(), fallback: None };
        return Ok(if is_protected { protected } else { BranchState::Free });
    };
    let facts = repository.facts(&Stop::default());
    // The first commit of a repository has nowhere else to go.
    if is_unborn && facts.branches.names.is_empty() && facts.remote_branches.names.is_empty() {
        return Ok(BranchState::Free);
    }
    if let Some(fallback) = protection(branch, &repository, &facts, world) {
        return Ok(BranchState::Protected { branch: branch.clone(), fallback });
    }
    let reference = format!("refs/heads/{branch}");
    if repository.commit(&reference).is_err() {
        return Ok(BranchState::Free);
    }
    if let Some(number) = world.merged_pull_request(&repository, branch) {
        return Ok(BranchState::MergedByRequest { branch: branch.clone(), number });
    }
    let Some(default) = &facts.default_branch else { return Ok(BranchState::Free) };
    let is_merged = repository.is_merged(&reference, &default.reference)?
        && has_own_commits(&repository, &facts, branch, &default.reference, world);
    let merged = BranchState::Merged { branch: branch.clone(), into: default.name.clone() };
    Ok(if is_merged { merged } else { BranchState::Free })
}

/// That nobody commits or pushes to a branch, as [`BranchState::Protected`]; `None` if anyone may.
///
/// # Errors
/// When the repository cannot be read.
pub fn protected(usage: &GitUse, branch: &str, world: &dyn World) -> Result<Option<BranchState>, GitError> {
    let fallback = match repository_of(&usage.place, world)? {
        Some(repository) => protection(branch, &repository, &repository.facts(&Stop::default()), world),
        None => PROTECTED.contains(&branch).then_some(None),
    };
    Ok(fallback.map(|fallback| BranchState::Protected { branch: branch.to_owned(), fallback }))
}

/// Why the forge did not say that a branch is protected, if it did not; `None` if it is not protected.
fn protection(branch: &str, repository: &Repository, facts: &Facts, world: &dyn World) -> Option<Option<String>> {
    let protected = world.protected(repository);
    let is_default = facts.default_branch.as_ref().is_some_and(|default| default.name == branch);
    let is_named = protected.branches.iter().any(|name| name == branch);
    (is_named || is_default || PROTECTED.contains(&branch)).then_some(protected.fallback)
}

/// The repository of a call, unless the script made it.
fn repository_of(place: &GitPlace, world: &dyn World) -> Result<Option<Rc<Repository>>, GitError> {
    let GitPlace::Repository { git_dir, work_tree } = place else { return Ok(None) };
    if let Some(repository) = work_tree.as_deref().map(|root| world.repository(root)).transpose()?.flatten()
        && real(repository.git_dir(), world) == *git_dir
    {
        return Ok(Some(repository));
    }
    // A work tree that the script makes has its folder of git below that of the repository.
    let found = world.repository(git_dir)?;
    Ok(found.filter(|repository| git_dir.starts_with(real(repository.git_dir(), world))))
}

/// Whether a branch that is contained in another one has commits of its own, or only begins there.
fn has_own_commits(repository: &Repository, facts: &Facts, branch: &str, into: &str, world: &dyn World) -> bool {
    let log = plain(&facts.common_dir).join("logs/refs/heads").join(branch);
    match world.file(&log, LONGEST) {
        File::Text(log) => match written(&log, branch) {
            Written::Commits => true,
            Written::Nothing => false,
            Written::Elsewhere => is_beside(repository, branch, into),
        },
        _ => is_beside(repository, branch, into),
    }
}

/// What the history of a branch says that was written to it.
enum Written {
    /// Commits.
    Commits,
    /// Nothing since it was made or put somewhere else.
    Nothing,
    /// What others wrote: it was fetched with its commits.
    Elsewhere,
}

/// What makes commits, as git notes it.
const COMMITS: &[&str] = &["commit", "cherry-pick", "revert", "am", "rebase"];
/// What puts a branch somewhere else.
const BEGINNINGS: &[&str] = &["branch: Created from ", "branch: Reset to ", "reset: moving to "];

fn written(log: &str, branch: &str) -> Written {
    for line in log.lines().rev() {
        let note = line.split_once('\t').map(|(_, note)| note).unwrap_or_default();
        if let Some(from) = BEGINNINGS.iter().find_map(|start| note.strip_prefix(start)) {
            let from = from.strip_prefix("refs/remotes/").unwrap_or(from);
            let is_same = from.split_once('/').is_some_and(|(_, name)| name == branch);
            return if is_same { Written::Elsewhere } else { Written::Nothing };
        }
        if COMMITS.iter().any(|verb| note.starts_with(verb)) {
            return Written::Commits;
        }
    }
    // It begins before its history does.
    Written::Elsewhere
}

/// Whether a branch is beside the line of first parents of another one: a merge brought it there.
fn is_beside(repository: &Repository, branch: &str, into: &str) -> bool {
    let Ok(tip) = repository.commit(&format!("refs/heads/{branch}")) else { return false };
    let mut next = repository.commit(into);
    for _ in 0..MOST {
        match next {
            Ok(id) if id == tip => return false,
            Ok(id) => next = repository.commit(&format!("{id}^1")),
            Err(_) => return true,
        }
    }
    false
}

/// The files that a call names for the index and that git ignores.
///
/// # Errors
/// When the repository cannot be read.
pub fn ignored(invocation: &Invocation, world: &dyn World) -> Result<Vec<Arg>, GitError> {
    let Some(usage) = &invocation.git else { return Ok(Vec::new()) };
    let GitPlace::Repository { work_tree: Some(root), .. } = &usage.place else { return Ok(Vec::new()) };
    let Some(repository) = repository_of(&usage.place, world)? else { return Ok(Vec::new()) };
    let globals = match program::of(invocation) {
        Some(Program::Git { arguments, .. }) => Globals::new(arguments),
        _ => Globals::default(),
    };
    let directory = directory(invocation, &globals, world);
    let here = Here { directory: directory.known(), root: Some(root), world };
    let mut found = Vec::new();
    for argument in &usage.stages {
        let Some(path) = here.file(&argument.text) else { continue };
        let Some(path) = below(&path, root, world) else { continue };
        if repository.are_ignored(&[path])?.contains(&true) {
            found.push(argument.clone());
        }
    }
    Ok(found)
}

/// A path relative to the root of the work tree; `None` if it is not in it.
fn below(path: &Path, root: &Path, world: &dyn World) -> Option<PathBuf> {
    // The last part may be a link, which git adds as such.
    let folder = real(path.parent()?, world);
    let path = folder.join(path.file_name()?);
    path.strip_prefix(root).ok().map(Path::to_owned)
}
