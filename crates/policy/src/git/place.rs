//! Which repository a call works on, and where its head is.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use tau_git::Repository;

use crate::evaluation::Reason;
use crate::invocation::{Dir, Invocation};
use crate::text::Text;
use crate::world::{File, World};

use super::globals::Globals;
use super::paths::{plain, real};
use super::state::Repositories;
use super::{GitPlace, Head};

/// Files of git that name something are shorter than this.
const LONGEST: u64 = 16 * 1024;

/// The repository of a call.
pub(super) struct Located {
    /// What is known of it.
    pub(super) place: GitPlace,
    /// The repository, unless the script makes it.
    pub(super) repository: Option<Rc<Repository>>,
    /// The folder of git that all its work trees share.
    pub(super) common: Option<PathBuf>,
    /// Where git works.
    pub(super) directory: Dir,
    /// Why it cannot be read.
    pub(super) reason: Option<Reason>,
}

impl Located {
    /// The folder of git of this work tree.
    pub(super) fn git_dir(&self) -> Option<&Path> {
        match &self.place {
            GitPlace::Repository { git_dir, .. } => Some(git_dir),
            GitPlace::None | GitPlace::Unknown => None,
        }
    }

    /// The root of the work tree.
    pub(super) fn work_tree(&self) -> Option<&Path> {
        match &self.place {
            GitPlace::Repository { work_tree, .. } => work_tree.as_deref(),
            GitPlace::None | GitPlace::Unknown => None,
        }
    }

    /// Where its head may be.
    pub(super) fn heads(&self, state: &Repositories, world: &dyn World) -> Vec<Head> {
        match &self.place {
            GitPlace::None => Vec::new(),
            GitPlace::Unknown => vec![Head::Unknown],
            GitPlace::Repository { git_dir, .. } => match state.heads(git_dir) {
                Some(heads) => heads.to_vec(),
                None => vec![self.read_head(git_dir, state, world)],
            },
        }
    }

    fn read_head(&self, git_dir: &Path, state: &Repositories, world: &dyn World) -> Head {
        let File::Text(text) = world.file(&git_dir.join("HEAD"), LONGEST) else { return Head::Unknown };
        let text = text.trim();
        match text.strip_prefix("ref:").map(|name| name.trim()) {
            Some(name) => self.on(name.strip_prefix("refs/heads/").unwrap_or(name), state),
            None if text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => Head::Detached,
            None => Head::Unknown,
        }
    }

    /// A head on a branch.
    pub(super) fn on(&self, branch: &str, state: &Repositories) -> Head {
        match self.has_branch(branch, state) {
            Some(false) => Head::Unborn(branch.to_owned()),
            Some(true) | None => Head::Branch(branch.to_owned()),
        }
    }

    /// Whether a branch is there; `None` if nobody knows.
    pub(super) fn has_branch(&self, name: &str, state: &Repositories) -> Option<bool> {
        let made = self.common.as_deref().and_then(|common| state.has_branch(common, name));
        made.or_else(|| self.has_reference(&format!("refs/heads/{name}")))
    }

    /// Whether a reference to a commit was there before the script.
    pub(super) fn has_reference(&self, name: &str) -> Option<bool> {
        match (&self.repository, &self.place) {
            (Some(repository), _) => Some(repository.commit(name).is_ok()),
            // The script made the repository, and what it made is known.
            (None, GitPlace::Repository { .. }) => Some(false),
            (None, _) => None,
        }
    }
}

