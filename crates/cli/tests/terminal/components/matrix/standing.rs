//! Components that stand for good: widgets, footers, headers, editors.

use super::drive::Session;
use super::faults::{Ends, FAULTS, Fault, HERE, LONG_FAULTS};
use super::places::{PLACES, Place, left_out};

fn row(name: &str, faults: &[Fault], session: &mut Session) {
    let place = PLACES.iter().find(|place| place.name == name).expect("a place");
    for fault in faults.iter().filter(|fault| left_out(place, fault.name).is_none()) {
        cell(place, fault, session);
    }
    session.assert_well();
}

fn cell(place: &Place, fault: &Fault, session: &mut Session) {
    let cell = format!("{} {}", place.name, fault.name);
    session.begin();
    session.command(&format!("/put {cell}"));
    if fault.name != "inputThrows" && !fault.name.starts_with("dispose") {
        session.went_wrong(&cell);
    }
    let called = place.called;
    match fault.ends {
        Ends::Stays(shows) => {
            session.seat.shows(shows);
            if place.name != "editor" {
                session.works(&cell);
            }
            session.drop_it(place, fault.name);
        }
        Ends::Fails(why) | Ends::FailsAtKeys(why) => {
            if fault.ends == Ends::Fails(why) {
                session.seat.shows(&format!("its {called} failed: {why}"));
            }
            if place.name == "editor" {
                if fault.ends != Ends::Fails(why) {
                    session.seat.shows(HERE);
                }
                session.seat.types("abc");
            } else {
                // What happens in the session has it asked for lines.
                let gone = format!("its {called} is taken away, because it failed three times in a row: {why}");
                while session.count(&gone) == 0 {
                    session.works(&cell);
                }
            }
            session.seat.shows(&format!("its {called} is taken away, because it failed three times in a row: {why}"));
            session.seat.until("no mark of a failure", |screen| !screen.contains("this is what it showed before"));
            session.went_wrong(&cell);
            session.works(&cell);
            session.assert_said(&cell, &format!("matrix.ts: its {called} failed: {why}"), 1);
            session.assert_said(&cell, &format!("matrix.ts: its {called} is taken away"), 1);
        }
        Ends::Unmade(why) => {
            session.seat.shows(&format!("its {called} could not be made: {why}"));
            session.works(&cell);
            session.assert_said(&cell, &format!("matrix.ts: its {called} could not be made: {why}"), 1);
        }
        Ends::Caller(why) => session.caller_failed(&cell, why),
        Ends::NeverComes => {
            session.works(&cell);
            session.drop_it(place, fault.name);
        }
        Ends::IsOver => unreachable!("nobody waits for it"),
    }
    session.works(&cell);
    session.assert_says(&cell, fault);
}

#[test]
fn widgets() {
    row("widget", FAULTS, &mut Session::new());
}

#[test]
fn footers() {
    row("footer", FAULTS, &mut Session::new());
}

#[test]
fn headers() {
    let mut session = Session::new();
    // The header stays at the top of the page until the conversation begins.
    session.works("the start");
    row("header", FAULTS, &mut session);
}

#[test]
fn editors() {
    row("editor", FAULTS, &mut Session::new());
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn those_that_take_long() {
    for place in ["widget", "footer", "header", "editor"] {
        let mut session = Session::limited(r#"{"memoryMb": 64, "stretchMs": 2000}"#);
        session.works("the start");
        row(place, LONG_FAULTS, &mut session);
    }
}
