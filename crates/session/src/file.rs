//! Appending lines so that a crash, a full disk or a second writer cannot tear one.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use crate::lines::read_exact_at;
use crate::private;
use crate::seen::{Seen, TAIL};

/// A session file that lines are appended to. The file itself stays open, so that what it held can be read when its
/// name is gone.
#[derive(Debug)]
pub(crate) struct AppendFile {
    file: Arc<File>,
    /// Whether `file` may be written to; a session that was only opened has not asked for that.
    is_writable: bool,
    identity: Identity,
    /// What the file was like after our last write; `None` when it has to be looked at again.
    seen: Option<Seen>,
}

/// Tells files apart that have the same name one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: meta.dev(), inode: meta.ino() }
    }

    #[cfg(not(unix))]
    fn of(_meta: &Metadata) -> Self {
        Self {}
    }
}

/// Some file systems have no locks: then nobody knows who uses the file.
#[cfg(unix)]
fn hold(file: &File) {
    if let Err(error) = file.try_lock_shared() {
        tracing::debug!(%error, "a session file is not locked");
    }
}

/// Locks of Windows keep others from writing.
#[cfg(not(unix))]
fn hold(_file: &File) {}

/// The file is nobody else's. What held it before holds it again when this is dropped.
#[derive(Debug)]
pub(crate) struct Claim(Arc<File>);

impl Claim {
    #[cfg(unix)]
    fn take(file: Arc<File>) -> Option<Self> {
        // A lock that the file has already becomes another one.
        let taken = file.unlock().and_then(|()| file.try_lock().map_err(io::Error::from));
        match taken {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                hold(&file);
                None
            }
            Err(error) => {
                tracing::debug!(%error, "a session file is not locked");
                Some(Self(file))
            }
            Ok(()) => Some(Self(file)),
        }
    }

    #[cfg(not(unix))]
    fn take(file: Arc<File>) -> Option<Self> {
        Some(Self(file))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The last handle gives the lock back in any case.
        #[cfg(unix)]
        if let Err(error) = self.0.unlock() {
            tracing::debug!(%error, "a session file stays locked");
        }
        hold(&self.0);
    }
}

/// What became of the file behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is the file we know, perhaps with more lines.
    Same,
    /// There is no file of that name.
    Gone,
    /// Another file, or this one without what it held.
    Changed,
}

