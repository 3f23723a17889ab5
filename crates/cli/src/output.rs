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
    out: Arc<Mutex<Out>>,
    gone: Arc<AtomicBool>,
    session: Weak<AgentSession>,
}

struct Out {
    writer: BufWriter<Stdout>,
    /// The room for a line: there is one for each token.
    line: Vec<u8>,
}

impl Out {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.writer.write_all(text)?;
        self.writer.flush()
    }

    fn write_line(&mut self, value: &impl serde::Serialize) -> Result<io::Result<()>, serde_json::Error> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        serde_json::to_writer(&mut line, value)?;
        line.push(b'\n');
        let written = self.write(&line);
        // A large one is the exception.
        line.shrink_to(64 * 1024);
        self.line = line;
        Ok(written)
    }
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
        let out = Out { writer: BufWriter::new(io::stdout()), line: Vec::new() };
        Self { out: Arc::new(Mutex::new(out)), gone: Arc::default(), session: Arc::downgrade(session) }
    }

    /// Writes a text, and hands it to the system at once.
    pub(crate) fn write(&self, text: &[u8]) {
        if !self.gone.load(Ordering::Acquire) {
            let written = self.out.lock().write(text);
            self.note(written);
        }
    }

    /// Writes a value as a line of JSON.
    pub(crate) fn json(&self, value: &impl serde::Serialize) {
        if self.gone.load(Ordering::Acquire) {
            return;
        }
        let written = self.out.lock().write_line(value);
        match written {
            Ok(written) => self.note(written),
            Err(error) => diagnostics::error(&format!("an event could not be written: {error}")),
        }
    }

    fn note(&self, written: io::Result<()>) {
        if let Err(error) = written {
            fails(&error);
            self.gone.store(true, Ordering::Release);
            if let Some(session) = self.session.upgrade() {
                session.exit_requested().cancel();
                session.abort();
            }
        }
    }
}
