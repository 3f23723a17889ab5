//! Where files begin to differ from a commit.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::Repository;
use crate::{GitError, Stop};

/// How large a file may be whose lines are compared, in bytes.
const LARGEST: u64 = 8 << 20;

impl Repository {
    /// For each of these files, relative to the work tree, the first line that differs from the last commit that the head shares
    /// with `other`, from 1: where a program shows what changed. It is 1 for a new file, and for one that is too large to be
    /// compared; `None` for what is no file in the work tree any more, and after a stop.
    ///
    /// # Errors
    /// As [`Repository::changed_files_since`].
    pub fn first_changed_lines(
        &self,
        other: &str,
        files: &[PathBuf],
        stop: &Stop,
    ) -> Result<Vec<Option<u32>>, GitError> {
        let work_tree = self.work_tree().ok_or_else(|| GitError::Bare { git_dir: self.git_dir().to_owned() })?;
        let tree = self.shared_tree(other)?;
        let tree = self.git.find_tree(tree).map_err(|error| GitError::read("a commit", self.git_dir(), &error))?;
        files.iter().map(|file| self.first_changed_line(&tree, &work_tree, file, stop)).collect()
    }

    fn first_changed_line(
        &self,
        tree: &gix::Tree<'_>,
        work_tree: &Path,
        file: &Path,
        stop: &Stop,
    ) -> Result<Option<u32>, GitError> {
        if stop.is_stopped() {
            return Ok(None);
        }
        let path = work_tree.join(file);
        // Nothing is opened that could wait for somebody, and no link is followed out of the work tree.
        let Some(found) = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file) else { return Ok(None) };
        let failed = |error: gix::Error| GitError::read("an object", self.git_dir(), &error);
        let entry = tree.lookup_entry_by_path(file).map_err(failed)?;
        let Some(entry) = entry.filter(|entry| entry.mode().is_blob()) else { return Ok(Some(1)) };
        let size = self.git.find_header(entry.object_id()).map_err(failed)?.size();
        if size > LARGEST || found.len() > LARGEST {
            return Ok(Some(1));
        }
        let mut now = Vec::new();
        if File::open(&path).and_then(|file| file.take(LARGEST).read_to_end(&mut now)).is_err() {
            return Ok(Some(1));
        }
        let before = entry.object().map_err(failed)?;
        Ok(Some(first_difference(&before.data, &now)))
    }
}

/// The first line of `now` that `before` does not have there, from 1; the last line when lines at the end are gone. How lines
/// end makes no difference.
fn first_difference(before: &[u8], now: &[u8]) -> u32 {
    let lines = |text: &'_ [u8]| text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n').count();
    let end = |line: &[u8]| line.strip_suffix(b"\r").unwrap_or(line).len();
    let pairs = before.split(|byte| *byte == b'\n').zip(now.split(|byte| *byte == b'\n'));
    let same = pairs.take_while(|(one, other)| one[..end(one)] == other[..end(other)]).count();
    u32::try_from((same + 1).min(lines(now))).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_where_something_can_be_shown() {
        for (before, now, line) in [
            ("a\nb\nc\n", "a\nB\nc\n", 2),
            ("a\nb\n", "a\nb\nc\n", 3),
            ("a\nb\nc\n", "a\n", 1),
            ("a\nb\nc\n", "a\nb\n", 2),
            ("", "a\n", 1),
            ("a\n", "", 1),
            ("a\r\nb\r\n", "a\nc\n", 2),
            ("a\nb", "a\nb\n", 2),
            ("a\n", "a\n", 1),
        ] {
            assert_eq!(first_difference(before.as_bytes(), now.as_bytes()), line, "{before:?} {now:?}");
        }
    }
}
