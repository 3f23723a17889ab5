//! Open files: what is done with a descriptor.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Value};
use rustix::io::Errno;

use super::call::{Arg, Data, Place, blocking, both, is_open_ended, while_waiting};
use super::inspect::Stat;
use super::open::{failed, offset, open};
use crate::engine::Memory;
use crate::ops::{Bytes, Charged, OpError, OpHost, Ops, charge};

/// The most that one read asks for, in bytes.
const MAX_READ: f64 = 256.0 * 1024.0 * 1024.0;

/// An open file, as a resource.
pub(in crate::ops) struct OpenFile(Arc<File>);

impl OpenFile {
    fn of(file: File) -> Rc<Self> {
        Rc::new(Self(Arc::new(file)))
    }
}

/// Where JavaScript's standard output and error go. Standard output itself belongs to the protocol or the screen.
pub(in crate::ops) fn host_stderr() -> std::io::Result<OwnedFd> {
    std::io::stderr().as_fd().try_clone_to_owned()
}

/// A descriptor that JavaScript passed.
pub(in crate::ops) struct FileArg(Option<Arc<File>>, Arc<Memory>);

impl FileArg {
    /// The open file.
    ///
    /// # Errors
    /// `EBADF` when there is none of that number.
    pub(in crate::ops) fn get(&self, syscall: &str) -> Result<&File, OpError> {
        self.0.as_deref().ok_or_else(|| failed(&Errno::BADF.into(), syscall))
    }
}

impl Arg for FileArg {
    type Raw = i32;

    fn of(number: i32, host: &OpHost) -> Self {
        let file = match number {
            0 => File::open("/dev/null").ok().map(Arc::new),
            1 | 2 => host_stderr().ok().map(|fd| Arc::new(File::from(fd))),
            _ => u32::try_from(number)
                .ok()
                .and_then(|rid| host.resources().get::<OpenFile>(rid).ok())
                .map(|open| Arc::clone(&open.0)),
        };
        Self(file, Arc::clone(host.memory()))
    }

    fn may_wait_for(&self) -> Option<String> {
        let found = self.0.as_ref()?.metadata().ok()?;
        is_open_ended(found.file_type()).then(|| "an open pipe or device".to_owned())
    }
}

/// Somewhere to add an opened file; `fs.open` cannot be one of the twins because resources stay with the engine.
fn install_open<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    ops.function("fsOpen", move |ctx: Ctx<'js>, path: String, flags: i32, mode: u32| {
        let place = Place::of(path, &host);
        let what = place.may_wait_for();
        let file = while_waiting(&ctx, &host, what, move || open(&place, flags, mode))?;
        rquickjs::Result::Ok(host.resources().add(OpenFile::of(file)))
    })?;
    let host = ops.host();
    ops.function("fsOpenAsync", move |ctx: Ctx<'js>, path: String, flags: i32, mode: u32| {
        let place = Place::of(path, &host);
        let keeper = Rc::clone(&host);
        host.spawn(&ctx, async move {
            let file = blocking(move || open(&place, flags, mode)).await?;
            Ok(keeper.resources().add(OpenFile::of(file)))
        })
    })?;
    let host = ops.host();
    let close = move |number: i32| -> Result<(), OpError> {
        let bad = || failed(&Errno::BADF.into(), "close");
        let rid = u32::try_from(number).map_err(|_| bad())?;
        if (0..=2).contains(&number) {
            return Ok(());
        }
        host.resources().get::<OpenFile>(rid).map_err(|_| bad())?;
        host.resources().close(rid);
        Ok(())
    };
    let now = close.clone();
    ops.function("fsClose", move |ctx: Ctx<'js>, number: i32| now(number).map_err(|error| error.throw(&ctx)))?;
    let host = ops.host();
    ops.function("fsCloseAsync", move |ctx: Ctx<'js>, number: i32| -> rquickjs::Result<Value<'js>> {
        let done = close(number);
        host.spawn(&ctx, async move { done })
    })
}

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    install_open(ops)?;
    both!(waits ops, "fsRead", read, file: FileArg, length: f64, position: Option<f64>);
    both!(waits ops, "fsWrite", write, file: FileArg, data: Data, position: Option<f64>);
    both!(waits ops, "fsReadRest", read_rest, file: FileArg, text: bool);
    both!(waits ops, "fsWriteAll", write_all, file: FileArg, data: Data, position: Option<f64>);
    both!(ops, "fsFstat", stat, file: FileArg);
    both!(ops, "fsFtruncate", truncate, file: FileArg, length: f64);
    both!(ops, "fsFsync", sync, file: FileArg, data_only: bool);
    both!(ops, "fsFchmod", chmod, file: FileArg, mode: u32);
    both!(ops, "fsFchown", chown, file: FileArg, uid: f64, gid: f64);
    both!(ops, "fsFutimes", utimes, file: FileArg, accessed: f64, modified: f64);
    Ok(())
}

