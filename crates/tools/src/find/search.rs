//! Finding files of this machine.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use tokio_util::sync::CancellationToken;

use crate::ToolFailure;
use crate::paths::relative_posix;
use crate::support::Aborts;
use crate::truncate::{HeadTruncator, Limits, TruncationResult};
use crate::walk::{in_git_work_tree, walk};

/// What to look for, and where.
pub(super) struct Search {
    pub(super) pattern: String,
    pub(super) root: PathBuf,
    /// Patterns with a `/` may also start here.
    pub(super) cwd: PathBuf,
    /// How many paths to list; at least 1.
    pub(super) limit: usize,
}

/// What was found: one path a line, relative to the root, directories with a `/` at the end.
pub(super) struct Found {
    /// Paths that are listed.
    pub(super) count: usize,
    /// There is at least one path more.
    pub(super) more: bool,
    pub(super) shown: TruncationResult,
    /// Why a part of the tree could not be looked at.
    pub(super) unreadable: Option<String>,
}

/// Walks the tree until one path more than the limit shows that the limit cut something.
pub(super) fn search(search: &Search, cancel: &CancellationToken) -> Result<Found, ToolFailure> {
    let Search { pattern, root, cwd, limit } = search;
    let target = Target::new(pattern)?;
    let mut builder = walk(root);
    // Outside of a work tree .gitignore files still say what is not worth finding.
    builder.require_git(in_git_work_tree(root)).add_custom_ignore_filename(".fdignore");
    let mut shown = HeadTruncator::new(Limits::BYTES_ONLY);
    let mut count = 0;
    let mut more = false;
    let mut unreadable = None;
    for entry in builder.build() {
        cancel.check()?;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                unreadable.get_or_insert_with(|| error.to_string());
                continue;
            }
        };
        let Some(relative) = relative_posix(entry.path(), root) else { continue };
        if !target.matches(entry.path(), &relative, cwd) {
            continue;
        }
        if count == *limit {
            more = true;
            break;
        }
        if count > 0 {
            shown.push("\n");
        }
        shown.push(&relative);
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            shown.push("/");
        }
        count += 1;
    }
    Ok(Found { count, more, shown: shown.finish(), unreadable })
}

/// What a pattern is compared with.
enum Target {
    /// The name alone: the pattern has no `/`.
    Name(GlobMatcher),
    /// The end of the path, counted in whole names.
    Path(GlobMatcher),
    /// The absolute path.
    Absolute(GlobMatcher),
}

impl Target {
    fn new(pattern: &str) -> Result<Self, ToolFailure> {
        // Capital letters in the pattern mean that case matters.
        let exact = pattern.chars().any(char::is_uppercase);
        let glob = |pattern: &str| {
            GlobBuilder::new(pattern)
                .literal_separator(true)
                .case_insensitive(!exact)
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|error| ToolFailure::new(format_args!("Invalid glob pattern: {error}")))
        };
        Ok(if pattern.starts_with('/') {
            Self::Absolute(glob(pattern)?)
        } else if pattern.contains('/') && !pattern.starts_with("**/") {
            Self::Path(glob(&format!("**/{pattern}"))?)
        } else if pattern.contains('/') {
            Self::Path(glob(pattern)?)
        } else {
            Self::Name(glob(pattern)?)
        })
    }

    fn matches(&self, path: &Path, relative: &str, cwd: &Path) -> bool {
        match self {
            Self::Name(glob) => path.file_name().is_some_and(|name| glob.is_match(name)),
            Self::Path(glob) => {
                glob.is_match(relative) || path.strip_prefix(cwd).is_ok_and(|from_cwd| glob.is_match(from_cwd))
            }
            Self::Absolute(glob) => glob.is_match(path),
        }
    }
}
