//! One description of an operation, two ops of it.

use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rquickjs::{Ctx, FromJs, IntoJs, Value};

use crate::engine::Memory;
use crate::ops::table::{Answer, Arguments, OpFn, Param, Type, typed};
use crate::ops::table::{Direction, Signature};
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

/// Runs something that blocks on a thread that may.
pub async fn blocking<T: Send + 'static>(
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
pub fn while_waiting<T: Send + 'static>(
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
pub fn while_working<T: Send + 'static>(
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
pub struct Ended(Arc<AtomicBool>);

impl Ended {
    /// For work that is to end before it begins.
    #[cfg(test)]
    pub fn now() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Fails when the work is to end.
    pub fn check(&self) -> Result<(), OpError> {
        if self.0.load(Ordering::Relaxed) { Err(OpError::message("the waiting was ended")) } else { Ok(()) }
    }

    /// Waits, but not beyond the end.
    pub fn sleep(&self, time: Duration) -> Result<(), OpError> {
        let began = Instant::now();
        while let Some(rest) = time.checked_sub(began.elapsed()).filter(|rest| !rest.is_zero()) {
            self.check()?;
            std::thread::sleep(rest.min(GLANCE));
        }
        self.check()
    }
}

/// As [`while_waiting`], for work that asks whether it is to end: it leaves nothing behind that goes on.
pub fn until_ended<T: Send + 'static>(
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

/// An op that blocks the engine while it works.
#[derive(Clone, Copy)]
pub struct Blocks<F>(F);

/// An op that is the function, which blocks for no longer than the disk does.
pub fn blocks<F>(function: F) -> Blocks<F> {
    Blocks(function)
}

/// An op that may wait for others.
#[derive(Clone, Copy)]
pub struct Waits<F>(F);

/// An op that is the function, which can be ended where it waits for others.
pub fn waits<F>(function: F) -> Waits<F> {
    Waits(function)
}

macro_rules! disk_functions {
    ($(($($param:ident $value:ident),+))*) => {$(
        impl<'js, F, R, $($param),+> OpFn<'js, ($($param,)+)> for Blocks<F>
        where
            F: Fn($($param),+) -> Result<R, OpError> + Copy + 'static,
            R: IntoJs<'js> + Type,
            $($param: Param<'js>,)+
        {
            const LEAST: usize = 0 $(+ $param::LEAST)+;

            fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
                $(let $value = $param::take(arguments)?;)+
                (self.0)($($value),+).answer(arguments.ctx())
            }

            fn describe(self, signature: &mut Signature) {
                $($param::describe(signature);)+
                signature.result = R::write(Direction::Out, signature);
            }
        }

        impl<'js, F, R, $($param),+> OpFn<'js, ($($param,)+)> for Waits<F>
        where
            F: Fn($($param),+) -> Result<R, OpError> + Copy + Send + 'static,
            R: IntoJs<'js> + Type + Send + 'static,
            $($param: Param<'js> + Send + 'static,)+
        {
            const LEAST: usize = 0 $(+ $param::LEAST)+;

            fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
                $(let $value = $param::take(arguments)?;)+
                let what = None$(.or_else(|| $value.may_wait_for()))+;
                let work = self.0;
                let done = while_waiting(arguments.ctx(), arguments.host(), what, move || work($($value),+))?;
                done.into_js(arguments.ctx())
            }

            fn describe(self, signature: &mut Signature) {
                $($param::describe(signature);)+
                signature.result = R::write(Direction::Out, signature);
            }
        }
    )*};
}

disk_functions! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
}
