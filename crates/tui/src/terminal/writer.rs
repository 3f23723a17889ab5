//! Writing to the terminal, on a thread of its own.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use super::input::End;
use super::tty::{BACKGROUND, Tty, Wake};

/// Writes to a terminal without ever making the caller wait. There are two kinds of bytes:
///
/// - what is [committed](Writer::commit) is written whole and in order, however long it takes,
/// - a [frame](Writer::frame) is taken only when everything before it is written. Who paints asks first
///   ([`Writer::is_ready`]), or waits ([`Writer::ready`]), and paints what is true then: a terminal that reads slowly sees
///   fewer frames, and no frame is ever made for nothing or kept.
#[derive(Debug, Clone)]
pub struct Writer {
    shared: Arc<Shared>,
}

/// The thread that writes.
#[derive(Debug)]
pub(super) struct Output {
    writer: Writer,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    tty: Arc<Tty>,
    wake: Wake,
    state: Mutex<State>,
    /// There is something to write, or to do.
    work: Condvar,
    /// Everything is written, or the terminal ended.
    done: Condvar,
    /// As `done`, for those who must not block.
    ready: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    /// How many bytes are not written yet.
    bytes: usize,
    is_writing: bool,
    /// There was no room for the last piece.
    is_stalled: bool,
    end: Option<End>,
    stops: bool,
    /// Another program has the terminal, or had it: the modes come first then.
    held: bool,
    /// How often what was waiting was dropped.
    dropped: u64,
}

impl State {
    fn is_ready(&self) -> bool {
        self.waiting.is_empty() && !self.is_writing && !self.held
    }
}

impl Output {
    pub(super) fn begin(tty: Arc<Tty>) -> io::Result<Self> {
        let (work, done, ready) = (Condvar::new(), Condvar::new(), Notify::new());
        let shared = Shared { tty, wake: Wake::new()?, state: Mutex::default(), work, done, ready };
        let shared = Arc::new(shared);
        let thread = std::thread::Builder::new().name("terminal output".to_owned());
        let thread = thread.spawn({
            let shared = Arc::clone(&shared);
            move || shared.follow()
        })?;
        Ok(Self { writer: Writer { shared }, thread: Some(thread) })
    }

    pub(super) fn writer(&self) -> &Writer {
        &self.writer
    }
}

impl Writer {
    /// Writes these bytes, after everything that was committed before. Once the terminal ended, nothing is written.
    pub fn commit(&self, bytes: impl Into<Vec<u8>>) {
        self.shared.add(&mut self.shared.state.lock(), bytes.into());
    }

    /// Writes a frame if everything before it is written; whether it was taken. One that was not has to be painted again when
    /// the writer is [ready](Writer::ready).
    #[must_use = "a frame that was not taken has to be painted again"]
    pub fn frame(&self, bytes: impl Into<Vec<u8>>) -> bool {
        let mut state = self.shared.state.lock();
        let is_taken = state.is_ready() && state.end.is_none();
        if is_taken {
            self.shared.add(&mut state, bytes.into());
        }
        is_taken
    }

    /// Whether everything is written, so that a frame would be taken.
    pub fn is_ready(&self) -> bool {
        let state = self.shared.state.lock();
        state.is_ready() && state.end.is_none()
    }

