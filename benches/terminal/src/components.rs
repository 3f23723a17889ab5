//! What components of extensions cost.

use std::process::Command;
use std::time::Duration;

use crate::measures::{Bench, QUIET, median, worst};
use crate::model::Answer;
use crate::place::{DRAWN, OVER};
use crate::seat::{Seat, milliseconds};
use crate::text::{END, Kind, MIDDLE};

const MS: &str = "ms";
/// How long an overlay is watched that moves thirty times a second.
const MOVING: Duration = Duration::from_secs(10);

impl Bench {
    /// Keys into an editor of an extension, beside a header, a footer and two widgets; tokens beside them; and an overlay that
    /// moves.
    pub fn components(&mut self) {
        for &messages in self.amount.messages {
            let mut echo = Seat::start(Command::new("cat").env("PATH", std::env::var_os("PATH").unwrap_or_default()));
            echo.watch(Duration::from_millis(200));
            let echo = echo.keys(self.amount.keys);
            let floor = (median(&echo), worst(&echo));
            for program in self.programs.clone() {
                let name = program.name;
                let mut seat = Seat::start(&program.with_components(&self.place, messages));
                seat.shows(DRAWN);
                seat.settles(QUIET * 3);
                let keys = seat.keys(self.amount.keys);
                let over = |value: f64, floor: f64| (value - floor).max(0.0);
                let mut add = |what: &str, value: f64, goal| {
                    self.table.add(&format!("{messages} messages, components: {what}"), name, value, MS, goal);
                };
                add("key p50 above echo", over(median(&keys), floor.0), None);
                add("key p95 above echo", over(worst(&keys), floor.1), Some(8.0));
                add("CPU per key", keys.cpu, None);
                let count = self.amount.words;
                let (before, words) = Kind::Prose.pieces(10, count);
                let turn = self.model.next(Answer { before, words, endless: false, end: END.to_owned() });
                seat.send("Go on.");
                seat.shows(MIDDLE);
                seat.watch(QUIET);
                let cpu = seat.process().cpu();
                turn.go();
                seat.shows(END);
                seat.watch(QUIET);
                add("CPU per token", milliseconds(seat.process().cpu() - cpu) / count as f64, Some(0.3));
                seat.send(OVER.1);
                seat.shows(OVER.0);
                let cpu = seat.process().cpu();
                seat.watch(MOVING);
                let share = (seat.process().cpu() - cpu).as_secs_f64() / MOVING.as_secs_f64() * 100.0;
                self.table.add(
                    &format!("{messages} messages: CPU of an overlay at 30 frames a second, percent of a core"),
                    name,
                    share,
                    "",
                    Some(5.0),
                );
            }
        }
    }
}
