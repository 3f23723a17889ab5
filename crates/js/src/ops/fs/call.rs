//! One description of an operation, two ops of it.

use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rquickjs::{Ctx, FromJs, IntoJs, Value};

use crate::engine::Memory;
use crate::ops::{Account, Bytes, OpError, OpHost};

/// What an operation needs of an argument: found while the engine waits, used wherever the work is done.
pub(in crate::ops) trait Arg: Send + Sized + 'static {
    /// What JavaScript passes.
    type Raw: for<'js> FromJs<'js>;
    /// Makes it independent of the engine.
    fn of(raw: Self::Raw, host: &OpHost) -> Self;
    /// What an operation on it may wait for without end, such as a pipe that nobody opens at the other end.
    fn may_wait_for(&self) -> Option<String> {
        None
    }
}

/// Whether reading and writing it may take as long as others like.
pub(super) fn is_open_ended(kind: std::fs::FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_socket()
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

    fn may_wait_for(&self) -> Option<String> {
        let found = self.full.metadata().ok()?;
        is_open_ended(found.file_type()).then(|| format!("`{}`", self.given))
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

/// Runs something that blocks on a thread that may.
pub(in crate::ops) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> Result<T, OpError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(gone) => Err(OpError::message(gone.to_string())),
    }
}

/// How often it is asked whether somebody wants the waiting to end.
const GLANCE: Duration = Duration::from_millis(20);

/// Runs something while the engine waits. What may never return runs on another thread: when somebody ends the waiting,
/// that one is left behind.
pub(in crate::ops) fn while_waiting<T: Send + 'static>(
    ctx: &Ctx<'_>,
    host: &OpHost,
    what: Option<String>,
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> rquickjs::Result<T> {
    match what {
        None => work().map_err(|error| error.throw(ctx)),
        Some(what) => waited_for(ctx, host, what, || false, work),
    }
}

/// As [`while_waiting`], for work that keeps a processor busy: its time is that of the stretch, which ends it.
pub(in crate::ops) fn while_working<T: Send + 'static>(
    ctx: &Ctx<'_>,
    host: &OpHost,
    what: Option<String>,
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> rquickjs::Result<T> {
    match what {
        None => work().map_err(|error| error.throw(ctx)),
        Some(what) => {
            let takes_too_long = || {
                host.limits().charge(GLANCE);
                host.limits().is_over()
            };
            waited_for(ctx, host, what, takes_too_long, work)
        }
    }
}

/// Runs something on another thread. `takes_too_long` is asked each time that another [`GLANCE`] has passed.
fn waited_for<T: Send + 'static>(
    ctx: &Ctx<'_>,
    host: &OpHost,
    what: String,
    takes_too_long: impl Fn() -> bool,
    work: impl FnOnce() -> Result<T, OpError> + Send + 'static,
) -> rquickjs::Result<T> {
    host.waiting(ctx, what, |waiting| {
        let (send, done) = channel();
        let thread = std::thread::Builder::new().name("tau-js-file".to_owned());
        let run = move || {
            // Nobody may be waiting any more.
            let _ = send.send(work());
        };
        thread.spawn(run).map_err(|error| OpError::message(error.to_string()))?;
        loop {
            match done.recv_timeout(GLANCE) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) if !waiting.is_ended() => {
                    if takes_too_long() {
                        waiting.give_up();
                    }
                }
                Err(_) => return Err(OpError::message("the waiting was ended")),
            }
        }
    })
}

/// Whether somebody wants work to end that may take as long as it likes.
#[derive(Debug, Clone, Default)]
pub(in crate::ops) struct Ended(Arc<AtomicBool>);

impl Ended {
    /// For work that is to end before it begins.
    #[cfg(test)]
    pub(in crate::ops) fn now() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Fails when the work is to end.
    pub(in crate::ops) fn check(&self) -> Result<(), OpError> {
        match self.0.load(Ordering::Relaxed) {
            true => Err(OpError::message("the waiting was ended")),
            false => Ok(()),
        }
    }

    /// Waits, but not beyond the end.
    pub(in crate::ops) fn sleep(&self, time: Duration) -> Result<(), OpError> {
        let began = Instant::now();
        while let Some(rest) = time.checked_sub(began.elapsed()).filter(|rest| !rest.is_zero()) {
            self.check()?;
            std::thread::sleep(rest.min(GLANCE));
        }
        self.check()
    }
}

/// As [`while_waiting`], for work that asks whether it is to end: it leaves nothing behind that goes on.
pub(in crate::ops) fn until_ended<T: Send + 'static>(
    ctx: &Ctx<'_>,
    host: &OpHost,
    what: Option<String>,
    work: impl FnOnce(&Ended) -> Result<T, OpError> + Send + 'static,
) -> rquickjs::Result<T> {
    let ended = Ended::default();
    let own = ended.clone();
    let done = while_waiting(ctx, host, what, move || work(&own));
    ended.0.store(true, Ordering::Relaxed);
    done
}

/// `both!(ops, "fsX", work, name: Type, …)` adds the ops `fsX` and `fsXAsync` that call `work(name, …)`; with `waits` in
/// front, `fsX` can be ended where it may wait for others.
macro_rules! both {
    (waits $ops:expr, $name:literal, $work:path $(, $arg:ident: $type:ty)* $(,)?) => {{
        let host = $ops.host();
        $ops.function($name, move |ctx: rquickjs::Ctx<'js>, $($arg: <$type as $crate::ops::fs::call::Arg>::Raw),*| {
            $(let $arg = <$type as $crate::ops::fs::call::Arg>::of($arg, &host);)*
            let what = None$(.or_else(|| $crate::ops::fs::call::Arg::may_wait_for(&$arg)))*;
            $crate::ops::fs::call::while_waiting(&ctx, &host, what, move || $work($($arg),*))
        })?;
        $crate::ops::fs::call::both!(later $ops, $name, $work $(, $arg: $type)*);
    }};
    (later $ops:expr, $name:literal, $work:path $(, $arg:ident: $type:ty)*) => {{
        let host = $ops.host();
        $ops.function(
            concat!($name, "Async"),
            move |ctx: rquickjs::Ctx<'js>, $($arg: <$type as $crate::ops::fs::call::Arg>::Raw),*| {
                $(let $arg = <$type as $crate::ops::fs::call::Arg>::of($arg, &host);)*
                host.spawn(&ctx, $crate::ops::fs::call::blocking(move || $work($($arg),*)))
            },
        )?;
    }};
    ($ops:expr, $name:literal, $work:path $(, $arg:ident: $type:ty)* $(,)?) => {{
        let host = $ops.host();
        $ops.function($name, move |ctx: rquickjs::Ctx<'js>, $($arg: <$type as $crate::ops::fs::call::Arg>::Raw),*| {
            $work($(<$type as $crate::ops::fs::call::Arg>::of($arg, &host)),*).map_err(|error| error.throw(&ctx))
        })?;
        $crate::ops::fs::call::both!(later $ops, $name, $work $(, $arg: $type)*);
    }};
}
pub(super) use both;
