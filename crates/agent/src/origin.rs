//! Where extensions and resources are found.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::settings::{Layer, ResourceKind};

/// Where an extension or a resource was found, in the order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ExtensionOrigin {
    /// An entry of the project's settings.
    ProjectSettings,
    /// The project's folder for extensions.
    ProjectFolder,
    /// A package named in the project's settings.
    ProjectPackage,
    /// An entry of the user's settings.
    UserSettings,
    /// The user's folder for extensions.
    UserFolder,
    /// A package named in the user's settings.
    UserPackage,
    /// A folder of hooks in the project.
    ProjectHooks,
    /// A folder of hooks of the user, or a plugin that the user installed.
    UserHooks,
    /// `--extension` or `--hook`.
    CommandLine,
}

impl ExtensionOrigin {
    /// The settings file whose project or user it belongs to; `None` for the command line.
    pub fn layer(self) -> Option<Layer> {
        match self {
            Self::ProjectSettings | Self::ProjectFolder | Self::ProjectPackage | Self::ProjectHooks => {
                Some(Layer::Project)
            }
            Self::UserSettings | Self::UserFolder | Self::UserPackage | Self::UserHooks => Some(Layer::Global),
            Self::CommandLine => None,
        }
    }
}

impl fmt::Display for ExtensionOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProjectSettings => "project settings",
            Self::ProjectFolder => "project folder",
            Self::ProjectPackage => "project package",
            Self::UserSettings => "user settings",
            Self::UserFolder => "user folder",
            Self::UserPackage => "user package",
            Self::ProjectHooks => "project hooks",
            Self::UserHooks => "user hooks",
            Self::CommandLine => "command line",
        })
    }
}

/// A skill, prompt template or theme that a package brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageResource {
    /// What it is.
    pub kind: ResourceKind,
    /// The file.
    pub path: PathBuf,
    /// Where its package was named.
    pub origin: ExtensionOrigin,
    /// The root of the package.
    pub package_root: PathBuf,
    /// The package as settings or the command line name it.
    pub package: String,
}
