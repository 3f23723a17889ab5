//! What is measured.

use std::process::Command;
use std::time::Duration;

use crate::model::{Answer, Model};
use crate::place::{BOUND, Place, Program};
use crate::seat::{Keys, Seat, has_cursor, milliseconds};
use crate::table::{Table, part};
use crate::text::{END, Kind, MIDDLE};

/// When nothing has been written for so long, a program has done what it had to.
pub const QUIET: Duration = Duration::from_millis(500);
/// How long an idle program is watched.
const IDLE: Duration = Duration::from_secs(10);
const MS: &str = "ms";
const BYTES: &str = "bytes";

/// How much is done.
pub struct Amount {
    pub starts: usize,
    pub resumes: usize,
    pub keys: usize,
    pub messages: &'static [usize],
    /// Words that come one by one.
    pub words: usize,
}

pub struct Bench {
    pub place: Place,
    pub model: Model,
    pub programs: Vec<Program>,
    pub amount: Amount,
    pub table: Table,
}

impl Bench {
    /// From the start to the first frame, and until extensions are bound.
    pub fn starts(&mut self) {
        // The first round fills caches and does not count.
        for round in 0..=self.amount.starts {
            for program in self.programs.clone() {
                let mut seat = Seat::start(&program.command());
                let first = seat.until("a first frame", has_cursor);
                let frame = seat.since_start(first);
                seat.quiet(QUIET);
                let bytes = seat.bytes as f64;
                drop(seat);
                let mut seat = Seat::start(&program.with_extensions(&self.place));
                let bound = seat.shows(BOUND);
                if round > 0 {
                    let ready = seat.since_start(bound);
                    self.table.add("first frame", program.name, frame, MS, Some(15.0));
                    self.table.add("ready with 10 extensions", program.name, ready, MS, Some(40.0));
                    self.table.add("bytes of a start", program.name, bytes, BYTES, Some(64e3));
                }
            }
        }
    }

    /// Sessions that are opened again.
    pub fn resumes(&mut self) {
        for _ in 0..self.amount.resumes {
            for program in self.programs.clone() {
                let mut seat = Seat::start(&program.with_messages(5000));
                seat.settles(QUIET * 3);
                let (time, bytes) = (seat.since_start(seat.last), seat.bytes as f64);
                self.table.add("resume of 5000, until quiet", program.name, time, MS, Some(200.0));
                self.table.add("resume of 5000, bytes", program.name, bytes, BYTES, Some(64e3));
                let cpu = milliseconds(seat.process().cpu());
                self.table.add("resume of 5000, CPU", program.name, cpu, MS, None);
            }
        }
    }

    /// Keys, resizes, memory and rest, in sessions of some lengths.
    pub fn sessions(&mut self) {
        for &messages in self.amount.messages {
            // Beside the programs, since the machine is not always as fast.
            let mut echo = Seat::start(Command::new("cat").env("PATH", std::env::var_os("PATH").unwrap_or_default()));
            echo.watch(Duration::from_millis(200));
            let echo = echo.keys(self.amount.keys);
            let floor = (median(&echo), worst(&echo));
            println!("echo of a bare terminal: p50 {:.2} ms, p95 {:.2} ms ({messages} messages)", floor.0, floor.1);
            for program in self.programs.clone() {
                let mut seat = Seat::start(&program.with_messages(messages));
                seat.settles(QUIET * 3);
                let name = program.name;
                let keys = seat.keys(self.amount.keys);
                self.keys(&format!("{messages} messages"), name, &keys, floor);
                self.table.add(&format!("{messages} messages: CPU per key"), name, keys.cpu, MS, Some(0.5));
                self.table.add(&format!("{messages} messages: bytes per key"), name, keys.bytes, BYTES, Some(150.0));
                self.rest(&mut seat, messages, name);
                self.resizes(&mut seat, messages, name);
                let process = seat.process();
                self.table.add(&format!("{messages} messages: PSS"), name, process.pss(), BYTES, Some(60e6));
                let (words, _) = Kind::Prose.pieces(600, 0);
                let turn = self.model.next(Answer {
                    before: vec![MIDDLE.to_owned()],
                    words,
                    endless: true,
                    end: END.to_owned(),
                });
                seat.send("Go on.");
                seat.shows(MIDDLE);
                turn.go();
                let keys = seat.keys(self.amount.keys);
                turn.stop();
                seat.shows(END);
                self.keys(&format!("{messages} messages, streaming"), name, &keys, floor);
                self.table.add(&format!("{messages} messages: peak memory"), name, process.peak(), BYTES, None);
            }
        }
    }

