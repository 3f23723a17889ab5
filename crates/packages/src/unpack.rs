//! Unpacks an archive that nobody trusts.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use crate::error::PackageError;

/// How large an archive may get.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files and folders.
    pub entries: usize,
    /// Folders in each other.
    pub depth: usize,
}

pub(crate) const CAPS: Caps = Caps { bytes: 2 << 30, entries: 200_000, depth: 64 };

/// Unpacks a compressed archive into a folder, without the first part of each path. Nothing is ever written outside of
/// the folder, and nothing but plain files and folders is made: links are left out, as npm does, and one that leads out
/// of the folder is a reason to refuse the whole.
pub(crate) fn unpack(archive: impl Read, into: &Path, what: &str, caps: Caps) -> Result<(), PackageError> {
    let refuse = |why: String| PackageError::Archive { what: what.to_owned(), why };
    let broken = |error: io::Error| refuse(format!("it cannot be read: {error}"));
    create_folder(into).map_err(PackageError::io(into))?;
    let mut left = caps.bytes;
    let mut count = 0_usize;
    let mut made: HashSet<PathBuf> = HashSet::new();
    // A limit on what is read, not only on what is kept: padding and skipped entries cost time too.
    let most = caps.bytes.saturating_add((caps.entries as u64 + 16).saturating_mul(4096));
    let limited = MultiGzDecoder::new(archive).take(most);
    let mut archive = Archive::new(limited);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        count += 1;
        if count > caps.entries {
            return Err(refuse(format!("it has more than {} entries", caps.entries)));
        }
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader | EntryType::XHeader) {
            continue;
        }
        let path = entry.path_bytes().into_owned();
        let shown = String::from_utf8_lossy(&path).escape_debug().to_string();
        let Some(relative) = inside(&path, caps.depth).map_err(|why| refuse(format!("\"{shown}\" {why}")))? else {
            continue;
        };
        let target = into.join(&relative);
        match kind {
            EntryType::Directory => folder(into, &relative, &mut made).map_err(PackageError::io(&target))?,
            EntryType::Regular | EntryType::Continuous => {
                let size = entry.size();
                left = left
                    .checked_sub(size)
                    .ok_or_else(|| refuse(format!("its files are larger than {} MB", caps.bytes >> 20)))?;
                if let Some(parent) = relative.parent() {
                    folder(into, parent, &mut made).map_err(PackageError::io(&target))?;
                }
                let executable = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
                write(&mut entry, &target, executable, size).map_err(|error| match error.kind() {
                    io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                        broken(error)
                    }
                    _ => PackageError::Io { path: target.clone(), why: error.to_string() },
                })?;
            }
            EntryType::Symlink | EntryType::Link => {
                let to = entry.link_name_bytes().map(|name| name.into_owned()).unwrap_or_default();
                if leads_out(&relative, &to, kind == EntryType::Link) {
                    let to = String::from_utf8_lossy(&to).escape_debug().to_string();
                    return Err(refuse(format!("the link \"{shown}\" leads out of it, to \"{to}\"")));
                }
            }
            _ => return Err(refuse(format!("\"{shown}\" is a device, a pipe, or something stranger"))),
        }
    }
    match count {
        0 => Err(refuse("it is empty".to_owned())),
        _ => Ok(()),
    }
}

/// The path of an entry below the folder; `None` for the folder itself.
fn inside(path: &[u8], depth: usize) -> Result<Option<PathBuf>, &'static str> {
    let text = std::str::from_utf8(path).map_err(|_| "is no name in UTF-8")?;
    if text.contains(['\0', '\\']) {
        return Err("has a character that no name of a file may have");
    }
    let mut parts = Vec::new();
    for part in Path::new(text).components() {
        match part {
            Component::Normal(name) if name.len() > 255 => return Err("has a name of more than 255 bytes"),
            Component::Normal(name) => parts.push(name),
            Component::CurDir => {}
            Component::ParentDir => return Err("leads out of it"),
            Component::RootDir | Component::Prefix(_) => return Err("is an absolute path"),
        }
    }
    if parts.len() > depth {
        return Err("lies in too many folders");
    }
    let relative: PathBuf = parts.into_iter().skip(1).collect();
    Ok(Some(relative).filter(|path| !path.as_os_str().is_empty()))
}

