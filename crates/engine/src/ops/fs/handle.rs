//! Open files: what is done with a descriptor.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::Ctx;
use rustix::io::Errno;

use super::call::{Data, Place, is_open_ended};
use super::inspect::Stat;
use super::open::{failed, offset, open};
use crate::engine::Memory;
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Param};
use crate::ops::table::{Host, Promised, ops};
use crate::ops::waiting::{blocking, while_waiting};
use crate::ops::{Bytes, Charged, OpError, OpHost, charge};

ops! {
    /// Open files.
    pub static OPS: watched;

    /// Opens a file; gives its number.
    fn fsOpen(path, flags, mode) = fs_open, Refused;
    /// Opens a file; gives its number.
    fn fsOpenAsync(path, flags, mode) = fs_open_async, Refused;
    /// Closes a file.
    fn fsClose(number) = fs_close, Pure;
    /// Closes a file.
    fn fsCloseAsync(number) = fs_close_async, Pure;
    /// Whether an open file is a terminal. The standard streams are none: an extension does not own the terminal.
    fn isatty(number) = isatty, Recorded;
    /// Reads from an open file.
    waits fsRead(file, length, position) = read, Recorded;
    /// Writes to an open file; gives how many bytes.
    waits fsWrite(file, data, position) = write, Refused;
    /// Everything from the current position on.
    waits fsReadRest(file, text) = read_rest, Recorded;
    /// Writes all of the data to an open file.
    waits fsWriteAll(file, data, position) = write_all, Refused;
    /// What an open file is.
    both fsFstat(file) = stat, Recorded;
    /// Cuts an open file to a length.
    both fsFtruncate(file, length) = truncate, Refused;
    /// Brings an open file to the disk.
    both fsFsync(file, dataOnly) = sync, Refused;
    /// Changes the permissions of an open file.
    both fsFchmod(file, mode) = chmod, Refused;
    /// Changes the owner of an open file.
    both fsFchown(file, uid, gid) = chown, Refused;
    /// Changes the times of an open file.
    both fsFutimes(file, accessed, modified) = utimes, Refused;
}

/// The most that one read asks for, in bytes.
const MAX_READ: f64 = 256.0 * 1024.0 * 1024.0;

/// An open file, as a resource.
pub struct OpenFile(Arc<File>);

impl OpenFile {
    fn of(file: File) -> Rc<Self> {
        Rc::new(Self(Arc::new(file)))
    }
}

/// A standard stream of JavaScript while it has the terminal.
fn terminal(number: i32) -> std::io::Result<OwnedFd> {
    // What this program writes to standard error is kept off the screen.
    if number == 0 {
        std::io::stdin().as_fd().try_clone_to_owned()
    } else {
        std::io::stdout().as_fd().try_clone_to_owned()
    }
}

/// Where JavaScript's standard output and error go. Standard output itself belongs to the protocol or the screen.
pub fn host_stderr() -> std::io::Result<OwnedFd> {
    std::io::stderr().as_fd().try_clone_to_owned()
}

/// A descriptor that JavaScript passed.
pub struct FileArg(Option<Arc<File>>, Arc<Memory>);

impl FileArg {
    /// The open file.
    ///
    /// # Errors
    /// `EBADF` when there is none of that number.
    pub fn get(&self, syscall: &str) -> Result<&File, OpError> {
        self.0.as_deref().ok_or_else(|| failed(&Errno::BADF.into(), syscall))
    }
}

impl<'js> Param<'js> for FileArg {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let number = arguments.argument()?;
        Ok(Self::of(number, arguments.host()))
    }

    fn may_wait_for(&self) -> Option<String> {
        let found = self.0.as_ref()?.metadata().ok()?;
        is_open_ended(found.file_type()).then(|| "an open pipe or device".to_owned())
    }

    fn describe(signature: &mut Signature) {
        <i32 as Param<'_>>::describe(signature);
    }
}

impl FileArg {
    /// The open file of that number.
    pub fn of(number: i32, host: &OpHost) -> Self {
        let file = match number {
            0..=2 if host.activity().has_terminal() => terminal(number).ok().map(|fd| Arc::new(File::from(fd))),
            0 => File::open("/dev/null").ok().map(Arc::new),
            1 | 2 => host_stderr().ok().map(|fd| Arc::new(File::from(fd))),
            _ => u32::try_from(number)
                .ok()
                .and_then(|rid| host.resources().get::<OpenFile>(rid).ok())
                .map(|open| Arc::clone(&open.0)),
        };
        Self(file, Arc::clone(host.memory()))
    }
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
    if data_only {
        file.get("fdatasync")?.sync_data().map_err(|error| failed(&error, "fdatasync"))
    } else {
        file.get("fsync")?.sync_all().map_err(|error| failed(&error, "fsync"))
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

fn isatty(Host(host): Host, number: i32) -> bool {
    number > 2 && FileArg::of(number, &host).0.is_some_and(|file| rustix::termios::isatty(&*file))
}

fn fs_open<'js>(ctx: Ctx<'js>, Host(host): Host, path: String, flags: i32, mode: u32) -> rquickjs::Result<u32> {
    let place = Place::of(path, &host);
    let what = place.waits_for();
    let file = while_waiting(&ctx, &host, what, move || open(&place, flags, mode))?;
    rquickjs::Result::Ok(host.resources().add(OpenFile::of(file)))
}

fn fs_open_async<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    path: String,
    flags: i32,
    mode: u32,
) -> rquickjs::Result<Promised<'js, u32>> {
    let place = Place::of(path, &host);
    let keeper = Rc::clone(&host);
    host.spawn(&ctx, async move {
        let file = blocking(move || open(&place, flags, mode)).await?;
        Ok(keeper.resources().add(OpenFile::of(file)))
    })
}

fn close(host: &OpHost, number: i32) -> Result<(), OpError> {
    let bad = || failed(&Errno::BADF.into(), "close");
    let rid = u32::try_from(number).map_err(|_| bad())?;
    if (0..=2).contains(&number) {
        return Ok(());
    }
    host.resources().get::<OpenFile>(rid).map_err(|_| bad())?;
    host.resources().close(rid);
    Ok(())
}

fn fs_close(Host(host): Host, number: i32) -> Result<(), OpError> {
    close(&host, number)
}

fn fs_close_async<'js>(ctx: Ctx<'js>, Host(host): Host, number: i32) -> rquickjs::Result<Promised<'js, ()>> {
    let done = close(&host, number);
    host.spawn(&ctx, async move { done })
}
