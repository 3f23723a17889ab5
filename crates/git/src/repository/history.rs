//! How commits follow each other.

use std::collections::{BinaryHeap, HashMap};
use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::Repository;
use super::untracked::Untracked;
use crate::{Distance, GitError, Stop};

/// Which of two commits a commit is reachable from.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const BOTH: u8 = FIRST | SECOND;

/// A commit that was reached.
struct Reached {
    side: u8,
    is_waiting: bool,
}

impl Repository {
    /// The commit that a name stands for: a branch, a tag, an id, or one of git's expressions, as `HEAD~2`.
    ///
    /// # Errors
    /// When nothing has this name, or it is no commit.
    pub fn commit(&self, name: &str) -> Result<String, GitError> {
        Ok(self.commit_id(name)?.to_string())
    }

    pub(super) fn commit_id(&self, name: &str) -> Result<ObjectId, GitError> {
        let found = self.git.rev_parse_single(name.as_bytes().as_bstr()).ok();
        let commit = found.and_then(|id| id.object().ok()?.peel_to_commit().ok());
        commit
            .map(|commit| commit.id)
            .ok_or_else(|| GitError::NoCommit { git_dir: self.git_dir().to_owned(), name: name.to_owned() })
    }

    /// The best common ancestor of two commits, as `git merge-base` finds it; `None` if they have none.
    ///
    /// # Errors
    /// When a name stands for no commit, or a commit cannot be read.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        Ok(self.base(self.commit_id(one)?, self.commit_id(other)?)?.map(|id| id.to_string()))
    }

    fn base(&self, one: ObjectId, other: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let found = self.git.merge_base(one, other);
        found
            .map(|base| base.map(gix::Id::detach))
            .map_err(|error| GitError::read("the history", self.git_dir(), &error))
    }

    /// Whether everything of a branch is in another one.
    ///
    /// # Errors
    /// As [`Repository::merge_base`].
    pub fn is_merged(&self, branch: &str, into: &str) -> Result<bool, GitError> {
        let branch = self.commit_id(branch)?;
        Ok(self.base(branch, self.commit_id(into)?)? == Some(branch))
    }

    /// The files that differ from the last commit that the head shares with `other`, by path: committed, staged, changed or
    /// new in the work tree. No more than `most` of them, and whether they are all. Paths are relative to the work tree.
    ///
    /// # Errors
    /// When `other` is no commit, when the two share none, without a work tree, and when something cannot be read.
    pub fn changed_files_since(&self, other: &str, most: usize, stop: &Stop) -> Result<(Vec<PathBuf>, bool), GitError> {
        let tree = self.shared_tree(other)?;
        let mut found = std::collections::BTreeSet::new();
        let is_complete = self.changes(Some(tree), false, (Untracked::Each, most + 1), stop, &mut |_, path| {
            found.insert(
                gix::path::from_bstr(path).map_or_else(|_| path.to_str_lossy().into_owned().into(), |p| p.into_owned()),
            );
            found.len() <= most
        })?;
        let is_all = is_complete && found.len() <= most;
        Ok((found.into_iter().take(most).collect(), is_all))
    }

    /// The tree of the last commit that the head shares with another one.
    pub(super) fn shared_tree(&self, other: &str) -> Result<ObjectId, GitError> {
        let base = self.base(self.commit_id("HEAD")?, self.commit_id(other)?)?;
        let base = base.ok_or_else(|| GitError::Read {
            what: format!("what the head and {other} share"),
            git_dir: self.git_dir().to_owned(),
            why: "they have no commit in common".to_owned(),
        })?;
        let tree = self.git.find_commit(base).and_then(|commit| Ok(commit.tree_id()?.detach()));
        tree.map_err(|error| GitError::read("a commit", self.git_dir(), &error))
    }

    /// How many commits each of two has that the other has not.
    ///
    /// # Errors
    /// When a commit cannot be read.
    pub(super) fn distance(&self, first: ObjectId, second: ObjectId, stop: &Stop) -> Result<Distance, GitError> {
        if first == second {
            return Ok(Distance { is_complete: true, ..Distance::default() });
        }
        let failed = |error: gix::Error| GitError::read("the history", self.git_dir(), &error);
        let graph = self.git.commit_graph_if_enabled().map_err(failed)?;
        // The newest first, so that what both reach is met from both sides before their ancestors are.
        let mut queue = BinaryHeap::new();
        let mut reached: HashMap<ObjectId, Reached> = HashMap::new();
        for (id, side) in [(first, FIRST), (second, SECOND)] {
            if let Some((time, _)) = self.parents(id, graph.as_ref()).map_err(failed)? {
                reached.insert(id, Reached { side, is_waiting: true });
                queue.push((time, id));
            }
        }
        // How many of one side wait; and the oldest of one side that was taken, which the other side may reach later when
        // commits have the same time.
        let (mut waiting, mut oldest) = (queue.len(), i64::MAX);
        let mut is_complete = true;
        while let Some((time, id)) = queue.pop() {
            if waiting == 0 && time < oldest {
                break;
            }
            if reached.len() > self.limits.commits || stop.is_stopped() {
                is_complete = false;
                break;
            }
            let Some(taken) = reached.get_mut(&id) else { continue };
            taken.is_waiting = false;
            let side = taken.side;
            if side != BOTH {
                waiting -= 1;
                oldest = oldest.min(time);
            }
            let parents = self.parents(id, graph.as_ref()).map_err(failed)?.map(|(_, parents)| parents);
            for parent in parents.unwrap_or_default() {
                if let Some(before) = reached.get_mut(&parent) {
                    if before.side | side == before.side {
                        continue;
                    }
                    before.side = BOTH;
                    if before.is_waiting {
                        waiting -= 1;
                        continue;
                    }
                    // It was taken for one side: its ancestors must hear of the other one.
                    before.is_waiting = true;
                } else {
                    reached.insert(parent, Reached { side, is_waiting: true });
                    waiting += usize::from(side != BOTH);
                }
                match self.parents(parent, graph.as_ref()).map_err(failed)? {
                    Some((time, _)) => queue.push((time, parent)),
                    // The boundary of a shallow clone: what is behind it is not here.
                    None => {
                        reached.remove(&parent);
                        waiting -= usize::from(side != BOTH);
                    }
                }
            }
        }
        let count = |side| reached.values().filter(|found| found.side == side).count();
        Ok(Distance { ahead: count(FIRST), behind: count(SECOND), is_complete })
    }

    /// When a commit was made, and its parents; `None` if it is not here.
    fn parents(
        &self,
        id: ObjectId,
        graph: Option<&gix::commitgraph::Graph>,
    ) -> gix::Result<Option<(i64, Vec<ObjectId>)>> {
        if let Some((graph, commit)) = graph.and_then(|graph| Some((graph, graph.commit_by_id(id)?))) {
            let parents = commit.iter_parents().map(|at| at.map(|at| graph.id_at(at).to_owned()));
            let time = i64::try_from(commit.committer_timestamp()).unwrap_or(i64::MAX);
            return Ok(Some((time, parents.collect::<gix::Result<_>>()?)));
        }
        let Some(object) = self.git.try_find_object(id)? else { return Ok(None) };
        let commit = object.try_into_commit()?;
        let parents = commit.parent_ids().map(gix::Id::detach).collect();
        Ok(Some((commit.time()?.seconds, parents)))
    }
}
