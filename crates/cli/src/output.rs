//! Standard output, which carries nothing but the result.

use std::io::{self, BufWriter, Stdout, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tau_agent::AgentSession;
use tokio::runtime::Handle;

use crate::diagnostics;

/// Standard output, shared by everything that writes results. When the reader goes away, or nothing more can be
/// written, the session ends: nobody is left to work for.
#[derive(Clone)]
pub(crate) struct Output {
    out: Arc<Mutex<Out<Stdout>>>,
    gone: Arc<AtomicBool>,
    /// A task is about to hand on what was collected.
    is_due: Arc<AtomicBool>,
    session: Weak<AgentSession>,
}

/// Most bytes that wait for a flush.
const COLLECTED: usize = 32 * 1024;

struct Out<W: Write> {
    /// Hands on whole lines, also when it is full.
    writer: BufWriter<W>,
    /// The room for a line: there is one for each token.
    line: Vec<u8>,
}

impl<W: Write> Out<W> {
    fn new(writer: W) -> Self {
        Self { writer: BufWriter::with_capacity(COLLECTED, writer), line: Vec::new() }
    }

    /// Adds a text behind those that wait.
    fn add(&mut self, text: &[u8]) -> io::Result<()> {
        self.writer.write_all(text)
    }

    fn add_line(&mut self, value: &impl serde::Serialize) -> Result<io::Result<()>, serde_json::Error> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        serde_json::to_writer(&mut line, value)?;
        line.push(b'\n');
        let written = self.add(&line);
        // A large one is the exception.
        line.shrink_to(64 * 1024);
        self.line = line;
        Ok(written)
    }

    /// Hands everything to the system.
    fn flush(&mut self) -> io::Result<()> {
        if self.writer.buffer().is_empty() { Ok(()) } else { self.writer.flush() }
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
        let out = Out::new(io::stdout());
        Self {
            out: Arc::new(Mutex::new(out)),
            gone: Arc::default(),
            is_due: Arc::default(),
            session: Arc::downgrade(session),
        }
    }

    /// Writes a text, and hands it to the system at once.
    pub(crate) fn write(&self, text: &[u8]) {
        if !self.gone.load(Ordering::Acquire) {
            let mut out = self.out.lock();
            let written = out.add(text).and_then(|()| out.flush());
            drop(out);
            self.note(written);
        }
    }

    /// Writes a value as a line of JSON, and hands it to the system at once.
    pub(crate) fn json(&self, value: &impl serde::Serialize) {
        self.collect_json(value);
        self.flush();
    }

    /// Writes a value as a line of JSON that waits for [`Output::flush`], for whatever is written at once, or until so
    /// many wait that they are handed on together.
    pub(crate) fn collect_json(&self, value: &impl serde::Serialize) {
        if self.gone.load(Ordering::Acquire) {
            return;
        }
        let written = self.out.lock().add_line(value);
        match written {
            Ok(written) => self.note(written),
            Err(error) => diagnostics::error(&format!("an event could not be written: {error}")),
        }
    }

    /// Writes a value as a line of JSON that is handed to the system by a task of its own, so that nobody waits for that
    /// and lines that come together go together.
    pub(crate) fn json_soon(&self, value: &impl serde::Serialize) {
        self.collect_json(value);
        let Ok(runtime) = Handle::try_current() else { return self.flush() };
        if !self.is_due.swap(true, Ordering::AcqRel) {
            let output = self.clone();
            runtime.spawn(async move {
                // Whatever is added from now on has another task.
                output.is_due.store(false, Ordering::Release);
                output.flush();
            });
        }
    }

    /// Hands what was collected to the system.
    pub(crate) fn flush(&self) {
        if !self.gone.load(Ordering::Acquire) {
            let written = self.out.lock().flush();
            self.note(written);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What was handed on, a text for each time.
    #[derive(Default)]
    struct Calls(Vec<String>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(String::from_utf8(bytes.to_vec()).expect("text"));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_handed_on_together_whole_and_in_order() {
        let mut out = Out::new(Calls::default());
        for number in 0..3 {
            out.add_line(&number).expect("JSON").expect("written");
        }
        assert_eq!(out.writer.get_ref().0, Vec::<String>::new());
        out.flush().expect("written");
        out.flush().expect("nothing to write");
        assert_eq!(out.writer.get_ref().0, ["0\n1\n2\n"]);

        // What has no room takes no part of a line along.
        let long = "x".repeat(COLLECTED - 10);
        for value in [long.as_str(), "second", "third"] {
            out.add_line(&value).expect("JSON").expect("written");
        }
        out.flush().expect("written");
        assert_eq!(out.writer.get_ref().0[1..], [format!("\"{long}\"\n"), "\"second\"\n\"third\"\n".to_owned()]);
    }
}