    fn keys(&mut self, what: &str, name: &str, keys: &Keys, floor: (f64, f64)) {
        let over = |value: f64, floor: f64| (value - floor).max(0.0);
        self.table.add(&format!("{what}: key p50 above echo"), name, over(median(keys), floor.0), MS, Some(1.0));
        self.table.add(&format!("{what}: key p95 above echo"), name, over(worst(keys), floor.1), MS, Some(4.0));
    }

    fn rest(&mut self, seat: &mut Seat, messages: usize, name: &str) {
        seat.quiet(QUIET * 4);
        let (cpu, sleeps, bytes) = (seat.process().cpu(), seat.process().sleeps(), seat.bytes);
        seat.watch(IDLE);
        let process = seat.process();
        let mut add = |what: &str, value: f64, unit, goal| {
            self.table.add(&format!("{messages} messages: {what} in 10 s of rest"), name, value, unit, goal);
        };
        add("wake-ups", process.wakes_since(&sleeps), "", Some(0.0));
        add("bytes", (seat.bytes - bytes) as f64, BYTES, Some(0.0));
        add("CPU", milliseconds(process.cpu() - cpu), MS, None);
    }

    fn resizes(&mut self, seat: &mut Seat, messages: usize, name: &str) {
        for columns in [90, 100, 90, 100] {
            let (begun, bytes, wiped) = (std::time::Instant::now(), seat.bytes, seat.wiped);
            seat.resize(columns);
            seat.answers(QUIET);
            let time = milliseconds(seat.last.saturating_duration_since(begun));
            let mut add = |what: &str, value: f64, unit, goal| {
                self.table.add(&format!("{messages} messages: {what}"), name, value, unit, goal);
            };
            add("resize", time, MS, Some(20.0));
            add("resize, bytes", (seat.bytes - bytes) as f64, BYTES, Some(64e3));
            add("resize, scrollback wiped", (seat.wiped - wiped) as f64, "", Some(0.0));
        }
    }

    /// What a token costs, at the end of short and long answers, in new and long sessions.
    pub fn tokens(&mut self) {
        let count = self.amount.words;
        for messages in [0, 500, 5000] {
            for (kind, kind_name) in Kind::ALL {
                for length in [300, 10_000] {
                    let before = if length == 300 { 10 } else { length - 300 };
                    for program in self.programs.clone() {
                        let mut seat = Seat::start(&program.with_messages(messages));
                        seat.settles(QUIET * 3);
                        let (before, words) = kind.pieces(before, count);
                        let turn = self.model.next(Answer { before, words, endless: false, end: kind.end() });
                        seat.send("Go on.");
                        seat.shows(MIDDLE);
                        seat.watch(QUIET);
                        let (cpu, bytes) = (seat.process().cpu(), seat.bytes);
                        turn.go();
                        seat.shows(END);
                        seat.watch(QUIET);
                        let cpu = milliseconds(seat.process().cpu() - cpu) / count as f64;
                        let bytes = (seat.bytes - bytes) as f64 / count as f64;
                        let what = format!("{messages} messages, {length} words of {kind_name}");
                        self.table.add(&format!("{what}: CPU per token"), program.name, cpu, MS, Some(0.3));
                        self.table.add(&format!("{what}: bytes per token"), program.name, bytes, BYTES, Some(200.0));
                    }
                }
            }
        }
        for program in self.programs.clone() {
            let all = [0, 500, 5000].into_iter().flat_map(|messages| {
                Kind::ALL.into_iter().flat_map(move |(_, kind)| {
                    [300, 10_000].map(|length| format!("{messages} messages, {length} words of {kind}: CPU per token"))
                })
            });
            let values: Vec<f64> = all.filter_map(|what| self.table.value(&what, program.name)).collect();
            let most = values.iter().copied().fold(0.0, f64::max);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            self.table.add("CPU per token: most ÷ least of these", program.name, most / least, "", Some(1.2));
        }
    }
}

pub fn median(keys: &Keys) -> f64 {
    part(&keys.times, 0.5).unwrap_or(f64::NAN)
}

pub fn worst(keys: &Keys) -> f64 {
    part(&keys.times, 0.95).unwrap_or(f64::NAN)
}