fn leads_out(link: &Path, to: &[u8], hard: bool) -> bool {
    let Ok(to) = std::str::from_utf8(to) else { return true };
    // A hard link is a path of the archive, whose first part goes; a symbolic one starts beside itself.
    let mut depth = if hard { 0 } else { link.components().count() - 1 };
    for part in Path::new(to).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > usize::from(hard) => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

/// Makes a folder of plain folders. What is there was made here, so no link can stand in the way.
fn folder(root: &Path, relative: &Path, made: &mut HashSet<PathBuf>) -> io::Result<()> {
    if relative.as_os_str().is_empty() || made.contains(relative) {
        return Ok(());
    }
    create_folder(&root.join(relative))?;
    made.insert(relative.to_path_buf());
    Ok(())
}

#[cfg(unix)]
fn create_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

#[cfg(not(unix))]
fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

fn write(entry: &mut impl Read, target: &Path, executable: bool, size: u64) -> io::Result<()> {
    // The last of several files with one name counts; `create_new` after removing never follows anything.
    match fs::remove_file(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Nobody else may change what is run later, whatever the umask says.
        options.mode(if executable { 0o755 } else { 0o644 });
    }
    #[cfg(not(unix))]
    let _ = executable;
    let mut file = options.open(target)?;
    let written = io::copy(&mut entry.take(size), &mut file)?;
    if written == size { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;

    /// Path, kind, target of a link, content.
    type Item<'a> = (&'a str, EntryType, &'a str, &'a [u8]);

    /// An archive of entries whose paths are written as they are, without the care that the library takes.
    fn archive(entries: &[Item<'_>]) -> Vec<u8> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, kind, link, content) in entries {
            let mut header = Header::new_gnu();
            header.as_gnu_mut().expect("a GNU header").name[..path.len()].copy_from_slice(path.as_bytes());
            header.as_gnu_mut().expect("a GNU header").linkname[..link.len()].copy_from_slice(link.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(if path.ends_with(".sh") { 0o4755 } else { 0o600 });
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, *content).expect("append");
        }
        builder.into_inner().expect("tar").finish().expect("gzip")
    }

    fn tried(bytes: &[u8], caps: Caps) -> (Result<(), PackageError>, Vec<String>) {
        let dir = tempfile::tempdir().expect("temp dir");
        let into = dir.path().join("a/b/package");
        let result = unpack(bytes, &into, "x@1.0.0", caps);
        let mut found = Vec::new();
        list(dir.path(), dir.path(), &mut found);
        (result, found)
    }

    fn list(folder: &Path, base: &Path, found: &mut Vec<String>) {
        let mut entries: Vec<_> =
            fs::read_dir(folder).expect("read").map(|entry| entry.expect("entry").path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() && !path.is_symlink() {
                list(&path, base, found)
            } else {
                found.push(path.strip_prefix(base).expect("below").display().to_string())
            }
        }
    }

    const FILE: EntryType = EntryType::Regular;

    #[test]
    fn files_lose_the_first_folder_and_odd_modes() {
        let bytes = archive(&[
            ("package/", EntryType::Directory, "", b""),
            ("package/package.json", FILE, "", b"{}"),
            ("other/deep/run.sh", FILE, "", b"#!"),
            ("package/deep/link", EntryType::Symlink, "../package.json", b""),
            ("package/deep/hard", EntryType::Link, "package/package.json", b""),
            ("package/package.json", FILE, "", b"{\"again\":1}"),
        ]);
        let dir = tempfile::tempdir().expect("temp dir");
        unpack(&bytes[..], dir.path(), "x", CAPS).expect("a good archive");
        let mut found = Vec::new();
        list(dir.path(), dir.path(), &mut found);
        assert_eq!(found, ["deep/run.sh", "package.json"]);
        assert_eq!(fs::read_to_string(dir.path().join("package.json")).expect("read"), "{\"again\":1}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(dir.path().join("deep/run.sh")).expect("metadata").permissions().mode();
            assert_eq!((mode & 0o7000, mode & 0o100), (0, 0o100));
        }
    }

    #[test]
    fn what_would_do_harm_is_refused_and_leaves_nothing_outside() {
        let small = Caps { bytes: 64, entries: 4, depth: 8 };
        let many: Vec<String> = (0..5).map(|at| format!("package/{at}")).collect();
        let many: Vec<_> = many.iter().map(|path| (path.as_str(), FILE, "", &b""[..])).collect();
        let deep = format!("package/{}x", "d/".repeat(9));
        let cases: Vec<(Vec<Item<'_>>, &str)> = vec![
            (vec![("/etc/passwd", FILE, "", b"x")], "\"/etc/passwd\" is an absolute path"),
            (vec![("package/../../../evil", FILE, "", b"x")], "leads out of it"),
            (vec![("../evil", FILE, "", b"x")], "leads out of it"),
            (vec![("package\\..\\..\\evil", FILE, "", b"x")], "no name of a file"),
            (vec![("package/l", EntryType::Symlink, "../../..", b"")], "leads out of it, to"),
            (vec![("package/l", EntryType::Symlink, "/etc", b"")], "leads out of it, to"),
            (vec![("package/h", EntryType::Link, "../../x", b"")], "leads out of it, to"),
            (vec![("package/h", EntryType::Link, "package/../x", b"")], "leads out of it, to"),
            (vec![("package/d", EntryType::Char, "", b"")], "is a device, a pipe"),
            (vec![("package/d", EntryType::Fifo, "", b"")], "is a device, a pipe"),
            (vec![("package/big", FILE, "", &[b'x'; 65])], "larger than 0 MB"),
            (many, "more than 4 entries"),
            (vec![(&deep, FILE, "", b"x")], "too many folders"),
            (vec![], "it is empty"),
        ];
        for (entries, expected) in cases {
            let (result, found) = tried(&archive(&entries), small);
            let text = result.expect_err(expected).to_string();
            assert!(text.starts_with("the archive of x@1.0.0 is refused: ") && text.contains(expected), "{text}");
            assert!(found.iter().all(|path| path.starts_with("a/b/package/")), "{found:?}");
        }
    }

    #[test]
    fn a_link_is_never_written_through() {
        let (result, found) = tried(
            &archive(&[
                ("package/sub/here", EntryType::Symlink, "..", b""),
                ("package/sub/here/file", FILE, "", b"x"),
                ("package/clash", FILE, "", b"x"),
                ("package/clash/file", FILE, "", b"x"),
            ]),
            CAPS,
        );
        assert!(matches!(result, Err(PackageError::Io { .. })), "{result:?}");
        assert_eq!(found, ["a/b/package/clash", "a/b/package/sub/here/file"]);
    }

    #[test]
    fn half_an_archive_is_refused() {
        let whole = archive(&[("package/a", FILE, "", &[7; 4096]), ("package/b", FILE, "", b"x")]);
        for bytes in [&whole[..whole.len() / 2], &b"no archive"[..], &[]] {
            let (result, _) = tried(bytes, CAPS);
            assert!(matches!(result, Err(PackageError::Archive { .. })), "{result:?}");
        }
    }

    proptest::proptest! {
        /// Whatever the paths are, nothing lands outside of the folder.
        #[test]
        fn nothing_lands_outside(paths in proptest::collection::vec("(\\.\\./|/|a/|\\./|package/){0,5}[a-c.]{1,3}", 1..6)) {
            let entries: Vec<_> = paths.iter().map(|path| (path.as_str(), FILE, "", &b"x"[..])).collect();
            let (_, found) = tried(&archive(&entries), CAPS);
            proptest::prop_assert!(found.iter().all(|path| path.starts_with("a/b/package/")), "{:?}", found);
        }
    }
}
