//! A change of a store that is done whole or not at all, also when the process is killed in the middle.
//!
//! Before anything is changed, what there was is noted in a file: the contents of the files that will be written. What is
//! replaced is set aside. Renaming the note is the moment in which the change counts: whoever finds a note puts back what
//! it tells of, and whoever finds a renamed one takes away what was set aside.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::area::{aside, remove};
use crate::error::PackageError;
use crate::lock::{replace_text, write_json};

/// A change under way.
pub(crate) struct Change {
    note: PathBuf,
    settled: PathBuf,
    before: Before,
}

/// What there was.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Before {
    /// The folder that is replaced or removed.
    folder: PathBuf,
    /// Whether it was there.
    had_folder: bool,
    /// The files that are written, with what they held; nothing for those that were not there.
    files: Vec<(PathBuf, Option<String>)>,
}

impl Change {
    /// Notes what there is.
    pub(crate) fn begin(store: &Path, folder: &Path, files: &[PathBuf]) -> Result<Self, PackageError> {
        let mut contents = Vec::new();
        for file in files {
            let text = match fs::read(file) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => return Err(PackageError::io(file)(error)),
            };
            contents.push((file.clone(), text));
        }
        let before = Before { folder: folder.to_path_buf(), had_folder: folder.exists(), files: contents };
        remove(&aside(folder))?;
        let note = note_in(store);
        let value = serde_json::to_value(&before).map_err(|error| PackageError::io(&note)(error.into()))?;
        write_json(&note, &value)?;
        Ok(Self { note, settled: settled_in(store), before })
    }

    /// Puts `new` in the place of the folder, or nothing. Both are on one file system.
    pub(crate) fn replace(&self, new: Option<&Path>) -> Result<(), PackageError> {
        let folder = &self.before.folder;
        if self.before.had_folder {
            fs::rename(folder, aside(folder)).map_err(PackageError::io(folder))?;
        }
        let Some(new) = new else { return Ok(()) };
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent).map_err(PackageError::io(parent))?;
        }
        fs::rename(new, folder).map_err(PackageError::io(folder))
    }

    /// Makes it count.
    pub(crate) fn commit(self) -> Result<(), PackageError> {
        if let Err(error) = fs::rename(&self.note, &self.settled) {
            self.roll_back();
            return Err(PackageError::io(&self.note)(error));
        }
        if let Err(error) = forget(&self.settled, &self.before) {
            tracing::debug!("what was replaced stays until the next change: {error}");
        }
        Ok(())
    }

    /// Takes it back.
    pub(crate) fn roll_back(&self) {
        if let Err(error) = undo(&self.note, &self.before) {
            tracing::warn!("{error}; the next change of packages tries again to put back what was there");
        }
    }
}

/// Whether a change was left in the middle.
pub(crate) fn is_pending(store: &Path) -> bool {
    note_in(store).exists() || settled_in(store).exists()
}

/// Puts back what there was before a change that was left in the middle, or takes away what one that counts left.
pub(crate) fn recover(store: &Path) -> Result<(), PackageError> {
    let (note, settled) = (note_in(store), settled_in(store));
    // In this order: what is set aside may be needed.
    if let Some(before) = read(&note)? {
        undo(&note, &before)?;
    }
    match read(&settled)? {
        Some(before) => forget(&settled, &before),
        None => Ok(()),
    }
}

fn read(note: &Path) -> Result<Option<Before>, PackageError> {
    let text = match fs::read(note) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(PackageError::io(note)(error)),
    };
    let before = serde_json::from_slice(&text)
        .map_err(|error| PackageError::Malformed { what: note.display().to_string(), why: error.to_string() })?;
    Ok(Some(before))
}

/// Takes away what was set aside for a change that counts.
fn forget(settled: &Path, before: &Before) -> Result<(), PackageError> {
    remove(&aside(&before.folder))?;
    fs::remove_file(settled).map_err(PackageError::io(settled))
}

/// Can be done again when it is itself left in the middle.
fn undo(note: &Path, before: &Before) -> Result<(), PackageError> {
    let (folder, old) = (&before.folder, aside(&before.folder));
    if old.exists() {
        remove(folder)?;
        fs::rename(&old, folder).map_err(PackageError::io(folder))?;
    } else if !before.had_folder {
        remove(folder)?;
    }
    for (file, text) in &before.files {
        match text {
            Some(text) => replace_text(file, text)?,
            None => match fs::remove_file(file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(PackageError::io(file)(error));
                }
                _ => {}
            },
        }
    }
    fs::remove_file(note).map_err(PackageError::io(note))
}

fn note_in(store: &Path) -> PathBuf {
    store.join(".tau-change.json")
}

/// The note of a change that counts and may have left something.
fn settled_in(store: &Path) -> PathBuf {
    store.join(".tau-change-settled.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with a folder and a file, and what they hold in short.
    fn look(store: &Path) -> (Option<String>, Option<String>) {
        let read = |path: &str| fs::read_to_string(store.join(path)).ok();
        (read("live/x"), read("lock"))
    }

    fn put(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn a_change_that_is_left_anywhere_is_taken_back_or_counts() {
        for (had, replaces) in [(true, true), (true, false), (false, true)] {
            for left_after in 0..=5 {
                let dir = tempfile::tempdir().expect("temp dir");
                let store = dir.path();
                if had {
                    put(store.join("live/x"), "old");
                    put(store.join("lock"), "old");
                }
                put(store.join("new/x"), "new");
                let before = look(store);
                let (live, new, lock) = (store.join("live"), store.join("new"), store.join("lock"));
                let change = Change::begin(store, &live, std::slice::from_ref(&lock)).expect("begun");
                if left_after > 0 {
                    change.replace(replaces.then_some(&*new)).expect("replaced");
                }
                if left_after > 1 {
                    fs::write(&lock, "new").expect("written");
                }
                let after = match left_after {
                    3 => {
                        change.commit().expect("done");
                        (replaces.then(|| "new".to_owned()), Some("new".to_owned()))
                    }
                    // It counts, and what it replaced is still there.
                    5 => {
                        fs::rename(&change.note, &change.settled).expect("settled");
                        (replaces.then(|| "new".to_owned()), Some("new".to_owned()))
                    }
                    // Even the way back was left, after its first step.
                    4 if had => {
                        remove(&live).expect("removed");
                        before
                    }
                    _ => before,
                };
                assert_eq!(is_pending(store), left_after != 3, "{had} {replaces} {left_after}");
                recover(store).expect("recovered");
                assert_eq!(look(store), after, "{had} {replaces} {left_after}");
                assert!(!is_pending(store) && !aside(&live).exists(), "{had} {replaces} {left_after}");
                recover(store).expect("nothing to do");
            }
        }
    }
}
