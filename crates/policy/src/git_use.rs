//! What a call of git does to a repository.

use std::path::PathBuf;

use crate::argument::Arg;
use crate::site::Site;
use crate::text::Text;

/// What a call of git, or of a program that works like it, does to a repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GitUse {
    /// The command after abbreviations and aliases, as `commit`; `None` if it is unknown.
    pub command: Option<String>,
    /// The repository.
    pub place: GitPlace,
    /// Where its head may be just before.
    pub heads: Vec<Head>,
    /// What it does.
    pub effects: Vec<GitEffect>,
    /// What it adds to the index: path specifications as given.
    pub stages: Vec<Arg>,
    /// The branches that it changes on a remote.
    pub publishes: Vec<Target>,
    /// The branches of the repository that it changes by name, wherever the head is. They have no remote.
    pub changes: Vec<Target>,
}

/// A repository as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GitPlace {
    /// The folder of git of this work tree, and the root of the work tree unless it is bare.
    Repository {
        /// The folder of git, of this work tree alone.
        git_dir: PathBuf,
        /// The root of the work tree; `None` for a bare one.
        work_tree: Option<PathBuf>,
    },
    /// There is none, or the command makes it.
    None,
    /// It is on another machine, or its folder is unknown.
    #[default]
    Unknown,
}

/// Where a head may be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Head {
    /// On a branch. Unknown parts of the name of one that the script makes are `…`.
    Branch(String),
    /// On a branch without a commit.
    Unborn(String),
    /// On a commit.
    Detached,
    /// Anywhere.
    Unknown,
}

/// One thing that a call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitEffect {
    /// What.
    pub kind: Effect,
    /// The arguments that say so; the command itself if none does.
    pub sites: Vec<Site>,
}

/// What calls of git do. A call has any number of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Adds files that are named to the index.
    Stages,
    /// Adds whatever is there to the index.
    StagesAll,
    /// Adds files to the index that are ignored.
    StagesIgnored,
    /// Makes a commit.
    Commits,
    /// Replaces commits by others.
    Rewrites,
    /// Changes branches of a remote.
    Publishes,
    /// Changes branches of a remote so that commits there are lost.
    ForcePublishes,
    /// Merges a pull request on a forge.
    MergesPublished,
    /// Loses changes of the work tree or the index, or commits.
    Discards,
    /// Deletes a branch, a tag or another reference.
    DeletesReference,
    /// Moves the head to another branch or commit.
    MovesHead,
    /// Makes a branch.
    CreatesBranch,
    /// Changes git's settings.
    Configures,
    /// Keeps hooks from running.
    BypassesHooks,
    /// Starts programs that its arguments or settings name.
    RunsCode,
}

impl Effect {
    /// Whether a call has this effect.
    pub fn is_in(self, usage: &GitUse) -> bool {
        usage.effects.iter().any(|effect| effect.kind == self)
    }
}

/// A branch that a call changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The remote, or its address; `None` for the one that git chooses.
    pub remote: Option<Text>,
    /// The branch; `None` for all of them.
    pub branch: Option<Text>,
    /// The argument that names it.
    pub site: Site,
}
