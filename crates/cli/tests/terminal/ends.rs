//! Aborts, and the ways out.

use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::LocalModes;

use super::Seat;
use crate::place::Place;

/// It answers slowly enough to be stopped.
const SLOW: &str = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";

fn modes(seat: &Seat) -> LocalModes {
    seat.modes().local_modes
}

#[test]
fn escape_stops_a_run_and_the_program_goes_on() {
    let mut seat = Seat::new(Place::new(), SLOW, &["Go"]);
    seat.shows("$ sleep 1000");
    seat.shows("Working");
    seat.types("\x1b");
    let screen = seat.until("the end of the run", |screen| !screen.contains("Working"));
    assert!(screen.contains("aborted"), "{screen}");
    seat.types("more");
    seat.shows("more");
}

#[test]
fn ctrl_c_empties_the_editor_and_twice_ends_the_program() {
    let mut seat = Seat::new(Place::new(), "replies: []", &[]);
    seat.is_ready();
    seat.types("some text");
    seat.shows("some text");
    seat.types("\x03");
    seat.until("the empty editor", |screen| !screen.contains("some text"));
    seat.types("\x03\x03");
    assert_eq!(seat.ends().0, Some(0));
}

#[test]
fn the_terminal_is_as_before_after_each_end() {
    let signals = [(Signal::TERM, 143), (Signal::HUP, 129)];
    for (signal, code) in signals {
        let mut seat = Seat::new(Place::new(), "replies: []", &[]);
        seat.is_ready();
        assert!(!modes(&seat).contains(LocalModes::ECHO));
        kill_process(Pid::from_raw(seat.pid()).expect("a process"), signal).expect("sent");
        assert_eq!(seat.ends().0, Some(code));
        assert!(modes(&seat).contains(LocalModes::ECHO | LocalModes::ICANON), "{signal:?}");
        let written = String::from_utf8_lossy(&seat.bytes).into_owned();
        assert!(written.contains("\x1b[?2004l") && written.contains("\x1b[?25h"), "{written:?}");
    }
}

#[test]
fn a_draft_outlives_a_kill() {
    let place = Place::new();
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    seat.types("not sent yet");
    seat.shows("not sent yet");
    let drafts = seat.place.root().join("agent/tau/projects");
    let is_kept = || {
        crate::place::files_below(&drafts).iter().any(|file| {
            // Not the file that takes its place a moment later.
            file.extension().is_some_and(|kind| kind == "draft")
                && std::fs::read_to_string(file).is_ok_and(|text| text.contains("not sent yet"))
        })
    };
    while !is_kept() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    kill_process(Pid::from_raw(seat.pid()).expect("a process"), Signal::KILL).expect("sent");
    seat.ends();
    let mut again = seat.again("replies: []", &[]);
    again.shows("not sent yet");
}

/// What was written at the end takes back what was switched on: the keys of a terminal first, its title last.
fn assert_given_back(seat: &Seat) {
    let written = String::from_utf8_lossy(&seat.bytes).into_owned();
    let at = |what: &str| written.rfind(what).unwrap_or_else(|| panic!("{what:?} is not written: {written:?}"));
    assert!(at("\x1b[22;0t") < at("\x1b[?2004h") && at("\x1b[>4;0m") < at("\x1b[?2004l"), "{written:?}");
    assert!(at("\x1b[?2004l") < at("\x1b[23;0t"), "{written:?}");
    seat.assert_restored();
}

#[test]
fn every_way_to_quit_gives_the_terminal_back_and_says_how_to_go_on() {
    for keys in [&["\x04"][..], &["\x03", "\x03"], &["/quit\r"]] {
        let mut seat = Seat::new(Place::new(), "replies: [Yes.]", &["Hi"]);
        seat.shows("Yes.");
        seat.until("the end of the run", |screen| !screen.contains("Working"));
        keys.iter().for_each(|key| seat.types(key));
        let (code, screen) = seat.ends();
        assert_eq!(code, Some(0), "{keys:?}");
        assert_given_back(&seat);
        let id = session_id(&seat);
        assert!(screen.contains(&format!("To resume this session: tau --session {id}")), "{keys:?}: {screen}");
    }
}

fn session_id(seat: &Seat) -> String {
    seat.place.session().id().to_owned()
}

#[test]
fn what_was_not_begun_cannot_be_resumed_and_another_folder_is_named() {
    let mut seat = Seat::new(Place::new(), "replies: []", &[]);
    seat.is_ready();
    seat.types("\x04");
    let (code, screen) = seat.ends();
    assert_eq!(code, Some(0));
    assert!(!screen.contains("To resume"), "{screen}");
    let place = Place::new();
    let folder = place.root().join("elsewhere").display().to_string();
    let mut seat = Seat::of_size(place, "replies: [Yes.]", &["--session-dir", &folder, "Hi"], (200, 30));
    seat.shows("Yes.");
    seat.types("\x04");
    let (_, screen) = seat.ends();
    assert!(screen.contains(&format!("To resume this session: tau --session-dir {folder} --session ")), "{screen}");
}

#[test]
fn a_signal_says_how_to_go_on_too() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut seat = Seat::new(Place::new(), "replies: [Yes.]", &["Hi"]);
        seat.shows("Yes.");
        seat.until("the end of the run", |screen| !screen.contains("Working"));
        kill_process(Pid::from_raw(seat.pid()).expect("a process"), signal).expect("sent");
        let (ended, screen) = seat.ends();
        assert_eq!(ended, Some(code));
        assert_given_back(&seat);
        assert!(screen.contains("To resume this session: tau --session "), "{signal:?}: {screen}");
    }
}

#[test]
fn an_extension_that_ends_the_program_waits_for_the_run_and_quit_does_not() {
    let script = |command: &str| {
        format!("replies:\n  - [{{tool_call: {{name: bash, arguments: {{command: '{command}'}}}}}}]\n  - Done.")
    };
    for plain in [false, true] {
        let args: &[&str] = if plain { &["--plain", "Go"] } else { &["Go"] };
        let place = Place::new();
        place
            .write("agent/extensions/end.ts", "export default (pi) => pi.on('tool_call', (_, ctx) => ctx.shutdown());");
        let mut seat = Seat::new(place, &script("true"), args);
        let (code, screen) = seat.ends();
        assert_eq!(code, Some(0), "{screen}");
        assert!(screen.contains("Done."), "{screen}");
    }
    let mut seat = Seat::new(Place::new(), &script("sleep 1000"), &["Go"]);
    seat.shows("$ sleep 1000");
    seat.types("/quit\r");
    let (code, screen) = seat.ends();
    assert_eq!(code, Some(0), "{screen}");
}
