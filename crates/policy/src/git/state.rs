//! What a script did to repositories so far.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::text::Text;

use super::Head;

/// What a script did to repositories so far. Clones are cheap.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Repositories {
    known: Rc<Known>,
}

#[derive(Clone, Default, PartialEq, Debug)]
struct Known {
    /// By the folder of git of a work tree.
    heads: BTreeMap<PathBuf, Moved>,
    /// Whether a branch is there, by the folder of git that work trees share.
    branches: BTreeMap<PathBuf, BTreeMap<String, bool>>,
    /// In the order in which they were made.
    settings: Vec<Made>,
    /// Work trees by their root.
    trees: BTreeMap<PathBuf, Tree>,
}

/// Where a head is, and where it was before.
#[derive(Clone, PartialEq, Debug)]
struct Moved {
    now: Vec<Head>,
    before: Vec<Head>,
}

/// A setting that the script made.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Made {
    /// The shared folder of git of the repository; `None` for all of them.
    pub(super) scope: Option<PathBuf>,
    /// Its name.
    pub(super) key: String,
    /// `None` if it was removed.
    pub(super) value: Option<Text>,
}

/// A work tree that the script made.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tree {
    /// The folder of git of this work tree.
    pub(super) git_dir: PathBuf,
    /// The folder of git that all work trees share.
    pub(super) common: PathBuf,
    /// Whether it has a work tree.
    pub(super) is_bare: bool,
}

impl Repositories {
    /// Where the head of a work tree is, if the script moved it.
    pub(super) fn heads(&self, git_dir: &Path) -> Option<&[Head]> {
        self.known.heads.get(git_dir).map(|moved| moved.now.as_slice())
    }

    /// Where the head was before the script moved it last.
    pub(super) fn previous(&self, git_dir: &Path) -> Option<&[Head]> {
        self.known.heads.get(git_dir).map(|moved| moved.before.as_slice())
    }

    /// Moves a head as `git checkout` does, so that `-` leads back.
    pub(super) fn move_head(&mut self, git_dir: &Path, before: &[Head], now: Vec<Head>) {
        // Git notes nothing when there is no commit on one side.
        let is_noted = !before.iter().chain(&now).any(|head| matches!(head, Head::Unborn(_)));
        let mut before = if is_noted { before.to_vec() } else { vec![Head::Unknown] };
        // Between two commits that are the same one, neither.
        if before.contains(&Head::Detached) && now.contains(&Head::Detached) {
            before.extend(self.previous(git_dir).unwrap_or(&[Head::Unknown]).iter().cloned());
        }
        self.insert(git_dir, Moved { now, before });
    }

    /// Puts a head somewhere else without a note of where it was.
    pub(super) fn put_head(&mut self, git_dir: &Path, now: Vec<Head>) {
        let before = self.previous(git_dir).map_or_else(|| vec![Head::Unknown], <[Head]>::to_vec);
        self.insert(git_dir, Moved { now, before });
    }

    fn insert(&mut self, git_dir: &Path, moved: Moved) {
        let now: BTreeSet<Head> = moved.now.into_iter().collect();
        let moved = Moved { now: now.into_iter().collect(), ..moved };
        Rc::make_mut(&mut self.known).heads.insert(git_dir.to_owned(), moved);
    }

    /// Whether a branch is there, if the script made or deleted it.
    pub(super) fn has_branch(&self, common: &Path, name: &str) -> Option<bool> {
        self.known.branches.get(common)?.get(name).copied()
    }

    /// The branches that the script made.
    pub(super) fn branches(&self, common: &Path) -> impl Iterator<Item = &str> {
        let branches = self.known.branches.get(common).into_iter().flatten();
        branches.filter(|(_, is_there)| **is_there).map(|(name, _)| name.as_str())
    }

    /// Makes or deletes a branch.
    pub(super) fn set_branch(&mut self, common: &Path, name: &str, is_there: bool) {
        let branches = &mut Rc::make_mut(&mut self.known).branches;
        branches.entry(common.to_owned()).or_default().insert(name.to_owned(), is_there);
    }

    /// Puts another name in place of a branch wherever a head is on it.
    pub(super) fn rename_branch(&mut self, common: &Path, old: &str, new: &str) {
        self.set_branch(common, old, false);
        self.set_branch(common, new, true);
        for moved in Rc::make_mut(&mut self.known).heads.values_mut() {
            for head in moved.now.iter_mut().chain(&mut moved.before) {
                if *head == Head::Branch(old.to_owned()) {
                    *head = Head::Branch(new.to_owned());
                }
            }
        }
    }

    /// Makes a setting.
    pub(super) fn set(&mut self, made: Made) {
        let settings = &mut Rc::make_mut(&mut self.known).settings;
        settings.retain(|known| (&known.scope, &known.key) != (&made.scope, &made.key));
        settings.push(made);
    }

    /// The settings that apply to a repository.
    pub(super) fn settings(&self, common: Option<&Path>) -> impl Iterator<Item = &Made> {
        let applies = move |made: &&Made| made.scope.is_none() || made.scope.as_deref() == common;
        self.known.settings.iter().filter(applies)
    }

    /// Makes a work tree with its head.
    pub(super) fn make_tree(&mut self, root: PathBuf, tree: Tree, heads: Vec<Head>) {
        self.put_head(&tree.git_dir, heads);
        Rc::make_mut(&mut self.known).trees.insert(root, tree);
    }

    /// The innermost work tree that the script made and that a folder is in, with its root.
    pub(super) fn tree_of(&self, folder: &Path) -> Option<(&Path, &Tree)> {
        let mut folders = folder.ancestors();
        folders.find_map(|folder| self.known.trees.get_key_value(folder)).map(|(root, tree)| (root.as_path(), tree))
    }

    /// What may hold after either of two ways.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        let mut known = Known::clone(&self.known);
        let dirs: BTreeSet<&PathBuf> = self.known.heads.keys().chain(other.known.heads.keys()).collect();
        for dir in dirs {
            let both = [self, other].map(|one| one.known.heads.get(dir));
            let of = |part: fn(&Moved) -> &Vec<Head>| -> Vec<Head> {
                // Where one way moved nothing, the head is still anywhere.
                let all = both.iter().flat_map(|moved| moved.map_or(vec![Head::Unknown], |moved| part(moved).clone()));
                all.collect::<BTreeSet<Head>>().into_iter().collect()
            };
            let moved = Moved { now: of(|moved| &moved.now), before: of(|moved| &moved.before) };
            known.heads.insert(dir.clone(), moved);
        }
        // What only one way made or deleted is decided by what is there.
        for (common, branches) in &mut known.branches {
            let others = other.known.branches.get(common);
            branches.retain(|name, is_there| others.and_then(|others| others.get(name)) == Some(is_there));
        }
        for made in &other.known.settings {
            if !known.settings.contains(made) {
                known.settings.push(made.clone());
            }
        }
        for (root, tree) in &other.known.trees {
            known.trees.entry(root.clone()).or_insert_with(|| tree.clone());
        }
        Self { known: Rc::new(known) }
    }
}
