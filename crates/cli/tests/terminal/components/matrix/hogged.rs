//! Another extension keeps the engine at work while a component stands at each place.

use super::drive::Session;
use super::faults::HERE;
use super::mounted::put;
use super::places::{PLACES, Place};

/// Types while the engine is at work, until `ends` lets it go.
fn types(session: &mut Session, place: &Place, ends: impl FnOnce(&mut Session)) {
    let seat = &mut session.seat;
    ["a", "b", "cde"].iter().for_each(|keys| seat.types(keys));
    if !place.has_keys {
        seat.shows("abcde");
    }
    seat.resize(60, 20);
    let edge = "─".repeat(60);
    seat.until("the last lines of the component", |screen| {
        screen.contains(HERE) && (place.has_keys || screen.lines().any(|line| line == edge))
    });
    seat.resize(100, 30);
    seat.types("fg");
    if !place.has_keys {
        seat.shows("abcdefg");
    }
    ends(session);
    let shown = if place.has_keys { "here it is with <abcdefg>" } else { "abcdefg" };
    session.seat.until("all keys, once", |screen| screen.matches(shown).count() == 1 && screen.contains(HERE));
}

/// The component is left, and everything works.
fn leaves(session: &mut Session, place: &Place) {
    session.seat.types("\x15");
    if place.is_awaited {
        session.seat.types("q");
        session.seat.shows(&format!("over {} none left", place.name));
    } else {
        session.drop_it(place, "none");
    }
    session.works(place.name);
    session.assert_said(place.name, &format!("its {} ", place.called), 0);
}

#[test]
fn keys_are_shown_at_once_or_afterwards_and_lines_stay() {
    let mut session = Session::limited(r#"{"stretchMs": 600000}"#);
    session.works("the start");
    for place in PLACES {
        put(&mut session, place, "none", Some("held"));
        session.now("held");
        session.seat.until_true("the beginning", |seat| !seat.place.work().join("held").exists());
        types(&mut session, place, |session| {
            assert!(!session.seat.place.work().join("enough").exists());
            session.now("enough");
        });
        leaves(&mut session, place);
    }
    session.assert_well();
}

#[test]
fn one_that_is_stopped_leaves_them_as_they_were() {
    for place in PLACES {
        // One that was stopped before is stopped sooner.
        let mut session = Session::limited(r#"{"stretchMs": 1000}"#);
        session.works("the start");
        put(&mut session, place, "none", Some("hog"));
        session.now("hog");
        session.seat.until_true("the beginning", |seat| !seat.place.work().join("hog").exists());
        types(&mut session, place, |session| {
            session.seat.shows("ran for more than 1s without a pause");
        });
        leaves(&mut session, place);
        session.assert_well();
    }
}

#[test]
fn ctrl_c_twice_ends_the_program_meanwhile() {
    for place in PLACES {
        let mut session = Session::limited(r#"{"stretchMs": 600000}"#);
        session.works("the start");
        put(&mut session, place, "none", Some("held"));
        session.now("held");
        session.seat.until_true("the beginning", |seat| !seat.place.work().join("held").exists());
        session.seat.types("\x03\x03");
        assert_eq!(session.seat.ends().0, Some(0), "{}", place.name);
        session.seat.assert_restored();
    }
}

#[test]
fn ctrl_c_twice_ends_the_program_while_a_component_is_made_without_end() {
    for name in ["custom", "overlay", "editor", "widget"] {
        let mut session = Session::limited(r#"{"stretchMs": 600000}"#);
        session.command(&format!("/put {name} factoryEndless"));
        session.went_wrong(&format!("{name} factoryEndless"));
        session.seat.types("\x03\x03");
        assert_eq!(session.seat.ends().0, Some(0), "{name}");
        session.seat.assert_restored();
    }
}
