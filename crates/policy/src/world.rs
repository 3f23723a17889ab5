//! Facts about the machine that a command would run on.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use tau_git::{GitError, Repository};

/// Facts about the machine that a command would run on. All of it may block.
pub trait World {
    /// The directory in which the command would start: absolute.
    fn directory(&self) -> &Path;

    /// A variable of the command's environment.
    fn variable(&self, name: &str) -> Option<String>;

    /// The home folder of a user, by `None` of the session's own.
    fn home(&self, user: Option<&str>) -> Option<PathBuf>;

    /// Where the program is that a name starts, by the path of the session.
    fn program(&self, name: &str) -> Option<PathBuf>;

    /// A file. Only regular files are read, and no more than `limit` bytes.
    fn file(&self, path: &Path, limit: u64) -> File;

    /// The path with its links followed as far as it exists.
    fn resolved(&self, path: &Path) -> PathBuf;

    /// The repository that a folder is in; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn repository(&self, folder: &Path) -> Result<Option<Rc<Repository>>, GitError>;

    /// The branches that a forge protects.
    fn protected(&self, repository: &Repository) -> Protected;

    /// The number of the pull request by which a branch was merged; `None` if there is none, or nothing can say so.
    fn merged_pull_request(&self, repository: &Repository, branch: &str) -> Option<u64>;

    /// Whether something that rules depend on is there: `container`, `ui`, `child`, `agent:git-expert` (there is such an
    /// agent), `session:git-expert` (this session is of that agent), `module:agents`, `setting:co_author`. Programs are asked for with [`World::program`].
    fn has(&self, what: &str) -> bool;
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum File {
    /// Nothing.
    Missing,
    /// A folder.
    Folder,
    /// A text file.
    Text(String),
    /// A program or other data.
    Binary,
    /// A text file that is longer than the limit.
    TooLong,
    /// Something that cannot be read, or is no regular file.
    Unreadable,
}

/// Branches that nobody pushes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Protected {
    /// Their names.
    pub branches: Vec<String>,
    /// Why the forge did not say so; the names are those that are protected anyway then.
    pub fallback: Option<String>,
}
