//! How entries get into the file.

use std::io;
use std::sync::Arc;

use parking_lot::MutexGuard;

use super::{Session, Storage};
use crate::file::{AppendFile, Fate};
use crate::repair::repair_open;
use crate::{Entry, FileNotice, Repaired, SessionError};

/// How often a file is looked at again that changes while it is being written to.
const ATTEMPTS: usize = 8;

/// The right to change a session. When it is given back, listeners hear what happened to the file.
pub(super) struct Changing<'a> {
    session: &'a Session,
    storage: Option<MutexGuard<'a, Storage>>,
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.storage = None;
        self.session.notices.deliver();
    }
}

impl Changing<'_> {
    /// Writes an entry if there is a file. Entries that could not be written go first.
    pub(super) fn write(&mut self, entry: &Entry) -> Result<(), SessionError> {
        self.catch_up()?;
        if let Some(Storage::Open { file, .. }) = self.storage.as_deref_mut() {
            self.session.put(file, &[], entry)?;
        }
        Ok(())
    }

    /// As [`Self::write`]. An entry that cannot be written waits until it can.
    pub(super) fn write_or_hold(&mut self, entry: &Arc<Entry>) -> Result<(), SessionError> {
        let written = self.write(entry);
        if let (Err(_), Some(Storage::Open { unwritten, .. })) = (&written, self.storage.as_deref_mut()) {
            unwritten.push_back(Arc::clone(entry));
        }
        written
    }

    /// Writes what could not be written before.
    pub(super) fn catch_up(&mut self) -> Result<(), SessionError> {
        let Some(Storage::Open { file, unwritten }) = self.storage.as_deref_mut() else { return Ok(()) };
        let before = unwritten.len();
        let mut done = Ok(());
        while let Some(entry) = unwritten.front().cloned() {
            let waiting: Vec<Arc<Entry>> = unwritten.iter().cloned().collect();
            done = self.session.put(file, &waiting, &entry);
            if done.is_err() {
                break;
            }
            unwritten.pop_front();
        }
        let entries = before - unwritten.len();
        if let (true, Some(path)) = (entries > 0, self.session.file()) {
            self.session.notices.push(FileNotice::Caught { path: path.to_owned(), entries });
        }
        done
    }
}

impl Session {
    pub(super) fn changing(&self) -> Changing<'_> {
        Changing { session: self, storage: Some(self.storage.lock()) }
    }

    /// Appends the line of an entry. A file that is not what it was is put right first. `unwritten` are entries of the tree that the
    /// file never had.
    fn put(&self, file: &mut AppendFile, unwritten: &[Arc<Entry>], entry: &Entry) -> Result<(), SessionError> {
        let Some(place) = &self.place else { return Ok(()) };
        for _ in 0..ATTEMPTS {
            let path = place.path();
            match file.append(path, self.line(entry)?.as_bytes()).map_err(SessionError::io("append to", path))? {
                Fate::Same => return Ok(()),
                fate => self.restore(place, file, fate, unwritten)?,
            }
        }
        let cause = io::Error::other("other programs replace the file all the time");
        Err(SessionError::io("append to", place.path())(cause))
    }

    /// Writes the file: the header and everything that was appended so far. From now on an entry is in the file
    /// when appending it returns. Does nothing when there is a file already, or never will be.
    ///
    /// # Errors
    /// [`SessionError::AlreadyExists`] when somebody else has written a file of this name. After an error there
    /// is still no file and nothing is lost.
    pub fn persist(&self) -> Result<(), SessionError> {
        let mut storage = self.storage.lock();
        let (Storage::Planned, Some(place)) = (&*storage, &self.place) else { return Ok(()) };
        let path = place.path();
        let text = self.known_text(&[])?.text;
        let file = AppendFile::create(path, &text).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => SessionError::AlreadyExists(path.to_owned()),
            _ => SessionError::Io { action: "create", path: path.to_owned(), source },
        })?;
        *storage = Storage::open(file);
        Ok(())
    }

    /// Waits until what was appended is on the disk, so that it survives a power failure. Blocks for as long as
    /// the disk takes, but nobody else.
    pub fn sync(&self) -> Result<(), SessionError> {
        let file = match &*self.storage.lock() {
            Storage::Open { file, .. } => file.handle(),
            _ => return Ok(()),
        };
        match (file, self.file()) {
            (Some(file), Some(path)) => file.sync_data().map_err(SessionError::io("flush", path)),
            _ => Ok(()),
        }
    }

    /// Tries again to write entries that [`Session::keep`] could not write.
    ///
    /// # Errors
    /// When some still cannot be written.
    pub fn catch_up(&self) -> Result<(), SessionError> {
        self.changing().catch_up()
    }

    /// Repairs the file of this session, as [`crate::repair()`] does. This session keeps the entries that it knows, each of
    /// which is in the file: open the file again to have them in their new places.
    ///
    /// # Errors
    /// As [`crate::repair()`]; [`SessionError::NoFile`] when there is none yet.
    pub fn repair(&self) -> Result<Repaired, SessionError> {
        let mut changing = self.changing();
        changing.catch_up()?;
        match (changing.storage.as_deref_mut(), &self.place) {
            (Some(Storage::Open { file, .. }), Some(place)) => {
                let path = place.path();
                let target = std::fs::canonicalize(path).map_err(SessionError::io("read", path))?;
                repair_open(&target, file, &self.sources())
            }
            _ => Err(SessionError::NoFile),
        }
    }

    /// Writes nothing any more: entries that still come are in memory only. Waits for a write that has begun, because the
    /// end of the program would cut it off in the middle of a line.
    pub fn stop_writing(&self) {
        *self.storage.lock() = Storage::Memory;
    }
}
