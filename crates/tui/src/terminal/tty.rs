//! The device: reading, writing and waiting, with limits.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::input::End;

/// What is written at once. Small enough that the terminal can be restored soon in between.
const PIECE: usize = 16 * 1024;
/// As [`PIECE`] where writing can block, because the descriptor is shared with others.
const SHARED_PIECE: usize = 512;

/// How often a program in the background looks whether it still is there. Being brought back wakes it too.
pub(super) const BACKGROUND: Duration = Duration::from_secs(1);

/// The terminal that a program reads and writes, which may be two.
#[derive(Debug)]
pub(super) struct Tty {
    input: File,
    output: File,
    /// Whether reading and writing never block.
    never_blocks: bool,
    /// Held while something is written, so that nothing comes after the modes were put back.
    writing: Mutex<()>,
    closed: AtomicBool,
}

/// Why waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ready {
    /// The terminal can be read or written.
    pub(super) terminal: bool,
    /// It hung up, or is in error.
    pub(super) gone: bool,
    /// [`Wake::wake`] was called.
    pub(super) woken: bool,
}

impl Tty {
    /// Takes a terminal. It is opened once more where that can be done: then it never blocks, whatever others do with theirs.
    pub(super) fn new(input: impl AsFd, output: impl AsFd) -> io::Result<Self> {
        let open = |shared: BorrowedFd<'_>| match tau_sys::terminal::reopened(shared) {
            Ok(own) => Ok((own, true)),
            Err(error) => {
                tracing::debug!(%error, "the terminal is shared with others");
                Ok::<_, io::Error>((File::from(shared.try_clone_to_owned()?), false))
            }
        };
        let ((input, own_input), (output, own_output)) = (open(input.as_fd())?, open(output.as_fd())?);
        let never_blocks = own_input && own_output;
        Ok(Self { input, output, never_blocks, writing: Mutex::new(()), closed: AtomicBool::new(false) })
    }

    /// Takes descriptors as they are.
    #[cfg(test)]
    pub(super) fn shared(input: impl AsFd, output: impl AsFd) -> io::Result<Self> {
        let clone = |shared: BorrowedFd<'_>| shared.try_clone_to_owned().map(File::from);
        let (input, output) = (clone(input.as_fd())?, clone(output.as_fd())?);
        Ok(Self { input, output, never_blocks: false, writing: Mutex::new(()), closed: AtomicBool::new(false) })
    }

    /// Whether reading and writing never block.
    pub(super) fn never_blocks(&self) -> bool {
        self.never_blocks
    }

    /// The one that is read.
    pub(super) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// The one that is written.
    pub(super) fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    /// Whether others have the terminal.
    pub(super) fn is_in_background(&self) -> bool {
        tau_sys::terminal::is_in_background(&self.input)
    }

    /// Takes the foreground back from a program that it was lent to.
    pub(super) fn take_foreground_back(&self) {
        if let Err(error) = tau_sys::terminal::take_foreground_back(&self.input) {
            tracing::warn!(%error, "the foreground of the terminal cannot be taken back");
        }
    }

    /// Writes as much as there is room for, which may be nothing.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<usize, End> {
        let _writing = self.writing.lock();
        if self.closed.load(Ordering::SeqCst) {
            // Whatever it is, it is too late.
            return Ok(bytes.len());
        }
        self.write_now(bytes)
    }

    fn write_now(&self, bytes: &[u8]) -> Result<usize, End> {
        let most = if self.never_blocks { PIECE } else { SHARED_PIECE };
        match rustix::io::write(&self.output, &bytes[..bytes.len().min(most)]) {
            Ok(length) => Ok(length),
            // Others may have made the shared descriptor non-blocking.
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(error) => Err(End::Failed(error)),
        }
    }

    /// Nothing is written any more but `last`, for at most `patience`.
    pub(super) fn close(&self, last: &[u8], patience: Duration) {
        // Writing takes no time, but where it can block.
        let _writing = self.writing.try_lock_for(patience);
        if !self.closed.swap(true, Ordering::SeqCst) {
            self.write_within(last, patience);
        }
    }

    fn write_within(&self, mut bytes: &[u8], patience: Duration) {
        let until = Instant::now() + patience;
        while !bytes.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            let ready = wait(&self.output, PollFlags::OUT, None, Some(left));
            match ready {
                Ok(ready) if ready.terminal => match self.write_now(bytes) {
                    Ok(length) => bytes = &bytes[length..],
                    Err(_) => return,
                },
                _ => return,
            }
        }
    }

    /// Reads what is there, which may be nothing; `None` at the end.
    pub(super) fn read(&self, buffer: &mut [u8]) -> Result<Option<usize>, End> {
        match rustix::io::read(&self.input, &mut *buffer) {
            Ok(0) => Ok(None),
            Ok(length) => Ok(Some(length)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Some(0)),
            Err(error) => Err(End::Failed(error)),
        }
    }

    /// Waits until it can be read, or [`Wake::wake`] is called, or for this long.
    pub(super) fn wait_for_input(&self, wake: &Wake, patience: Option<Duration>) -> Result<Ready, End> {
        wait(&self.input, PollFlags::IN, Some(wake), patience)
    }

    /// Waits until it can be written, or [`Wake::wake`] is called.
    pub(super) fn wait_for_room(&self, wake: &Wake) -> Result<Ready, End> {
        wait(&self.output, PollFlags::OUT, Some(wake), None)
    }
}

fn wait(terminal: impl AsFd, flags: PollFlags, wake: Option<&Wake>, patience: Option<Duration>) -> Result<Ready, End> {
    // Not earlier than asked for, or the caller asks again and again.
    let patience = patience.map(|patience| Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(patience.subsec_nanos()),
    });
    let polled = PollFd::new(&terminal, flags);
    let done = match wake {
        Some(wake) => {
            let mut fds = [polled, PollFd::new(&wake.theirs, PollFlags::IN)];
            poll(&mut fds, patience.as_ref()).map(|_| (fds[0].revents(), !fds[1].revents().is_empty()))
        }
        None => {
            let mut fds = [polled];
            poll(&mut fds, patience.as_ref()).map(|_| (fds[0].revents(), false))
        }
    };
    match done {
        Ok((events, woken)) => {
            let gone = events.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
            Ok(Ready { terminal: events.intersects(flags) || gone, gone, woken })
        }
        // Being stopped and continued ends it too.
        Err(Errno::INTR | Errno::AGAIN) => Ok(Ready { terminal: false, gone: false, woken: false }),
        Err(error) => Err(End::Failed(error)),
    }
}

/// Wakes a thread that waits for a terminal.
#[derive(Debug)]
pub(super) struct Wake {
    ours: UnixStream,
    theirs: UnixStream,
}

impl Wake {
    pub(super) fn new() -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        theirs.set_nonblocking(true)?;
        Ok(Self { ours, theirs })
    }

    /// Wakes it, now or when it waits next.
    pub(super) fn wake(&self) {
        // One that is full of bytes wakes it as well.
        if let Err(error) = rustix::io::write(&self.ours, &[0]) {
            tracing::trace!(%error, "it is awake");
        }
    }

    /// Waits for nothing else, for this long.
    pub(super) fn wait(&self, patience: Option<Duration>) -> Result<Ready, End> {
        let ready = wait(&self.theirs, PollFlags::IN, None, patience)?;
        Ok(Ready { terminal: false, gone: false, woken: ready.terminal })
    }

    /// It is awake.
    pub(super) fn woken(&self) {
        while matches!(rustix::io::read(&self.theirs, &mut [0; 64]), Ok(1..)) {}
    }
}
