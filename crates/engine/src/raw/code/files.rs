//! Compiled code in files that only this user can have written.
//!
//! A file is opened without following a symbolic link, and looked at once it is open, so nothing can be put in its place
//! between the look and the reading. Its folder is opened once and everything happens below what was opened.
#![expect(clippy::disallowed_methods, reason = "the name of a file that nothing else has")]

use std::borrow::Cow;
use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::{Code, fingerprint};

/// A folder with compiled code.
#[derive(Debug)]
pub struct CodeFiles {
    folder: PathBuf,
    open: OwnedFd,
}

/// Why a file or a folder is not used.
#[derive(Debug, Clone, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Refusal {
    #[error("{} belongs to another user (uid {uid})", path.display())]
    Foreign { path: PathBuf, uid: u32 },
    #[error("others can write to {} (its mode is {mode:o})", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("{} is a symbolic link", path.display())]
    Link { path: PathBuf },
    #[error("{} is not {wanted}", path.display())]
    Kind { path: PathBuf, wanted: &'static str },
    #[error("{} is damaged", path.display())]
    Damaged { path: PathBuf },
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be made or opened.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It could be somebody else's.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Compiled code as a file of it, under the seal of this program.
pub struct Sealed(Vec<u8>);

/// A file of compiled code.
pub struct Kept {
    bytes: Vec<u8>,
    start: usize,
}

/// The length of the seal.
const SEAL: usize = 16;

/// The length of the number that says how long the part before the code is.
const LENGTH: usize = 4;

impl Kept {
    /// What was written before the code.
    pub fn about(&self) -> &[u8] {
        &self.bytes[SEAL + LENGTH..self.start]
    }

    /// The code.
    pub fn code(self) -> Code {
        Code { bytes: Cow::Owned(self.bytes), start: self.start }
    }
}

impl CodeFiles {
    /// Uses a folder, making it when needed.
    ///
    /// # Errors
    /// When it cannot be made or opened, and when it may not be used.
    pub fn open(folder: PathBuf) -> Result<Self, FolderError> {
        if std::fs::symlink_metadata(&folder).is_err() {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        }
        let meta = std::fs::symlink_metadata(&folder)?;
        if meta.is_symlink() {
            return Err(Refusal::Link { path: folder }.into());
        }
        if !meta.is_dir() {
            return Err(Refusal::Kind { path: folder, wanted: "a folder" }.into());
        }
        // What was looked at may be another one by now: this one is looked at again below.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = File::from(rustix::fs::open(&folder, flags, Mode::empty()).map_err(io::Error::from)?);
        ours(&folder, &open.metadata()?)?;
        Ok(Self { folder, open: open.into() })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the file for code that depends on these texts, and on what all compiled code depends on.
    pub fn name(texts: &[&str]) -> String {
        let mut all = Vec::with_capacity(texts.iter().map(|text| text.len() + 8).sum::<usize>() + 64);
        for text in [fingerprint(), env!("CARGO_PKG_VERSION"), std::env::consts::ARCH].iter().chain(texts) {
            all.extend_from_slice(&(text.len() as u64).to_le_bytes());
            all.extend_from_slice(text.as_bytes());
        }
        format!("{:032x}.qjs", xxh3_128(&all))
    }

    /// Reads a file; nothing when there is none.
    ///
    /// # Errors
    /// Why it is not used.
    pub fn read(&self, name: &str) -> Result<Option<Kept>, Refusal> {
        // A pipe in the place of the file must not hold anybody up.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let path = || self.folder.join(name);
        let file = match rustix::fs::openat(&self.open, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::LOOP) => return Err(Refusal::Link { path: path() }),
            Err(_) => return Ok(None),
        };
        let Ok(meta) = file.metadata() else { return Ok(None) };
        if !meta.is_file() {
            return Err(Refusal::Kind { path: path(), wanted: "a file" });
        }
        ours(&path(), &meta)?;
        let mut bytes = Vec::new();
        let room = usize::try_from(meta.len()).ok().and_then(|length| bytes.try_reserve_exact(length).ok());
        // The length is known: reading a file as a whole asks the system for it again.
        if room.is_none() || file.take(meta.len()).read_to_end(&mut bytes).is_err() {
            return Ok(None);
        }
        match start(name, &bytes) {
            Some(start) => Ok(Some(Kept { bytes, start })),
            None => Err(Refusal::Damaged { path: path() }),
        }
    }

    /// Seals code under a name, with what is to be read before it; nothing when that is too long.
    pub fn seal(name: &str, about: &[u8], code: &Code) -> Option<Sealed> {
        let length = u32::try_from(about.len()).ok()?;
        let mut bytes = vec![0; SEAL];
        for part in [&length.to_le_bytes(), about, code.bytes()] {
            bytes.extend_from_slice(part);
        }
        let seal = sealed(name, &bytes[SEAL..]);
        bytes[..SEAL].copy_from_slice(&seal);
        Some(Sealed(bytes))
    }

    /// Writes a file in the place of what is there. Another process may read it at any moment: it sees the whole of it or
    /// nothing.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, name: &str, code: &Sealed) -> io::Result<()> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let new = format!(".{:016x}.tmp", u64::from_le_bytes(random));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.open, &new, flags, Mode::RUSR | Mode::WUSR)?);
        let written =
            file.write_all(&code.0).and_then(|()| Ok(rustix::fs::renameat(&self.open, &new, &self.open, name)?));
        if written.is_err() {
            // What is left of it does no harm.
            let _ = rustix::fs::unlinkat(&self.open, &new, AtFlags::empty());
        }
        written
    }
}

