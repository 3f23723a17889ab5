//! Noticing that context files changed, at the price of a few looks at the file system.
//!
//! A look at a folder tells whether anything was created, deleted or renamed in it, and a look at each context file tells
//! whether it was written to. Looking is certain, where a watcher's message may still be on its way when the next prompt
//! is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::context::{CANDIDATES, context_folders};
use crate::settings::Environment;

/// File systems count time in steps; two changes within one look the same.
const STEP: Duration = Duration::from_secs(2);

/// What the places of context files looked like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextWatch {
    places: Vec<(PathBuf, Option<Stamp>)>,
    /// Something was written just before, so that it may be written again without looking different.
    is_fresh: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    identity: (u64, u64, i64),
}

impl ContextWatch {
    /// Looks at the places where the context files for the working directory may be. Do it before you read them.
    pub fn new(env: &Environment) -> Self {
        let now = tau_ai::now();
        let mut places = Vec::new();
        for folder in context_folders(env) {
            let files = CANDIDATES.iter().map(|name| folder.join(name));
            // What a link leads to may come and go while the folder stays as it is.
            places.extend(files.filter(|file| file.symlink_metadata().is_ok()));
            places.push(folder);
        }
        let places: Vec<_> = places.into_iter().map(|path| (Stamp::of(&path), path)).collect();
        let is_fresh = places.iter().any(|(stamp, _)| stamp.is_some_and(|stamp| stamp.is_younger_than(STEP, now)));
        Self { places: places.into_iter().map(|(stamp, path)| (path, stamp)).collect(), is_fresh }
    }

    /// Whether the files may be different from what they were.
    pub fn may_have_changed(&self) -> bool {
        self.is_fresh || self.places.iter().any(|(path, stamp)| Stamp::of(path) != *stamp)
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let data = fs::metadata(path).ok()?;
        // The time of the last change of state cannot be set back.
        let identity = (data.dev(), data.ino(), data.ctime().wrapping_mul(1_000_000_000) + data.ctime_nsec());
        Some(Self { modified: data.modified().ok(), size: data.len(), identity })
    }

    fn is_younger_than(&self, age: Duration, now: SystemTime) -> bool {
        self.modified.is_none_or(|modified| now.duration_since(modified).map_or(true, |since| since < age))
    }
}
