//! A terminal to sit at.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::Termios;
use tau_sys::pty::Pty;
use tau_testkit::{session_lines, session_problems};

use super::reflowing::Reflowing;
use crate::place::{Place, Tau};

/// How long a test waits for something that should come. Long, for processors that are busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A terminal with tau in it, as two kinds of terminals show it. Until it gets another size both have to show the same.
pub(super) struct Seat {
    pub(super) place: Place,
    /// Until it hangs up.
    pty: Option<Arc<Pty>>,
    /// Whether the terminal reads nothing.
    stalled: Arc<AtomicBool>,
    /// The modes that the program found.
    found: Termios,
    child: Child,
    output: Receiver<Vec<u8>>,
    /// One that cuts off what is too long when it gets smaller.
    screen: vt100::Parser,
    /// One that wraps it.
    reflowing: Reflowing,
    was_resized: bool,
    /// Everything that was written.
    pub(super) bytes: Vec<u8>,
}

impl Seat {
    /// Starts tau with a scripted model in a terminal of this size.
    pub(super) fn of_size(place: Place, script: &str, args: &[&str], size: (u16, u16)) -> Self {
        Self::with_variables(place, script, args, size, &[])
    }

    /// As [`Seat::new`], with more variables, or others.
    pub(super) fn with(place: Place, script: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::with_variables(place, script, args, (100, 30), variables)
    }

