//! Errors of ops, in Node's shape.

use std::io;

use rquickjs::function::Constructor;
use rquickjs::{Ctx, Error, Exception, IntoJs, Object, Result, Value};

/// What JavaScript gets when something does not hold that this program relies on; `what` says what is so instead.
///
/// # Panics
/// In debug builds; see [`tau_ai::broken`].
#[track_caller]
pub fn defect(ctx: &Ctx<'_>, what: &str) -> Error {
    tau_ai::broken(what);
    Exception::throw_internal(ctx, &format!("defect of tau: {what}"))
}

/// An error that JavaScript sees with Node's `code`, `errno`, `syscall`, `path` and `dest`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpError {
    /// `Error`, `TypeError` or `RangeError`.
    pub class: ErrorClass,
    /// Such as `ENOENT` or `ERR_INVALID_ARG_VALUE`.
    pub code: Option<String>,
    /// The negative number of the system's error.
    pub errno: Option<i32>,
    /// The call that failed, such as `open`.
    pub syscall: Option<String>,
    /// The file it was about.
    pub path: Option<String>,
    /// The second file of calls that have one.
    pub dest: Option<String>,
    /// The whole message.
    pub message: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ErrorClass {
    #[default]
    Error,
    Type,
    Range,
}

impl OpError {
    /// An error with a code of its own.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: Some(code.to_owned()), message: message.into(), ..Self::default() }
    }

    /// An error with a message alone.
    pub fn message(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// A `TypeError`.
    pub fn type_error(code: &str, message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Type, ..Self::new(code, message) }
    }

    /// A `RangeError`.
    pub fn range_error(code: &str, message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Range, ..Self::new(code, message) }
    }

    /// A failed system call: `ENOENT: no such file or directory, open 'x'`.
    pub fn io(error: &io::Error, syscall: &str, path: Option<&str>) -> Self {
        Self::io_two(error, syscall, path, None)
    }

    /// A failed system call on two files: `…, rename 'a' -> 'b'`.
    pub fn io_two(error: &io::Error, syscall: &str, path: Option<&str>, dest: Option<&str>) -> Self {
        let (code, text) = describe(error);
        let mut message = format!("{code}: {text}, {syscall}");
        if let Some(path) = path {
            message.push_str(&format!(" '{path}'"));
        }
        if let Some(dest) = dest {
            message.push_str(&format!(" -> '{dest}'"));
        }
        Self {
            class: ErrorClass::Error,
            code: Some(code),
            errno: error.raw_os_error().map(|number| -number),
            syscall: Some(syscall.to_owned()),
            path: path.map(str::to_owned),
            dest: dest.map(str::to_owned),
            message,
        }
    }

    /// The error object.
    pub fn to_value<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let class = match self.class {
            ErrorClass::Error => "Error",
            ErrorClass::Type => "TypeError",
            ErrorClass::Range => "RangeError",
        };
        // As `new Error(message)` makes it: with a stack, and a message that is not enumerated.
        let class: Constructor<'js> = ctx.globals().get(class)?;
        let object: Object<'js> = class.construct((self.message.as_str(),))?;
        let text = |name: &str, value: &Option<String>| match value {
            Some(value) => object.set(name, value.as_str()),
            None => Ok(()),
        };
        if let Some(errno) = self.errno {
            object.set("errno", errno)?;
        }
        text("code", &self.code)?;
        text("syscall", &self.syscall)?;
        text("path", &self.path)?;
        text("dest", &self.dest)?;
        Ok(object.into_value())
    }

    /// Throws it.
    pub fn throw(&self, ctx: &Ctx<'_>) -> Error {
        match self.to_value(ctx) {
            Ok(value) => ctx.throw(value),
            Err(error) => error,
        }
    }
}

impl<'js> IntoJs<'js> for OpError {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        self.to_value(ctx)
    }
}

/// The name and the text of a system error, as Node prints them.
fn describe(error: &io::Error) -> (String, String) {
    if let Some(number) = error.raw_os_error() {
        if let Some((_, name, text)) = NAMES.iter().find(|(known, ..)| *known == number) {
            return ((*name).to_owned(), (*text).to_owned());
        }
        return (format!("E{number}"), error.to_string());
    }
    match error.kind() {
        io::ErrorKind::NotFound => ("ENOENT".to_owned(), "no such file or directory".to_owned()),
        io::ErrorKind::FileTooLarge => ("EFBIG".to_owned(), error.to_string()),
        io::ErrorKind::PermissionDenied => ("EACCES".to_owned(), "permission denied".to_owned()),
        io::ErrorKind::BrokenPipe => ("EPIPE".to_owned(), "broken pipe".to_owned()),
        io::ErrorKind::UnexpectedEof => ("EOF".to_owned(), "end of file".to_owned()),
        io::ErrorKind::InvalidInput => ("EINVAL".to_owned(), "invalid argument".to_owned()),
        io::ErrorKind::TimedOut => ("ETIMEDOUT".to_owned(), "connection timed out".to_owned()),
        io::ErrorKind::ConnectionRefused => ("ECONNREFUSED".to_owned(), "connection refused".to_owned()),
        io::ErrorKind::ConnectionReset => ("ECONNRESET".to_owned(), "connection reset by peer".to_owned()),
        _ => ("EIO".to_owned(), error.to_string()),
    }
}

