//! The note beside an unpacked manual that all of it is there.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::settings::replace_file;

/// The file in the folder of the manual.
pub(super) const NAME: &str = ".whole";

/// Which manual this program carries: a hash of all its names and contents.
const MANUAL: &str = env!("MANUAL_HASH");

/// File systems count time in steps; two changes within one look the same.
const STEP: Duration = Duration::from_secs(2);

/// What stands for a whole manual: which one it is, and what its folders look like. A folder looks different after
/// anything in it is created, deleted, renamed or replaced.
pub(super) struct Stamp {
    file: PathBuf,
    /// `None` when a folder is missing.
    text: Option<String>,
    /// The last change of any folder.
    changed: SystemTime,
}

impl Stamp {
    /// Looks at the folders of the manual below `target`.
    pub(super) fn of(target: &Path, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (mut text, mut changed) = (Some(MANUAL.to_owned()), SystemTime::UNIX_EPOCH);
        for folder in folders {
            let looks = fs::metadata(target.join(folder)).and_then(|folder| Ok((folder.modified()?, folder)));
            let Ok((modified, folder)) = looks else {
                text = None;
                break;
            };
            changed = changed.max(modified);
            if let Some(text) = &mut text {
                text.push_str(&format!("\n{} {}.{:09}", folder.ino(), folder.mtime(), folder.mtime_nsec()));
            }
        }
        Self { file: target.join(NAME), text, changed }
    }

    /// Whether the manual was whole when it looked like this.
    pub(super) fn is_kept(&self) -> bool {
        self.text.as_ref().is_some_and(|text| fs::read(&self.file).is_ok_and(|kept| kept == text.as_bytes()))
    }

    /// Notes that the manual is whole, unless a folder changed so lately that another change would not show.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub(super) fn keep(&self) -> io::Result<()> {
        let is_settled = tau_ai::now().duration_since(self.changed).is_ok_and(|since| since >= STEP);
        match &self.text {
            Some(text) if is_settled => replace_file(&self.file, text.as_bytes()),
            _ => Ok(()),
        }
    }
}
