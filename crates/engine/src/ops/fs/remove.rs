//! Removing files and trees.

use std::ffi::CString;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rquickjs::Ctx;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

use super::call::Place;
use crate::ops::OpError;
use crate::ops::table::{Host, ops};
use crate::ops::waiting::{Ended, until_ended};

ops! {
    /// Removing files and trees.
    pub static OPS: watched;

    /// Removes an empty directory.
    both fsRmdir(path) = rmdir, Refused;
    /// Removes a file, or a tree.
    later fsRmAsync(path, recursive, force, retries, delayMs) = rm_later, Refused;
    /// Removes a file, or a tree.
    fn fsRm(path, recursive, force, retries, delayMs) = fs_rm, Refused;
}

fn rmdir(path: Place) -> Result<(), OpError> {
    std::fs::remove_dir(&path.full).map_err(|error| path.error(&error, "rmdir"))
}

/// Errors that may be over in a moment.
const PASSING: &[Errno] = &[Errno::BUSY, Errno::MFILE, Errno::NFILE, Errno::NOTEMPTY, Errno::PERM];

/// How often it is tried.
struct Tries {
    most: u32,
    delay_ms: f64,
}

fn rm_later(path: Place, recursive: bool, force: bool, retries: u32, delay_ms: f64) -> Result<(), OpError> {
    rm(&path, recursive, force, &Tries { most: retries, delay_ms }, &Ended::default())
}

/// Removes a file, or with `recursive` a tree; with `force` it need not exist.
fn rm(path: &Place, recursive: bool, force: bool, tries: &Tries, ended: &Ended) -> Result<(), OpError> {
    let missing = |error: &std::io::Error| force && error.kind() == ErrorKind::NotFound;
    let found = match path.full.symlink_metadata() {
        Ok(found) => found,
        Err(error) if missing(&error) => return Ok(()),
        Err(error) => return Err(path.error(&error, "lstat")),
    };
    if found.is_dir() && !recursive {
        let message = format!("Path is a directory: rm returned EISDIR (is a directory) {}", path.given);
        return Err(OpError {
            errno: Some(Errno::ISDIR.raw_os_error()),
            syscall: Some("rm".to_owned()),
            path: Some(path.given.clone()),
            ..OpError::new("ERR_FS_EISDIR", message)
        });
    }
    let mut attempt = 0;
    loop {
        let done = if found.is_dir() { remove_tree(&path.full, ended) } else { std::fs::remove_file(&path.full) };
        ended.check()?;
        let error = match done {
            Ok(()) => return Ok(()),
            Err(error) if missing(&error) => return Ok(()),
            Err(error) => error,
        };
        let passing = PASSING.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()));
        if attempt >= tries.most || !passing {
            let syscall = if found.is_dir() { "rm" } else { "unlink" };
            return Err(path.error(&error, syscall));
        }
        attempt += 1;
        // Longer each time, as Node waits.
        let wait = Duration::try_from_secs_f64(tries.delay_ms * f64::from(attempt) / 1_000.0).unwrap_or_default();
        ended.sleep(wait)?;
    }
}

/// Removes a directory with everything in it, until it is to end. Links are removed and never followed, whoever changes the
/// tree meanwhile: every name is looked up in the directory that is open.
fn remove_tree(path: &Path, ended: &Ended) -> std::io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut open = vec![(Dir::new(rustix::fs::open(path, flags, Mode::empty())?)?, None::<CString>)];
    while let Some((dir, _)) = open.last_mut() {
        if ended.check().is_err() {
            return Err(ErrorKind::Interrupted.into());
        }
        let Some(entry) = dir.next() else {
            let name = open.pop().and_then(|(_, name)| name);
            match (open.last(), name) {
                (Some((parent, _)), Some(name)) => existing(unlinkat(parent.fd()?, &name, AtFlags::REMOVEDIR))?,
                _ => std::fs::remove_dir(path)?,
            }
            continue;
        };
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let removed = match entry.file_type() {
            FileType::Directory => Err(Errno::ISDIR),
            _ => existing(unlinkat(dir.fd()?, name, AtFlags::empty())),
        };
        // Systems differ in how they say that it is a directory.
        if let Err(error @ (Errno::ISDIR | Errno::PERM)) = removed {
            match openat(dir.fd()?, name, flags, Mode::empty()) {
                Ok(inner) => {
                    let name = name.to_owned();
                    open.push((Dir::new(inner)?, Some(name)));
                }
                Err(Errno::NOENT) => {}
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    existing(unlinkat(dir.fd()?, name, AtFlags::empty())).map_err(|_| error)?;
                }
                Err(error) => return Err(error.into()),
            }
        } else {
            removed?;
        }
    }
    Ok(())
}

/// What somebody else has removed already is gone as well.
fn existing(done: rustix::io::Result<()>) -> rustix::io::Result<()> {
    if done == Err(Errno::NOENT) { Ok(()) } else { done }
}

fn fs_rm<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    path: String,
    recursive: bool,
    force: bool,
    retries: u32,
    delay_ms: f64,
) -> rquickjs::Result<()> {
    let path = Place::of(path, &host);
    // A tree may be of any size, and what cannot be removed is tried again and again.
    let what = (recursive || retries > 0).then(|| format!("`rmSync` of `{}`", path.given));
    let tries = Tries { most: retries, delay_ms };
    until_ended(&ctx, &host, what, move |ended| rm(&path, recursive, force, &tries, ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_removed_without_what_its_links_name() {
        let root = tempfile::tempdir().expect("a folder");
        let (tree, other) = (root.path().join("tree"), root.path().join("other"));
        let mut deep = tree.clone();
        (0..200).for_each(|_| deep.push("d"));
        std::fs::create_dir_all(&deep).expect("folders");
        std::fs::create_dir(&other).expect("a folder");
        std::fs::write(other.join("kept"), "x").expect("a file");
        std::fs::write(deep.join("file"), "x").expect("a file");
        std::os::unix::fs::symlink(&other, tree.join("link")).expect("a link");
        remove_tree(&tree, &Ended::default()).expect("no tree");
        assert!(!tree.exists() && other.join("kept").exists());
    }

    #[test]
    fn a_removal_that_is_to_end_removes_nothing_more() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::write(root.path().join("file"), "x").expect("a file");
        let error = remove_tree(root.path(), &Ended::now()).expect_err("an end");
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        assert!(root.path().join("file").exists());
    }
}
