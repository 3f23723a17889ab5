//! What is known about files without opening them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rquickjs::{Array, Ctx, IntoJs, Value};
use rustix::fs::Access;

use super::call::Place;
use crate::ops::table::{Host, ops, typed};
use crate::ops::{List, OpError};

ops! {
    /// What is known about files without opening them.
    pub static OPS: watched;

    /// What a file is; links are followed.
    both fsStat(path) = stat, Recorded;
    /// What a file is; a link is itself.
    both fsLstat(path) = lstat, Recorded;
    /// Throws unless a file can be used in this way.
    both fsAccess(path, mode) = access, Recorded;
    /// The true name of a file.
    both fsRealpath(path, native) = realpath, Recorded;
    /// What a file system is: type, block size, blocks, free, available, files, free files.
    both fsStatfs(path) = statfs, Recorded;
    /// Whether there is something of that name.
    fn fsExists(path) = fs_exists, Recorded;
}

/// A file's metadata: an array of numbers in the order that `runtime/internal/fs/stats.ts` reads.
pub(super) struct Stat(pub(super) Metadata);

typed! {
    Stat = "number[]";
}

impl<'js> IntoJs<'js> for Stat {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let Self(data) = self;
        let born = data.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        // File systems that keep no time of birth: the earliest time they do keep.
        let (born, born_nanos) = match born {
            Some(since) => (since.as_secs() as f64, f64::from(since.subsec_nanos())),
            None => (data.ctime() as f64, data.ctime_nsec() as f64),
        };
        let numbers = [
            data.dev() as f64,
            f64::from(data.mode()),
            data.nlink() as f64,
            f64::from(data.uid()),
            f64::from(data.gid()),
            data.rdev() as f64,
            data.blksize() as f64,
            data.ino() as f64,
            data.size() as f64,
            data.blocks() as f64,
            data.atime() as f64,
            data.atime_nsec() as f64,
            data.mtime() as f64,
            data.mtime_nsec() as f64,
            data.ctime() as f64,
            data.ctime_nsec() as f64,
            born,
            born_nanos,
        ];
        let array = Array::new(ctx.clone())?;
        for (index, number) in numbers.into_iter().enumerate() {
            array.set(index, Value::new_number(ctx.clone(), number))?;
        }
        Ok(array.into_value())
    }
}

fn stat(path: Place) -> Result<Stat, OpError> {
    path.full.metadata().map(Stat).map_err(|error| path.error(&error, "stat"))
}

fn lstat(path: Place) -> Result<Stat, OpError> {
    path.full.symlink_metadata().map(Stat).map_err(|error| path.error(&error, "lstat"))
}

fn access(path: Place, mode: u32) -> Result<(), OpError> {
    let mut wanted = Access::EXISTS;
    for (bit, flag) in [(4, Access::READ_OK), (2, Access::WRITE_OK), (1, Access::EXEC_OK)] {
        if mode & bit != 0 {
            wanted |= flag;
        }
    }
    rustix::fs::access(&path.full, wanted).map_err(|error| path.error(&error.into(), "access"))
}

/// The true name. The form that is not native names the first part that is missing, as Node's walk does.
fn realpath(path: Place, native: bool) -> Result<String, OpError> {
    match path.full.canonicalize() {
        Ok(found) => Ok(found.to_string_lossy().into_owned()),
        Err(error) if native => Err(path.error(&error, "realpath")),
        Err(error) => {
            let first = first_missing(&path.full).unwrap_or_else(|| path.full.clone());
            Err(OpError::io(&error, "lstat", Some(&first.to_string_lossy())))
        }
    }
}

fn first_missing(path: &Path) -> Option<PathBuf> {
    let mut prefixes: Vec<&Path> = path.ancestors().collect();
    prefixes.reverse();
    prefixes.into_iter().find(|prefix| prefix.symlink_metadata().is_err()).map(Path::to_owned)
}

/// Type, block size, blocks, free, available, files, free files.
fn statfs(path: Place) -> Result<List<f64>, OpError> {
    let found = rustix::fs::statfs(&path.full).map_err(|error| path.error(&error.into(), "statfs"))?;
    Ok(List(vec![
        found.f_type as f64,
        found.f_bsize as f64,
        found.f_blocks as f64,
        found.f_bfree as f64,
        found.f_bavail as f64,
        found.f_files as f64,
        found.f_ffree as f64,
    ]))
}

fn fs_exists(Host(host): Host, path: String) -> bool {
    host.resolve(&path).exists()
}
