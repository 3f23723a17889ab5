//! What trusted projects looked like when they were trusted: `<agentDir>/tau-trust.json`, an object of folders to their
//! files and hashes. It lies beside `trust.json`, which other programs read and which knows answers only.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::fingerprint::{FileChange, Fingerprint};
use super::store::{PATIENCE, TrustError};
use crate::settings::{FileLock, replace_file};

/// The file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrustRecord {
    path: PathBuf,
}

type Projects = BTreeMap<String, Fingerprint>;

impl TrustRecord {
    pub(super) fn new(agent_dir: &Path) -> Self {
        Self { path: agent_dir.join("tau-trust.json") }
    }

    /// What changed in a project since it was recorded; `None` when it never was.
    ///
    /// # Errors
    /// When the file cannot be understood.
    pub(super) fn changes(&self, folder: &Path, now: &Fingerprint) -> Result<Option<Vec<FileChange>>, TrustError> {
        let projects = self.read()?;
        let before = projects.get(&*folder.to_string_lossy());
        Ok(before.map(|before| now.changes_since(before)))
    }

    /// Records what a project looks like.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    pub(super) fn set(&self, folder: &Path, now: &Fingerprint) -> Result<(), TrustError> {
        self.update(|projects| drop(projects.insert(folder.to_string_lossy().into_owned(), now.clone())))
    }

    /// Forgets what projects looked like, because their answers are given anew.
    ///
    /// # Errors
    /// As [`TrustRecord::set`].
    pub(super) fn forget<'a>(&self, folders: impl Iterator<Item = &'a Path>) -> Result<(), TrustError> {
        if !self.path.exists() {
            return Ok(());
        }
        let folders: Vec<String> = folders.map(|folder| folder.to_string_lossy().into_owned()).collect();
        self.update(|projects| projects.retain(|folder, _| !folders.contains(folder)))
    }

    fn update(&self, change: impl FnOnce(&mut Projects)) -> Result<(), TrustError> {
        let locked = |reason| TrustError::Locked { path: self.path.clone(), reason };
        let lock = FileLock::acquire(&self.path, PATIENCE).map_err(locked)?;
        let before = self.read()?;
        let mut projects = before.clone();
        change(&mut projects);
        if projects == before {
            return Ok(());
        }
        let mut text = serde_json::to_string_pretty(&projects).map_err(|error| self.io(&error.into()))?;
        text.push('\n');
        lock.verify().map_err(locked)?;
        replace_file(&self.path, text.as_bytes()).map_err(|error| self.io(&error))
    }

    fn read(&self) -> Result<Projects, TrustError> {
        let bytes = match tau_tools::read_small_file(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Projects::new()),
            Err(error) => return Err(self.io(&error)),
        };
        serde_json::from_slice(&bytes)
            .map_err(|error| TrustError::Malformed { path: self.path.clone(), message: error.to_string() })
    }

    fn io(&self, error: &io::Error) -> TrustError {
        TrustError::Io { path: self.path.clone(), message: error.to_string() }
    }
}