/// Whether nobody else could have written to what was opened.
fn ours(path: &Path, meta: &Metadata) -> Result<(), Refusal> {
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(Refusal::Foreign { path: path.to_owned(), uid: meta.uid() });
    }
    match meta.permissions().mode() & 0o7777 {
        mode if mode & 0o022 != 0 => Err(Refusal::Open { path: path.to_owned(), mode }),
        _ => Ok(()),
    }
}

/// Where the code begins in a file of this name, if this build of the program sealed it.
fn start(name: &str, bytes: &[u8]) -> Option<usize> {
    let (seal, rest) = bytes.split_at_checked(SEAL)?;
    if *seal != sealed(name, rest) {
        return None;
    }
    let (length, rest) = rest.split_at_checked(LENGTH)?;
    let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
    rest.split_at_checked(length)?;
    Some(SEAL + LENGTH + length)
}

/// It shows damage, and files of other builds. It keeps out nobody who can write to the file.
fn sealed(name: &str, bytes: &[u8]) -> [u8; SEAL] {
    let mut hasher = Xxh3::new();
    hasher.update(fingerprint().as_bytes());
    hasher.update(name.as_bytes());
    hasher.update(bytes);
    hasher.digest128().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn compiled(source: &str) -> Code {
        let runtime = rquickjs::Runtime::new().expect("an engine");
        let context = rquickjs::Context::full(&runtime).expect("a context");
        context.with(|ctx| Code::compile(&ctx, source, "test.js").expect("it is a program"))
    }

    fn value(code: &Code) -> i32 {
        let runtime = rquickjs::Runtime::new().expect("an engine");
        let context = rquickjs::Context::full(&runtime).expect("a context");
        context.with(|ctx| code.run(&ctx).expect("it runs").as_int().expect("a number"))
    }

    fn open(folder: &Path) -> Result<CodeFiles, String> {
        CodeFiles::open(folder.to_owned()).map_err(|error| match error {
            FolderError::Io(error) => panic!("it can be looked at: {error}"),
            FolderError::Refused(refusal) => refusal.to_string(),
        })
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("permissions");
    }

    const NAME: &str = "it.qjs";

    fn files() -> (tempfile::TempDir, CodeFiles, PathBuf) {
        let dir = tempfile::tempdir().expect("temp dir");
        let files = open(&dir.path().join("modules")).expect("private");
        let sealed = CodeFiles::seal(NAME, b"about", &compiled("40 + 2")).expect("short enough");
        files.write(NAME, &sealed).expect("written");
        let path = files.folder().join(NAME);
        (dir, files, path)
    }

    fn refusal(files: &CodeFiles) -> String {
        files.read(NAME).err().expect("refused").to_string()
    }

    #[test]
    fn code_comes_back_as_it_was_written() {
        let (_dir, files, path) = files();
        let kept = files.read(NAME).expect("it is ours").expect("it is there");
        assert_eq!(kept.about(), b"about");
        assert_eq!(value(&kept.code()), 42);
        assert!(files.read("another.qjs").expect("nothing is wrong").is_none());
        let names: Vec<_> =
            std::fs::read_dir(files.folder()).expect("a folder").flatten().map(|at| at.path()).collect();
        assert_eq!(names, std::slice::from_ref(&path));
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_others_can_write_is_refused_and_can_be_written_anew() {
        let (_dir, files, path) = files();
        for mode in [0o620, 0o602, 0o666] {
            set_mode(&path, mode);
            assert_eq!(refusal(&files), format!("others can write to {} (its mode is {mode:o})", path.display()));
        }
        set_mode(&path, 0o644);
        assert!(files.read(NAME).expect("others may read it").is_some());
        set_mode(&path, 0o666);
        let sealed = CodeFiles::seal(NAME, b"", &compiled("7")).expect("short enough");
        files.write(NAME, &sealed).expect("written");
        assert_eq!(value(&files.read(NAME).expect("ours").expect("there").code()), 7);
    }

    #[test]
    fn what_is_no_file_of_its_own_is_refused() {
        let (dir, files, path) = files();
        let elsewhere = dir.path().join("elsewhere");
        std::fs::rename(&path, &elsewhere).expect("moved");
        symlink(&elsewhere, &path).expect("a link");
        assert_eq!(refusal(&files), format!("{} is a symbolic link", path.display()));
        std::fs::remove_file(&path).expect("removed");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        assert_eq!(refusal(&files), format!("{} is not a file", path.display()), "nobody waits for a writer");
    }

    #[test]
    fn a_file_under_another_name_or_cut_is_refused() {
        let (_dir, files, path) = files();
        let bytes = std::fs::read(&path).expect("read");
        std::fs::write(files.folder().join("another.qjs"), &bytes).expect("written");
        assert!(files.read("another.qjs").is_err());
        for end in [0, 15, 19, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..end]).expect("written");
            assert_eq!(refusal(&files), format!("{} is damaged", path.display()), "cut at {end}");
        }
    }

    #[test]
    fn a_folder_must_be_private_and_no_link() {
        let dir = tempfile::tempdir().expect("temp dir");
        let (folder, link) = (dir.path().join("modules"), dir.path().join("link"));
        open(&folder).expect("made, and private");
        symlink(&folder, &link).expect("a link");
        assert_eq!(open(&link).expect_err("refused"), format!("{} is a symbolic link", link.display()));
        for mode in [0o720, 0o777, 0o1777] {
            set_mode(&folder, mode);
            let text = format!("others can write to {} (its mode is {mode:o})", folder.display());
            assert_eq!(open(&folder).expect_err("refused"), text);
        }
        let file = dir.path().join("file");
        std::fs::write(&file, "").expect("written");
        assert_eq!(open(&file).expect_err("refused"), format!("{} is not a folder", file.display()));
    }

    #[test]
    fn what_belongs_to_another_user_is_refused() {
        let dir = tempfile::tempdir().expect("temp dir");
        // Root owns everything else; only root can give something away.
        let (path, uid) =
            if rustix::process::geteuid().is_root() { (dir.path().to_owned(), 4711) } else { (PathBuf::from("/"), 0) };
        if uid != 0 {
            std::os::unix::fs::chown(&path, Some(uid), None).expect("given away");
        }
        let text = format!("{} belongs to another user (uid {uid})", path.display());
        assert_eq!(open(&path).expect_err("refused"), text);
    }

    #[test]
    fn another_folder_in_the_place_of_the_one_that_was_opened_is_not_read() {
        let (dir, files, path) = files();
        std::fs::rename(files.folder(), dir.path().join("moved")).expect("moved");
        std::fs::create_dir(files.folder()).expect("another");
        std::fs::write(&path, "of somebody else").expect("written");
        assert!(files.read(NAME).expect("ours").is_some());
    }
}
