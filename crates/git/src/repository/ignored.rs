//! Which paths git ignores.

use std::path::{Path, PathBuf};

use gix::bstr::BString;
use gix::index::entry::Mode;
use gix::worktree::stack::state::ignore::Source;

use super::Repository;
use crate::GitError;

impl Repository {
    /// Whether git ignores each of these paths, as `git check-ignore --no-index` says it, with what tracked files are
    /// taken out. Paths are absolute or relative to the work tree, and need not exist; one with a slash at its end is a
    /// folder.
    ///
    /// # Errors
    /// Without a work tree, when a path is outside of it, and when the index cannot be read.
    pub fn are_ignored<P: AsRef<Path>>(&self, paths: &[P]) -> Result<Vec<bool>, GitError> {
        let work_tree = self.work_tree().ok_or_else(|| GitError::Bare { git_dir: self.git_dir().to_owned() })?;
        let failed = |error: gix::Error| GitError::read("what is ignored", self.git_dir(), &error);
        let index = self.git.index_or_empty().map_err(failed)?;
        let mut rules = self.git.excludes(&index, None, Source::WorktreeThenIdMappingIfNotSkipped).map_err(failed)?;
        let mut ignored = Vec::with_capacity(paths.len());
        for path in paths {
            let path = path.as_ref();
            let relative = relative(path, &work_tree)
                .ok_or_else(|| GitError::Outside { path: path.to_owned(), work_tree: work_tree.clone() })?;
            let name: BString = gix::path::into_bstr(relative.as_path()).map_err(failed)?.into_owned();
            let is_root = name.is_empty();
            if is_root || index.entry_by_path(name.as_ref()).is_some() {
                ignored.push(false);
                continue;
            }
            let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/") || work_tree.join(&relative).is_dir();
            let mode = if is_folder { Mode::DIR } else { Mode::FILE };
            ignored.push(rules.at_path(&relative, Some(mode)).map_err(failed)?.is_excluded());
        }
        Ok(ignored)
    }
}

/// A path below the work tree, in its own words: without `.`, and without `..`, which a rule would not understand.
fn relative(path: &Path, work_tree: &Path) -> Option<PathBuf> {
    use std::path::Component;
    let path = if path.is_absolute() { path.strip_prefix(work_tree).ok()? } else { path };
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir => parts.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}
