//! The file of prompts.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

/// How long another process is waited for, and how long between two looks.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    prompt: String,
}

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// The oldest first.
    pub(super) prompts: Vec<String>,
    /// How many lines were no prompts.
    pub(super) damaged: usize,
}

/// Of a larger file only the last bytes are read.
const MOST_READ: u64 = 32 * 1024 * 1024;

/// Reads a file; one that is not there is empty, and so is what is no file.
pub(super) fn read(path: &Path) -> io::Result<Content> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::default()),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Content::default());
    }
    let skipped = metadata.len().saturating_sub(MOST_READ);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(MOST_READ).read_to_end(&mut bytes)?;
    let start = if skipped > 0 { bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()) } else { 0 };
    Ok(parse(&bytes[start..]))
}

fn parse(bytes: &[u8]) -> Content {
    let mut content = Content::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match serde_json::from_slice::<Line>(line) {
            Ok(line) if content.prompts.last() == Some(&line.prompt) => {}
            Ok(line) => content.prompts.push(line.prompt),
            Err(_) => content.damaged += 1,
        }
    }
    content
}

fn line(prompt: &str) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Line { prompt: prompt.to_owned() })?;
    line.push(b'\n');
    Ok(line)
}

/// Appends a prompt in a single write. Returns the new size of the file.
pub(super) fn append(path: &Path, prompt: &str) -> io::Result<u64> {
    let line = line(prompt)?;
    let mut file = open_locked(path)?;
    let size = file.metadata()?.len();
    // A line cut off by a crash must not damage this one.
    let line = if ends_line(path, size)? { line } else { [b"\n".as_slice(), &line].concat() };
    match file.write(&line) {
        Ok(written) if written == line.len() => Ok(size + line.len() as u64),
        Ok(_) => {
            file.set_len(size)?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        Err(error) => Err(error),
    }
}

fn ends_line(path: &Path, size: u64) -> io::Result<bool> {
    let Some(last) = size.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    File::open(path)?.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

/// Rewrites the file with only the newest prompts, limited by number and total size. Prompts of other processes are
/// kept too.
pub(super) fn shorten(path: &Path, most: usize, bytes: usize) -> io::Result<()> {
    // A file that is reached by a link stays where it is.
    let path = fs::canonicalize(path)?;
    let locked = open_locked(&path)?;
    let content = read(&path)?;
    let mut lines = Vec::new();
    let mut size = 0;
    for prompt in content.prompts.iter().rev().take(most) {
        let line = line(prompt)?;
        size += line.len();
        if size > bytes {
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    replace(&path, &lines.concat())?;
    drop(locked);
    Ok(())
}

/// Replaces a file atomically; only the user can read it.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a folder for the user alone, if it is missing.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() { Ok(()) } else { DirBuilder::new().recursive(true).mode(0o700).create(folder) }
}

/// Opens and locks a file for appending, and makes it readable by the user only.
fn open_locked(path: &Path) -> io::Result<File> {
    make_folder(path.parent().unwrap_or(Path::new("")))?;
    loop {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        lock(&file)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        // While this process waited, another may have replaced the file.
        let now = fs::metadata(path);
        if now.is_ok_and(|now| (now.dev(), now.ino()) == (metadata.dev(), metadata.ino())) {
            return Ok(file);
        }
    }
}

fn lock(file: &File) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            // Some file systems have no locks. A single write is whole there too.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if started.elapsed() >= PATIENCE => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process holds it"));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
}

/// A history or draft cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{what} {}: {source}", path.display())]
pub struct HistoryError {
    /// What failed, such as `cannot write`.
    pub(super) what: &'static str,
    pub(super) path: PathBuf,
    #[source]
    pub(super) source: io::Error,
}

impl HistoryError {
    pub(super) fn new(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { what, path, source }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}
