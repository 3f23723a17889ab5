//! One description of an operation, two ops of it.

use std::path::PathBuf;
use std::sync::Arc;

use rquickjs::{Ctx, FromJs, IntoJs, Value};

use crate::engine::Memory;
use crate::ops::{Account, Bytes, OpError, OpHost};

/// What an operation needs of an argument: found while the engine waits, used wherever the work is done.
pub(in crate::ops) trait Arg: Send + Sized + 'static {
    /// What JavaScript passes.
    type Raw: for<'js> FromJs<'js>;
    /// Makes it independent of the engine.
    fn of(raw: Self::Raw, host: &OpHost) -> Self;
}

/// The name of a file: as it was given, and where it is.
#[derive(Debug, Clone)]
pub(in crate::ops) struct Place {
    pub(in crate::ops) given: String,
    pub(in crate::ops) full: PathBuf,
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

impl Arg for Place {
    type Raw = String;

    fn of(given: String, host: &OpHost) -> Self {
        let full = host.resolve(&given);
        Self { given, full, memory: Arc::clone(host.memory()) }
    }
}

macro_rules! plain {
    ($($type:ty),*) => {$(
        impl Arg for $type {
            type Raw = $type;

            fn of(raw: $type, _: &OpHost) -> $type {
                raw
            }
        }
    )*};
}

plain!(bool, f64, u32, i32, String, Option<f64>, Data);

/// What is read and written: text as UTF-8, or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ops) enum Data {
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
                if let Some(account) = Account::of(ctx) {
                    account.add_argument(text.len());
                }
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

/// Runs something that blocks on a thread that may.
pub(in crate::ops) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> Result<T, OpError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(gone) => Err(OpError::message(gone.to_string())),
    }
}

/// `both!(ops, "fsX", work, name: Type, …)` adds the ops `fsX` and `fsXAsync` that call `work(name, …)`.
macro_rules! both {
    ($ops:expr, $name:literal, $work:path $(, $arg:ident: $type:ty)* $(,)?) => {{
        let host = $ops.host();
        $ops.function($name, move |ctx: rquickjs::Ctx<'js>, $($arg: <$type as $crate::ops::fs::call::Arg>::Raw),*| {
            $work($(<$type as $crate::ops::fs::call::Arg>::of($arg, &host)),*).map_err(|error| error.throw(&ctx))
        })?;
        let host = $ops.host();
        $ops.function(
            concat!($name, "Async"),
            move |ctx: rquickjs::Ctx<'js>, $($arg: <$type as $crate::ops::fs::call::Arg>::Raw),*| {
                $(let $arg = <$type as $crate::ops::fs::call::Arg>::of($arg, &host);)*
                host.spawn(&ctx, $crate::ops::fs::call::blocking(move || $work($($arg),*)))
            },
        )?;
    }};
}
pub(super) use both;
