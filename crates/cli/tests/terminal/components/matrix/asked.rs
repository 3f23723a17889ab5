//! Components that somebody waits for: in the place of the editor, and over the screen.

use super::drive::Session;
use super::faults::{Ends, FAULTS, Fault, LONG_FAULTS};
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
    match fault.ends {
        Ends::Stays(shows) => {
            session.seat.shows(shows);
            session.seat.types("q");
            session.seat.shows(&format!("over {cell} left"));
            session.assert_said(&cell, "matrix.ts: its", 0);
        }
        Ends::Fails(why) | Ends::FailsAtKeys(why) => {
            if fault.ends == Ends::Fails(why) {
                session.seat.shows(&format!("failed: {why}"));
            } else {
                session.seat.shows(super::faults::HERE);
            }
            // Each turn is a try, and keys that come at once are one.
            let rejected = format!("over {cell} with {why}");
            session.presses("a", &rejected);
            session.went_wrong(&cell);
            session.works(&cell);
            session.assert_said(&cell, &format!("matrix.ts: its {} failed: {why}", place.called), 1);
        }
        Ends::Unmade(why) => {
            session.seat.shows(&format!("over {cell} with {why}"));
        }
        Ends::Caller(why) => session.caller_failed(&cell, why),
        Ends::NeverComes => session.works(&cell),
        Ends::IsOver => {
            let screen = session.seat.shows(&format!("over {cell} early"));
            assert!(!screen.contains(super::faults::HERE), "{screen}");
        }
    }
    session.works(&cell);
    let gives = !matches!(fault.ends, Ends::NeverComes | Ends::Caller(_));
    session.assert_said(&cell, &format!("over {cell}"), usize::from(gives));
    session.assert_says(&cell, fault);
}

#[test]
fn in_the_place_of_the_editor() {
    row("custom", FAULTS, &mut Session::new());
}

#[test]
fn over_the_screen() {
    row("overlay", FAULTS, &mut Session::new());
}

#[test]
#[ignore = "it waits for each limit several times; .ci/long runs it"]
fn those_that_take_long() {
    for place in ["custom", "overlay"] {
        row(place, LONG_FAULTS, &mut Session::limited(r#"{"memoryMb": 64, "stretchMs": 2000}"#));
    }
}
