//! A terminal with a program in it, and somebody who types.

use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use tau_sys::pty::Pty;
use vt100::Screen;

use crate::answers::Answers;
use crate::process::Process;

const COLUMNS: u16 = 100;
const ROWS: u16 = 30;
/// How long something may take that should come.
const PATIENCE: Duration = Duration::from_secs(120);
/// Letters that stand on one line of the editor.
const LINE: usize = 40;

/// A program in a terminal of 100×30.
pub struct Seat {
    pty: Pty,
    child: Child,
    output: Receiver<(Instant, Vec<u8>)>,
    screen: vt100::Parser<Answers>,
    /// The row where the last letter was.
    row: u16,
    begun: Instant,
    /// When something was written last.
    pub last: Instant,
    /// How much was written.
    pub bytes: usize,
    /// How often the scrollback was wiped.
    pub wiped: usize,
}

/// What keys took.
#[derive(Default)]
pub struct Keys {
    /// Milliseconds from writing a letter until the screen has it.
    pub times: Vec<f64>,
    /// Milliseconds of processor time for each.
    pub cpu: f64,
    pub bytes: f64,
}

impl Seat {
    /// Starts a program, at the head of a session that this terminal controls.
    pub fn start(command: &Command) -> Self {
        let pty = Pty::open().expect("a terminal");
        pty.resize(COLUMNS, ROWS).expect("its size");
        let theirs = pty.theirs().expect("its other end");
        let end = || theirs.try_clone().expect("the same terminal");
        // It becomes the program, under the same number.
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program()).args(command.get_args());
        leader.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(folder) = command.get_current_dir() {
            leader.current_dir(folder);
        }
        let mut ours = pty.ours().try_clone().expect("the terminal");
        let (sender, output) = channel();
        let begun = Instant::now();
        let child = leader.stdin(end()).stdout(end()).stderr(end()).spawn().expect("the program starts");
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = ours.read(&mut buffer) {
                if sender.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                    break;
                }
            }
        });
        let screen = vt100::Parser::new_with_callbacks(some(ROWS), some(COLUMNS), 0, Answers::default());
        Self { pty, child, output, screen, row: 0, begun, last: begun, bytes: 0, wiped: 0 }
    }

    pub fn process(&self) -> Process {
        Process(self.child.id())
    }

    /// Milliseconds from the start to a time.
    pub fn since_start(&self, time: Instant) -> f64 {
        milliseconds(time - self.begun)
    }

    pub fn types(&mut self, keys: &str) {
        self.pty.ours().write_all(keys.as_bytes()).expect("it reads");
    }

    pub fn resize(&mut self, columns: u16) {
        self.screen.screen_mut().set_size(some(ROWS), some(columns));
        self.pty.resize(columns, ROWS).expect("its size");
    }

    /// Reads what comes next; says when it came, or nothing if nothing came until then.
    fn next(&mut self, end: Instant) -> Option<Instant> {
        let (at, bytes) = match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(read) => read,
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => panic!("the program ended:\n{}", self.text()),
        };
        self.last = at;
        self.bytes += bytes.len();
        self.wiped += bytes.windows(4).filter(|window| window == b"\x1b[3J").count();
        self.screen.process(&bytes);
        let answers = std::mem::take(&mut self.screen.callbacks_mut().0);
        self.pty.ours().write_all(&answers).expect("it reads");
        Some(at)
    }

    /// Reads for a time.
    pub fn watch(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while self.next(end).is_some() {}
    }

    /// Reads until the first frame is there, and all that comes behind it: nothing was written for a time.
    pub fn settles(&mut self, time: Duration) {
        self.until("a first frame", has_cursor);
        self.rests(time);
    }

    /// Reads until nothing was written for a time, in which the program did nothing else either.
    pub fn rests(&mut self, time: Duration) {
        loop {
            self.quiet(time / 2);
            let (cpu, bytes) = (self.process().cpu(), self.bytes);
            self.watch(time / 2);
            if bytes == self.bytes && self.process().cpu() - cpu < time / 50 {
                return;
            }
        }
    }

    /// Reads what is written next, whenever it comes, and all that comes behind it.
    pub fn answers(&mut self, time: Duration) {
        let end = Instant::now() + PATIENCE;
        assert!(self.next(end).is_some(), "nothing is written:\n{}", self.text());
        self.rests(time);
    }

    /// Reads until nothing was written for a time.
    pub fn quiet(&mut self, time: Duration) {
        let end = Instant::now() + PATIENCE;
        while self.next(Instant::now() + time).is_some() {
            assert!(Instant::now() < end, "it is never quiet:\n{}", self.text());
        }
    }

    /// Reads until the screen is as it should be; says when it became so.
    pub fn until(&mut self, what: &str, is_there: impl Fn(&Screen) -> bool) -> Instant {
        let end = Instant::now() + PATIENCE;
        let mut at = Instant::now();
        while !is_there(self.screen.screen()) {
            at = self.next(end).unwrap_or_else(|| panic!("{what} does not come:\n{}", self.text()));
        }
        at
    }

    /// As [`Seat::until`], for a text.
    pub fn shows(&mut self, text: &str) -> Instant {
        self.until(text, |screen| rows(screen).any(|row| row.contains(text)))
    }

    fn text(&self) -> String {
        rows(self.screen.screen()).map(|row| format!("{}\n", row.trim_end())).collect()
    }

    /// Writes a letter; says after how many milliseconds the terminal has it behind those before.
    fn letter(&mut self, line: &str) -> f64 {
        while self.next(Instant::now()).is_some() {}
        let sent = Instant::now();
        self.types(&line[line.len() - 1..]);
        loop {
            let at = self.next(sent + PATIENCE).unwrap_or_else(|| panic!("{line} does not come:\n{}", self.text()));
            let screen = self.screen.screen();
            let (_, columns) = screen.size();
            // It is where the one before was, but when the editor has moved.
            if !screen.contents_between(self.row, 0, self.row, columns.get()).contains(line) {
                let Some(row) = rows(screen).position(|row| row.contains(line)) else { continue };
                self.row = u16::try_from(row).expect("it is on the screen");
            }
            return milliseconds(at.saturating_duration_since(sent));
        }
    }

    /// Types letters at random gaps, one after the other.
    pub fn keys(&mut self, count: usize) -> Keys {
        let mut keys = Keys::default();
        while keys.times.len() < count {
            let (cpu, bytes) = (self.process().cpu(), self.bytes);
            // Nothing else on the screen begins like this.
            let mut line = String::new();
            for _ in 0..LINE.min(count - keys.times.len()) {
                // All moments of a frame are met, so that no rhythm of the program favours anybody.
                self.watch(Duration::from_micros(fastrand::u64(5_000..75_000)));
                line.push(if line.len() < 4 { ['z', 'q', 'x', 'j'][line.len()] } else { fastrand::lowercase() });
                keys.times.push(self.letter(&line));
            }
            self.watch(Duration::from_millis(50));
            keys.cpu += milliseconds(self.process().cpu() - cpu) / count as f64;
            keys.bytes += (self.bytes - bytes) as f64 / count as f64;
            self.types("\x15");
            self.until("an empty line", |screen| !rows(screen).any(|row| row.contains(&line)));
            self.watch(Duration::from_millis(50));
        }
        keys
    }

    /// Sends a prompt.
    pub fn send(&mut self, prompt: &str) {
        self.types(prompt);
        self.shows(prompt);
        self.watch(Duration::from_millis(50));
        self.types("\r");
    }
}

fn rows(screen: &Screen) -> impl Iterator<Item = String> + '_ {
    let (_, columns) = screen.size();
    screen.rows(0, columns.get()).map(|row| row.to_string())
}

/// Whether the cell where letters will stand is marked: both programs draw it in the first frame.
pub fn has_cursor(screen: &Screen) -> bool {
    let (rows, columns) = screen.size();
    let mut cells = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
    cells.any(|(row, column)| screen.cell(row, column).is_some_and(vt100::Cell::inverse))
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("there is room")
}

impl Drop for Seat {
    fn drop(&mut self) {
        // It may have ended.
        if self.child.kill().is_ok() {
            self.child.wait().expect("it ended");
        }
    }
}
