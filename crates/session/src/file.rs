//! Appending lines so that a crash, a full disk or a second writer cannot tear one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// A session file open for appending.
#[derive(Debug)]
pub(crate) struct AppendFile {
    file: Arc<File>,
    /// Length after our last write.
    len: u64,
    /// Whether the file ended with a newline then.
    ends_line: bool,
}

impl AppendFile {
    /// Creates a file that must not exist yet, with `text` in it. At any moment there is the whole file or none.
    pub(crate) fn create(path: &Path, text: &str) -> io::Result<Self> {
        let dir = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(dir)?;
        let file = match Self::create_whole(path, dir, text) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Self::create_in_place(path, text)?,
            created => created?,
        };
        Ok(Self { file: Arc::new(file), len: text.len() as u64, ends_line: text.ends_with('\n') })
    }

    fn create_whole(path: &Path, dir: &Path, text: &str) -> io::Result<File> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".new-session-").append(true);
        #[cfg(unix)]
        {
            // As for any other file, the user's mask says who may read it.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(dir)?;
        file.write_all(text.as_bytes())?;
        Ok(file.persist_noclobber(path)?)
    }

    /// For file systems that can neither link nor rename without replacing.
    fn create_in_place(path: &Path, text: &str) -> io::Result<File> {
        let mut file = OpenOptions::new().read(true).append(true).create_new(true).open(path)?;
        if let Err(error) = file.write_all(text.as_bytes()) {
            drop(file);
            // The write error says more than one about cleaning up would.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(file)
    }

    /// Opens a file that must exist.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = Arc::new(OpenOptions::new().read(true).append(true).open(path)?);
        let mut this = Self { file, len: 0, ends_line: true };
        this.look()?;
        Ok(this)
    }

    /// Notices what another writer did, which may have died in the middle of a line.
    fn look(&mut self) -> io::Result<()> {
        let len = self.file.metadata()?.len();
        if len == self.len {
            return Ok(());
        }
        self.ends_line = len == 0 || self.read_at(len - 1, 1)? == b"\n";
        self.len = len;
        Ok(())
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        // Moving the position is harmless: a file in append mode always writes at its end.
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; len];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Appends a line. When it returns the kernel has all of it; when it fails the file has none of it.
    pub(crate) fn append(&mut self, line: &str) -> io::Result<()> {
        self.look()?;
        let mut text = Vec::with_capacity(line.len() + 2);
        if !self.ends_line {
            text.push(b'\n');
        }
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');

        let mut written = 0;
        while written < text.len() {
            match (&*self.file).write(&text[written..]) {
                Ok(0) => return Err(self.take_back(&text[..written], io::ErrorKind::WriteZero.into())),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.take_back(&text[..written], error)),
            }
        }
        self.len += written as u64;
        self.ends_line = true;
        Ok(())
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
        self.len = u64::MAX;
        error
    }

    /// The file, to be flushed to the disk without holding anybody up.
    pub(crate) fn handle(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_after_half_a_line_of_another_writer_starts_fresh() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("s.jsonl");
        let mut ours = AppendFile::create(&path, "1\n").expect("a file");
        let mut theirs = AppendFile::open(&path).expect("a file");
        theirs.append("2").expect("appended");
        ours.append("3").expect("appended");
        fs::write(&path, "1\n2\n3\nhal").expect("damaged");
        ours.append("4").expect("appended");
        theirs.append("5").expect("appended");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\n2\n3\nhal\n4\n5\n");
    }

    #[test]
    fn a_torn_line_is_only_removed_while_it_is_the_last() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("s.jsonl");
        let mut file = AppendFile::create(&path, "1\nto").expect("a file");
        file.take_back(b"to", io::ErrorKind::StorageFull.into());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\n");
        fs::write(&path, "1\nto3\n").expect("written behind");
        file.take_back(b"to", io::ErrorKind::StorageFull.into());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\nto3\n");
        file.append("4").expect("appended");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "1\nto3\n4\n");
    }
}
