//! Where the lines of a session file are kept: those of a small file in memory, those of a large one in the file.

use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::lines::{Line, fill_exact_at, lines, read_exact_at, scan};
use crate::seen::Seen;

/// How much of a session file is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// A file up to this size is kept whole, in bytes: it survives whatever other programs do to it.
    pub whole_file: u64,
    /// Of a larger file, so much is kept as parsed entries, in bytes of their lines. Entries that are in use elsewhere do
    /// not count.
    pub entries: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self { whole_file: 4 * 1024 * 1024, entries: 8 * 1024 * 1024 }
    }
}

thread_local! {
    /// Where a line is read to.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// What a thread keeps of it at most, in bytes.
const LARGEST_ROOM: usize = 256 * 1024;

/// The lines of a file as it was opened.
#[derive(Debug)]
pub(crate) enum Store {
    /// In memory.
    Memory(Vec<u8>),
    /// In the file.
    Disk(Disk),
}

impl Store {
    /// What a file that was just opened holds.
    pub(crate) fn of(file: Arc<File>, memory: Memory) -> io::Result<Self> {
        if file.metadata()?.len() > memory.whole_file {
            let bodies = Mutex::new(Bodies { latest: VecDeque::new(), size: 0, limit: memory.entries });
            return Ok(Self::Disk(Disk { file, bodies }));
        }
        let mut bytes = Vec::new();
        (&*file).read_to_end(&mut bytes)?;
        Ok(Self::Memory(bytes))
    }

    /// Gives each line to `each`, until that breaks off. Returns what the file was like.
    pub(crate) fn each_line(&self, mut each: impl FnMut(&Line<'_>) -> ControlFlow<()>) -> io::Result<Seen> {
        match self {
            Self::Memory(bytes) => {
                for line in lines(bytes) {
                    if each(&line).is_break() {
                        break;
                    }
                }
                Ok(Seen::of(bytes))
            }
            Self::Disk(disk) => scan(&disk.file, each),
        }
    }

    /// All of it.
    pub(crate) fn bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Self::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::Disk(disk) => {
                let len = usize::try_from(disk.file.metadata()?.len()).map_err(io::Error::other)?;
                read_exact_at(&disk.file, 0, len).map(Cow::Owned)
            }
        }
    }

    /// The text of a line that was UTF-8 when the file was opened. Fails when the file does not hold it any more.
    pub(crate) fn text(&self, start: usize, len: usize) -> io::Result<Cow<'_, str>> {
        match self {
            Self::Memory(bytes) => text(bytes.get(start..start + len).unwrap_or_default()).map(Cow::Borrowed),
            Self::Disk(_) => self.with_text(start, len, |text| text.map(|text| Cow::Owned(text.to_owned()))),
        }
    }

    /// Gives [`Self::text`] to `read`, where it can stay in a place that many lines are read to.
    pub(crate) fn with_text<T>(&self, start: usize, len: usize, read: impl FnOnce(io::Result<&str>) -> T) -> T {
        let disk = match self {
            Self::Memory(bytes) => return read(text(bytes.get(start..start + len).unwrap_or_default())),
            Self::Disk(disk) => disk,
        };
        let mut room = ROOM.take();
        room.resize(len, 0);
        let found = fill_exact_at(&disk.file, start as u64, &mut room);
        let done = read(found.and_then(|()| text(&room)));
        if room.capacity() <= LARGEST_ROOM {
            ROOM.set(room);
        }
        done
    }
}

fn text(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// A file that stays open, so that what it held can be read when its name is gone.
#[derive(Debug)]
pub(crate) struct Disk {
    file: Arc<File>,
    bodies: Mutex<Bodies>,
}

/// The bodies that were read last, at least one. Entries know theirs only as long as it is here or in use.
#[derive(Debug)]
struct Bodies {
    latest: VecDeque<(Arc<dyn Any + Send + Sync>, usize)>,
    /// The length of their lines.
    size: usize,
    limit: usize,
}

impl Disk {
    /// Keeps a body in memory until others have taken its place.
    pub(crate) fn keep(&self, body: Arc<dyn Any + Send + Sync>, size: usize) {
        let mut bodies = self.bodies.lock();
        bodies.latest.push_back((body, size));
        bodies.size += size;
        let mut dropped = Vec::new();
        while bodies.size > bodies.limit
            && bodies.latest.len() > 1
            && let Some((body, size)) = bodies.latest.pop_front()
        {
            bodies.size -= size;
            dropped.push(body);
        }
        drop(bodies);
        // Large values take their time, and others wait for the lock.
        drop(dropped);
    }
}
