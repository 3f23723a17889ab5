//! The keys of vi, where the user wants them.

use super::Seat;
use super::screen::has_line;
use crate::place::{Place, transcript};

const WANTED: &str = r#"{"tau": {"editorKeys": "vi"}}"#;

fn ready(script: &str, variables: &[(&str, &str)]) -> Seat {
    let place = Place::new();
    place.write("agent/settings.json", WANTED);
    let mut seat = Seat::with(place, script, &[], variables);
    seat.is_ready();
    seat
}

#[test]
fn a_prompt_is_edited_with_them_and_sent() {
    let mut seat = ready("replies: [First., Second.]", &[]);
    seat.shows(" INSERT ");
    seat.types("say hello wrld twice");
    seat.shows("say hello wrld twice");
    seat.types("\x1b");
    seat.shows(" NORMAL ");
    // Two at once are two keys, and no text.
    seat.types("bbrodaw");
    seat.until("a word less", |screen| has_line(screen, "say hello twice"));
    seat.types("u");
    seat.until("the word again", |screen| has_line(screen, "say hello orld twice"));
    seat.types("\x12");
    seat.until("a word less again", |screen| has_line(screen, "say hello twice"));
    seat.types("ce");
    seat.shows(" INSERT ");
    seat.types("three times");
    seat.until("the change", |screen| has_line(screen, "say hello three times"));
    seat.types("\r");
    seat.shows("First.");
    seat.until("an empty editor that inserts", |screen| screen.contains(" INSERT ") && !screen.contains("Working"));
    // An earlier prompt comes as with the arrow keys.
    seat.types("\x1b");
    seat.shows(" NORMAL ");
    seat.types("kcchi again\x1b\r");
    seat.shows("Second.");
    seat.types("\x04");
    seat.ends();
    let said = transcript(&seat.place.session());
    let prompts: Vec<&str> = said.iter().map(|line| line.trim()).filter(|line| line.starts_with("user: ")).collect();
    assert_eq!(prompts, ["user: say hello three times", "user: hi again"]);
}

#[test]
fn a_slash_begins_a_command_and_escape_closes_its_list_first() {
    let mut seat = ready("replies: []", &[]);
    seat.types("\x1b");
    seat.shows(" NORMAL ");
    seat.types("/");
    seat.until("the list of commands", |screen| screen.contains("(1/") && screen.contains(" INSERT "));
    seat.types("\x1b");
    seat.until("no list", |screen| !screen.contains("(1/") && screen.contains(" INSERT "));
    seat.types("\x1b");
    seat.shows(" NORMAL ");
    seat.types("v");
    seat.shows(" VISUAL ");
    seat.types("\x1b");
    seat.shows(" NORMAL ");
    seat.types("dd");
    seat.until("an empty editor", |screen| !has_line(screen, "/"));
    seat.quits();
}

#[test]
fn escape_stops_a_run_in_normal_mode_only() {
    let slow = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";
    let mut seat = ready(slow, &[]);
    seat.submits("go");
    seat.shows("sleep 1000");
    seat.types("next");
    seat.shows("next");
    seat.types("\x1b");
    seat.until("normal mode", |screen| screen.contains(" NORMAL ") && screen.contains("Working"));
    seat.types("\x1b");
    seat.until("the end of the run", |screen| !screen.contains("Working") && screen.contains("aborted"));
}

#[test]
fn the_cursor_of_the_terminal_has_the_shape_of_the_mode() {
    let mut seat = ready("replies: []", &[("PI_HARDWARE_CURSOR", "1")]);
    let last = |seat: &Seat| {
        let end = seat.bytes.windows(5).rposition(|window| window.starts_with(b"\x1b[") && window.ends_with(b" q"));
        end.map(|at| seat.bytes[at + 2])
    };
    seat.until_true("a bar", |seat| last(seat) == Some(b'6'));
    seat.types("\x1b");
    seat.until_true("a block", |seat| last(seat) == Some(b'2'));
    seat.quits();
    assert_eq!(last(&seat), Some(b'0'));
    // Without the cursor of the terminal nothing is asked for.
    let mut seat = ready("replies: []", &[]);
    seat.types("\x1b");
    seat.shows(" NORMAL ");
    assert_eq!(last(&seat), None);
}

#[test]
fn they_come_and_go_with_the_setting() {
    let place = Place::new();
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    seat.types("/settings\r");
    seat.shows("→ Auto-compact");
    seat.types("editor k");
    seat.shows("→ Editor keys");
    seat.types("\r");
    seat.shows("tau.editorKeys = \"vi\" (user settings");
    seat.types("\x1b");
    seat.shows(" INSERT ");
    seat.types("\x1b");
    seat.shows(" NORMAL ");
}
