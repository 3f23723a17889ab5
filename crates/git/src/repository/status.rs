//! The counts of what differs.

use super::Repository;
use super::changes::{Change, What};
use super::untracked::Untracked;
use crate::{Changes, GitError, Status, Stop};

/// See [`Repository::status`].
pub(super) fn status(repository: &Repository, stop: &Stop) -> Result<Option<Status>, GitError> {
    if repository.work_tree().is_none() {
        return Ok(None);
    }
    let settings = &repository.settings;
    let is_off = |key: &str| settings.boolean(key).ok().flatten();
    let renames = is_off("status.renames").or_else(|| is_off("diff.renames")).unwrap_or(true);
    let untracked = match settings.string("status.showUntrackedFiles").as_ref().map(|value| value.as_slice()) {
        Some(b"no" | b"false") => Untracked::None,
        Some(b"all") => Untracked::Each,
        _ => Untracked::Folders,
    };
    let mut status = Status::default();
    let most = repository.limits.untracked;
    status.is_complete = repository.changes(None, renames, (untracked, most), stop, &mut |change, _| {
        match change {
            Change::Staged(what) => *count(&mut status.staged, what) += 1,
            Change::Unstaged(what) => *count(&mut status.unstaged, what) += 1,
            Change::Conflicted => status.conflicted += 1,
            Change::Untracked => status.untracked += 1,
        }
        true
    })?;
    Ok(Some(status))
}

fn count(changes: &mut Changes, what: What) -> &mut usize {
    match what {
        What::Added => &mut changes.added,
        What::Modified => &mut changes.modified,
        What::Deleted => &mut changes.deleted,
        What::Renamed => &mut changes.renamed,
    }
}
