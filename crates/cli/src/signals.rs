//! Signals: the first one ends the session in order, a second one ends the program at once.
#![expect(clippy::disallowed_methods, reason = "the program has one runtime")]

use tau_launch::Stop;
use tau_sys::signals::{self, Endings};

use crate::log;

/// Watches for signals as long as the program lives.
pub(crate) fn watch(stop: &Stop) -> std::io::Result<()> {
    tokio::spawn(listen(signals::endings()?, stop.clone()));
    signals::survive_file_size_limit()
}

async fn listen(mut endings: Endings, stop: Stop) {
    loop {
        let number = endings.next().await;
        if !stop.fire(number) {
            // Commands run in process groups of their own, so the terminal does not end them for us.
            tau_sys::process::kill_running_processes();
            // Nothing is dropped here, so the terminal would stay as the program needs it.
            tau_interactive::restore_now();
            log::finish();
            std::process::exit(128 + i32::from(number));
        }
    }
}
