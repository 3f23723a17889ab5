//! Signals: the first one ends the session in order, a second one ends the program at once.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_sys::signals::{self, Endings};
use tokio_util::sync::CancellationToken;

/// The signal that asked the program to end, if any.
#[derive(Clone, Default)]
pub(crate) struct Signalled {
    number: Arc<Mutex<Option<u8>>>,
    fired: CancellationToken,
}

impl Signalled {
    /// Watches for signals as long as the program lives.
    pub(crate) fn watch() -> std::io::Result<Self> {
        let signalled = Self::default();
        tokio::spawn(listen(signals::endings()?, signalled.clone()));
        signals::survive_file_size_limit()?;
        Ok(signalled)
    }

    /// The exit code: 128 and the signal's number.
    pub(crate) fn code(&self) -> Option<ExitCode> {
        self.number.lock().map(|number| ExitCode::from(128 + number))
    }

    /// Completes when the first one comes.
    pub(crate) async fn fired(&self) {
        self.fired.cancelled().await;
    }

    /// Waits for something unless a signal comes first.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.fired.cancelled() => None,
            done = work => Some(done),
        }
    }
}

async fn listen(mut endings: Endings, signalled: Signalled) {
    loop {
        let number = endings.next().await;
        let second = signalled.number.lock().replace(number).is_some();
        if second {
            // Commands run in process groups of their own, so the terminal does not end them for us.
            tau_sys::process::kill_running_processes();
            super::log::finish();
            std::process::exit(128 + i32::from(number));
        }
        signalled.fired.cancel();
    }
}
