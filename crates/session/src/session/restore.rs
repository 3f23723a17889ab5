//! A session file that was deleted, replaced or cut short while it was in use: nothing that was in it is lost.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Session;
use crate::file::{AppendFile, Fate};
use crate::json::{RawFields, mending};
use crate::lines::lines;
use crate::load::header;
use crate::place::Place;
use crate::seen::Seen;
use crate::store::{Memory, Store};
use crate::{Entry, EntryId, FileNotice, SessionError};

impl Session {
    /// Makes `file` one that holds every line of this session: the one of that name if it is this session, else a new
    /// one. Lines that are there already stay as they are.
    pub(super) fn restore(
        &self,
        place: &Place,
        file: &mut AppendFile,
        fate: Fate,
        unwritten: &[Arc<Entry>],
    ) -> Result<(), SessionError> {
        let path = place.path();
        let failed = |source| SessionError::Io { action: "restore", path: path.to_owned(), source };
        // What is still open has the lines of other programs too.
        let known = match file.content().map_err(failed)? {
            Some(content) => content,
            None => {
                let Known { text, lost } = self.known_text(unwritten)?;
                if lost > 0 {
                    self.notices.push(FileNotice::Lost { path: path.to_owned(), entries: lost });
                }
                text
            }
        };
        let is_link = || fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        match fate {
            Fate::Same => Ok(()),
            // A link that leads nowhere cannot be written through.
            Fate::Gone if is_link() => self.move_beside(place, file, &known),
            Fate::Gone => match AppendFile::create(path, &known) {
                Ok(new) => {
                    if let Err(error) = new.take_permissions(file) {
                        tracing::warn!(path = %path.display(), %error, "the new file is readable by its owner only");
                    }
                    *file = new;
                    self.notices.push(FileNotice::Recreated(path.to_owned()));
                    Ok(())
                }
                // Somebody else was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                Err(error) => Err(failed(error)),
            },
            Fate::Changed => match fs::metadata(path) {
                Ok(meta) if meta.is_file() => self.complete(place, file, &known),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                _ => self.move_beside(place, file, &known),
            },
        }
    }

    /// Appends what is missing to the file that has the name now, if it is this session.
    fn complete(&self, place: &Place, file: &mut AppendFile, known: &[u8]) -> Result<(), SessionError> {
        let path = place.path();
        let failed = |source| SessionError::Io { action: "restore", path: path.to_owned(), source };
        let (mut new, content) = match AppendFile::open(path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let store = Store::of(content, Memory::default()).map_err(failed)?;
        let bytes = store.bytes().map_err(failed)?;
        new.saw(Seen::of(&bytes));
        new.hold();
        let missing = match known.strip_prefix(&*bytes) {
            // It was cut off, perhaps in the middle of a line, or emptied.
            Some(rest) => Missing { lines: rest.iter().filter(|byte| **byte == b'\n').count(), text: rest.to_vec() },
            None => match missing(self.id(), &bytes, known, path) {
                Some(missing) => missing,
                None => return self.move_beside(place, file, known),
            },
        };
        if !missing.text.is_empty() && new.extend(path, &missing.text).map_err(failed)? != Fate::Same {
            // It changed again: the caller looks once more.
            return Ok(());
        }
        if missing.lines > 0 {
            self.notices.push(FileNotice::Restored { path: path.to_owned(), lines: missing.lines });
        }
        *file = new;
        Ok(())
    }

    /// Continues in a new file beside the old name.
    fn move_beside(&self, place: &Place, file: &mut AppendFile, known: &[u8]) -> Result<(), SessionError> {
        let path = place.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for number in 2_u32.. {
            let beside = path.with_file_name(format!("{stem}-{number}.jsonl"));
            match AppendFile::create(&beside, known) {
                Ok(new) => {
                    self.notices.push(FileNotice::Moved { from: path.to_owned(), to: beside.clone() });
                    *file = new;
                    place.move_to(beside);
                    return Ok(());
                }
                // The folder may be what is in the way: then no name is free.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && fs::symlink_metadata(&beside).is_ok() => {
                }
                Err(source) => return Err(SessionError::Io { action: "create", path: beside, source }),
            }
        }
        Ok(())
    }

