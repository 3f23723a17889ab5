//! Finding the files of resources below a folder.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::diagnostic::Diagnostic;
use crate::path_filter::SKILL_FILE;

/// Most files and folders that are looked at below a folder of resources: a whole disk is not what anybody means.
const MAX_LOOKED_AT: usize = 50_000;

const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".fdignore"];

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Skills: `SKILL.md` at any depth, single Markdown files directly in the folder.
    Skills,
    /// Skills in the layout that agents share: single Markdown files only in folders below.
    SharedSkills,
    /// Markdown files directly in the folder.
    MarkdownHere,
    /// Markdown files at any depth.
    Markdown,
    /// JSON files directly in the folder.
    JsonHere,
    /// JSON files at any depth.
    Json,
}

/// What is below a folder.
pub(crate) struct Scanned {
    /// The wanted files, in byte order.
    pub(crate) files: Vec<PathBuf>,
    /// Why files may be missing, when so much is below the folder that not all of it was looked at.
    pub(crate) problem: Option<Diagnostic>,
}

/// The wanted files below `root`.
///
/// A folder with a `SKILL.md` is one skill and is not searched further. Hidden entries, `node_modules` and what ignore
/// files name are passed over. Links are followed, but not in circles.
pub(crate) fn scan(root: &Path, wanted: Wanted) -> Scanned {
    scan_within(root, wanted, MAX_LOOKED_AT)
}

fn scan_within(root: &Path, wanted: Wanted, most: usize) -> Scanned {
    let mut scan = Scan { root, wanted, ignores: Vec::new(), open: Vec::new(), found: Vec::new(), left: Some(most) };
    scan.folder(root);
    let problem = scan.left.is_none().then(|| {
        let text = format!(
            "more than {most} files and folders are below this folder; what is behind the first {most} is left out: name a \
             folder further down"
        );
        Diagnostic::error(root, text)
    });
    Scanned { files: scan.found, problem }
}

impl Wanted {
    fn is_skills(self) -> bool {
        matches!(self, Self::Skills | Self::SharedSkills)
    }

    fn takes_single_file(self, at_the_top: bool) -> bool {
        match self {
            Self::Skills | Self::MarkdownHere | Self::JsonHere => at_the_top,
            Self::SharedSkills => !at_the_top,
            Self::Markdown | Self::Json => true,
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Json | Self::JsonHere => "json",
            Self::Skills | Self::SharedSkills | Self::MarkdownHere | Self::Markdown => "md",
        }
    }

    fn goes_down(self) -> bool {
        !matches!(self, Self::MarkdownHere | Self::JsonHere)
    }
}

struct Scan<'a> {
    root: &'a Path,
    wanted: Wanted,
    /// The ignore rules of the folders being searched, outermost first.
    ignores: Vec<Gitignore>,
    /// The real paths of the folders being searched.
    open: Vec<PathBuf>,
    found: Vec<PathBuf>,
    /// How much may still be looked at; none once there was more.
    left: Option<usize>,
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
        if self.wanted.is_skills() && skill_file.is_file() && !self.is_ignored(&skill_file, false) {
            self.found.push(skill_file);
        } else {
            for name in names {
                if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
                    continue;
                }
                self.left = self.left.and_then(|left| left.checked_sub(1));
                if self.left.is_none() {
                    break;
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
            if self.wanted.goes_down() {
                self.folder(path);
            }
        } else if path.extension().is_some_and(|extension| extension == self.wanted.extension())
            && path.is_file()
            && self.wanted.takes_single_file(folder == self.root)
        {
            self.found.push(path.to_path_buf());
        }
    }

    /// The innermost rule that says anything decides.
    fn is_ignored(&self, path: &Path, is_dir: bool) -> bool {
        let decision =
            self.ignores.iter().rev().map(|rules| rules.matched(path, is_dir)).find(|found| !found.is_none());
        decision.is_some_and(|found| found.is_ignore())
    }
}

/// What the ignore files of a folder say about what is in it.
pub(crate) fn ignore_rules(folder: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for name in IGNORE_FILES {
        // A rule that cannot be understood is left out; the others count.
        let _ = builder.add(folder.join(name));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_too_much_below_it_is_left_and_named() {
        let home = tempfile::tempdir().expect("a folder");
        let root = home.path();
        for name in ["a/SKILL.md", "b/c/SKILL.md", "d/SKILL.md"] {
            let file = root.join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, "---\ndescription: x\n---\n").expect("a file");
        }
        // The folders a, b, c and d: what is in a folder with a skill is not looked at.
        let all = scan_within(root, Wanted::Skills, 4);
        assert_eq!(all.files, ["a/SKILL.md", "b/c/SKILL.md", "d/SKILL.md"].map(|name| root.join(name)));
        assert_eq!(all.problem.map(|problem| problem.to_string()), None);
        let cut = scan_within(root, Wanted::Skills, 3);
        assert_eq!(cut.files, ["a/SKILL.md", "b/c/SKILL.md"].map(|name| root.join(name)));
        let text = "more than 3 files and folders are below this folder; what is behind the first 3 is left out: name a \
                    folder further down";
        assert_eq!(cut.problem.map(|problem| problem.to_string()), Some(format!("{}: {text}", root.display())));
    }
}
