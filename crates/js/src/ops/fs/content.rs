//! Whole files.

use std::fs::File;
use std::io::{Read, Write};

use rustix::fs::OFlags;

use super::call::{Data, Place, both};
use super::handle::{failed, offset, open};
use crate::ops::{OpError, Ops};

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    both!(waits ops, "fsReadFile", read_file, path: Place, flags: i32, text: bool);
    both!(waits ops, "fsWriteFile", write_file, path: Place, data: Data, flags: i32, mode: u32, flush: bool);
    both!(waits ops, "fsCopyFile", copy_file, from: Place, to: Place, mode: u32);
    both!(waits ops, "fsTruncate", truncate, path: Place, length: f64);
    Ok(())
}

/// The rest of a file; as text, what is not UTF-8 becomes the replacement character.
pub(super) fn read_all(mut file: &File, text: bool) -> Result<Data, OpError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| failed(&error, "read"))?;
    Ok(match text {
        false => Data::Bytes(bytes),
        true => Data::Text(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
    })
}

fn read_file(path: Place, flags: i32, text: bool) -> Result<Data, OpError> {
    read_all(&open(&path, flags, 0o666)?, text)
}

fn write_file(path: Place, data: Data, flags: i32, mode: u32, flush: bool) -> Result<(), OpError> {
    let mut file = open(&path, flags, mode)?;
    file.write_all(data.as_bytes()).map_err(|error| failed(&error, "write"))?;
    match flush {
        true => file.sync_all().map_err(|error| failed(&error, "fsync")),
        false => Ok(()),
    }
}

/// Bit of `copyFile`'s mode: the target must not exist.
const EXCLUSIVE: u32 = 1;

fn copy_file(from: Place, to: Place, mode: u32) -> Result<(), OpError> {
    let copy = || -> std::io::Result<()> {
        if mode & EXCLUSIVE != 0 && to.full.symlink_metadata().is_ok() {
            return Err(rustix::io::Errno::EXIST.into());
        }
        // Copying a file onto itself would empty it first.
        if let (Ok(from), Ok(to)) = (from.full.canonicalize(), to.full.canonicalize())
            && from == to
        {
            return Ok(());
        }
        if from.full.is_dir() {
            return Err(rustix::io::Errno::ISDIR.into());
        }
        std::fs::copy(&from.full, &to.full).map(drop)
    };
    copy().map_err(|error| from.error_to(&to, &error, "copyfile"))
}

fn truncate(path: Place, length: f64) -> Result<(), OpError> {
    let flags = i32::try_from(OFlags::RDWR.bits()).unwrap_or(2);
    let file = open(&path, flags, 0o666)?;
    file.set_len(offset(Some(length)).unwrap_or(0)).map_err(|error| failed(&error, "ftruncate"))
}
