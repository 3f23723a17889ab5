//! Work that takes as long as others like: on a thread that may block, while the engine waits or goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rquickjs::Ctx;

use crate::ops::{OpError, OpHost};

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
