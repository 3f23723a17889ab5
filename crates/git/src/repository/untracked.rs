//! Untracked files.
//!
//! They are collected here and not by the library's walk of everything, which calls itself for every folder on a stack that
//! deep folders overflow, and knows other rules of what a folder without tracked files is.

use std::collections::BTreeSet;
use std::thread;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::dir::EntryRef;
use gix::dir::entry::Status as Found;
use gix::dir::walk::{Action, Delegate, EmissionMode, ForDeletionMode};

use crate::Stop;

/// The stack of a walk, in bytes. A path of 4,096 bytes, the longest that can be opened, has half as many folders; a build
/// without optimisation takes 2 kB for each. What is not used takes no memory.
const STACK: usize = 32 << 20;

/// Which untracked files are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untracked {
    None,
    /// A folder in which the index knows no file counts as one.
    Folders,
    Each,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) paths: BTreeSet<BString>,
    pub(super) is_complete: bool,
}

/// Starts to collect no more than `most` untracked files, on a thread of this scope.
pub(super) fn start<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    git: gix::Repository,
    index: &'scope gix::index::State,
    untracked: Untracked,
    most: usize,
    stop: &'scope Stop,
) -> std::io::Result<thread::ScopedJoinHandle<'scope, gix::Result<Files>>> {
    let work = move || collect(&git, index, untracked, most, stop);
    thread::Builder::new().name("tau-git-walk".to_owned()).stack_size(STACK).spawn_scoped(scope, work)
}

fn collect(
    git: &gix::Repository,
    index: &gix::index::State,
    untracked: Untracked,
    most: usize,
    stop: &Stop,
) -> gix::Result<Files> {
    if untracked == Untracked::None {
        return Ok(Files { is_complete: true, ..Files::default() });
    }
    let options = git.dirwalk_options()?.emit_untracked(EmissionMode::Matching);
    // Everything, wherever this process works.
    let options = options.empty_patterns_match_prefix(false).emit_ignored(None).emit_tracked(false);
    let mut walk = Walk { index, untracked, most, paths: BTreeSet::new(), is_full: false };
    let ended = git.dirwalk(index, std::iter::empty::<BString>(), stop.flag(), options, &mut walk);
    // Some folders cannot be read, as those of other users. Git leaves them out, the library ends: what is left is not known.
    if let Err(error) = &ended
        && !stop.is_stopped()
    {
        tracing::debug!(error = crate::error::why(error), "untracked files are not all known");
    }
    Ok(Files { paths: walk.paths, is_complete: ended.is_ok() && !walk.is_full && !stop.is_stopped() })
}

struct Walk<'a> {
    index: &'a gix::index::State,
    untracked: Untracked,
    most: usize,
    paths: BTreeSet<BString>,
    is_full: bool,
}

impl Walk<'_> {
    /// What a file counts as: the outermost folder in which the index knows nothing, with its slash, else itself.
    fn thing<'path>(&self, path: &'path [u8]) -> &'path BStr {
        let is_known =
            |folder: &[u8]| self.index.prefixed_entries_range(folder.as_bstr()).is_some_and(|range| !range.is_empty());
        let mut folders = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..=at]);
        let outermost = match self.untracked {
            Untracked::Folders => folders.find(|folder| !is_known(folder)),
            Untracked::None | Untracked::Each => None,
        };
        outermost.unwrap_or(path).as_bstr()
    }
}

impl Delegate for Walk<'_> {
    fn emit(&mut self, entry: EntryRef<'_>, _collapsed: Option<Found>) -> Action {
        let path = entry.rela_path.as_bstr();
        // A file that is there for one side of a conflict alone is known.
        if entry.status != Found::Untracked || self.index.entry_range(path).is_some() {
            return Action::Continue(());
        }
        let thing = self.thing(path);
        if self.paths.contains(thing) {
            return Action::Continue(());
        }
        if self.paths.len() == self.most {
            self.is_full = true;
            return Action::Break(());
        }
        let thing = thing.to_owned();
        self.paths.insert(thing);
        Action::Continue(())
    }

    fn can_recurse(
        &mut self,
        entry: EntryRef<'_>,
        for_deletion: Option<ForDeletionMode>,
        is_root_a_repository: bool,
    ) -> bool {
        let can = entry.status.can_recurse(entry.disk_kind, entry.pathspec_match, for_deletion, is_root_a_repository);
        if !can || self.untracked != Untracked::Folders || self.paths.is_empty() {
            return can;
        }
        // A folder that counts already needs no more files.
        let folder = [entry.rela_path.as_bytes(), b"/"].concat();
        !self.paths.contains(self.thing(&folder))
    }
}