fn read(file: FileArg, length: f64, position: Option<f64>) -> Result<Charged<Bytes>, OpError> {
    let memory = &file.1;
    let mut file = file.get("read")?;
    let length = length.clamp(0.0, MAX_READ) as usize;
    let counted = charge(memory, length, "the buffer of the read")?;
    let mut buffer = vec![0; length];
    let count = match offset(position) {
        Some(at) => file.read_at(&mut buffer, at),
        None => file.read(&mut buffer),
    };
    buffer.truncate(count.map_err(|error| failed(&error, "read"))?);
    Ok(Charged::new(Bytes(buffer), counted))
}

fn write(file: FileArg, data: Data, position: Option<f64>) -> Result<f64, OpError> {
    let mut file = file.get("write")?;
    let count = match offset(position) {
        Some(at) => file.write_at(data.as_bytes(), at),
        None => file.write(data.as_bytes()),
    };
    count.map(|count| count as f64).map_err(|error| failed(&error, "write"))
}

/// Everything from the current position on.
fn read_rest(file: FileArg, text: bool) -> Result<Charged<Data>, OpError> {
    super::content::read_all(file.get("read")?, None, text, &file.1)
}

fn write_all(file: FileArg, data: Data, position: Option<f64>) -> Result<(), OpError> {
    let mut file = file.get("write")?;
    let done = match offset(position) {
        Some(at) => file.write_all_at(data.as_bytes(), at),
        None => file.write_all(data.as_bytes()),
    };
    done.map_err(|error| failed(&error, "write"))
}

fn stat(file: FileArg) -> Result<Stat, OpError> {
    file.get("fstat")?.metadata().map(Stat).map_err(|error| failed(&error, "fstat"))
}

fn truncate(file: FileArg, length: f64) -> Result<(), OpError> {
    let length = offset(Some(length)).unwrap_or(0);
    file.get("ftruncate")?.set_len(length).map_err(|error| failed(&error, "ftruncate"))
}

fn sync(file: FileArg, data_only: bool) -> Result<(), OpError> {
    match data_only {
        true => file.get("fdatasync")?.sync_data().map_err(|error| failed(&error, "fdatasync")),
        false => file.get("fsync")?.sync_all().map_err(|error| failed(&error, "fsync")),
    }
}

fn chmod(file: FileArg, mode: u32) -> Result<(), OpError> {
    let mode = std::fs::Permissions::from_mode(mode);
    file.get("fchmod")?.set_permissions(mode).map_err(|error| failed(&error, "fchmod"))
}

fn chown(file: FileArg, uid: f64, gid: f64) -> Result<(), OpError> {
    let file = file.get("fchown")?;
    std::os::unix::fs::fchown(file, super::links::id(uid), super::links::id(gid))
        .map_err(|error| failed(&error, "fchown"))
}

fn utimes(file: FileArg, accessed: f64, modified: f64) -> Result<(), OpError> {
    let times = super::links::timestamps(accessed, modified);
    rustix::fs::futimens(file.get("futime")?, &times).map_err(|error| failed(&error.into(), "futime"))
}