impl AppendFile {
    /// Creates a file that must not exist yet, with `text` in it. At any moment there is the whole file or none.
    pub(crate) fn create(path: &Path, text: &[u8]) -> io::Result<Self> {
        let dir = path.parent().unwrap_or(Path::new("."));
        private::create_dir_all(dir)?;
        let file = match Self::create_whole(path, dir, text) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Self::create_in_place(path, text)?,
            created => created?,
        };
        Self::known(file, text, true)
    }

    fn create_whole(path: &Path, dir: &Path, text: &[u8]) -> io::Result<File> {
        let mut file = tempfile::Builder::new().prefix(".new-session-").append(true).tempfile_in(dir)?;
        file.write_all(text)?;
        Ok(file.persist_noclobber(path)?)
    }

    /// For file systems that can neither link nor rename without replacing.
    fn create_in_place(path: &Path, text: &[u8]) -> io::Result<File> {
        let mut file = private::create_new(path)?;
        if let Err(error) = file.write_all(text) {
            drop(file);
            // The write error says more than one about cleaning up would.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(file)
    }

    /// Opens a file that must exist. It is the second value too, to be read; [`Self::saw`] takes what it was like then.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Arc<File>)> {
        let file = Arc::new(private::open_regular(path)?);
        let identity = Identity::of(&file.metadata()?);
        Ok((Self { file: Arc::clone(&file), is_writable: false, identity, seen: None }, file))
    }

    /// The file was like this when it was read.
    pub(crate) fn saw(&mut self, seen: Seen) {
        self.seen = Some(seen);
    }

    fn known(file: File, text: &[u8], is_writable: bool) -> io::Result<Self> {
        let identity = Identity::of(&file.metadata()?);
        let known = Self { file: Arc::new(file), is_writable, identity, seen: Some(Seen::of(text)) };
        known.hold();
        Ok(known)
    }

    /// Shows to whom would rewrite the file that it is in use, for as long as this lives. Any number of sessions may hold it.
    pub(crate) fn hold(&self) {
        hold(&self.file);
    }

    /// Keeps others from holding the file while the guard lives; `None` when somebody else holds it.
    pub(crate) fn claim(&self) -> Option<Claim> {
        Claim::take(Arc::clone(&self.file))
    }

    /// Compares what has the name now with what was there. Costs two questions to the file system unless somebody else
    /// has written: its length alone does not show that it was overwritten in place.
    pub(crate) fn look(&mut self, path: &Path) -> io::Result<Fate> {
        let meta = match std::fs::metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Fate::Gone),
            // A folder on the way became something else.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Fate::Changed),
            Err(error) => return Err(error),
        };
        if !meta.is_file() || Identity::of(&meta) != self.identity {
            return Ok(Fate::Changed);
        }
        if let Some(seen) = &self.seen {
            let tail = seen.tail.len();
            if meta.len() < seen.len || self.read_at(seen.len - tail as u64, tail)? != seen.tail {
                return Ok(Fate::Changed);
            }
            if seen.len == meta.len() {
                return Ok(Fate::Same);
            }
        }
        let tail = meta.len().min(TAIL) as usize;
        self.seen = Some(Seen { len: meta.len(), tail: self.read_at(meta.len() - tail as u64, tail)? });
        Ok(Fate::Same)
    }

    /// Everything in the open file, also when its name is gone; `None` when it does not hold what it held.
    pub(crate) fn content(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(seen) = &self.seen else { return Ok(None) };
        let len = self.file.metadata()?.len();
        if len < seen.len {
            return Ok(None);
        }
        let bytes = self.read_at(0, len as usize)?;
        let known = &bytes[..seen.len as usize];
        Ok(known.ends_with(&seen.tail).then_some(bytes))
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_exact_at(&self.file, offset, len)
    }

    /// Makes the file writable. [`Fate::Changed`] when the name led to another one just now.
    fn writable(&mut self, path: &Path) -> io::Result<Fate> {
        if !self.is_writable {
            let file = OpenOptions::new().read(true).append(true).open(path)?;
            if Identity::of(&file.metadata()?) != self.identity {
                return Ok(Fate::Changed);
            }
            (self.file, self.is_writable) = (Arc::new(file), true);
            self.hold();
        }
        Ok(Fate::Same)
    }

    /// Appends a line, unless the file is not what it was. When it returns [`Fate::Same`] the kernel has all of the line;
    /// else the file has none of it.
    pub(crate) fn append(&mut self, path: &Path, line: &[u8]) -> io::Result<Fate> {
        let fate = match self.look(path)? {
            Fate::Same => self.writable(path)?,
            other => other,
        };
        if fate != Fate::Same {
            return Ok(fate);
        }
        let mut text = Vec::with_capacity(line.len() + 2);
        // What another writer left, who may have died in the middle of a line.
        if self.seen.as_ref().is_some_and(|seen| !seen.ends_line()) {
            text.push(b'\n');
        }
        text.extend_from_slice(line);
        text.push(b'\n');
        self.write(&text).map(|()| Fate::Same)
    }

    /// Appends bytes as they are, unless the file is not what it was.
    pub(crate) fn extend(&mut self, path: &Path, text: &[u8]) -> io::Result<Fate> {
        match self.look(path)? {
            Fate::Same => match self.writable(path)? {
                Fate::Same => self.write(text).map(|()| Fate::Same),
                other => Ok(other),
            },
            other => Ok(other),
        }
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let mut written = 0;
        while written < text.len() {
            match (&*self.file).write(&text[written..]) {
                Ok(0) => return Err(self.take_back(&text[..written], io::ErrorKind::WriteZero.into())),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.take_back(&text[..written], error)),
            }
        }
        if let Some(seen) = &mut self.seen {
            seen.grow(text);
        }
        Ok(())
    }

    /// Gives the file the permissions of another one.
    pub(crate) fn take_permissions(&self, other: &Self) -> io::Result<()> {
        self.file.set_permissions(other.file.metadata()?.permissions())
    }

    /// Removes what got written of a failed line, unless somebody has written behind it.
    fn take_back(&mut self, written: &[u8], error: io::Error) -> io::Error {
        if written.is_empty() {
            return error;
        }
        let removed = self.file.metadata().map(|meta| meta.len()).and_then(|len| {
            let start = len.saturating_sub(written.len() as u64);
            if self.read_at(start, written.len())? != written {
                return Ok(());
            }
            self.file.set_len(start)
        });
        if let Err(cause) = removed {
            tracing::warn!(error = %cause, "half a session line stays in the file");
        }
        // Whatever the file looks like now, the next append finds out.
        self.seen = None;
        error
    }

    /// The file, to be flushed to the disk without holding anybody up; `None` when nothing was written to it.
    pub(crate) fn handle(&self) -> Option<Arc<File>> {
        self.is_writable.then(|| Arc::clone(&self.file))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn append(file: &mut AppendFile, path: &Path, line: &str) {
        assert_eq!(file.append(path, line.as_bytes()).expect("appended"), Fate::Same);
    }

    #[test]
    fn a_line_after_half_a_line_of_another_writer_starts_fresh() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("s.jsonl");
        let mut ours = AppendFile::create(&path, b"1\n").expect("a file");
        let (mut theirs, _) = AppendFile::open(&path).expect("a file");
        append(&mut theirs, &path, "2");
        append(&mut ours, &path, "3");
        let mut half = OpenOptions::new().append(true).open(&path).expect("a file");
        half.write_all(b"hal").expect("damaged");
        append(&mut ours, &path, "4");
        append(&mut theirs, &path, "5");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\n2\n3\nhal\n4\n5\n");
    }

    #[test]
    fn a_torn_line_is_only_removed_while_it_is_the_last() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("s.jsonl");
        let mut file = AppendFile::create(&path, b"1\nto").expect("a file");
        file.take_back(b"to", io::ErrorKind::StorageFull.into());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\n");
        fs::write(&path, "1\nto3\n").expect("written behind");
        file.take_back(b"to", io::ErrorKind::StorageFull.into());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\nto3\n");
        append(&mut file, &path, "4");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\nto3\n4\n");
    }
}
