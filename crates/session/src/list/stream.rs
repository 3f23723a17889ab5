//! A list that begins before all of it is read.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::index::{SessionIndex, Stamp};
use super::{SessionInfo, session_files};
use crate::SessionError;

/// The sessions of some folders, those first that were written last. Files are read one by one as they are asked for,
/// and only when the index does not know them: the first page costs a page.
#[derive(Debug)]
pub struct SessionList {
    files: std::vec::IntoIter<(Stamp, PathBuf)>,
    index: Arc<SessionIndex>,
}

impl SessionList {
    /// The sessions in `dirs`. Folders that do not exist have none; files that are no sessions are passed over.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn new(dirs: &[PathBuf], index: Arc<SessionIndex>) -> Result<Self, SessionError> {
        let mut files = Vec::new();
        for dir in dirs {
            let stamped = |path: PathBuf| Some((Stamp::of(&path.metadata().ok()?), path));
            files.extend(session_files(dir)?.into_iter().filter_map(stamped));
        }
        let present: HashSet<&Path> = files.iter().map(|(_, path)| path.as_path()).collect();
        index.forget_others(dirs, &present);
        files.sort_by(|a, b| Reverse((a.0.written, &a.1)).cmp(&Reverse((b.0.written, &b.1))));
        Ok(Self { files: files.into_iter(), index })
    }

    /// How many files have not been looked at.
    pub fn remaining(&self) -> usize {
        self.files.len()
    }
}

impl Iterator for SessionList {
    type Item = SessionInfo;

    fn next(&mut self) -> Option<SessionInfo> {
        let index = &self.index;
        self.files.find_map(|(stamp, path)| index.look(&path, stamp))
    }
}
