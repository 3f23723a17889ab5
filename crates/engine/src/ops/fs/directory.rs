//! Directories: making and listing them.

use std::collections::VecDeque;
use std::fs::FileType;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::path::{Path, PathBuf};

use rquickjs::{Array, Ctx, IntoJs, Value};

use super::call::Place;
use crate::ops::table::{Host, ops, typed};
use crate::ops::waiting::{Ended, until_ended};
use crate::ops::{List, OpError};

ops! {
    /// Directories.
    pub static OPS: watched;

    /// Makes a directory.
    both fsMkdir(path, mode) = mkdir, Refused;
    /// Makes a directory and those above it; gives the topmost one that was made.
    both fsMkdirAll(path, mode) = mkdir_all, Refused;
    /// Makes a directory with a name of its own.
    both fsMkdtemp(prefix) = mkdtemp, Refused;
    /// The entries of a directory: names, kinds, and the folders they are in.
    later fsReaddirAsync(path, recursive, syscall) = readdir_later, Recorded;
    /// The entries of a directory: names, kinds, and the folders they are in.
    fn fsReaddir(path, recursive, syscall) = fs_readdir, Recorded;
}

fn make(path: &Path, mode: u32) -> std::io::Result<()> {
    std::fs::DirBuilder::new().mode(mode).create(path)
}

fn mkdir(path: Place, mode: u32) -> Result<(), OpError> {
    make(&path.full, mode).map_err(|error| path.error(&error, "mkdir"))
}

/// Makes a directory and those above it; gives the topmost one that was made.
fn mkdir_all(path: Place, mode: u32) -> Result<Option<String>, OpError> {
    let target: PathBuf = path.full.components().collect();
    let mut missing = vec![target.clone()];
    let mut first = None;
    while let Some(next) = missing.last() {
        match make(next, mode) {
            Ok(()) => {
                first.get_or_insert_with(|| next.clone());
                missing.pop();
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => match next.parent() {
                Some(parent) => missing.push(parent.to_owned()),
                None => return Err(path.error(&error, "mkdir")),
            },
            // Another program may have made it in the meantime.
            Err(_) if next.is_dir() => drop(missing.pop()),
            Err(error) => return Err(path.error(&error, "mkdir")),
        }
    }
    Ok(first.map(|first| first.to_string_lossy().into_owned()))
}

/// Six letters or digits that nobody can guess.
fn random_suffix() -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut number = RandomState::new().hash_one(std::process::id());
    (0..6)
        .filter_map(|_| {
            let letter = LETTERS.get(usize::try_from(number % 62).ok()?);
            number /= 62;
            letter.map(|letter| char::from(*letter))
        })
        .collect()
}

fn mkdtemp(prefix: Place) -> Result<String, OpError> {
    loop {
        let suffix = random_suffix();
        let mut full = prefix.full.clone().into_os_string();
        // A relative or absolute name that ends in a slash means a name inside that directory.
        if prefix.given.ends_with('/') && !full.as_bytes().ends_with(b"/") {
            full.push("/");
        }
        full.push(&suffix);
        match make(Path::new(&full), 0o700) {
            Ok(()) => return Ok(format!("{}{suffix}", prefix.given)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(OpError::io(&error, "mkdtemp", Some(&format!("{}XXXXXX", prefix.given)))),
        }
    }
}

/// The entries of a directory: their names, what they are, and the directory below the listed one they are in.
#[derive(Default)]
struct Listing {
    names: Vec<String>,
    kinds: Vec<u32>,
    parents: Vec<String>,
}

typed! {
    Listing = "[names: string[], kinds: number[], parents: string[]]";
}

impl<'js> IntoJs<'js> for Listing {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let array = Array::new(ctx.clone())?;
        array.set(0, List(self.names))?;
        array.set(1, List(self.kinds))?;
        array.set(2, List(self.parents))?;
        Ok(array.into_value())
    }
}

/// The numbers of `UV_DIRENT_*`.
fn kind_of(kind: FileType) -> u32 {
    match kind {
        kind if kind.is_file() => 1,
        kind if kind.is_dir() => 2,
        kind if kind.is_symlink() => 3,
        kind if kind.is_fifo() => 4,
        kind if kind.is_socket() => 5,
        kind if kind.is_char_device() => 6,
        kind if kind.is_block_device() => 7,
        _ => 0,
    }
}

/// Lists a directory in the order of names; with `recursive` level by level.
fn readdir(path: &Place, recursive: bool, syscall: &str, ended: &Ended) -> Result<Listing, OpError> {
    let mut listing = Listing::default();
    let mut waiting = VecDeque::from([String::new()]);
    while let Some(parent) = waiting.pop_front() {
        ended.check()?;
        let folder = if parent.is_empty() { path.full.clone() } else { path.full.join(&parent) };
        let mut entries: Vec<(String, u32)> = std::fs::read_dir(&folder)
            .and_then(|entries| {
                entries
                    .map(|entry| {
                        let entry = entry?;
                        let kind = entry.file_type().map_or(0, kind_of);
                        Ok((entry.file_name().to_string_lossy().into_owned(), kind))
                    })
                    .collect()
            })
            .map_err(|error| {
                if parent.is_empty() {
                    path.error(&error, syscall)
                } else {
                    OpError::io(&error, syscall, Some(&format!("{}/{parent}", path.given)))
                }
            })?;
        entries.sort_unstable();
        for (name, kind) in entries {
            if recursive && kind == 2 {
                waiting.push_back(if parent.is_empty() { name.clone() } else { format!("{parent}/{name}") });
            }
            listing.names.push(name);
            listing.kinds.push(kind);
            if recursive {
                listing.parents.push(parent.clone());
            }
        }
    }
    Ok(listing)
}

fn readdir_later(path: Place, recursive: bool, syscall: String) -> Result<Listing, OpError> {
    readdir(&path, recursive, &syscall, &Ended::default())
}

fn fs_readdir<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    path: String,
    recursive: bool,
    syscall: String,
) -> rquickjs::Result<Listing> {
    let path = Place::of(path, &host);
    // A tree may be of any size.
    let what = recursive.then(|| format!("`readdirSync` of `{}`", path.given));
    until_ended(&ctx, &host, what, move |ended| readdir(&path, recursive, &syscall, ended))
}