use rustix::io::Errno;

/// System errors by number, with the names and texts that programs written for Node compare with.
pub const NAMES: &[(i32, &str, &str)] = &[
    (Errno::PERM.raw_os_error(), "EPERM", "operation not permitted"),
    (Errno::NOENT.raw_os_error(), "ENOENT", "no such file or directory"),
    (Errno::SRCH.raw_os_error(), "ESRCH", "no such process"),
    (Errno::INTR.raw_os_error(), "EINTR", "interrupted system call"),
    (Errno::IO.raw_os_error(), "EIO", "i/o error"),
    (Errno::NXIO.raw_os_error(), "ENXIO", "no such device or address"),
    (Errno::TOOBIG.raw_os_error(), "E2BIG", "argument list too long"),
    (Errno::BADF.raw_os_error(), "EBADF", "bad file descriptor"),
    (Errno::AGAIN.raw_os_error(), "EAGAIN", "resource temporarily unavailable"),
    (Errno::NOMEM.raw_os_error(), "ENOMEM", "not enough memory"),
    (Errno::ACCESS.raw_os_error(), "EACCES", "permission denied"),
    (Errno::FAULT.raw_os_error(), "EFAULT", "bad address in system call argument"),
    (Errno::BUSY.raw_os_error(), "EBUSY", "resource busy or locked"),
    (Errno::EXIST.raw_os_error(), "EEXIST", "file already exists"),
    (Errno::XDEV.raw_os_error(), "EXDEV", "cross-device link not permitted"),
    (Errno::NODEV.raw_os_error(), "ENODEV", "no such device"),
    (Errno::NOTDIR.raw_os_error(), "ENOTDIR", "not a directory"),
    (Errno::ISDIR.raw_os_error(), "EISDIR", "illegal operation on a directory"),
    (Errno::INVAL.raw_os_error(), "EINVAL", "invalid argument"),
    (Errno::NFILE.raw_os_error(), "ENFILE", "file table overflow"),
    (Errno::MFILE.raw_os_error(), "EMFILE", "too many open files"),
    (Errno::TXTBSY.raw_os_error(), "ETXTBSY", "text file is busy"),
    (Errno::FBIG.raw_os_error(), "EFBIG", "file too large"),
    (Errno::NOSPC.raw_os_error(), "ENOSPC", "no space left on device"),
    (Errno::SPIPE.raw_os_error(), "ESPIPE", "invalid seek"),
    (Errno::ROFS.raw_os_error(), "EROFS", "read-only file system"),
    (Errno::MLINK.raw_os_error(), "EMLINK", "too many links"),
    (Errno::PIPE.raw_os_error(), "EPIPE", "broken pipe"),
    (Errno::NAMETOOLONG.raw_os_error(), "ENAMETOOLONG", "name too long"),
    (Errno::NOTEMPTY.raw_os_error(), "ENOTEMPTY", "directory not empty"),
    (Errno::LOOP.raw_os_error(), "ELOOP", "too many symbolic links encountered"),
    (Errno::NOTSUP.raw_os_error(), "ENOTSUP", "operation not supported on socket"),
    (Errno::ADDRINUSE.raw_os_error(), "EADDRINUSE", "address already in use"),
    (Errno::ADDRNOTAVAIL.raw_os_error(), "EADDRNOTAVAIL", "address not available"),
    (Errno::NETUNREACH.raw_os_error(), "ENETUNREACH", "network is unreachable"),
    (Errno::CONNABORTED.raw_os_error(), "ECONNABORTED", "software caused connection abort"),
    (Errno::CONNRESET.raw_os_error(), "ECONNRESET", "connection reset by peer"),
    (Errno::NOTCONN.raw_os_error(), "ENOTCONN", "socket is not connected"),
    (Errno::TIMEDOUT.raw_os_error(), "ETIMEDOUT", "connection timed out"),
    (Errno::CONNREFUSED.raw_os_error(), "ECONNREFUSED", "connection refused"),
    (Errno::HOSTUNREACH.raw_os_error(), "EHOSTUNREACH", "host is unreachable"),
    (Errno::ALREADY.raw_os_error(), "EALREADY", "connection already in progress"),
];
