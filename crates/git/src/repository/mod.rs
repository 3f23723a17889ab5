//! A repository that is open for reading.
//!
//! Everything here blocks. Nothing here starts a program, writes a file or reaches a network, whatever the repository says:
//! what it names to be run is forgotten when it is opened (`open.rs`).

mod changes;
mod filtered;
mod first_lines;
mod head;
mod history;
mod ignored;
mod names;
mod open;
mod remotes;
mod settings;
mod status;
mod untracked;

use std::path::{Path, PathBuf};

pub(crate) use open::open;
pub use settings::{Alias, Scope, Value};

use crate::{Facts, GitError, Kind, Limits, Operation, Status, Stop};

/// A repository that is open for reading. What it answers is from the moment of the question, but for settings, which are
/// from the moment it was opened.
pub struct Repository {
    git: gix::Repository,
    /// The settings as they are, with what was forgotten.
    settings: gix::config::File,
    limits: Limits,
    is_foreign: bool,
}

impl Repository {
    /// Opens the repository that a folder belongs to. `None`: there is none.
    ///
    /// # Errors
    /// When it cannot be opened, or uses what tau cannot read.
    pub fn of(folder: &Path, limits: Limits) -> Result<Option<Self>, GitError> {
        open::of(folder, limits)
    }

    /// The folder of git, of this work tree alone.
    pub fn git_dir(&self) -> &Path {
        self.git.git_dir()
    }

    /// The root of the work tree; `None` for a bare repository.
    pub fn work_tree(&self) -> Option<PathBuf> {
        self.git.workdir().map(Path::to_owned)
    }

    /// Everything but the status, which takes longest. What cannot be read is among its problems.
    pub fn facts(&self, stop: &Stop) -> Facts {
        let mut problems = Vec::new();
        let mut held = Vec::new();
        let (head, commit) = self.head(&mut problems);
        let remotes = self.remotes();
        let upstream = head.branch().and_then(|branch| self.upstream(branch, commit, stop, &mut problems));
        let from = upstream.as_ref().map(|upstream| upstream.remote.as_str()).filter(|remote| *remote != ".");
        let forge_of = |name: &str| remotes.iter().find(|remote| remote.name == name)?.forge.clone();
        let default_branch = self.default_branch(from.unwrap_or("origin"));
        let forge = from.and_then(forge_of).or_else(|| forge_of("origin"));
        let mut names = |prefix, what: &str| {
            self.names(prefix, stop).unwrap_or_else(|error| {
                held.push(GitError::read(what, self.git_dir(), &error));
                crate::Names::default()
            })
        };
        let branches = names("refs/heads/", "the branches");
        let remote_branches = names("refs/remotes/", "the branches of remotes");
        let tags = names("refs/tags/", "the tags");
        problems.append(&mut held);
        Facts {
            work_tree: self.work_tree(),
            git_dir: self.git_dir().to_owned(),
            common_dir: self.git.common_dir().to_owned(),
            kind: self.kind(),
            is_foreign: self.is_foreign,
            head,
            commit: commit.map(|id| id.to_string()),
            upstream,
            remotes,
            forge,
            default_branch,
            operation: self.operation(),
            branches,
            remote_branches,
            tags,
            status: None,
            problems,
        }
    }

    fn kind(&self) -> Kind {
        use gix::repository::Kind as Found;
        match self.git.kind() {
            _ if self.git.workdir().is_none() => Kind::Bare,
            Found::LinkedWorkTree => Kind::Linked,
            Found::Submodule => Kind::Submodule,
            Found::Common => Kind::Main,
        }
    }

    fn operation(&self) -> Option<Operation> {
        use gix::state::InProgress as Found;
        Some(match self.git.state()? {
            Found::ApplyMailbox => Operation::ApplyMailbox,
            Found::ApplyMailboxRebase | Found::Rebase | Found::RebaseInteractive => Operation::Rebase,
            Found::Bisect => Operation::Bisect,
            Found::CherryPick | Found::CherryPickSequence => Operation::CherryPick,
            Found::Merge => Operation::Merge,
            Found::Revert | Found::RevertSequence => Operation::Revert,
        })
    }

    /// What differs between the head, the index and the work tree. `None`: there is no work tree.
    ///
    /// # Errors
    /// When the index, an object or a folder cannot be read.
    pub fn status(&self, stop: &Stop) -> Result<Option<Status>, GitError> {
        status::status(self, stop)
    }
}
