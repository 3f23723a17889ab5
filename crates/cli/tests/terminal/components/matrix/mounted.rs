//! What happens to the session, the program and the screen while a component stands at each place.

use rustix::process::{Pid, Signal, kill_process};

use super::drive::Session;
use super::faults::HERE;
use super::places::{PLACES, Place};

const MODES: [&str; 2] = ["regular", "fullscreen"];

/// What goes wrong at the end of a component.
const DISPOSES: [&str; 2] = ["disposeThrows", "disposeEndless"];

fn session(mode: &str) -> Session {
    Session::started(r#"{"stretchMs": 500}"#, &["--tui-mode", mode])
}

/// Puts a component somewhere, on an empty page; `later` is what happens then.
pub(super) fn put(session: &mut Session, place: &Place, fault: &str, later: Option<&str>) {
    session.begin();
    if let Some(later) = later {
        session.seat.submits(&format!("/later {later}"));
        session.seat.shows(&format!("{later} is to come"));
    }
    session.command(&format!("/put {} {fault}", place.name));
    if is_printed(place) && session.is_full {
        session.says(&format!("over {} {fault}", place.name));
        // It stands at the top of the conversation.
        session.seat.types("\x1b[1;5H");
        session.seat.shows(HERE);
        session.seat.types("\x1b[1;5F");
        session.seat.until("the end of the conversation", |screen| screen.contains(&format!("over {}", place.name)));
        return;
    }
    session.seat.shows(HERE);
}

/// The rows that stand below the conversation, without the numbers in them.
pub(super) fn below(session: &mut Session) -> Vec<String> {
    session.seat.until("the end of the run", |screen| !screen.contains("Working"));
    let rows = session.seat.rows();
    let rule = rows.iter().rposition(|row| row.starts_with("──")).map_or(0, |end| end.saturating_sub(2));
    rows[rule..].iter().map(|row| row.replace(|c: char| c.is_ascii_digit(), "")).collect()
}

/// Whether a component at this place becomes a part of the conversation, and stays there.
pub(super) fn is_printed(place: &Place) -> bool {
    place.name == "header"
}

/// The component is gone without a trace, and everything works.
pub(super) fn is_gone(session: &mut Session, place: &Place, cell: &str) {
    if !is_printed(place) {
        session.seat.until("no component", |screen| !screen.contains(HERE));
    }
    session.works(cell);
    session.begin();
    assert!(!session.seat.rows().join("\n").contains(HERE), "{cell}: it came back");
    session.assert_said(cell, "matrix.ts: its", 0);
}

/// Each component goes with its session, or is loaded again.
fn goes(faults: &[&str], what: &str, says: &str) {
    for mode in MODES {
        let mut session = session(mode);
        session.works("the start");
        let before = below(&mut session);
        for place in PLACES {
            for fault in faults {
                let cell = format!("{mode} {} {fault} {what}", place.name);
                put(&mut session, place, fault, Some(what));
                session.now(what);
                session.says(says);
                is_gone(&mut session, place, &cell);
                assert_eq!(below(&mut session), before, "{cell}");
            }
        }
        session.assert_well();
    }
}

#[test]
fn with_a_reload() {
    goes(&["none"], "reload", "begun with reload");
}

#[test]
fn with_a_new_session() {
    goes(&["none"], "new", "begun with new");
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn with_a_session_whatever_its_end_does() {
    goes(&DISPOSES, "reload", "begun with reload");
    goes(&DISPOSES, "new", "begun with new");
}

/// Ends the program by its keys: a component that has them gets all but the ones that always end it.
fn by_keys(session: &mut Session, place: &Place) {
    session.seat.types(if place.has_keys { "\x03\x03" } else { "\x04" });
}

fn by_signal(session: &mut Session, _: &Place) {
    kill_process(Pid::from_raw(session.seat.pid()).expect("a process"), Signal::TERM).expect("sent");
}

/// The program ends with this code, and the terminal is as it was.
fn ends(faults: &[&str], way: fn(&mut Session, &Place), code: i32) {
    for mode in MODES {
        for place in PLACES {
            for fault in faults {
                let cell = format!("{mode} {} {fault}", place.name);
                let mut session = session(mode);
                session.works("the start");
                put(&mut session, place, fault, None);
                way(&mut session, place);
                let (ended, screen) = session.seat.ends();
                assert_eq!(ended, Some(code), "{cell}: {screen}");
                session.seat.assert_restored();
                assert!(!screen.contains(HERE) || is_printed(place), "{cell}: {screen}");
                assert!(screen.contains("To resume this session"), "{cell}: {screen}");
            }
        }
    }
}

#[test]
fn at_the_end_by_keys() {
    ends(&["none"], by_keys, 0);
}

#[test]
fn at_the_end_by_a_signal() {
    ends(&["none"], by_signal, 143);
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn at_the_end_whatever_its_own_does() {
    ends(&DISPOSES, by_keys, 0);
    ends(&DISPOSES, by_signal, 143);
}

#[test]
fn when_the_terminal_gets_another_size() {
    for mode in MODES {
        let mut session = session(mode);
        session.works("the start");
        let before = below(&mut session);
        for place in PLACES {
            let cell = format!("{mode} {} resized", place.name);
            put(&mut session, place, "none", None);
            let is_full = session.is_full;
            for (columns, rows) in [(60, 20), (140, 40), (100, 12), (100, 30)] {
                session.seat.resize(columns, rows);
                let edge = "─".repeat(usize::from(columns));
                session.seat.until("the component, once", |screen| {
                    let is_fit = place.has_keys || screen.lines().any(|line| line == edge);
                    let shown = screen.matches(HERE).count();
                    is_fit && (shown == 1 || is_printed(place) && (shown > 1 || is_full))
                });
            }
            if place.is_awaited {
                session.seat.types("q");
                session.seat.shows(&format!("over {} none left", place.name));
            } else {
                session.drop_it(place, "none");
            }
            is_gone(&mut session, place, &cell);
            assert_eq!(below(&mut session), before, "{cell}");
        }
        session.assert_well();
    }
}