    /// As [`Seat::of_size`], with more variables, or others.
    pub(super) fn with_variables(
        place: Place,
        script: &str,
        args: &[&str],
        size: (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let tau = place.play(script, args);
        Self::at(place, tau, size, variables)
    }

    /// This tau in a terminal.
    pub(super) fn at(place: Place, tau: Tau, (columns, rows): (u16, u16), variables: &[(&str, &str)]) -> Self {
        let pty = Arc::new(Pty::open().expect("a terminal"));
        pty.resize(columns, rows).expect("its size");
        let theirs = pty.theirs().expect("its other end");
        let found = rustix::termios::tcgetattr(&theirs).expect("its modes");
        let tau = tau.env("TERM", "xterm-256color");
        let tau = variables.iter().fold(tau, |tau, (name, value)| tau.env(name, value));
        let child = tau.leading_its_terminal().spawn_at(&theirs);
        drop(theirs);
        let (sender, output) = channel();
        let stalled = Arc::new(AtomicBool::new(false));
        // It keeps the terminal only while it reads, so that the terminal can go away.
        let (held, stalls) = (Arc::downgrade(&pty), Arc::clone(&stalled));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Some(pty) = held.upgrade() {
                if stalls.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                    continue;
                }
                let mut ready = [PollFd::new(pty.ours(), PollFlags::IN)];
                let wait = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
                if poll(&mut ready, Some(&wait)).expect("it can be waited for") == 0 {
                    continue;
                }
                let Ok(count @ 1..) = pty.ours().read(&mut buffer) else { break };
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let screen = vt100::Parser::new(some(rows), some(columns), 10_000);
        Self {
            place,
            pty: Some(pty),
            stalled,
            found,
            child,
            output,
            screen,
            reflowing: Reflowing::new(columns, rows),
            was_resized: false,
            bytes: Vec::new(),
        }
    }

    /// As [`Seat::of_size`], of the usual size.
    pub(super) fn new(place: Place, script: &str, args: &[&str]) -> Self {
        Self::of_size(place, script, args, (100, 30))
    }

    /// Types.
    pub(super) fn types(&mut self, keys: &str) {
        self.sends(keys.as_bytes());
    }

    /// Types a line, and sends it once it is there: both at once could be a paste.
    pub(super) fn submits(&mut self, line: &str) {
        self.types(line);
        self.shows(line);
        self.types("\r");
    }

    /// Types what need not be text.
    pub(super) fn sends(&mut self, bytes: &[u8]) {
        self.pty().ours().write_all(bytes).expect("it reads");
    }

    fn pty(&self) -> &Pty {
        self.pty.as_ref().expect("the terminal is there")
    }

    /// The file of the terminal.
    pub(super) fn terminal(&self) -> &Path {
        self.pty().path()
    }

    /// Keeps the terminal from reading, or lets it read again.
    pub(super) fn stalls(&self, stalls: bool) {
        self.stalled.store(stalls, Ordering::Relaxed);
    }

    /// Closes the terminal under the program.
    pub(super) fn hang_up(&mut self) {
        self.pty = None;
    }

    /// The rows of the screen, without spaces at their ends.
    pub(super) fn rows(&self) -> Vec<String> {
        let screen = self.screen.screen();
        let (_, columns) = screen.size();
        screen.rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
    }

    /// The rows of the scrollback and of the screen, without spaces at their ends.
    pub(super) fn all_rows(&mut self) -> Vec<String> {
        let screen = self.screen.screen_mut();
        let (_, columns) = screen.size();
        let first = |screen: &mut vt100::Screen, above: usize| {
            screen.set_scrollback(above);
            screen.rows(0, columns.get()).next().map(|row| row.trim_end().to_owned())
        };
        let mut rows: Vec<String> =
            (1..=screen.scrollback_len()).rev().filter_map(|above| first(screen, above)).collect();
        screen.set_scrollback(0);
        rows.extend(self.rows());
        rows
    }

    /// As [`Seat::rows`], in the terminal that wraps lines again.
    pub(super) fn reflowed_rows(&self) -> Vec<String> {
        self.reflowing.rows()
    }

    /// As [`Seat::all_rows`], in the terminal that wraps lines again.
    pub(super) fn all_reflowed_rows(&self) -> Vec<String> {
        self.reflowing.all_rows()
    }

    /// What a selection takes from the line that begins with a text, to the end of the one that ends with another.
    pub(super) fn copied(&self, first: &str, last: &str) -> String {
        let rows = self.rows();
        let at = |found: Option<usize>| u16::try_from(found.expect("the line")).expect("a row");
        let from = at(rows.iter().position(|row| row.contains(first)));
        let to = at(rows.iter().position(|row| row.ends_with(last)));
        self.screen.screen().contents_between(from, 0, to + 1, 0)
    }

    /// The colours of the characters of a text on the screen.
    pub(super) fn colours(&self, text: &str) -> Vec<vt100::Color> {
        let rows = self.rows();
        let (row, at) =
            rows.iter().enumerate().find_map(|(row, line)| Some((row, line.find(text)?))).expect("the text");
        let column = rows[row][..at].chars().count();
        let cell = |at: usize| {
            let (row, column) = (u16::try_from(row).expect("a row"), u16::try_from(column + at).expect("a column"));
            self.screen.screen().cell(row, column).expect("a cell").fgcolor()
        };
        (0..text.chars().count()).map(cell).collect()
    }

    fn text(&self) -> String {
        self.rows().join("\n")
    }

    /// Reads until the screen is as it should be; gives it as text.
    pub(super) fn until(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if !self.is_within_frame() && is_there(&text) {
                assert!(self.is_same_on_both(), "{}", self.differs());
                return text;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("{what} does not come:\n{text}\n{}", String::from_utf8_lossy(&self.bytes)),
            }
        }
    }

    /// Whether a part of a frame came, and its end did not: lines do not wrap within one.
    fn is_within_frame(&self) -> bool {
        let mark = self.bytes.windows(5).rfind(|window| window.starts_with(b"\x1b[?7") && b"hl".contains(&window[4]));
        mark == Some(b"\x1b[?7l")
    }

    /// Whether both terminals show the same, as far as they can: one leaves U+FFFD out.
    fn is_same_on_both(&self) -> bool {
        let other = self.reflowing.rows();
        self.was_resized || other == self.rows() || other.iter().any(|row| row.contains('\u{fffd}'))
    }

    /// What the two terminals show.
    fn differs(&self) -> String {
        let rows = self.rows().into_iter().zip(self.reflowing.rows());
        let unlike = rows.filter(|(one, other)| one != other).map(|(one, other)| format!("{one:?}\n{other:?}\n"));
        format!("two terminals show different rows:\n{}", unlike.collect::<String>())
    }

