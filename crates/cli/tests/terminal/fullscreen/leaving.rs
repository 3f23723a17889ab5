//! The ways out: the end, signals, other programs.

use rustix::process::{Pid, Signal, kill_process};

use super::{SIZES, answered, full, long_answer};
use crate::place::Place;
use crate::terminal::Seat;

fn send(seat: &Seat, signal: Signal) {
    kill_process(Pid::from_raw(seat.pid()).expect("a process"), signal).expect("sent");
}

#[test]
fn the_end_of_the_conversation_stays_without_the_dock() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(20), size);
        answered(&mut seat, "Go", "line 20 of it");
        seat.types("\x04");
        assert_eq!(seat.ends().0, Some(0));
        seat.assert_restored();
        let all = seat.all_rows();
        for line in 1..=20 {
            assert_eq!(all.iter().filter(|row| **row == format!(" line {line} of it")).count(), 1, "{all:?}");
        }
        assert!(all.iter().any(|row| row.starts_with("To resume this session: tau")), "{all:?}");
        assert!(!all.iter().any(|row| row.starts_with("───")), "{all:?}");
    }
}

#[test]
fn of_a_long_conversation_the_last_lines_stay_and_the_rest_is_counted() {
    let mut seat = full(Place::new(), &long_answer(300), (100, 30));
    answered(&mut seat, "Go", "line 300 of it");
    answered(&mut seat, "More", "Second.");
    seat.types("\x04");
    assert_eq!(seat.ends().0, Some(0));
    let all = seat.all_rows();
    assert!(all.len() < 230, "{} rows", all.len());
    assert!(all.iter().any(|row| row.contains(" earlier messages") && !row.contains("pager")), "{all:?}");
    assert!(all.iter().any(|row| row == " Second.") && !all.iter().any(|row| row == " line 1 of it"), "{all:?}");
}

#[test]
fn only_the_hint_stays_if_that_is_wanted() {
    for size in SIZES {
        let place = Place::new();
        place.write("agent/settings.json", r#"{"fullscreenExitOutput": "resume-hint"}"#);
        let mut seat = full(place, &long_answer(20), size);
        answered(&mut seat, "Go", "line 20 of it");
        seat.types("\x04");
        assert_eq!(seat.ends().0, Some(0));
        seat.assert_restored();
        let rows = seat.all_rows().join(" ");
        assert!(rows.contains("To resume this session: tau") && !rows.contains("line 20"), "{rows}");
    }
}

#[test]
fn signals_and_a_terminal_that_goes_away_leave_nothing_switched_on() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut seat = full(Place::new(), &long_answer(5), (100, 30));
        answered(&mut seat, "Go", "line 5 of it");
        send(&seat, signal);
        let (ended, screen) = seat.ends();
        assert_eq!(ended, Some(code));
        seat.assert_restored();
        assert!(screen.contains("line 5 of it") && screen.contains("To resume this session: tau"), "{screen}");
    }
    // Twice: there is no time for more than the modes.
    let mut seat =
        full(Place::new(), "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]", (100, 30));
    seat.submits("Go");
    seat.shows("$ sleep 1000");
    send(&seat, Signal::TERM);
    send(&seat, Signal::TERM);
    assert_eq!(seat.ends().0, Some(143));
    seat.assert_restored();
    let mut seat = full(Place::new(), &long_answer(5), (100, 30));
    seat.hang_up();
    assert_eq!(seat.code(), Some(129));
}

/// How often the alternate screen was entered.
fn entered(seat: &Seat) -> usize {
    seat.bytes.windows(8).filter(|window| window == b"\x1b[?1049h").count()
}

#[test]
fn stopped_and_continued_it_is_where_it_was() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(60), size);
        answered(&mut seat, "Go", "line 60 of it");
        seat.types("a draft\x1b[5~");
        seat.shows("Jump to latest");
        seat.until("no bar", |screen| !screen.contains('┃'));
        let (before, count) = (seat.rows(), entered(&seat));
        seat.types("\x1a");
        // No shell waits here, so the system does not stop it: it gives the terminal back and takes it again.
        seat.until_true("the screen again", |seat| entered(seat) > count);
        seat.until("the same place", |screen| screen.contains("Jump to latest") && screen.contains("a draft"));
        seat.until_true("all of it", |seat| seat.rows() == before);
        send(&seat, Signal::STOP);
        seat.types("x");
        send(&seat, Signal::CONT);
        seat.shows("a draftx");
        seat.types("\x03");
        seat.until("an empty editor", |screen| !screen.contains("a draft"));
        seat.quits();
    }
}

#[test]
fn another_editor_and_commands_that_write_on_the_screen_leave_it_whole() {
    let place = Place::new();
    let path = place.program("edits", "printf '\\033[?1000h\\033[?25lscribble'; printf 'edited' > \"$1\"");
    let mut seat =
        super::full_with(place, &long_answer(60), &[], (100, 30), &[("VISUAL", &path.display().to_string())]);
    answered(&mut seat, "Go", "line 60 of it");
    seat.types("a draft\x07");
    let screen = seat.until("the edited text", |screen| screen.contains("edited") && screen.contains("line 60 of it"));
    assert!(!screen.contains("scribble"), "{screen}");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("edited"));
    // It reaches the terminal and changes its modes.
    let terminal = seat.terminal().display().to_string();
    seat.submits(&format!("!stty sane < {terminal}; printf 'scribble' > {terminal}; echo over"));
    seat.until("the end of the command", |screen| screen.contains("\nover"));
    seat.types("more");
    seat.until("a whole screen", |screen| screen.contains("more") && screen.matches("scribble").count() <= 1);
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.lines().any(|row| row == "more"));
    seat.quits();
}
