//! Commands.

use super::Renderer;
use super::call::Call;
use super::view::State;
use crate::blocks::paint::{Rows, one_line, seconds, visible};
use crate::style::bold;

/// How many lines of the output show.
const LINES: usize = 5;

pub(super) struct Bash;

impl Renderer for Bash {
    fn title(&self, call: &Call<'_>) -> String {
        let command = call.given("toolTitle", "command", |command| bold(&visible(command.trim_end())));
        let limit = call.view.args.get("timeout").and_then(serde_json::Value::as_f64);
        let limit = limit.map(|limit| call.fg("muted", &format!(" (timeout {limit}s)"))).unwrap_or_default();
        format!("{} {command}{limit}", call.fg("toolTitle", &bold("$")))
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        let mut rows = Vec::new();
        let state = call.view.state();
        if let Some(shown) = call.shown().filter(|_| state != State::Blocked) {
            if state == State::Failed && shown.ending.is_none() {
                rows.extend(call.error());
            } else {
                rows.extend(call.output(&shown.output, Rows::Last(LINES)));
                rows.extend(call.notes(&shown));
            }
            rows.extend(shown.ending.iter().flat_map(|ending| call.wrapped("error", &one_line(ending))));
        }
        match call.view.duration {
            Some(took) => rows.extend(call.wrapped("muted", &format!("Took {}", seconds(took)))),
            None if state == State::Running && !call.view.slow.as_ref().is_some_and(|slow| slow.waiting) => {
                rows.extend(call.wrapped("muted", &format!("Elapsed {}", seconds(call.view.elapsed))));
            }
            None => {}
        }
        rows
    }
}
