//! What can go wrong with a repository.

use std::path::{Path, PathBuf};

/// Why something of a repository is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is a repository, and it cannot be opened.
    #[error("the git repository {} cannot be opened: {why}; `git status` there may say more", git_dir.display())]
    Open {
        /// The folder of git.
        git_dir: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The repository uses something that tau cannot read. Git can.
    #[error("the git repository {} uses {what}, which tau cannot read", git_dir.display())]
    Unsupported {
        /// The folder of git.
        git_dir: PathBuf,
        /// What it uses.
        what: String,
    },
    /// A part of the repository cannot be read.
    #[error("{what} of the git repository {} cannot be read: {why}; `git fsck` may say more", git_dir.display())]
    Read {
        /// What was to be read.
        what: String,
        /// The folder of git.
        git_dir: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Nothing has this name.
    #[error("the git repository {} has no commit {name:?}", git_dir.display())]
    NoCommit {
        /// The folder of git.
        git_dir: PathBuf,
        /// The name that was asked for.
        name: String,
    },
    /// The repository has no files beside it.
    #[error("the git repository {} has no work tree", git_dir.display())]
    Bare {
        /// The folder of git.
        git_dir: PathBuf,
    },
    /// A path is not in the work tree.
    #[error("{} is not below {}, the work tree of the git repository", path.display(), work_tree.display())]
    Outside {
        /// The path.
        path: PathBuf,
        /// The work tree.
        work_tree: PathBuf,
    },
    /// No folder is there to look at, or it cannot be named.
    #[error("{}: {why}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A look takes so long that nobody should wait for it.
    #[error(
        "the git repository of {} does not answer; look for pipes and network folders in it, then try again",
        folder.display()
    )]
    Stuck {
        /// The folder that was looked at.
        folder: PathBuf,
    },
    /// A look ended in a defect of tau or of a library.
    #[error("the git repository of {} cannot be looked at: {why}; this is a defect, please report it", folder.display())]
    Defect {
        /// The folder that was looked at.
        folder: PathBuf,
        /// What is known of it.
        why: String,
    },
}

impl GitError {
    /// What of a repository could not be read, and why.
    pub(crate) fn read(what: impl Into<String>, git_dir: &Path, error: &gix::Error) -> Self {
        Self::Read { what: what.into(), git_dir: git_dir.to_owned(), why: why(error) }
    }
}

/// The chain of causes in one line, without places in source code.
pub(crate) fn why(error: &gix::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in error.iter_errors() {
        let text = cause.to_string();
        if !said.iter().any(|before| before.contains(&text)) {
            said.push(text);
        }
    }
    tau_view::untrusted::plain(&said.join(": ")).replace('\n', " ")
}
