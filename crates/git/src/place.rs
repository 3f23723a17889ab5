//! Which repository a folder belongs to.

use std::path::{Path, PathBuf};

use crate::branch::git_folder;

/// Where a repository is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// What is opened: the `.git` beside the files, which may be a file, or the folder of a bare repository.
    pub(crate) door: PathBuf,
    /// The folder of git of this work tree.
    pub(crate) git_dir: PathBuf,
}

impl Place {
    /// The repository of a folder. Variables of the process name none: they may mean another one.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(|folder| {
            if let Some(git_dir) = git_folder(folder) {
                return Some(Self { door: folder.join(".git"), git_dir });
            }
            is_git(folder).then(|| Self { door: folder.to_owned(), git_dir: folder.to_owned() })
        })
    }

    /// The folder that all work trees share.
    pub(crate) fn common_dir(&self) -> PathBuf {
        let named = crate::branch::read_text(&self.git_dir.join("commondir")).ok();
        named.map_or_else(|| self.git_dir.clone(), |named| self.git_dir.join(named.trim_end_matches(['\n', '\r'])))
    }
}

/// Whether a folder is one of git itself.
fn is_git(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}
