//! What differs between a tree, the index and the work tree.

use std::ops::ControlFlow;
use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::diff::Rewrites;
use gix::diff::index::ChangeRef;
use gix::status::plumbing::index_as_worktree::traits::{FastEq, SubmoduleStatus};
use gix::status::plumbing::index_as_worktree::{Change as FileChange, EntryStatus};
use gix::status::plumbing::index_as_worktree_with_renames::{Entry, VisitEntry};
use gix::status::tree_index::TrackRenames;
use gix::worktree::stack::state::attributes::Source;

use super::Repository;
use super::filtered::Filtered;
use super::untracked::{self, Untracked};
use crate::place::Place;
use crate::{GitError, Limits, Stop};

/// One thing that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Staged(What),
    Unstaged(What),
    Untracked,
    Conflicted,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Added,
    Modified,
    Deleted,
    Renamed,
}

impl Repository {
    /// Visits what differs, in no order, until `visit` says that it is enough. `tree` is compared with the index; of what is
    /// untracked, no more than so many are visited. Returns whether everything was visited.
    pub(super) fn changes(
        &self,
        tree: Option<ObjectId>,
        renames: bool,
        untracked: (Untracked, usize),
        stop: &Stop,
        visit: &mut dyn FnMut(Change, &BStr) -> bool,
    ) -> Result<bool, GitError> {
        let (untracked, most) = untracked;
        if self.git.workdir().is_none() {
            return Err(GitError::Bare { git_dir: self.git_dir().to_owned() });
        }
        let index = self.git.index_or_empty();
        let index = index.map_err(|error| GitError::read("the index", self.git_dir(), &error))?;
        if index.is_sparse() {
            let what = "an index with folders in it (`index.sparse`)".to_owned();
            return Err(GitError::Unsupported { git_dir: self.git_dir().to_owned(), what });
        }
        let staged = self.staged(tree, &index, renames, stop, visit);
        if !staged.map_err(|error| GitError::read("what is staged", self.git_dir(), &error))? {
            return Ok(false);
        }
        self.unstaged(&index, untracked, most, stop, visit)
            .map_err(|error| GitError::read("what changed in the work tree", self.git_dir(), &error))
    }

    fn staged(
        &self,
        tree: Option<ObjectId>,
        index: &gix::index::State,
        renames: bool,
        stop: &Stop,
        visit: &mut dyn FnMut(Change, &BStr) -> bool,
    ) -> gix::Result<bool> {
        let tree = match tree {
            Some(tree) => tree,
            None => self.git.head_tree_id_or_empty()?.detach(),
        };
        // Copies count as new files.
        let both = TrackRenames::Given(Rewrites { copies: None, ..Rewrites::default() });
        let renames = if renames { both } else { TrackRenames::Disabled };
        // Everything, wherever this process works.
        let mut all = self.git.pathspec(false, None::<&str>, false, index, Source::IdMapping)?;
        let mut go_on = true;
        self.git.tree_index_status(&tree, index, Some(&mut all), renames, |change, _, _| {
            let (what, path) = match &change {
                ChangeRef::Addition { location, .. } => (What::Added, location),
                ChangeRef::Deletion { location, .. } => (What::Deleted, location),
                ChangeRef::Modification { location, .. } => (What::Modified, location),
                ChangeRef::Rewrite { location, copy: true, .. } => (What::Added, location),
                ChangeRef::Rewrite { location, .. } => (What::Renamed, location),
            };
            go_on = visit(Change::Staged(what), path.as_bstr()) && !stop.is_stopped();
            Ok(if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(go_on)
    }

    fn unstaged(
        &self,
        index: &gix::index::State,
        untracked: Untracked,
        most: usize,
        stop: &Stop,
        visit: &mut dyn FnMut(Change, &BStr) -> bool,
    ) -> gix::Result<bool> {
        std::thread::scope(|scope| {
            let files = untracked::start(scope, self.git.clone(), index, untracked, most, stop)
                .map_err(gix::Error::from_error)?;
            let tracked = self.tracked(index, stop, visit);
            let files = match files.join() {
                Ok(files) => files?,
                // The caller reports a defect.
                Err(panic) => std::panic::resume_unwind(panic),
            };
            let is_enough = !tracked? || !files.paths.iter().all(|path| visit(Change::Untracked, path.as_bstr()));
            Ok(files.is_complete && !is_enough && !stop.is_stopped())
        })
    }

    /// Compares the tracked files with the index.
    fn tracked(
        &self,
        index: &gix::index::State,
        stop: &Stop,
        visit: &mut dyn FnMut(Change, &BStr) -> bool,
    ) -> gix::Result<bool> {
        let mut visitor = Visitor { filtered: Filtered::new(self, index)?, visit, is_enough: false };
        let ended = self.git.index_worktree_status(
            index,
            std::iter::empty::<BString>(),
            &mut visitor,
            FastEq,
            Submodules { work_tree: self.work_tree().unwrap_or_default(), limits: self.limits },
            &mut gix::progress::Discard,
            stop.flag(),
            gix::status::index_worktree::Options::default(),
        );
        match ended {
            Ok(_) => Ok(!visitor.is_enough),
            // What was cut short says so, as an error.
            Err(_) if stop.is_stopped() => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// Passes on what differs of tracked files.
struct Visitor<'a, 'repo> {
    filtered: Filtered<'repo>,
    visit: &'a mut dyn FnMut(Change, &BStr) -> bool,
    is_enough: bool,
}

impl<'index> VisitEntry<'index> for Visitor<'_, '_> {
    type ContentChange = ();
    type SubmoduleStatus = ();

    fn visit_entry(&mut self, entry: Entry<'index, (), ()>) {
        let Entry::Modification { status, rela_path: path, entry, .. } = entry else { return };
        let change = match status {
            EntryStatus::Conflict { .. } => Change::Conflicted,
            EntryStatus::IntentToAdd => Change::Unstaged(What::Added),
            EntryStatus::NeedsUpdate(_) => return,
            EntryStatus::Change(FileChange::Removed) => Change::Unstaged(What::Deleted),
            EntryStatus::Change(FileChange::Modification { executable_bit_changed: false, .. })
                if self.filtered.is_unchanged(entry, path) =>
            {
                return;
            }
            EntryStatus::Change(_) => Change::Unstaged(What::Modified),
        };
        self.is_enough = self.is_enough || !(self.visit)(change, path);
    }
}

/// Compares the commit of a submodule. Its own files are not looked at: its settings are others, and it may be large.
#[derive(Clone)]
struct Submodules {
    work_tree: PathBuf,
    limits: Limits,
}

impl SubmoduleStatus for Submodules {
    type Output = ();

    fn status(&mut self, entry: &gix::index::Entry, rela_path: &BStr) -> gix::Result<Option<()>> {
        let folder = self.work_tree.join(gix::path::from_bstr(rela_path)?);
        let Some(git_dir) = crate::branch::git_folder(&folder) else { return Ok(None) };
        // One that cannot be read is not known to be changed.
        let place = Place { door: folder.join(".git"), git_dir };
        let Ok(submodule) = super::open::open(&place, self.limits) else { return Ok(None) };
        let commit = submodule.git.head_id().ok().map(gix::Id::detach);
        Ok(commit.is_some_and(|commit| commit != entry.id).then_some(()))
    }
}
