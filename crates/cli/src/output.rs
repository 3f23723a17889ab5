//! Standard output, which carries nothing but the result.

use std::io::{self, BufWriter, Stdout, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tau_agent::AgentSession;

use crate::diagnostics;

/// Standard output, shared by everything that writes results. When the reader goes away, or nothing more can be
/// written, the session ends: nobody is left to work for.
#[derive(Clone)]
pub(crate) struct Output {
    out: Arc<Mutex<BufWriter<Stdout>>>,
    gone: Arc<AtomicBool>,
    session: Weak<AgentSession>,
}

/// Something that was to be written to standard output is not there. There is one standard output, so this is everybody's.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Whether something that was to be written to standard output is not there, although somebody reads it.
pub(crate) fn has_failed() -> bool {
    FAILED.load(Ordering::Acquire)
}

/// Tells the user that standard output cannot be written. A reader that went away has what it wanted.
fn fails(error: &io::Error) {
    if error.kind() != io::ErrorKind::BrokenPipe && !FAILED.swap(true, Ordering::AcqRel) {
        diagnostics::error(&format!("standard output cannot be written: {error}"));
    }
}

/// Prints a result. A reader that went away is no failure of ours.
pub(crate) fn say(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        fails(&error);
    }
    if has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

impl Output {
    pub(crate) fn new(session: &Arc<AgentSession>) -> Self {
        let out = Arc::new(Mutex::new(BufWriter::new(io::stdout())));
        Self { out, gone: Arc::default(), session: Arc::downgrade(session) }
    }

    /// Writes a text, and hands it to the system at once.
    pub(crate) fn write(&self, text: &[u8]) {
        if self.gone.load(Ordering::Acquire) {
            return;
        }
        let mut out = self.out.lock();
        if let Err(error) = out.write_all(text).and_then(|()| out.flush()) {
            drop(out);
            fails(&error);
            self.gone.store(true, Ordering::Release);
            if let Some(session) = self.session.upgrade() {
                session.exit_requested().cancel();
                session.abort();
            }
        }
    }

    /// Writes a value as a line of JSON.
    pub(crate) fn json(&self, value: &impl serde::Serialize) {
        match serde_json::to_vec(value) {
            Ok(mut line) => {
                line.push(b'\n');
                self.write(&line);
            }
            Err(error) => diagnostics::error(&format!("an event could not be written: {error}")),
        }
    }
}
