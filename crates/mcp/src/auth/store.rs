//! The file of logins: closed to others, replaced in one step, changed by one process at a time.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{AuthorizationMetadata, StoredCredentials};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tau_sys::lock::FileLock;

use crate::file::{FileError, replace};

/// The file, below the folder of the user's settings.
const FILE: &str = "tau/mcp-auth.json";
/// How long another process may take that renews a token.
const PATIENCE: Duration = Duration::from_secs(40);
/// After so long a lock was left by a process that died.
const STALE: Duration = Duration::from_secs(60);

/// A login.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Login {
    /// Where tokens come from.
    pub(super) server: AuthorizationMetadata,
    /// The client that got them.
    pub(super) client_id: String,
    /// Its secret, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    /// Where the browser came back to.
    pub(super) redirect: String,
    /// The tokens; none once they were refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) credentials: Option<StoredCredentials>,
}

type All = BTreeMap<String, Value>;

/// The file. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LoginFile(Arc<PathBuf>);

impl LoginFile {
    /// The one below the folder of the user's settings.
    pub fn of(agent_dir: &Path) -> Self {
        Self(Arc::new(agent_dir.join(FILE)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn io(&self, error: io::Error) -> FileError {
        FileError::io(&self.0, error)
    }

    /// The message quotes nothing of its content.
    fn malformed(&self) -> FileError {
        let problem = "the file is damaged; it is left as it is. Remove it to sign in anew".to_owned();
        FileError::Malformed { path: self.0.to_path_buf(), problem }
    }

    fn all(&self) -> Result<All, FileError> {
        match tau_tools::read_small_file(&self.0) {
            Ok(text) => serde_json::from_slice(&text).map_err(|_| self.malformed()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(All::new()),
            Err(error) => Err(self.io(error)),
        }
    }

    /// The login of a key.
    pub(super) fn read(&self, key: &str) -> Result<Option<Login>, FileError> {
        let login = self.all()?.remove(key);
        login.map(serde_json::from_value).transpose().map_err(|_| self.malformed())
    }

    /// Whether somebody is signed in.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn has(&self, key: &str) -> Result<bool, FileError> {
        Ok(self.read(key)?.is_some_and(|login| login.credentials.is_some()))
    }

    /// Removes a login; whether there was one.
    ///
    /// # Errors
    /// When the file cannot be used; it is unchanged then.
    pub fn remove(&self, key: &str) -> Result<bool, FileError> {
        let lock = self.lock()?;
        let mut all = self.all()?;
        let was_there = all.remove(key).is_some();
        if was_there {
            self.write(&lock, &all)?;
        }
        Ok(was_there)
    }

    /// Another number for another login.
    pub fn stamp(&self, key: &str) -> u64 {
        let login = self.all().ok().and_then(|mut all| all.remove(key));
        let Some(login) = login else { return 0 };
        let digest = Sha256::digest(login.to_string());
        digest.iter().take(8).fold(1, |stamp, byte| (stamp << 8) | u64::from(*byte))
    }

    /// Keeps other processes out. Blocks.
    pub(super) fn lock(&self) -> Result<FileLock, FileError> {
        if let Some(folder) = self.0.parent() {
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| self.io(error))?;
        }
        Ok(FileLock::acquire_after(&self.0, PATIENCE, STALE)?)
    }

    /// Puts a login in the place of another.
    pub(super) fn put(&self, lock: &FileLock, key: &str, login: &Login) -> Result<(), FileError> {
        let mut all = self.all()?;
        let login = serde_json::to_value(login).map_err(|_| self.malformed())?;
        all.insert(key.to_owned(), login);
        self.write(lock, &all)
    }

    fn write(&self, lock: &FileLock, all: &All) -> Result<(), FileError> {
        let text = serde_json::to_vec_pretty(all).map_err(|_| self.malformed())?;
        // Whoever made it readable for others gets a closed one.
        let close = |permissions| std::fs::set_permissions(&**self.0, permissions);
        match close(std::fs::Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io(error)),
            _ => replace(&self.0, &text, lock),
        }
    }
}
