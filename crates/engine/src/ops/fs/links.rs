//! Names, links, owners, permissions and times of files.

use std::os::unix::fs::PermissionsExt;

use rustix::fs::{AtFlags, CWD, Mode, Timespec, Timestamps};

use super::call::Place;
use crate::ops::OpError;
use crate::ops::table::ops;

ops! {
    /// Names, links, owners, permissions and times of files.
    pub static OPS: watched;

    /// Gives a file another name.
    both fsRename(from, to) = rename, Refused;
    /// Gives a file a second name.
    both fsLink(from, to) = link, Refused;
    /// Makes a symbolic link.
    both fsSymlink(target, path) = symlink, Refused;
    /// Where a symbolic link points.
    both fsReadlink(path) = readlink, Recorded;
    /// Removes a file.
    both fsUnlink(path) = unlink, Refused;
    /// Changes the permissions of a file.
    both fsChmod(path, mode) = chmod, Refused;
    /// Changes the owner of a file.
    both fsChown(path, uid, gid, follow) = chown, Refused;
    /// Changes the times of a file.
    both fsUtimes(path, accessed, modified, follow) = utimes, Refused;
    /// Sets the mask that new files get, and gives the old one; without a mask it only gives it.
    fn umask(mask) = umask, Refused;
}

/// Sets the mask that new files get, and gives the old one; without a mask it only tells.
fn umask(mask: Option<u32>) -> f64 {
    let wanted = mask.map(|mask| Mode::from_raw_mode((mask & 0o777) as rustix::fs::RawMode));
    // The system only tells the mask when it sets one.
    let before = rustix::process::umask(wanted.unwrap_or(Mode::WGRP | Mode::WOTH));
    if wanted.is_none() {
        rustix::process::umask(before);
    }
    // The width of a mode differs between systems.
    f64::from(before.bits())
}

fn rename(from: Place, to: Place) -> Result<(), OpError> {
    std::fs::rename(&from.full, &to.full).map_err(|error| from.error_to(&to, &error, "rename"))
}

fn link(from: Place, to: Place) -> Result<(), OpError> {
    std::fs::hard_link(&from.full, &to.full).map_err(|error| from.error_to(&to, &error, "link"))
}

fn symlink(target: String, path: Place) -> Result<(), OpError> {
    std::os::unix::fs::symlink(&target, &path.full)
        .map_err(|error| OpError::io_two(&error, "symlink", Some(&target), Some(&path.given)))
}

fn readlink(path: Place) -> Result<String, OpError> {
    let target = std::fs::read_link(&path.full).map_err(|error| path.error(&error, "readlink"))?;
    Ok(target.to_string_lossy().into_owned())
}

fn unlink(path: Place) -> Result<(), OpError> {
    std::fs::remove_file(&path.full).map_err(|error| path.error(&error, "unlink"))
}

fn chmod(path: Place, mode: u32) -> Result<(), OpError> {
    std::fs::set_permissions(&path.full, std::fs::Permissions::from_mode(mode))
        .map_err(|error| path.error(&error, "chmod"))
}

/// A user or a group; minus one leaves it as it is.
pub(super) fn id(number: f64) -> Option<u32> {
    (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
}

fn chown(path: Place, uid: f64, gid: f64, follow: bool) -> Result<(), OpError> {
    if follow {
        std::os::unix::fs::chown(&path.full, id(uid), id(gid)).map_err(|error| path.error(&error, "chown"))
    } else {
        std::os::unix::fs::lchown(&path.full, id(uid), id(gid)).map_err(|error| path.error(&error, "lchown"))
    }
}

/// Times in seconds since 1970, with fractions.
pub(super) fn timestamps(accessed: f64, modified: f64) -> Timestamps {
    let time = |seconds: f64| {
        let whole = seconds.floor();
        // Whole microseconds: a fraction of a large number of seconds means no more than that.
        let micros = ((seconds - whole) * 1_000_000.0).round().min(999_999.0);
        Timespec { tv_sec: whole as i64, tv_nsec: (micros as i64 * 1_000) as _ }
    };
    Timestamps { last_access: time(accessed), last_modification: time(modified) }
}

fn utimes(path: Place, accessed: f64, modified: f64, follow: bool) -> Result<(), OpError> {
    let (flags, syscall) = if follow { (AtFlags::empty(), "utime") } else { (AtFlags::SYMLINK_NOFOLLOW, "lutime") };
    rustix::fs::utimensat(CWD, &path.full, &timestamps(accessed, modified), flags)
        .map_err(|error| path.error(&error.into(), syscall))
}
