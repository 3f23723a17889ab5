//! The places of settings files.

use std::fmt;
use std::path::{Path, PathBuf};

use super::environment::Environment;

/// A settings file by its place. Later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The user's file, for all projects.
    Global,
    /// The project's file.
    Project,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Global => "user",
            Self::Project => "project",
        })
    }
}

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Which layer.
    pub layer: Layer,
    /// Its file.
    pub path: PathBuf,
}

/// Where the two files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPaths {
    /// The folder of the user's file; relative paths in that file start here.
    pub agent_dir: PathBuf,
    /// The folder of the project's file; relative paths in that file start here.
    pub project_dir: PathBuf,
}

impl SettingsPaths {
    /// The usual places.
    pub fn of(env: &Environment) -> Self {
        Self { agent_dir: env.agent_dir(), project_dir: env.project_dir() }
    }

    /// The folder of a layer.
    pub fn base(&self, layer: Layer) -> &Path {
        match layer {
            Layer::Global => &self.agent_dir,
            Layer::Project => &self.project_dir,
        }
    }

    /// The file of a layer.
    pub fn file(&self, layer: Layer) -> PathBuf {
        self.base(layer).join("settings.json")
    }
}
