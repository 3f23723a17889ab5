//! Why something was not done, in Node's shape.

use rquickjs::{Ctx, Error, Object};
use rusqlite::ErrorCode;
use rusqlite::ffi;

use super::super::{OpError, OpHost};

pub(super) enum Failure {
    Database(rusqlite::Error),
    Op(OpError),
    /// Thrown already.
    Engine(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<OpError> for Failure {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl Failure {
    pub(super) fn throw(self, ctx: &Ctx<'_>) -> Error {
        let error = match self {
            Self::Database(error) => error,
            Self::Op(error) => return error.throw(ctx),
            Self::Engine(error) => return error,
        };
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
            return OpHost::stop_in(ctx);
        }
        let (code, message) = match &error {
            rusqlite::Error::SqliteFailure(code, Some(message)) => (code.extended_code, message.clone()),
            rusqlite::Error::SqliteFailure(code, None) => (code.extended_code, text(code.extended_code).to_owned()),
            rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg.clone()),
            other => (ffi::SQLITE_ERROR, other.to_string()),
        };
        match described(ctx, code, &message) {
            Ok(value) => ctx.throw(value.into_value()),
            Err(error) => error,
        }
    }
}

fn described<'js>(ctx: &Ctx<'js>, code: i32, message: &str) -> rquickjs::Result<Object<'js>> {
    let object = Object::from_value(OpError::new("ERR_SQLITE_ERROR", message).to_value(ctx)?)?;
    object.set("errcode", code)?;
    object.set("errstr", text(code))?;
    Ok(object)
}

/// What SQLite says of a result code.
fn text(code: i32) -> &'static str {
    match code & 0xff {
        ffi::SQLITE_ERROR => "SQL logic error",
        ffi::SQLITE_PERM => "access permission denied",
        ffi::SQLITE_ABORT => "query aborted",
        ffi::SQLITE_BUSY => "database is locked",
        ffi::SQLITE_LOCKED => "database table is locked",
        ffi::SQLITE_NOMEM => "out of memory",
        ffi::SQLITE_READONLY => "attempt to write a readonly database",
        ffi::SQLITE_INTERRUPT => "interrupted",
        ffi::SQLITE_IOERR => "disk I/O error",
        ffi::SQLITE_CORRUPT => "database disk image is malformed",
        ffi::SQLITE_NOTFOUND => "unknown operation",
        ffi::SQLITE_FULL => "database or disk is full",
        ffi::SQLITE_CANTOPEN => "unable to open database file",
        ffi::SQLITE_PROTOCOL => "locking protocol",
        ffi::SQLITE_SCHEMA => "database schema has changed",
        ffi::SQLITE_TOOBIG => "string or blob too big",
        ffi::SQLITE_CONSTRAINT => "constraint failed",
        ffi::SQLITE_MISMATCH => "datatype mismatch",
        ffi::SQLITE_MISUSE => "bad parameter or other API misuse",
        ffi::SQLITE_NOLFS => "large file support is disabled",
        ffi::SQLITE_AUTH => "authorization denied",
        ffi::SQLITE_RANGE => "column index out of range",
        ffi::SQLITE_NOTADB => "file is not a database",
        _ => "unknown error",
    }
}
