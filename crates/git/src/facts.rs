//! What is known of a repository.

use std::path::PathBuf;

use crate::{Forge, GitError};

/// A repository as a look found it.
///
/// Names and paths are as the repository has them, which somebody else may have made: what is shown of them must go through
/// [`tau_view::untrusted`]. What is no UTF-8 has replacement characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The root of the work tree; `None` for a bare repository.
    pub work_tree: Option<PathBuf>,
    /// The folder of git, of this work tree alone.
    pub git_dir: PathBuf,
    /// The folder of git that all work trees share; often the same.
    pub common_dir: PathBuf,
    /// What kind of work tree it is.
    pub kind: Kind,
    /// Whether it belongs to another user. Git refuses such a repository; tau reads it and starts nothing that it names.
    pub is_foreign: bool,
    /// Where the head is.
    pub head: Head,
    /// The id of the head's commit, in full; `None` before the first one.
    pub commit: Option<String>,
    /// What the branch follows.
    pub upstream: Option<Upstream>,
    /// The remotes, by name.
    pub remotes: Vec<Remote>,
    /// The forge of the upstream's remote, else the one of `origin`.
    pub forge: Option<Forge>,
    /// The default branch of the remote.
    pub default_branch: Option<DefaultBranch>,
    /// What has begun and waits to be ended.
    pub operation: Option<Operation>,
    /// The local branches, those with the newest commit first.
    pub branches: Names,
    /// The branches of remotes, as `origin/main`, those with the newest commit first.
    pub remote_branches: Names,
    /// The tags, the newest first.
    pub tags: Names,
    /// What differs between the head, the index and the work tree. `None` before it was looked for, without a work tree, and
    /// when it cannot be read.
    pub status: Option<Status>,
    /// What could not be read. Everything else holds.
    pub problems: Vec<GitError>,
}

/// A kind of repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A repository with its work tree.
    Main,
    /// A work tree beside the one of the repository.
    Linked,
    /// A work tree inside of another one.
    Submodule,
    /// No work tree.
    Bare,
}

/// Where the head is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// On a branch.
    Branch(String),
    /// On a branch that has no commit yet.
    Unborn(String),
    /// On a commit; its short id.
    Detached(String),
    /// It cannot be read; the problems say why.
    Unknown,
}

impl Head {
    /// The branch that the next commit goes to.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch(name) | Self::Unborn(name) => Some(name),
            Self::Detached(_) | Self::Unknown => None,
        }
    }
}

/// The branch that a branch follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The remote; `.` for this repository.
    pub remote: String,
    /// The branch there.
    pub branch: String,
    /// The branch here that stands for it, as `origin/main`.
    pub tracking: Option<String>,
    /// How far the two are apart; `None` if the upstream is gone.
    pub distance: Option<Distance>,
}

/// How far two commits are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distance {
    /// The commits that only the first has.
    pub ahead: usize,
    /// The commits that only the second has.
    pub behind: usize,
    /// Whether all were counted; otherwise there are more.
    pub is_complete: bool,
}

/// A remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its name.
    pub name: String,
    /// Where it is fetched from, without passwords and tokens.
    pub url: String,
    /// What that leads to.
    pub forge: Option<Forge>,
}

/// The branch that others start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultBranch {
    /// Its name on the remote, as `main`.
    pub name: String,
    /// Its name here, in full, as `refs/remotes/origin/main`.
    pub reference: String,
}

/// What has begun and waits to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `git merge`
    Merge,
    /// `git rebase`
    Rebase,
    /// `git am`
    ApplyMailbox,
    /// `git cherry-pick`
    CherryPick,
    /// `git revert`
    Revert,
    /// `git bisect`
    Bisect,
}

/// Some names, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The names.
    pub names: Vec<String>,
    /// Whether these are all.
    pub is_complete: bool,
}

/// What differs between the head, the index and the work tree.
///
/// Filters are programs, so none is run: a file behind one (`git lfs` has such files) counts as modified when its size is
/// another one. Of a submodule only its commit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// Between the head and the index.
    pub staged: Changes,
    /// Between the index and the work tree. Nothing is renamed there.
    pub unstaged: Changes,
    /// Files that git does not know; a folder without known files counts as one, as the user has set `git status` up.
    pub untracked: usize,
    /// Files that a merge could not decide.
    pub conflicted: usize,
    /// Whether all was counted. Otherwise the look was too long, or there are more untracked files than are counted.
    pub is_complete: bool,
}

impl Status {
    /// Whether a commit of everything would change nothing, as far as is known.
    pub fn is_clean(&self) -> bool {
        self.staged.total() + self.unstaged.total() + self.untracked + self.conflicted == 0
    }
}

/// Counts of files by what happened to them. A file of another type counts as modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// New files; in the work tree those of `git add --intent-to-add`.
    pub added: usize,
    /// Files with another content, mode or type.
    pub modified: usize,
    /// Files that are gone.
    pub deleted: usize,
    /// Files with another name.
    pub renamed: usize,
}

impl Changes {
    /// How many files there are.
    pub fn total(&self) -> usize {
        self.added + self.modified + self.deleted + self.renamed
    }
}