    /// Reads until something is so that is not on the screen.
    pub(super) fn until_true(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(Instant::now() < end, "{what} does not come:\n{}", self.text());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.take(&bytes);
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.screen.process(bytes);
        self.reflowing.process(bytes);
        // A terminal that knows nothing but who it is and where its cursor is.
        if bytes.windows(4).any(|window| window == b"\x1b[6n") {
            let (row, column) = self.screen.screen().cursor_position();
            self.types(&format!("\x1b[{};{}R", row + 1, column + 1));
        }
        let asked = bytes.windows(3).filter(|window| *window == b"\x1b[c").count();
        for _ in 0..asked {
            self.types("\x1b[?62;22c");
        }
    }

    /// Reads until a text is on the screen. Words may stand in several lines: a path in front of them may be of any length.
    pub(super) fn shows(&mut self, text: &str) -> String {
        let in_a_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let wraps = !text.contains('\n') && in_a_line(text) == text && text.contains(' ');
        self.until(text, |screen| screen.contains(text) || (wraps && in_a_line(screen).contains(text)))
    }

    /// Waits until prompts are taken.
    pub(super) fn is_ready(&mut self) {
        self.shows("escape interrupt");
    }

    /// Reads until the program ends; gives its code, and what is on the screen then.
    pub(super) fn ends(&mut self) -> (Option<i32>, String) {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                break status;
            }
            assert!(Instant::now() < end, "it does not end:\n{}", self.text());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.take(&bytes);
            }
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(200)) {
            self.take(&bytes);
        }
        (status.code(), self.text())
    }

    /// Waits for the end of a program whose terminal went away; gives its code.
    pub(super) fn code(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Reads for a time: nothing that shows is waited for.
    pub(super) fn watch(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Ok(bytes) = self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.take(&bytes);
        }
    }

    /// The modes of the terminal.
    pub(super) fn modes(&self) -> Termios {
        rustix::termios::tcgetattr(self.pty().ours()).expect("its modes")
    }

    /// The terminal is as the program found it.
    pub(super) fn assert_restored(&self) {
        let modes = self.modes();
        assert_eq!(modes.local_modes, self.found.local_modes);
        assert_eq!(modes.input_modes, self.found.input_modes);
        assert_eq!(modes.output_modes, self.found.output_modes);
        assert_eq!(modes.control_modes, self.found.control_modes);
        assert!(self.reflowing.wraps());
        let screen = self.screen.screen();
        assert!(!screen.hide_cursor() && !screen.bracketed_paste() && !screen.alternate_screen());
        assert!(screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None);
        assert!(!screen.application_cursor() && !screen.application_keypad());
    }

    /// Leaves with ctrl+d: the program ends well, and the terminal is as it was.
    pub(super) fn quits(&mut self) {
        self.types("\x04");
        let (code, screen) = self.ends();
        assert_eq!(code, Some(0), "{screen}");
        self.assert_restored();
    }

    /// What is wrong with the session files.
    pub(super) fn session_problems(&self) -> Vec<String> {
        self.place.session_files().iter().flat_map(|file| session_problems(&session_lines(file))).collect()
    }

    /// tau once more in the same place, in another terminal. The first one has ended.
    pub(super) fn again(&mut self, script: &str, args: &[&str]) -> Self {
        let place = std::mem::replace(&mut self.place, Place::new());
        Self::new(place, script, args)
    }

    /// As [`Seat::again`], in a terminal of this size.
    pub(super) fn again_with(&mut self, script: &str, args: &[&str], size: (u16, u16)) -> Self {
        let place = std::mem::replace(&mut self.place, Place::new());
        Self::of_size(place, script, args, size)
    }

    /// The number of the process.
    pub(super) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a number")
    }

    /// Makes the terminal another size.
    pub(super) fn resize(&mut self, columns: u16, rows: u16) {
        self.pty().resize(columns, rows).expect("its size");
        // No model has a screen without cells.
        self.screen.screen_mut().set_size(some(rows.max(1)), some(columns.max(1)));
        self.reflowing.resize(columns.max(1), rows.max(1));
        self.was_resized = true;
    }
}

pub(super) fn has_line(screen: &str, line: &str) -> bool {
    screen.lines().any(|other| other == line)
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("there is room")
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.child.kill().expect("it ends");
            self.child.wait().expect("it ended");
        }
    }
}
