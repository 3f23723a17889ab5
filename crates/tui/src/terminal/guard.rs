//! The terminal is put back on every way out.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, QueueSelector, SpecialCodeIndex, Termios,
    tcflush, tcgetattr, tcsetattr,
};

use super::switches::Switched;
use super::tty::Tty;

/// How long the last bytes may take when there is no time.
const SOON: Duration = Duration::from_millis(100);

/// The terminal that this program has now.
static CURRENT: Mutex<Option<Arc<Guard>>> = Mutex::new(None);

/// Puts the terminal of this program back as it was, from any thread and at any time; whether there was one to put back.
/// What is being written is broken off, and nothing is written afterwards. Takes no longer than a moment, whatever the
/// terminal does. For the end of a program that can do nothing else any more: a panic that nothing catches, or a signal for
/// the second time. It must not be called from a signal handler.
pub fn restore_now() -> bool {
    // The lock is only held for moments, unless its owner panicked.
    let guard = CURRENT.try_lock_for(SOON).and_then(|mut current| current.take());
    let was_raw = guard.is_some_and(|guard| guard.restore());
    super::lines::restore_now() || was_raw
}

/// What the terminal was, and what was made of it.
#[derive(Debug)]
pub(super) struct Guard {
    tty: Arc<Tty>,
    before: Termios,
    raw: Termios,
    switched: Mutex<Switched>,
    /// What brings the cursor to where the next program can write.
    below: Mutex<Vec<u8>>,
    /// Another program has the terminal, or it was put back for good.
    away: AtomicBool,
}

impl Guard {
    /// Makes the terminal raw. What was typed before is kept.
    pub(super) fn begin(tty: Arc<Tty>) -> io::Result<Arc<Self>> {
        let before = tcgetattr(tty.input())?;
        let raw = raw(before.clone(), tty.never_blocks());
        // In the background this stops the program until it is in the foreground.
        tcsetattr(tty.input(), OptionalActions::Now, &raw)?;
        let (switched, below, away) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
        let guard = Arc::new(Self { tty, before, raw, switched, below, away });
        *CURRENT.lock() = Some(Arc::clone(&guard));
        Ok(guard)
    }

    /// Changes what is switched on, and gives what that makes.
    pub(super) fn switch<T>(&self, change: impl FnOnce(&mut Switched) -> T) -> T {
        change(&mut self.switched.lock())
    }

    pub(super) fn set_below(&self, bytes: Vec<u8>) {
        *self.below.lock() = bytes;
    }

    /// Makes the terminal raw again, after another program had it or without being asked.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.away.store(false, Ordering::SeqCst);
        tau_sys::terminal::set_modes(self.tty.input(), &self.raw)
    }

    /// Whether the modes are others than this program needs, because another one changed them without asking.
    pub(super) fn is_changed(&self) -> bool {
        let Ok(now) = tcgetattr(self.tty.input()) else { return false };
        !self.away.load(Ordering::SeqCst)
            && (now.input_modes, now.output_modes, now.control_modes, now.local_modes)
                != (self.raw.input_modes, self.raw.output_modes, self.raw.control_modes, self.raw.local_modes)
    }

    /// Gives it to another program. `typed` says whether what was typed is for that one.
    pub(super) fn leave(&self, typed: bool) -> io::Result<()> {
        self.away.store(true, Ordering::SeqCst);
        if self.tty.is_in_background() {
            // Another program has it now, and has set it up as it needs it.
            return Ok(());
        }
        tau_sys::terminal::set_modes(self.tty.input(), &self.before)?;
        if !typed {
            tcflush(self.tty.input(), QueueSelector::IFlush)?;
        }
        Ok(())
    }

    /// The terminal was given back by [`Guard::leave`] for good.
    pub(super) fn forget(&self) {
        let mut current = CURRENT.lock();
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(&current.tty, &self.tty)) {
            *current = None;
        }
    }

    /// Puts everything back at once; whether that was still to be done.
    pub(super) fn restore(&self) -> bool {
        if self.away.swap(true, Ordering::SeqCst) {
            return false;
        }
        if self.tty.is_in_background() {
            // Another program has it now, and has set it up as it needs it.
            self.tty.close(&[], SOON);
            return false;
        }
        let switched = self.switched.try_lock_for(SOON).map(|switched| switched.quiet() + &switched.rest());
        let below = self.below.try_lock_for(SOON).map(|below| below.clone()).unwrap_or_default();
        // What is being written may be in the middle of a sequence, of a frame, of a link or of a colour.
        let mut bytes = b"\x1b\\\x1b[?2026l\x1b]8;;\x1b\\\x1b[0m".to_vec();
        bytes.extend_from_slice(&below);
        bytes.extend_from_slice(switched.unwrap_or_default().as_bytes());
        self.tty.close(&bytes, SOON);
        if let Err(error) = self.leave(false) {
            tracing::debug!(%error, "the modes of the terminal cannot be put back");
        }
        true
    }
}

/// Keys come one by one and unchanged. Output is still processed, so that what other programs write to the terminal looks as
/// it should.
fn raw(mut modes: Termios, never_blocks: bool) -> Termios {
    use InputModes as Input;
    modes.input_modes.remove(
        Input::IGNBRK
            | Input::BRKINT
            | Input::PARMRK
            | Input::INPCK
            | Input::ISTRIP
            | Input::INLCR
            | Input::IGNCR
            | Input::ICRNL
            | Input::IXON,
    );
    modes.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
    modes
        .local_modes
        .remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
    modes.control_modes.remove(ControlModes::CSIZE | ControlModes::PARENB);
    modes.control_modes.insert(ControlModes::CS8);
    // Where reading could block, it returns when others have taken what was there.
    modes.special_codes[SpecialCodeIndex::VMIN] = u8::from(never_blocks);
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    modes
}
