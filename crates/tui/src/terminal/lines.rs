//! A terminal that edits its lines itself: it is only read and appended to, as dumb terminals and screen readers need it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::termios::{LocalModes, SpecialCodeIndex, Termios, tcgetattr};

use super::input::End;
use super::tty::{Tty, Wake};

/// The byte of ctrl+c.
const INTERRUPT: u8 = 0x03;
/// What the system takes for a key that there is not.
const NO_KEY: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };
/// The most bytes of a line that has no end.
const LONGEST: usize = 1 << 20;

/// The terminal of this program, and what it was.
static CURRENT: Mutex<Option<(Arc<Tty>, Termios)>> = Mutex::new(None);

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// A line, without its end.
    Line {
        /// The line.
        text: String,
        /// Another line was there already, as when several are pasted.
        more: bool,
    },
    /// ctrl+c; what was on its line is gone.
    Interrupt,
    /// ctrl+d on an empty line, or the end of the terminal.
    End,
}

/// The terminal, as long as it is used line by line. Dropping it puts the terminal back.
pub struct LineTerminal {
    tty: Arc<Tty>,
    plain: Termios,
    wake: Arc<Wake>,
    ends: Arc<AtomicBool>,
    writes: mpsc::Sender<Written>,
}

enum Written {
    Text(String),
    /// Everything before it is written.
    Done(mpsc::Sender<()>),
}

impl LineTerminal {
    /// Takes the terminal; `typed` is called with what is typed, on another thread.
    ///
    /// Its own editing of lines stays; only ctrl+c becomes something that is typed.
    ///
    /// # Errors
    /// When it is none, or the system refuses.
    pub fn take(
        input: impl std::os::fd::AsFd,
        output: impl std::os::fd::AsFd,
        typed: impl FnMut(Typed) + Send + 'static,
    ) -> io::Result<Self> {
        let tty = Arc::new(Tty::new(input, output)?);
        let before = tcgetattr(tty.input())?;
        let mut plain = before.clone();
        plain.local_modes.insert(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHOE);
        plain.special_codes[SpecialCodeIndex::VINTR] = NO_KEY;
        // It ends a line, so that it is read at once.
        plain.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        tau_sys::terminal::set_modes(tty.input(), &plain)?;
        *CURRENT.lock() = Some((Arc::clone(&tty), before));
        let (wake, ends) = (Arc::new(Wake::new()?), Arc::new(AtomicBool::new(false)));
        let (writes, written) = mpsc::channel();
        let terminal = Self { tty, plain, wake, ends, writes };
        let (tty, wake, ends) = (Arc::clone(&terminal.tty), Arc::clone(&terminal.wake), Arc::clone(&terminal.ends));
        std::thread::Builder::new().name("lines".to_owned()).spawn(move || read(&tty, &wake, &ends, typed))?;
        let (tty, wake) = (Arc::clone(&terminal.tty), Wake::new()?);
        std::thread::Builder::new().name("output".to_owned()).spawn(move || write(&tty, &wake, &written))?;
        Ok(terminal)
    }

    /// Appends text. Whatever the terminal does, this does not wait for it.
    pub fn write(&self, text: impl Into<String>) {
        if self.writes.send(Written::Text(text.into())).is_err() {
            tracing::debug!("the terminal is gone");
        }
    }

    /// Whether what is typed is shown. The end of a line is shown either way.
    ///
    /// # Errors
    /// When the system refuses. What is typed is shown then.
    pub fn echo(&self, on: bool) -> io::Result<()> {
        let mut modes = self.plain.clone();
        if !on {
            modes.local_modes.remove(LocalModes::ECHO);
            modes.local_modes.insert(LocalModes::ECHONL);
        }
        tau_sys::terminal::set_modes(self.tty.input(), &modes)
    }

    /// Waits until everything is written, for as long at most.
    pub fn flush(&self, patience: Duration) {
        let (done, written) = mpsc::channel();
        if self.writes.send(Written::Done(done)).is_err() || written.recv_timeout(patience).is_err() {
            tracing::debug!("the terminal has not taken everything");
        }
    }
}

impl Drop for LineTerminal {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        self.wake.wake();
        restore_now();
    }
}

/// Puts the terminal back, if one is used line by line; whether there was one.
pub(super) fn restore_now() -> bool {
    let Some((tty, before)) = CURRENT.lock().take() else { return false };
    // In the background another program has it, and has set it up as it needs it.
    if !tty.is_in_background()
        && let Err(error) = tau_sys::terminal::set_modes(tty.input(), &before)
    {
        tracing::debug!(%error, "the modes of the terminal cannot be put back");
    }
    true
}

fn write(tty: &Tty, wake: &Wake, writes: &mpsc::Receiver<Written>) {
    while let Ok(next) = writes.recv() {
        match next {
            Written::Text(text) => {
                if let Err(end) = all(tty, wake, text.as_bytes()) {
                    tracing::debug!(%end, "nothing can be written any more");
                    return;
                }
            }
            Written::Done(done) => {
                if done.send(()).is_err() {
                    tracing::debug!("nobody waits for the output any more");
                }
            }
        }
    }
}

fn all(tty: &Tty, wake: &Wake, mut bytes: &[u8]) -> Result<(), End> {
    while !bytes.is_empty() {
        match tty.write(bytes)? {
            0 => _ = tty.wait_for_room(wake)?,
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

fn read(tty: &Tty, wake: &Wake, ends: &AtomicBool, mut typed: impl FnMut(Typed)) {
    let (mut line, mut buffer) = (Vec::new(), [0; 4096]);
    while !ends.load(Ordering::SeqCst) {
        let is_gone = match tty.wait_for_input(wake, None) {
            Ok(ready) if !ready.terminal => continue,
            Ok(ready) => ready.gone,
            Err(_) => true,
        };
        match tty.read(&mut buffer) {
            Ok(Some(length)) => {
                for (at, byte) in buffer[..length].iter().enumerate() {
                    match *byte {
                        INTERRUPT => {
                            line.clear();
                            typed(Typed::Interrupt);
                        }
                        b'\n' => {
                            let text = String::from_utf8_lossy(&std::mem::take(&mut line)).into_owned();
                            let more = at + 1 < length || is_waiting(tty, wake);
                            typed(Typed::Line { text, more });
                        }
                        byte if line.len() < LONGEST => line.push(byte),
                        _ => {}
                    }
                }
            }
            // Behind text, ctrl+d only hands it over.
            Ok(None) if !is_gone && !line.is_empty() => {}
            Ok(None) => typed(Typed::End),
            Err(_) => {
                typed(Typed::End);
                return;
            }
        }
        if is_gone {
            typed(Typed::End);
            return;
        }
    }
}

/// Whether another line is there already.
fn is_waiting(tty: &Tty, wake: &Wake) -> bool {
    tty.wait_for_input(wake, Some(Duration::ZERO)).is_ok_and(|ready| ready.terminal && !ready.gone)
}