    /// Returns when everything is written. Can be given up and called again.
    ///
    /// # Errors
    /// When the terminal ended, with the reason.
    pub async fn ready(&self) -> Result<(), End> {
        loop {
            let changed = self.shared.ready.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let state = self.shared.state.lock();
                match state.end {
                    Some(end) => return Err(end),
                    None if state.is_ready() => return Ok(()),
                    None => {}
                }
            }
            changed.await;
        }
    }

    /// Returns when nothing can be written any more, with the reason. Can be given up and called again.
    pub async fn ended(&self) -> End {
        loop {
            let changed = self.shared.ready.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(end) = self.end() {
                return end;
            }
            changed.await;
        }
    }

    /// Why nothing can be written any more.
    pub fn end(&self) -> Option<End> {
        self.shared.state.lock().end
    }

    /// How many bytes wait to be written.
    pub fn waiting(&self) -> usize {
        self.shared.state.lock().bytes
    }

    /// Whether the terminal takes nothing now.
    pub fn is_stalled(&self) -> bool {
        self.shared.state.lock().is_stalled
    }

    /// Blocks until everything is written, or for this long; whether it is. For the end of the program.
    pub fn flush(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        while !state.is_ready() && state.end.is_none() {
            if self.shared.done.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        state.is_ready() && state.end.is_none()
    }

    /// Writes nothing until [`Writer::resume`]: another program has the terminal. What is committed waits.
    pub(super) fn hold(&self) {
        self.shared.state.lock().held = true;
    }

    /// Writes again, these bytes before what was committed meanwhile.
    pub(super) fn resume(&self, first: Vec<u8>) {
        let mut state = self.shared.state.lock();
        state.held = false;
        if state.end.is_none() {
            state.bytes += first.len();
            state.waiting.push_front(first);
        }
        self.shared.work.notify_one();
        self.shared.wake.wake();
    }

    /// Drops what is not written yet. The rest of what is being written is lost too, so the terminal can be in the middle of a
    /// sequence.
    pub(super) fn abandon(&self) {
        let mut state = self.shared.state.lock();
        state.waiting.clear();
        state.bytes = 0;
        state.dropped += 1;
        self.shared.wake.wake();
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let shared = &self.writer.shared;
        let mut state = shared.state.lock();
        state.stops = true;
        // Others may still have the writer.
        state.end.get_or_insert(End::Closed);
        drop(state);
        shared.work.notify_all();
        shared.wake.wake();
        shared.changed();
        // Where writing can block, it would be waited for as long as the terminal does not read.
        if !shared.tty.never_blocks() {
            return;
        }
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("writing to the terminal panicked");
        }
    }
}

impl Shared {
    fn add(&self, state: &mut State, bytes: Vec<u8>) {
        if bytes.is_empty() || state.end.is_some() {
            return;
        }
        state.bytes += bytes.len();
        state.waiting.push_back(bytes);
        self.work.notify_one();
    }

    fn changed(&self) {
        self.done.notify_all();
        self.ready.notify_waiters();
    }

    fn follow(&self) {
        loop {
            let mut state = self.state.lock();
            let bytes = loop {
                if state.stops {
                    return;
                }
                if state.held || state.waiting.is_empty() {
                    self.work.wait(&mut state);
                } else if self.tty.is_in_background() {
                    state.held = true;
                } else if let Some(bytes) = state.waiting.pop_front() {
                    break bytes;
                }
            };
            state.is_writing = true;
            let dropped = state.dropped;
            drop(state);
            let end = self.write(&bytes, dropped).err();
            let mut state = self.state.lock();
            state.is_writing = false;
            state.is_stalled = false;
            if end.is_some() {
                state.end = end;
                state.waiting.clear();
                state.bytes = 0;
            }
            if state.is_ready() || end.is_some() {
                self.changed();
            }
        }
    }

