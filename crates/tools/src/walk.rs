//! Walking a directory tree as ripgrep does: hidden files count, ignored ones do not.

use std::path::Path;

use ignore::WalkBuilder;

/// A walk below `root` in the order of paths, on this thread. Git's own directory is left out.
pub(crate) fn walk(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .sort_by_file_path(|a, b| a.cmp(b))
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
}

/// Whether `path` lies in a git work tree.
pub(crate) fn in_git_work_tree(path: &Path) -> bool {
    path.ancestors().any(|directory| directory.join(".git").exists())
}
