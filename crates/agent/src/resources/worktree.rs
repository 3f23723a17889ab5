//! Just enough of git's file layout to recognise a worktree inside its main checkout.

use std::fs;
use std::path::{Path, PathBuf};

use tau_tools::read_small_text;

/// A worktree and the checkout around it.
pub(super) struct Nested {
    /// Root of the worktree, one of the folders above the working directory as it is spelled.
    pub folder: PathBuf,
    /// Root of the main checkout, as a real path.
    pub root: PathBuf,
}

/// The main checkout that lies around the worktree of `cwd`.
///
/// `None` for an ordinary checkout, for a worktree elsewhere, for a submodule, and when the folder around is no checkout
/// of the same repository (a bare repository with its worktrees beside it).
pub(super) fn main_checkout_around(cwd: &Path) -> Option<Nested> {
    let folder = cwd.ancestors().find(|dir| dir.join(".git").exists())?;
    // In a worktree `.git` is a file that names the git folder.
    let pointer = read_small_text(&folder.join(".git")).ok()?;
    let git_dir = folder.join(pointer.trim().strip_prefix("gitdir: ")?.trim());
    if !git_dir.join("HEAD").exists() {
        return None;
    }
    let common = read_small_text(&git_dir.join("commondir")).ok()?;
    let common = fs::canonicalize(git_dir.join(common.trim())).ok()?;
    let worktree = fs::canonicalize(folder).ok()?;
    let root = common.parent()?.to_path_buf();
    let is_inside = worktree != root && worktree.starts_with(&root);
    let is_checkout = fs::canonicalize(root.join(".git")).ok()? == common;
    (is_inside && is_checkout).then(|| Nested { folder: folder.to_path_buf(), root })
}
