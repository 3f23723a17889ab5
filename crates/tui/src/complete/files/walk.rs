//! Finding the paths below a folder.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder};
use parking_lot::Mutex;
use tau_view::untrusted;

use super::store::Part;

/// The first pass reads this deep, so that files near the top appear at once, however much lies below.
const SHALLOW: usize = 2;
/// A part is published when it has this many paths, or is this old.
const PART: usize = 2_048;
const PART_AGE: Duration = Duration::from_millis(30);
/// The walk checks every so many entries whether it is still wanted.
const ASK: usize = 64;

/// How many paths a walk may find, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most paths.
    pub paths: usize,
    /// The longest time it may take.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { paths: 200_000, time: Duration::from_secs(15) }
    }
}

/// Takes what a walk finds.
pub(super) trait Finds {
    /// Takes paths below the root; those of folders end in a slash.
    fn take(&mut self, part: Part);
    /// Whether to continue.
    fn is_wanted(&self) -> bool;
}

/// Finds the paths below `root`: hidden files are included, ignored files and `.git` are not. Links are followed, into
/// each folder once. Names that are not UTF-8, or have control or invisible characters, are skipped. Returns `false` if
/// the walk stopped because it was no longer wanted, `true` if it finished or reached a limit.
pub(super) fn walk(root: &Path, limits: Limits, finds: &mut dyn Finds) -> bool {
    let mut walk = Walk { part: Part::default(), since: Instant::now(), left: limits.paths, finds };
    let until = Instant::now().checked_add(limits.time);
    let ended = walk.both_passes(root, until);
    walk.hand_on();
    !matches!(ended, ControlFlow::Break(Stop::Unwanted))
}

/// Which depths a pass reports. Both passes start at the root, because ignore files in upper folders apply to lower
/// ones.
#[derive(Clone, Copy)]
enum Depths {
    Shallow,
    Deep,
}

impl Depths {
    fn contain(self, depth: usize) -> bool {
        match self {
            Self::Shallow => (1..=SHALLOW).contains(&depth),
            Self::Deep => depth > SHALLOW,
        }
    }
}

enum Stop {
    Unwanted,
    Limit,
}

struct Walk<'a> {
    part: Part,
    since: Instant,
    left: usize,
    finds: &'a mut dyn Finds,
}

impl Walk<'_> {
    fn both_passes(&mut self, root: &Path, until: Option<Instant>) -> ControlFlow<Stop> {
        self.pass(root, Depths::Shallow, until)?;
        self.pass(root, Depths::Deep, until)
    }

    fn pass(&mut self, root: &Path, depths: Depths, until: Option<Instant>) -> ControlFlow<Stop> {
        let links = Arc::new(Links::new(root));
        let mut builder = WalkBuilder::new(root);
        builder.hidden(false).follow_links(true);
        if matches!(depths, Depths::Shallow) {
            builder.max_depth(Some(SHALLOW));
        }
        let filter = Arc::clone(&links);
        builder.filter_entry(move |entry| entry.depth() == 0 || (is_plain(entry) && filter.is_entered(entry)));
        for (count, entry) in builder.build().enumerate() {
            if count % ASK == 0 {
                if !self.finds.is_wanted() {
                    return ControlFlow::Break(Stop::Unwanted);
                }
                if until.is_some_and(|until| Instant::now() >= until) {
                    return ControlFlow::Break(Stop::Limit);
                }
            }
            match entry {
                Ok(entry) if depths.contain(entry.depth()) => {
                    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                    self.found(root, entry.path(), is_folder)?;
                }
                Ok(_) => {}
                // An unreadable folder or a broken link has nothing to offer.
                Err(error) => links.closed.lock().extend(turning_back(&error)),
            }
            self.found_links(root, &links, depths)?;
        }
        self.found_links(root, &links, depths)
    }

    /// Reports the links that were not entered.
    fn found_links(&mut self, root: &Path, links: &Links, depths: Depths) -> ControlFlow<Stop> {
        for (path, depth) in std::mem::take(&mut *links.closed.lock()) {
            let is_plain = path.file_name().and_then(|name| name.to_str()).is_some_and(is_plain_name);
            if depths.contain(depth) && is_plain {
                self.found(root, &path, true)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn found(&mut self, root: &Path, path: &Path, is_folder: bool) -> ControlFlow<Stop> {
        let Some(path) = path.strip_prefix(root).ok().and_then(Path::to_str) else {
            return ControlFlow::Continue(());
        };
        let Some(left) = self.left.checked_sub(1) else { return ControlFlow::Break(Stop::Limit) };
        self.left = left;
        if is_folder {
            self.part.push(&format!("{path}/"))
        } else {
            self.part.push(path)
        }
        if self.part.len() >= PART || self.since.elapsed() >= PART_AGE {
            self.hand_on();
        }
        ControlFlow::Continue(())
    }

    fn hand_on(&mut self) {
        self.since = Instant::now();
        if self.part.len() > 0 {
            self.finds.take(std::mem::take(&mut self.part));
        }
    }
}

/// The link that points to one of its own parent folders, and its depth, if the error is about one.
fn turning_back(error: &ignore::Error) -> Option<(PathBuf, usize)> {
    let depth = error.depth()?;
    let mut inner = error;
    loop {
        match inner {
            ignore::Error::Loop { child, .. } => return Some((child.clone(), depth)),
            ignore::Error::WithDepth { err, .. }
            | ignore::Error::WithPath { err, .. }
            | ignore::Error::WithLineNumber { err, .. } => inner = err,
            _ => return None,
        }
    }
}

/// Whether the name of an entry can be typed into a prompt and shown there unchanged.
fn is_plain(entry: &DirEntry) -> bool {
    entry.file_name() != ".git" && entry.file_name().to_str().is_some_and(is_plain_name)
}

/// Whether a name has no control or invisible characters.
pub(in crate::complete) fn is_plain_name(name: &str) -> bool {
    name.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        || (!name.chars().any(char::is_control) && untrusted::plain(name) == name)
}

/// The folders that were entered through links.
struct Links {
    root: PathBuf,
    /// By device and number.
    entered: Mutex<HashSet<(u64, u64)>>,
    /// Links that are not entered, and their depth.
    closed: Mutex<Vec<(PathBuf, usize)>>,
}

impl Links {
    fn new(root: &Path) -> Self {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Self { root, entered: Mutex::default(), closed: Mutex::default() }
    }

    /// Whether to report and enter an entry. A link to a folder that another link already led to, or to one that
    /// contains the link, would repeat the same files: the link itself is reported, but not entered.
    fn is_entered(&self, entry: &DirEntry) -> bool {
        if !entry.path_is_symlink() {
            return true;
        }
        // A broken link.
        let (Ok(target), Ok(metadata)) = (fs::canonicalize(entry.path()), fs::metadata(entry.path())) else {
            return true;
        };
        if !metadata.is_dir() {
            return true;
        }
        let holds_the_link = || {
            let parent = entry.path().parent().and_then(|parent| fs::canonicalize(parent).ok());
            parent.is_none_or(|parent| parent.starts_with(&target))
        };
        let is_new = self.entered.lock().insert((metadata.dev(), metadata.ino()));
        if is_new && !self.root.starts_with(&target) && !holds_the_link() {
            return true;
        }
        self.closed.lock().push((entry.path().to_owned(), entry.depth()));
        false
    }
}
