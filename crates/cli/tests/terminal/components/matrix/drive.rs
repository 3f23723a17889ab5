//! A session in which one thing after the other goes wrong, and what has to work after each.

use std::time::{Duration, Instant};

use super::faults::Fault;
use super::places::{Place, extension};
use crate::place::Place as Folder;
use crate::terminal::Seat;

/// How long a test waits for something that should come. Long, for processors that are busy.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many prompts a session can answer.
const PROMPTS: usize = 80;

/// A session with the extension whose parts go wrong, and another one.
pub(super) struct Session {
    pub(super) seat: Seat,
    rounds: usize,
    pages: usize,
    /// What was said before the cell.
    before: String,
    /// What is not as it should be.
    problems: Vec<String>,
    /// It has the whole screen.
    pub(super) is_full: bool,
}

impl Session {
    pub(super) fn new() -> Self {
        Self::limited(r#"{"stretchMs": 500}"#)
    }

    /// With these limits.
    pub(super) fn limited(limits: &str) -> Self {
        Self::started(limits, &[])
    }

    /// With these limits and arguments.
    pub(super) fn started(limits: &str, args: &[&str]) -> Self {
        let folder = Folder::new();
        folder.write("agent/extensions/matrix.ts", extension());
        folder.write("agent/extensions/gate.ts", include_str!("gate.ts"));
        folder.write("agent/settings.json", format!(r#"{{"tau": {{"limits": {limits}}}}}"#));
        let call = |whose: &str, round: usize| {
            format!("{{tool_call: {{name: bash, arguments: {{command: 'touch {whose}-{round}'}}}}}}")
        };
        let rounds = (1..=PROMPTS).map(|round| {
            format!(
                "  - [{{tool_call: {{name: drawn, arguments: {{}}}}}}, {}, {}]\n  - Answer {round}.\n",
                call("own", round),
                call("theirs", round)
            )
        });
        let script = format!("replies:\n{}", rounds.collect::<String>());
        let mut seat = Seat::new(folder, &script, args);
        seat.is_ready();
        Self {
            seat,
            rounds: 0,
            pages: 0,
            before: String::new(),
            problems: Vec::new(),
            is_full: args.contains(&"fullscreen"),
        }
    }

    /// Sends a command, which need not be seen: an editor of an extension may show anything.
    pub(super) fn command(&mut self, text: &str) {
        self.seat.types(text);
        self.seat.types("\r");
    }

    /// A cell begins, on an empty page.
    pub(super) fn begin(&mut self) {
        self.pages += 1;
        let page = format!("page {}", self.pages);
        self.seat.submits(&format!("/{page}"));
        self.seat.until("an empty page", |screen| screen.lines().any(|line| line.trim() == page));
        self.before = self.said();
    }

    /// All that is in the scrollback and on the screen, in one line.
    fn said(&mut self) -> String {
        in_a_line(self.seat.all_rows())
    }

    /// How often a text was said since the cell began.
    pub(super) fn count(&mut self, text: &str) -> usize {
        self.said().matches(text).count().saturating_sub(self.before.matches(text).count())
    }

    /// Waits until a text was said, which need not be on the screen any more.
    pub(super) fn says(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while self.count(text) == 0 {
            if Instant::now() >= end {
                return self.problems.push(format!("{text:?} does not come:\n{}", self.seat.rows().join("\n")));
            }
            self.seat.watch(Duration::from_millis(20));
        }
    }

    /// Types a key again and again, until a text was said.
    pub(super) fn presses(&mut self, key: &str, text: &str) {
        let end = Instant::now() + PATIENCE;
        while self.count(text) == 0 {
            assert!(Instant::now() < end, "{text:?} does not come:\n{}", self.said());
            self.seat.types(key);
            self.seat.watch(Duration::from_millis(50));
        }
    }

    /// A text was said so often, no more and no less.
    pub(super) fn assert_said(&mut self, cell: &str, text: &str, count: usize) {
        let said = self.count(text);
        if said != count {
            let all = self.said();
            let since = all.rfind(&format!("page {}", self.pages)).map_or("", |at| &all[at..]);
            self.problems.push(format!("{cell}: {text:?} was said {said} times, not {count}:\n{since}\n"));
        }
    }

    /// What a fault says beside its failure was said, once.
    pub(super) fn assert_says(&mut self, cell: &str, fault: &Fault) {
        if !fault.says.is_empty() {
            self.says(fault.says);
            self.went_wrong(cell);
            self.assert_said(cell, fault.says, 1);
        }
    }

    /// It was never said that something failed.
    pub(super) fn assert_fine(&mut self, cell: &str) {
        self.assert_said(cell, "rror: matrix.ts", 0);
        self.assert_said(cell, "rror (", 0);
    }

    /// All cells were as they should be.
    pub(super) fn assert_well(&self) {
        assert!(self.problems.is_empty(), "{}", self.problems.join("\n"));
    }

    /// Waits until what goes wrong has left its trace.
    pub(super) fn went_wrong(&mut self, cell: &str) {
        let line = format!("{cell}\n");
        self.seat.until_true(&line, |seat| seat.place.contains("work/trace", &line));
    }

    /// How often something went wrong in a cell, by the traces it left.
    pub(super) fn times_wrong(&self, cell: &str) -> usize {
        self.seat.place.read("work/trace").lines().filter(|line| *line == cell).count()
    }

    /// The editor takes text, a prompt is answered, and both gates say no.
    pub(super) fn works(&mut self, cell: &str) {
        self.answers(cell, ["its own gate said no", "the other gate said no"]);
    }

    /// The editor takes text, a prompt is answered, and both calls of its answer are blocked for these reasons.
    pub(super) fn answers(&mut self, cell: &str, reasons: [&str; 2]) {
        self.seat.types("\x15");
        self.rounds += 1;
        let round = self.rounds;
        self.seat.submits(&format!("Prompt {round} after {cell}"));
        // A transformer changes its beginning.
        self.seat.shows(&format!("nswer {round}."));
        for whose in ["own", "theirs"] {
            let file = self.seat.place.work().join(format!("{whose}-{round}"));
            assert!(!file.exists(), "{cell}: the gate let {whose} through");
        }
        for reason in reasons {
            assert!(self.said().contains(reason), "{cell}: {reason} is not to be seen");
        }
        self.nothing_leaks(cell);
    }

    fn nothing_leaks(&self, cell: &str) {
        let bytes = String::from_utf8_lossy(&self.seat.bytes);
        for leak in ["\x1b[3J", "]0;evil", "\x1bcworse", "not for the screen", "nor this"] {
            assert!(!bytes.contains(leak), "{cell}: {leak:?} reached the terminal");
        }
    }

    /// The command that put a component somewhere has failed.
    pub(super) fn caller_failed(&mut self, cell: &str, why: &str) {
        let failed = format!("Extension error (command:put): {why}");
        self.says(&failed);
        self.works(cell);
        self.assert_said(cell, &failed, 1);
    }

    /// The other extension does what it was to do later.
    pub(super) fn now(&mut self, what: &str) {
        self.seat.place.write(&format!("work/{what}"), "");
    }

    /// Takes a component away by its extension.
    pub(super) fn drop_it(&mut self, place: &Place, fault: &str) {
        self.seat.types("\x15");
        let name = place.name;
        self.command(&format!("/drop {name} {fault}"));
        self.seat.shows(&format!("dropped {name} {fault}"));
    }
}

fn in_a_line(rows: Vec<String>) -> String {
    rows.iter().flat_map(|row| row.split_whitespace()).collect::<Vec<_>>().join(" ")
}
