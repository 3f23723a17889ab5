//! Which files changed, and where.

use std::path::PathBuf;

use tau_git::{GitError, Repository, Stop};

/// Most files of a list.
const MOST: usize = 1_000;
/// What others start from, the usual first.
const BASES: &[&str] = &["origin/main", "origin/master"];

/// The files that changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// Since the last commit that the head shares with this one.
    pub(super) since: String,
    /// Those that are there, with the first line that changed, from 1.
    pub(super) files: Vec<(PathBuf, u32)>,
    /// How many are gone.
    deleted: usize,
    /// Whether these are all.
    is_complete: bool,
}

/// Looks for what was committed, staged, changed and made since the branch began.
pub(super) fn look(repository: &Repository, stop: &Stop) -> Result<Changed, GitError> {
    let since = base(repository, stop);
    let (names, is_complete) = repository.changed_files_since(&since, MOST, stop)?;
    let lines = repository.first_changed_lines(&since, &names, stop)?;
    let root = repository.work_tree().unwrap_or_default();
    let all = names.len();
    let there = names.into_iter().zip(lines).filter_map(|(name, line)| Some((root.join(name), line?)));
    let files: Vec<(PathBuf, u32)> = there.collect();
    Ok(Changed { since, deleted: all - files.len(), files, is_complete })
}

/// What the branch is compared with: the default branch of the remote, else what it follows, else its last commit.
fn base(repository: &Repository, stop: &Stop) -> String {
    let is_usable = |name: &str| matches!(repository.merge_base("HEAD", name), Ok(Some(_)));
    let usual = BASES.iter().map(|name| (*name).to_owned()).find(|name| is_usable(name));
    let follows = || repository.facts(stop).upstream?.tracking.filter(|name| is_usable(name));
    usual.or_else(follows).unwrap_or_else(|| "HEAD".to_owned())
}

impl Changed {
    /// What the list does not have, as further sentences.
    pub(super) fn left_out(&self) -> String {
        let mut text = match self.deleted {
            0 => String::new(),
            1 => " 1 file is left out that is deleted or no plain file.".to_owned(),
            count => format!(" {count} files are left out that are deleted or no plain files."),
        };
        if !self.is_complete {
            text.push_str(&format!(" There are more than {MOST}, or not all could be looked at."));
        }
        text
    }
}
