//! What operations on files are given and give.

use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::sync::Arc;

use rquickjs::{Ctx, FromJs, IntoJs, Value};

use crate::engine::Memory;
use crate::ops::table::{Arguments, Param, Signature, typed};
use crate::ops::{Account, Bytes, OpError, OpHost};

/// Whether reading and writing it may take as long as others like.
pub(super) fn is_open_ended(kind: std::fs::FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_socket()
}

/// The name of a file: as it was given, and where it is.
#[derive(Debug, Clone)]
pub struct Place {
    pub given: String,
    pub full: PathBuf,
    /// What is read from it counts there.
    pub(super) memory: Arc<Memory>,
}

impl Place {
    /// The error of a call on this file.
    pub(super) fn error(&self, error: &std::io::Error, syscall: &str) -> OpError {
        OpError::io(error, syscall, Some(&self.given))
    }

    /// The error of a call from this file to another.
    pub(super) fn error_to(&self, dest: &Place, error: &std::io::Error, syscall: &str) -> OpError {
        OpError::io_two(error, syscall, Some(&self.given), Some(&dest.given))
    }
}

impl Place {
    /// The file of that name.
    pub(super) fn of(given: String, host: &OpHost) -> Self {
        let full = host.resolve(&given);
        Self { given, full, memory: Arc::clone(host.memory()) }
    }

    /// What opening it may wait for.
    pub(super) fn waits_for(&self) -> Option<String> {
        let found = self.full.metadata().ok()?;
        is_open_ended(found.file_type()).then(|| format!("`{}`", self.given))
    }
}

impl<'js> Param<'js> for Place {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let given = arguments.argument()?;
        Ok(Self::of(given, arguments.host()))
    }

    fn may_wait_for(&self) -> Option<String> {
        self.waits_for()
    }

    fn describe(signature: &mut Signature) {
        <String as Param<'_>>::describe(signature);
    }
}

typed! {
    Data = "string | Uint8Array | ArrayBuffer", out "string | Uint8Array";
}

/// What is read and written: text as UTF-8, or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    Text(String),
    Bytes(Vec<u8>),
}

impl Data {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl<'js> FromJs<'js> for Data {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        match value.as_string() {
            Some(text) => {
                let text = crate::convert::text_of(text)?;
                Account::add_argument(ctx, text.len());
                Ok(Self::Text(text))
            }
            None => Bytes::from_js(ctx, value).map(|bytes| Self::Bytes(bytes.0)),
        }
    }
}

impl<'js> IntoJs<'js> for Data {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        match self {
            Self::Text(text) => text.into_js(ctx),
            Self::Bytes(bytes) => Bytes(bytes).into_js(ctx),
        }
    }
}
