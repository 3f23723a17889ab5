//! Finding skill files below a folder.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::skill::SKILL_FILE;

const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".fdignore"];

/// Where a single Markdown file counts as a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SingleFiles {
    /// Directly in the folder.
    AtTheTop,
    /// Only in folders below it: the layout that agents share.
    Below,
}

/// Files below `root` that may be skills, in byte order.
///
/// A folder with a `SKILL.md` is one skill and is not searched further. Hidden entries, `node_modules` and what ignore
/// files name are passed over. Links are followed, but not in circles.
pub(super) fn scan(root: &Path, single_files: SingleFiles) -> Vec<PathBuf> {
    let mut scan = Scan { root, single_files, ignores: Vec::new(), open: Vec::new(), found: Vec::new() };
    scan.folder(root);
    scan.found
}

struct Scan<'a> {
    root: &'a Path,
    single_files: SingleFiles,
    /// The ignore rules of the folders being searched, outermost first.
    ignores: Vec<Gitignore>,
    /// The real paths of the folders being searched.
    open: Vec<PathBuf>,
    found: Vec<PathBuf>,
}

impl Scan<'_> {
    fn folder(&mut self, folder: &Path) {
        let Ok(real) = fs::canonicalize(folder) else { return };
        if self.open.contains(&real) {
            return;
        }
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort_unstable_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));

        self.open.push(real);
        self.ignores.push(ignore_rules(folder));
        let skill_file = folder.join(SKILL_FILE);
        if skill_file.is_file() && !self.is_ignored(&skill_file, false) {
            self.found.push(skill_file);
        } else {
            for name in names {
                if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
                    continue;
                }
                self.entry(folder, &folder.join(name));
            }
        }
        self.ignores.pop();
        self.open.pop();
    }

    fn entry(&mut self, folder: &Path, path: &Path) {
        let is_dir = path.is_dir();
        if self.is_ignored(path, is_dir) {
            return;
        }
        if is_dir {
            self.folder(path);
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            let at_the_top = folder == self.root;
            if at_the_top == (self.single_files == SingleFiles::AtTheTop) {
                self.found.push(path.to_path_buf());
            }
        }
    }

    /// The innermost rule that says anything decides.
    fn is_ignored(&self, path: &Path, is_dir: bool) -> bool {
        let decision = self.ignores.iter().rev().map(|rules| rules.matched(path, is_dir)).find(|found| !found.is_none());
        decision.is_some_and(|found| found.is_ignore())
    }
}

fn ignore_rules(folder: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for name in IGNORE_FILES {
        // A rule that cannot be understood is left out; the others count.
        let _ = builder.add(folder.join(name));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