    fn write(&self, mut bytes: &[u8], dropped: u64) -> Result<(), End> {
        while !bytes.is_empty() {
            let is_aside = self.tty.is_in_background();
            let length = if is_aside { 0 } else { self.tty.write(bytes)? };
            bytes = &bytes[length..];
            let mut state = self.state.lock();
            // All of it was dropped meanwhile.
            if state.stops || state.dropped != dropped {
                return Ok(());
            }
            state.bytes -= length;
            state.is_stalled = length == 0;
            drop(state);
            let ready = match (is_aside, length) {
                (true, _) => self.wake.wait(Some(BACKGROUND))?,
                (false, 0) => self.tty.wait_for_room(&self.wake)?,
                (false, _) => continue,
            };
            if ready.woken {
                self.wake.woken();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    use tau_sys::pty::Pty;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn tty(terminal: impl AsFd) -> Arc<Tty> {
        let mut modes = tcgetattr(&terminal).expect("modes");
        modes.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &modes).expect("set");
        Arc::new(Tty::new(&terminal, &terminal).expect("a terminal"))
    }

    fn writer(pty: &Pty) -> Output {
        Output::begin(tty(pty.theirs().expect("the terminal"))).expect("a thread")
    }

    /// More than a terminal keeps for those who do not read.
    fn much() -> Vec<u8> {
        (0..1_000_000_u32).map(|at| u8::try_from(at % 251).expect("a byte")).collect()
    }

    fn shown(pty: &Pty, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        pty.ours().read_exact(&mut bytes).expect("shown");
        bytes
    }

    /// Returns when the terminal takes nothing any more.
    fn stall(writer: &Writer) {
        while !writer.is_stalled() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_is_committed_is_written_whole_and_in_order() {
        let pty = Pty::open().expect("a terminal");
        let output = writer(&pty);
        let writer = output.writer();
        let much = much();
        writer.commit("first");
        for piece in much.chunks(7000) {
            writer.commit(piece);
        }
        writer.commit("last");
        assert_eq!(shown(&pty, 5), b"first");
        assert!(shown(&pty, much.len()) == much);
        assert_eq!(shown(&pty, 4), b"last");
        assert!(writer.flush(LONG));
        assert_eq!(writer.waiting(), 0);
    }

    #[tokio::test]
    async fn a_terminal_that_does_not_read_gets_no_frames_and_holds_nobody_up() {
        let pty = Pty::open().expect("a terminal");
        let output = writer(&pty);
        let writer = output.writer();
        let much = much();
        assert!(writer.is_ready() && writer.frame(much.clone()));
        stall(writer);
        let waiting = writer.waiting();
        assert!(!writer.is_ready() && waiting > 0);
        for _ in 0..1000 {
            assert!(!writer.frame(b"late".as_slice()));
        }
        // The system may make a little room meanwhile, so less may be waiting, never more.
        assert!(writer.waiting() <= waiting);
        writer.commit("committed");
        assert!(!writer.flush(Duration::from_millis(1)));
        assert!(shown(&pty, much.len()) == much);
        assert_eq!(shown(&pty, 9), b"committed");
        writer.ready().await.expect("everything is written");
        assert!(writer.frame("next"));
        assert_eq!(shown(&pty, 4), b"next");
    }

    #[tokio::test]
    async fn a_terminal_that_is_gone_is_the_end() {
        let pty = Pty::open().expect("a terminal");
        let output = writer(&pty);
        let writer = output.writer();
        writer.commit(much());
        stall(writer);
        drop(pty);
        let end = writer.ready().await.expect_err("the terminal is gone");
        assert_eq!((end, writer.end()), (End::Failed(rustix::io::Errno::IO), Some(end)));
        writer.commit("more");
        assert!(!writer.frame("more") && !writer.is_ready() && !writer.flush(LONG));
        assert_eq!(writer.waiting(), 0);
    }

    #[tokio::test]
    async fn a_pipe_that_nobody_reads_is_the_end_and_no_signal() {
        let (ours, theirs) = io::pipe().expect("a pipe");
        let input = std::fs::File::open("/dev/null").expect("a file");
        let output = Output::begin(Arc::new(Tty::new(&input, &theirs).expect("descriptors"))).expect("a thread");
        let writer = output.writer();
        writer.commit("one");
        writer.ready().await.expect("written");
        drop(ours);
        writer.commit("two");
        assert_eq!(writer.ready().await, Err(End::Failed(rustix::io::Errno::PIPE)));
    }

    #[test]
    fn a_shared_terminal_that_others_made_non_blocking_is_written_whole() {
        let pty = Pty::open().expect("a terminal");
        let (input, mut output) = (pty.theirs().expect("the terminal"), pty.theirs().expect("the terminal"));
        let before = fcntl_getfl(&output).expect("flags");
        fcntl_setfl(&output, before | OFlags::NONBLOCK).expect("set");
        let mut modes = tcgetattr(&input).expect("modes");
        modes.make_raw();
        tcsetattr(&input, OptionalActions::Now, &modes).expect("set");
        let tty = Tty::shared(&input, &output).expect("a terminal");
        let output_thread = Output::begin(Arc::new(tty)).expect("a thread");
        let writer = output_thread.writer();
        let much = much();
        writer.commit(much.clone());
        assert!(shown(&pty, much.len()) == much);
        // Nor does it change what others see.
        assert!(fcntl_getfl(&output).expect("flags").contains(OFlags::NONBLOCK));
        output.write_all(b"x").expect("said");
        assert_eq!(shown(&pty, 1), b"x");
    }

    #[test]
    fn a_writer_ends_with_its_owner_though_the_terminal_does_not_read() {
        let pty = Pty::open().expect("a terminal");
        let output = writer(&pty);
        let full = output.writer().clone();
        full.commit(much());
        stall(&full);
        drop(output);
        assert!(!full.flush(LONG) && full.end() == Some(End::Closed));
        let output = writer(&pty);
        let abandoned = output.writer();
        abandoned.commit(much());
        stall(abandoned);
        abandoned.abandon();
        assert!(abandoned.flush(LONG));
    }
}