    /// The line of an entry as it is written now.
    pub(super) fn line<'a>(&self, entry: &'a Entry) -> Result<Cow<'a, str>, serde_json::Error> {
        self.lost.lock().line(entry, entry.json()?)
    }

    /// What the file held when it was opened, as far as it is known, and the entries that were added since.
    pub(super) fn known_text(&self, unwritten: &[Arc<Entry>]) -> Result<Known, SessionError> {
        let mut known = Known::default();
        let (entries, loaded) = (self.tree.read().entries().clone(), self.loaded.as_ref());
        match loaded.map(|(store, _)| &**store) {
            Some(Store::Memory(bytes)) => lines(bytes).for_each(|line| known.push(line.original)),
            _ => known.push(self.header.to_line()?.as_bytes()),
        }
        if let Some((store, count)) = loaded
            && let Store::Disk(_) = **store
        {
            let mut lost = Lost::default();
            for entry in entries.iter().take(*count) {
                match entry.json() {
                    Ok(line) => known.push(lost.line(entry, line)?.as_bytes()),
                    Err(_) => lost.add(entry),
                }
            }
            known.lost = lost.0.len();
            *self.lost.lock() = lost;
        }
        let unwritten: HashSet<&str> = unwritten.iter().map(|entry| entry.id().as_str()).collect();
        let added = entries.iter().skip(loaded.map_or(0, |(_, count)| *count));
        for entry in added.filter(|entry| !unwritten.contains(entry.id().as_str())) {
            known.push(self.line(entry)?.as_bytes());
        }
        Ok(known)
    }
}

/// Entries whose lines others took away, each with the nearest one above it that is still there.
#[derive(Debug, Default)]
pub(super) struct Lost(HashMap<EntryId, Option<EntryId>>);

impl Lost {
    fn above(&self, parent: Option<&EntryId>) -> Option<EntryId> {
        let parent = parent?;
        self.0.get(parent).cloned().unwrap_or_else(|| Some(parent.clone()))
    }

    /// Takes in an entry; those above it come first.
    fn add(&mut self, entry: &Entry) {
        self.0.insert(entry.id().clone(), self.above(entry.parent_id()));
    }

    /// The line of an entry, below what is still there.
    fn line<'a>(&self, entry: &Entry, line: Cow<'a, str>) -> Result<Cow<'a, str>, serde_json::Error> {
        let parent = entry.parent_id().filter(|parent| self.0.contains_key(*parent));
        let Some(parent) = parent.map(|parent| self.above(Some(parent))) else { return Ok(line) };
        let parent = serde_json::value::to_raw_value(&parent)?;
        mending(&line, |text| RawFields::parse(text)?.with(&[("parentId", parent.clone())])).map(Cow::Owned)
    }
}

/// The text of a session file, as far as it is known.
#[derive(Default)]
pub(super) struct Known {
    pub(super) text: Vec<u8>,
    /// How many entries it lacks, because their lines were in the file only.
    lost: usize,
}

impl Known {
    fn push(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }
}

/// What a file lacks.
struct Missing {
    lines: usize,
    text: Vec<u8>,
}

/// The lines of `known` that are not in `bytes`; `None` when `bytes` are not the session `id`. An entry is there when
/// one of its id is, so that what a user changed by hand stays changed.
fn missing(id: &str, there: &[u8], known: &[u8], path: &Path) -> Option<Missing> {
    let (header, _) = header(there, path).ok().filter(|(header, _)| header.id == id)?;
    let originals: HashSet<&[u8]> = lines(there).map(|line| line.original).collect();
    let ids: HashSet<String> = lines(there).filter_map(|line| entry_id(&line.text)).chain([header.id]).collect();
    let mut missing = Missing { lines: 0, text: Vec::new() };
    if !there.ends_with(b"\n") {
        missing.text.push(b'\n');
    }
    for line in lines(known).filter(|line| !line.is_blank() && !originals.contains(line.original)) {
        if entry_id(&line.text).is_none_or(|id| !ids.contains(&id)) {
            missing.text.extend_from_slice(line.original);
            missing.text.push(b'\n');
            missing.lines += 1;
        }
    }
    if missing.lines == 0 {
        missing.text.clear();
    }
    Some(missing)
}

fn entry_id(line: &str) -> Option<String> {
    RawFields::parse(line).ok()?.str("id")
}
