//! The remembered answers: `<agentDir>/trust.json`, an object of folders to `true`, `false` or `null` (no answer).

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::record::TrustRecord;
use super::resources::real;
use crate::settings::{FileLock, LockError, replace_file};

/// Longer than an abandoned lock lives.
pub(super) const PATIENCE: Duration = Duration::from_secs(12);

/// What can go wrong with the remembered answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The file holds something else than folders and answers. It is never overwritten.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the place.
        message: String,
    },
    /// The file cannot be read or written.
    #[error("{}: {message}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// The lock cannot be had or was lost.
    #[error("{}: {reason}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// What happened to the lock.
        reason: LockError,
    },
}

/// An answer and the folder it was given for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntry {
    /// The project, or a folder above it.
    pub folder: PathBuf,
    /// The answer.
    pub trusted: bool,
}

/// The remembered answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    path: PathBuf,
}

type Answers = BTreeMap<String, Option<bool>>;

impl TrustStore {
    /// The answers kept in `agent_dir`.
    pub fn new(agent_dir: &Path) -> Self {
        Self { path: agent_dir.join("trust.json") }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The answer for the nearest folder at or above `folder` that has one.
    ///
    /// # Errors
    /// When the file exists but cannot be understood.
    pub fn nearest(&self, folder: &Path) -> Result<Option<TrustEntry>, TrustError> {
        // Some programs empty the file before they fill it, always under the lock.
        let answers = match self.read() {
            Ok(answers) if !answers.is_empty() => answers,
            _ if FileLock::is_held(&self.path) => {
                let _lock = FileLock::acquire(&self.path, Duration::from_secs(1));
                self.read()?
            }
            other => other?,
        };
        let folder = real(folder);
        Ok(folder.ancestors().find_map(|dir| {
            let trusted = (*answers.get(dir.to_str()?)?)?;
            Some(TrustEntry { folder: dir.to_path_buf(), trusted })
        }))
    }

    /// Remembers answers; `None` forgets one. What the projects look like then counts as trusted. Blocks while another program holds the lock.
    ///
    /// # Errors
    /// When the file cannot be understood, locked or written; it is unchanged then.
    pub fn update(&self, changes: &[(PathBuf, Option<bool>)]) -> Result<(), TrustError> {
        let locked = |reason| TrustError::Locked { path: self.path.clone(), reason };
        let lock = FileLock::acquire(&self.path, PATIENCE).map_err(locked)?;
        let mut answers = self.read()?;
        for (folder, answer) in changes {
            let folder = real(folder).to_string_lossy().into_owned();
            match answer {
                Some(_) => answers.insert(folder, *answer),
                None => answers.remove(&folder),
            };
        }
        let mut text = serde_json::to_string_pretty(&answers).map_err(|error| self.io(error.into()))?;
        text.push('\n');
        lock.verify().map_err(locked)?;
        replace_file(&self.path, text.as_bytes()).map_err(|error| self.io(error))?;
        let folders: Vec<PathBuf> = changes.iter().map(|(folder, _)| real(folder)).collect();
        self.record().forget(folders.iter().map(PathBuf::as_path))
    }

    /// What trusted projects looked like.
    pub(super) fn record(&self) -> TrustRecord {
        TrustRecord::new(self.path.parent().unwrap_or(Path::new("")))
    }

    fn read(&self) -> Result<Answers, TrustError> {
        let bytes = match tau_tools::read_small_file(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Answers::new()),
            Err(error) => return Err(self.io(error)),
        };
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        serde_json::from_slice(bytes)
            .map_err(|error| TrustError::Malformed { path: self.path.clone(), message: error.to_string() })
    }

    fn io(&self, error: io::Error) -> TrustError {
        TrustError::Io { path: self.path.clone(), message: error.to_string() }
    }
}
