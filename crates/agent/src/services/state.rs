//! The state of an extension in tau's own folder.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tau_hooks::{StateChange, StateError, StateStore};

use crate::state::{self, StateDir, StateFile};

/// The folder of one extension.
pub(super) struct ExtensionState(pub(super) StateDir);

impl ExtensionState {
    fn file(&self, name: &str) -> StateFile<Value> {
        self.0.file(name)
    }
}

impl StateStore for ExtensionState {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn read(&self, name: &str) -> Result<Value, StateError> {
        self.file(name).read().map_err(told)
    }

    fn update(&self, name: &str, change: StateChange<'_>) -> Result<(), StateError> {
        self.file(name).update(change).map(drop).map_err(told)
    }

    fn set_aside(&self, name: &str) -> Result<PathBuf, StateError> {
        self.file(name).set_aside().map_err(told)
    }
}

fn told(error: state::StateError) -> StateError {
    match error {
        state::StateError::Malformed { path, message } => StateError::Malformed { path, message },
        state::StateError::Io { path, message } => StateError::Io { path, message },
        state::StateError::Locked { path, reason } => StateError::Locked { path, message: reason.to_string() },
    }
}
