//! Reading the terminal, on a thread of its own.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tau_view::keys::is_key_release;
use tokio::sync::Notify;

use super::input::{CursorReports, Decoder, End, Event, Timing};
use super::tty::{BACKGROUND, Tty, Wake};

/// How many events wait to be taken before nothing more is read. The terminal keeps the rest.
const MOST_EVENTS: usize = 4096;
/// How many bytes of events wait to be taken before nothing more is read.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// How much is read before what came is looked at.
const PIECE: usize = 64 * 1024;

/// Reads a terminal and decodes what comes. Nothing is lost while no events are taken: reading waits then.
#[derive(Debug)]
pub(super) struct Reader {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What came from the terminal, in order.
#[derive(Debug, Clone)]
pub(super) struct Inbox(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    tty: Arc<Tty>,
    wake: Wake,
    state: Mutex<State>,
    /// The thread rests, or is to do something else.
    changed: Condvar,
    /// There is an event.
    came: Notify,
    cursor: CursorReports,
}

#[derive(Debug)]
struct State {
    events: VecDeque<Event>,
    bytes: usize,
    end: Option<End>,
    order: Order,
    rests: bool,
    /// This program is back from the background, which was not reported yet.
    is_back: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Read,
    Rest,
    Stop,
}

impl Reader {
    pub(super) fn begin(tty: Arc<Tty>, timing: Timing) -> io::Result<Self> {
        let decoder = Decoder::new(timing);
        let state =
            State { events: VecDeque::new(), bytes: 0, end: None, order: Order::Read, rests: false, is_back: false };
        let shared = Arc::new(Shared {
            tty,
            wake: Wake::new()?,
            state: Mutex::new(state),
            changed: Condvar::new(),
            came: Notify::new(),
            cursor: decoder.cursor_reports(),
        });
        let thread = std::thread::Builder::new().name("terminal input".to_owned());
        let thread = thread.spawn({
            let shared = Arc::clone(&shared);
            move || shared.follow(decoder)
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(super) fn inbox(&self) -> Inbox {
        Inbox(Arc::clone(&self.shared))
    }

    /// Reads nothing until [`Reader::resume`], so that another program can. What has begun is decoded as it is. Returns when
    /// the thread rests.
    pub(super) fn rest(&self) {
        let mut state = self.shared.state.lock();
        if state.order == Order::Read {
            state.order = Order::Rest;
        }
        self.shared.wake.wake();
        while !state.rests {
            self.shared.changed.wait(&mut state);
        }
    }

    pub(super) fn resume(&self) {
        let mut state = self.shared.state.lock();
        if state.order == Order::Rest {
            state.order = Order::Read;
        }
        self.shared.changed.notify_all();
    }

    /// Looks again whether this program is in the background.
    pub(super) fn look(&self) {
        self.shared.wake.wake();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.state.lock().order = Order::Stop;
        self.shared.changed.notify_all();
        self.shared.wake.wake();
        // It never waits for anything but this.
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("reading the terminal panicked");
        }
    }
}

impl Inbox {
    /// The next event. After [`Event::End`] there is only that. Can be given up and called again.
    pub(super) async fn next(&self) -> Event {
        loop {
            let came = self.0.came.notified();
            if let Some(event) = self.try_next() {
                return event;
            }
            came.await;
        }
    }

    /// The next event, or nothing when this program is back from the background: not every shell sends a signal then.
    pub(super) async fn next_or_back(&self) -> Option<Event> {
        loop {
            let came = self.0.came.notified();
            if std::mem::take(&mut self.0.state.lock().is_back) {
                return None;
            }
            if let Some(event) = self.try_next() {
                return Some(event);
            }
            came.await;
        }
    }

    /// The next event, if there is one.
    pub(super) fn try_next(&self) -> Option<Event> {
        let mut state = self.0.state.lock();
        let was_full = state.is_full();
        let Some(event) = state.events.pop_front() else { return state.end.map(Event::End) };
        state.bytes -= weight(&event);
        if was_full && !state.is_full() {
            self.0.wake.wake();
        }
        // Another caller may wait for the next one.
        if !state.events.is_empty() {
            self.0.came.notify_one();
        }
        Some(event)
    }

    /// The characters that come next without anything else between them, if they are at least so many: nobody types that
    /// fast, and each for itself costs more than all of them together.
    pub(super) fn take_text(&self, at_least: usize) -> String {
        let mut state = self.0.state.lock();
        let is_part = |event: &Event| matches!(event, Event::Key(key) if is_character(key) || is_key_release(key));
        let count = state.events.iter().take_while(|event| is_part(event)).count();
        let mut text = String::new();
        if count < at_least {
            return text;
        }
        let was_full = state.is_full();
        for event in state.events.drain(..count).collect::<Vec<_>>() {
            state.bytes -= weight(&event);
            if let Event::Key(key) = event
                && is_character(&key)
            {
                text.push_str(&key);
            }
        }
        if was_full && !state.is_full() {
            self.0.wake.wake();
        }
        text
    }

    /// For those who ask where the cursor is.
    pub(super) fn cursor_reports(&self) -> &CursorReports {
        &self.0.cursor
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.events.len() >= MOST_EVENTS || self.bytes >= MOST_BYTES
    }
}

/// Whether a key is a character that is typed as it is.
pub(super) fn is_character(key: &str) -> bool {
    let mut characters = key.chars();
    characters.next().is_some_and(|first| !first.is_control()) && characters.next().is_none()
}

fn weight(event: &Event) -> usize {
    match event {
        Event::Key(raw) | Event::Other(raw) => raw.len(),
        Event::Paste(paste) => paste.text.len(),
        _ => 0,
    }
}

impl Shared {
    fn follow(&self, mut decoder: Decoder) {
        let end = self.read(&mut decoder);
        decoder.finish(Instant::now(), &mut |event| self.give(event));
        let mut state = self.state.lock();
        state.end = end;
        state.rests = true;
        self.changed.notify_all();
        drop(state);
        self.came.notify_waiters();
        self.came.notify_one();
    }

    /// Reads until the terminal ends, or the owner stops it.
    fn read(&self, decoder: &mut Decoder) -> Option<End> {
        let mut buffer = vec![0; PIECE];
        let (mut empty, mut was_behind) = (0, false);
        loop {
            let is_full = self.orders(decoder)?;
            let is_behind = self.tty.is_in_background();
            if std::mem::replace(&mut was_behind, is_behind) && !is_behind {
                self.state.lock().is_back = true;
                self.came.notify_one();
            }
            let is_aside = is_full || is_behind;
            let patience = match (is_full, is_aside) {
                (true, _) => None,
                (false, true) => Some(BACKGROUND),
                (false, false) => decoder.deadline().map(|at| at.saturating_duration_since(Instant::now())),
            };
            let ready = if is_aside { self.wake.wait(patience) } else { self.tty.wait_for_input(&self.wake, patience) };
            let ready = match ready {
                Ok(ready) => ready,
                Err(end) => return Some(end),
            };
            if ready.woken {
                self.wake.woken();
                continue;
            }
            if is_aside {
                continue;
            }
            if !ready.terminal {
                decoder.expire(Instant::now(), &mut |event| self.give(event));
                continue;
            }
            match self.piece(&mut buffer) {
                Ok(Some(0)) => {}
                Ok(Some(length)) => {
                    empty = 0;
                    decoder.feed(&buffer[..length], Instant::now(), &mut |event| self.give(event));
                }
                Ok(None) if ready.gone => return Some(End::HungUp),
                // A terminal that was left in a mode in which reading does not wait has nothing to say, although it is ready.
                Ok(None) if empty < 3 => empty += 1,
                Ok(None) => return Some(End::Closed),
                Err(end) => return Some(end),
            }
        }
    }

    /// Follows the orders of the owner: whether the queue is full, or `None` to stop.
    fn orders(&self, decoder: &mut Decoder) -> Option<bool> {
        let mut state = self.state.lock();
        loop {
            match state.order {
                Order::Read => {
                    state.rests = false;
                    return Some(state.is_full());
                }
                Order::Stop => return None,
                Order::Rest if state.rests => self.changed.wait(&mut state),
                Order::Rest => {
                    drop(state);
                    decoder.finish(Instant::now(), &mut |event| self.give(event));
                    state = self.state.lock();
                    state.rests = true;
                    self.changed.notify_all();
                }
            }
        }
    }

    /// What came at once, which is more than one read gives.
    fn piece(&self, buffer: &mut [u8]) -> Result<Option<usize>, End> {
        let Some(mut length) = self.tty.read(buffer)? else { return Ok(None) };
        while 0 < length && length < buffer.len() {
            let ready = self.tty.wait_for_input(&self.wake, Some(Duration::ZERO))?;
            if !ready.terminal || ready.gone {
                break;
            }
            match self.tty.read(&mut buffer[length..]) {
                Ok(Some(more)) if more > 0 => length += more,
                // Comes again when it is asked next.
                _ => break,
            }
        }
        Ok(Some(length))
    }

    fn give(&self, event: Event) {
        let mut state = self.state.lock();
        state.bytes += weight(&event);
        state.events.push_back(event);
        drop(state);
        self.came.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    use tau_sys::pty::Pty;

    use super::*;
    use crate::terminal::input::{Paste, PasteKind};

    fn raw(terminal: impl AsFd) {
        let mut modes = tcgetattr(&terminal).expect("modes");
        modes.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &modes).expect("set");
    }

    fn reader(pty: &Pty) -> Reader {
        let theirs = pty.theirs().expect("the terminal");
        raw(&theirs);
        Reader::begin(Arc::new(Tty::new(&theirs, &theirs).expect("a terminal")), Timing::default()).expect("a thread")
    }

    fn key(raw: &str) -> Event {
        Event::Key(raw.to_owned())
    }

    #[tokio::test]
    async fn what_is_typed_comes_and_a_lone_escape_too() {
        let pty = Pty::open().expect("a terminal");
        let reader = reader(&pty);
        let inbox = reader.inbox();
        pty.ours().write_all("aé\x1b[A".as_bytes()).expect("typed");
        assert_eq!([inbox.next().await, inbox.next().await, inbox.next().await], ["a", "é", "\x1b[A"].map(key));
        pty.ours().write_all(b"\x1b").expect("typed");
        assert_eq!(inbox.next().await, key("\x1b"));
        pty.ours().write_all(b"one\rtwo\r").expect("typed");
        let lines = Paste { text: "one\rtwo\r".to_owned(), kind: PasteKind::Burst };
        assert_eq!(inbox.next().await, Event::Paste(lines));
    }

    #[tokio::test]
    async fn a_terminal_that_hangs_up_is_the_end() {
        let pty = Pty::open().expect("a terminal");
        let reader = reader(&pty);
        let inbox = reader.inbox();
        pty.ours().write_all(b"a\x1b").expect("typed");
        assert_eq!(inbox.next().await, key("a"));
        drop(pty);
        let mut events = Vec::new();
        while !matches!(events.last(), Some(Event::End(_))) {
            events.push(inbox.next().await);
        }
        // What the system makes of the end of a terminal is its own affair.
        let Some(Event::End(end)) = events.last() else { panic!("no end") };
        assert!(matches!(end, End::HungUp | End::Failed(rustix::io::Errno::IO)), "{end:?}");
        assert_eq!(inbox.next().await, Event::End(*end));
    }

    #[tokio::test]
    async fn something_that_is_no_terminal_ends_where_its_bytes_end() {
        let (theirs, mut ours) = io::pipe().expect("a pipe");
        let output = std::fs::File::options().write(true).open("/dev/null").expect("a file");
        let tty = Arc::new(Tty::new(&theirs, &output).expect("descriptors"));
        let reader = Reader::begin(tty, Timing::default()).expect("a thread");
        ours.write_all(b"q").expect("written");
        drop(ours);
        let inbox = reader.inbox();
        assert_eq!(inbox.next().await, key("q"));
        assert!(matches!(inbox.next().await, Event::End(End::HungUp | End::Closed)));
    }

    #[tokio::test]
    async fn a_reader_that_rests_leaves_what_is_typed_to_others() {
        let pty = Pty::open().expect("a terminal");
        let reader = reader(&pty);
        let inbox = reader.inbox();
        reader.rest();
        pty.ours().write_all(b"theirs").expect("typed");
        let mut bytes = [0; 6];
        io::Read::read_exact(&mut pty.theirs().expect("the terminal"), &mut bytes).expect("read");
        assert_eq!(&bytes, b"theirs");
        assert_eq!(inbox.try_next(), None);
        reader.resume();
        pty.ours().write_all(b"o").expect("typed");
        assert_eq!(inbox.next().await, key("o"));
    }

    #[tokio::test]
    async fn nothing_is_lost_when_nobody_takes_it() {
        let pty = Pty::open().expect("a terminal");
        let reader = reader(&pty);
        let inbox = reader.inbox();
        // More than is kept here; the terminal keeps the rest, and who types waits.
        let typed: Vec<u8> = (0..20_000_u32).map(|at| b'a' + u8::try_from(at % 26).expect("a letter")).collect();
        let expected = typed.clone();
        let ours = pty.ours().try_clone().expect("the terminal");
        fcntl_setfl(&ours, OFlags::empty()).expect("set");
        let types = std::thread::spawn(move || (&ours).write_all(&typed));
        let mut text = String::new();
        while text.len() < expected.len() {
            let Event::Key(raw) = inbox.next().await else { panic!("no key") };
            text.push_str(&raw);
        }
        assert_eq!(text.as_bytes(), expected);
        types.join().expect("typed").expect("typed");
    }

    #[test]
    fn a_reader_ends_with_its_owner_though_nothing_is_typed_or_taken() {
        let pty = Pty::open().expect("a terminal");
        drop(reader(&pty));
        let full = reader(&pty);
        let text = "x".repeat(2 * MOST_EVENTS);
        let ours = pty.ours().try_clone().expect("the terminal");
        let types = std::thread::spawn(move || (&ours).write_all(text.as_bytes()));
        while !full.shared.state.lock().is_full() {
            std::thread::yield_now();
        }
        drop(full);
        drop(pty);
        drop(types);
    }
}
