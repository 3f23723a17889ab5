//! A package of which a version was chosen.

use std::path::PathBuf;

use url::Url;

use crate::integrity::Integrity;
use crate::manifest::Manifest;
use crate::source::GitSource;
/// What is known of a package that was chosen.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub manifest: Manifest,
    pub origin: Origin,
    pub integrity: Option<Integrity>,
    /// Its hash comes from the lock file.
    pub pinned: bool,
}

/// Where its content comes from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// The folder itself.
    Root,
    Registry {
        archive: Url,
        registry: Url,
        usual: bool,
    },
    Archive {
        url: Url,
        ready: Option<PathBuf>,
    },
    Git {
        source: GitSource,
        commit: String,
        ready: Option<PathBuf>,
    },
}
