//! What trusted projects looked like when they were trusted: `<agentDir>/tau-trust.json`, an object of folders to their
//! files and hashes. It lies beside `trust.json`, which other programs read and which knows answers only.

use std::collections::BTreeMap;
use std::path::Path;

use super::fingerprint::{FileChange, Fingerprint};
use crate::state::{StateError, StateFile};

/// The file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrustRecord {
    file: StateFile<Projects>,
}

type Projects = BTreeMap<String, Fingerprint>;

impl TrustRecord {
    pub(super) fn new(agent_dir: &Path) -> Self {
        Self { file: StateFile::at(agent_dir.join("tau-trust.json")) }
    }

    /// What changed in a project since it was recorded; `None` when it never was.
    ///
    /// # Errors
    /// When the file cannot be understood.
    pub(super) fn changes(&self, folder: &Path, now: &Fingerprint) -> Result<Option<Vec<FileChange>>, StateError> {
        let projects = self.file.read()?;
        let before = projects.get(&*folder.to_string_lossy());
        Ok(before.map(|before| now.changes_since(before)))
    }

    /// Records what a project looks like.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    pub(super) fn set(&self, folder: &Path, now: &Fingerprint) -> Result<(), StateError> {
        let key = folder.to_string_lossy().into_owned();
        self.file.update(|projects| drop(projects.insert(key, now.clone()))).map(drop)
    }

    /// Forgets what projects looked like, because their answers are given anew.
    ///
    /// # Errors
    /// As [`TrustRecord::set`].
    pub(super) fn forget<'a>(&self, folders: impl Iterator<Item = &'a Path>) -> Result<(), StateError> {
        if !self.file.path().exists() {
            return Ok(());
        }
        let folders: Vec<String> = folders.map(|folder| folder.to_string_lossy().into_owned()).collect();
        self.file.update(|projects| projects.retain(|folder, _| !folders.contains(folder))).map(drop)
    }
}
