//! Signals: the first one ends the session in order, a second one ends the program at once.

use std::process::ExitCode;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_agent::AgentSession;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signal that asked the program to end, if any.
#[derive(Clone, Default)]
pub(super) struct Signalled(Arc<Mutex<Option<u8>>>);

impl Signalled {
    /// The exit code: 128 and the signal's number.
    pub(super) fn code(&self) -> Option<ExitCode> {
        self.0.lock().map(|number| ExitCode::from(128 + number))
    }

    /// Watches for signals as long as the session lives.
    pub(super) fn watch(session: &Arc<AgentSession>) -> std::io::Result<Self> {
        let signalled = Self::default();
        for (kind, number) in [(SignalKind::interrupt(), 2), (SignalKind::terminate(), 15), (SignalKind::hangup(), 1)] {
            tokio::spawn(listen(signal(kind)?, number, signalled.clone(), Arc::clone(session)));
        }
        Ok(signalled)
    }
}

async fn listen(mut signals: Signal, number: u8, signalled: Signalled, session: Arc<AgentSession>) {
    while signals.recv().await.is_some() {
        let second = signalled.0.lock().replace(number).is_some();
        if second {
            // Commands run in process groups of their own, so the terminal does not end them for us.
            tau_tools::kill_running_processes();
            tau_tools::kill_running_processes();
            std::process::exit(128 + i32::from(number));
        }
        session.exit_requested().cancel();
        session.abort();
    }
}