/// Finds the repository of a call.
pub(super) fn locate(invocation: &Invocation, globals: &Globals, state: &Repositories, world: &dyn World) -> Located {
    let nowhere = |place, directory| Located { place, repository: None, common: None, directory, reason: None };
    if invocation.is_elsewhere() || globals.is_unknown {
        return nowhere(GitPlace::Unknown, Dir::Unknown);
    }
    let directory = directory(invocation, globals, world);
    let named = globals.last("git-dir").map(|given| given.value.clone().unwrap_or_default());
    let git_dir = named.or_else(|| variable(invocation, "GIT_DIR", world));
    let tree = globals.last("work-tree").map(|given| given.value.clone().unwrap_or_default());
    let work_tree = tree.or_else(|| variable(invocation, "GIT_WORK_TREE", world));
    let Dir::Known(folder) = &directory else { return nowhere(GitPlace::Unknown, Dir::Unknown) };
    let path = |text: &Text| text.known().map(|path| real(&folder.join(path), world));
    let from = match &git_dir {
        None => Some(folder.clone()),
        Some(text) => path(text),
    };
    let Some(from) = from else { return nowhere(GitPlace::Unknown, directory) };
    let mut located = find(&from, git_dir.is_some(), directory.clone(), state, world);
    let root = match &work_tree {
        Some(text) => path(text),
        // With a folder of git alone, git takes the directory for the root of the work tree.
        None => git_dir.as_ref().map(|_| folder.clone()),
    };
    if let (GitPlace::Repository { work_tree, .. }, Some(root)) = (&mut located.place, root) {
        *work_tree = Some(root);
    }
    located
}

/// A variable of git, if it is set.
pub(super) fn variable(invocation: &Invocation, name: &str, world: &dyn World) -> Option<Text> {
    match invocation.variable(name) {
        Some(value) => value.cloned(),
        None if invocation.is_elsewhere() => None,
        None => world.variable(name).map(Text::new),
    }
}

/// The directory that git works in.
pub(super) fn directory(invocation: &Invocation, globals: &Globals, world: &dyn World) -> Dir {
    let Dir::Known(start) = &invocation.directory else { return Dir::Unknown };
    let mut folder = real(start, world);
    for given in globals.options.iter().filter(|given| given.name == "C") {
        let Some(path) = given.value.as_ref().and_then(Text::known) else { return Dir::Unknown };
        folder = real(&folder.join(path), world);
    }
    Dir::Known(folder)
}

fn find(from: &Path, is_git_dir: bool, directory: Dir, state: &Repositories, world: &dyn World) -> Located {
    let mut located = Located { place: GitPlace::None, repository: None, common: None, directory, reason: None };
    let made = if is_git_dir { from.parent().unwrap_or(from) } else { from };
    let made = state.tree_of(made);
    // A folder of git of a linked work tree says where that is.
    let door = is_git_dir.then(|| world.file(&from.join("gitdir"), LONGEST));
    let from = match door {
        Some(File::Text(door)) => real(Path::new(door.trim()).parent().unwrap_or(from), world),
        _ => from.to_owned(),
    };
    let found = match world.repository(&from) {
        Ok(found) => found,
        Err(error) => {
            located.place = GitPlace::Unknown;
            located.reason = Some(Reason::Repository { folder: from.display().to_string(), why: error.to_string() });
            return located;
        }
    };
    let root_of = |found: &Repository| {
        let root = found.work_tree().unwrap_or_else(|| found.git_dir().to_owned());
        real(&root, world)
    };
    let outer = found.as_deref().map(root_of);
    // The innermost of both.
    if let Some((root, tree)) = made
        && outer.is_none_or(|outer| outer.components().count() < root.components().count())
    {
        let work_tree = (!tree.is_bare).then(|| root.to_owned());
        located.place = GitPlace::Repository { git_dir: tree.git_dir.clone(), work_tree };
        located.common = Some(tree.common.clone());
        // A work tree shares the branches of the repository that is there already.
        let shared = world.repository(&tree.common).ok().flatten();
        located.repository = shared.filter(|shared| common(&real(shared.git_dir(), world), world) == tree.common);
        return located;
    }
    if let Some(repository) = found {
        let git_dir = real(repository.git_dir(), world);
        located.common = Some(common(&git_dir, world));
        let work_tree = repository.work_tree().map(|root| real(&root, world));
        located.place = GitPlace::Repository { git_dir, work_tree };
        located.repository = Some(repository);
    }
    located
}

/// The folder of git that all work trees share.
fn common(git_dir: &Path, world: &dyn World) -> PathBuf {
    match world.file(&git_dir.join("commondir"), LONGEST) {
        File::Text(named) => plain(&git_dir.join(named.trim())),
        _ => git_dir.to_owned(),
    }
}
