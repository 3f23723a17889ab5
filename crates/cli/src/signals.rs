//! Signals: the first one ends the session in order, a second one ends the program at once.

use tau_launch::Stop;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Watches for signals as long as the program lives.
pub(crate) fn watch(stop: &Stop) -> std::io::Result<()> {
    // Commands of the bash tool do not inherit that a signal is ignored, as it is in the background of a script,
    // because from here on it is handled.
    for (kind, number) in [
        (SignalKind::hangup(), 1),
        (SignalKind::interrupt(), 2),
        (SignalKind::quit(), 3),
        (SignalKind::terminate(), 15),
    ] {
        tokio::spawn(listen(signal(kind)?, number, stop.clone()));
    }
    // Without a handler a file that grows beyond the limit of the process ends it; with one, writing fails with an
    // error that says so. Programs that tau starts do not inherit a handler.
    drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
    Ok(())
}

async fn listen(mut signals: Signal, number: u8, stop: Stop) {
    while signals.recv().await.is_some() {
        if !stop.fire(number) {
            // Commands run in process groups of their own, so the terminal does not end them for us.
            tau_tools::kill_running_processes();
            std::process::exit(128 + i32::from(number));
        }
    }
}
