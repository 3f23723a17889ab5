//! Where context files are, and noticing that they changed, at the price of a few looks at the file system: one at each
//! place a file may be, which loading and noticing share.
//!
//! A look at a folder tells whether anything was created, deleted or renamed in it, and a look at each context file tells
//! whether it was written to. Looking is certain, where a watcher's message may still be on its way when the next prompt
//! is there.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::settings::Environment;

/// Names of a context file; the first that exists in a folder counts.
const CANDIDATES: &[&str] = &["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/// File systems count time in steps; two changes within one look the same.
const STEP: Duration = Duration::from_secs(2);

/// What the places of context files looked like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextWatch {
    folders: Vec<Folder>,
    /// Something was written just before, so that it may be written again without looking different.
    is_fresh: bool,
}

/// A folder that may have context files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    /// The folder.
    pub(super) path: PathBuf,
    stamp: Option<Stamp>,
    candidates: Vec<Candidate>,
}

/// Something with the name of a context file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    path: PathBuf,
    /// `None` for a link that leads nowhere: what it leads to may appear while the folder stays as it is.
    stamp: Option<Stamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    is_file: bool,
    modified: Option<SystemTime>,
    size: u64,
    identity: (u64, u64, i64),
}

impl ContextWatch {
    /// Looks at the places where the context files for the working directory may be. Do it before you read them.
    pub fn new(env: &Environment) -> Self {
        let now = tau_ai::now();
        let folders: Vec<_> = context_folders(env).into_iter().map(Folder::new).collect();
        let is_fresh = stamps(&folders).any(|(_, stamp)| stamp.is_some_and(|stamp| stamp.is_younger_than(STEP, now)));
        Self { folders, is_fresh }
    }

    /// The folders, in the order of the prompt.
    pub(super) fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// Whether the files may be different from what they were.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.is_fresh || stamps(&self.folders).any(|(path, stamp)| Stamp::of(path) != stamp)
    }
}

/// The folders that may have a context file, in the order of the prompt.
fn context_folders(env: &Environment) -> Vec<PathBuf> {
    let own = env.agent_dir();
    let mut folders: Vec<PathBuf> =
        env.cwd.ancestors().map(Path::to_path_buf).filter(|folder| *folder != own).collect();
    folders.push(own);
    folders.reverse();
    folders
}

fn stamps(folders: &[Folder]) -> impl Iterator<Item = (&Path, Option<Stamp>)> {
    folders.iter().flat_map(|folder| {
        let candidates = folder.candidates.iter().map(|candidate| (candidate.path.as_path(), candidate.stamp));
        candidates.chain([(folder.path.as_path(), folder.stamp)])
    })
}

impl Folder {
    fn new(path: PathBuf) -> Self {
        let stamp = Stamp::of(&path);
        // Where there is no folder there is nothing in it.
        let names = if stamp.is_some() { CANDIDATES } else { &[] };
        let candidates = names.iter().filter_map(|name| Candidate::new(path.join(name))).collect();
        Self { path, stamp, candidates }
    }

    /// The context files that were there, the first of which counts.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let files = self.candidates.iter().filter(|candidate| candidate.stamp.is_some_and(|stamp| stamp.is_file));
        files.map(|candidate| candidate.path.as_path())
    }
}

impl Candidate {
    /// `None` when there is nothing of this name.
    fn new(path: PathBuf) -> Option<Self> {
        let there = fs::symlink_metadata(&path).ok()?;
        let stamp = if there.is_symlink() { Stamp::of(&path) } else { Some(Stamp::new(&there)) };
        Some(Self { path, stamp })
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::new)
    }

    fn new(data: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        // The time of the last change of state cannot be set back.
        let identity = (data.dev(), data.ino(), data.ctime().wrapping_mul(1_000_000_000) + data.ctime_nsec());
        Self { is_file: data.is_file(), modified: data.modified().ok(), size: data.len(), identity }
    }

    fn is_younger_than(&self, age: Duration, now: SystemTime) -> bool {
        self.modified.is_none_or(|modified| now.duration_since(modified).map_or(true, |since| since < age))
    }
}
