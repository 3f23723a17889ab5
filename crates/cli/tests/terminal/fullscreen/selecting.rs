//! Selecting with the mouse, and copying.

use super::{
    DRAG, LEFT, SIZES, answered, clicks, copies, drag, full, full_with, is_copied, long_answer, place_of, report,
};
use crate::place::Place;

const WORDS: &str = "replies: ['Alpha beta gamma delta epsilon zeta eta theta iota kappa lambda. See src/main.rs.']";
const ANSWER: &str = "Alpha beta gamma delta epsilon zeta eta theta iota kappa lambda. See src/main.rs.";

#[test]
fn a_drag_copies_the_text_as_it_was_written_and_says_only_what_is_known() {
    for size in SIZES {
        let mut seat = full(Place::new(), WORDS, size);
        answered(&mut seat, "Go", "src/main.rs.");
        let (from, to) = (place_of(&seat, "Alpha"), place_of(&seat, "main.rs."));
        drag(&mut seat, from, (to.0, to.1 + "main.rs.".len() - 1));
        copies(&mut seat, ANSWER);
        // A terminal does not tell what it did.
        let screen = seat.shows("Sent to the terminal");
        assert!(!screen.contains("Copied"), "{screen}");
        seat.until("its end", |screen| !screen.contains("Sent to the terminal"));
    }
}

#[test]
fn two_clicks_take_a_word_and_three_the_line() {
    for size in SIZES {
        let mut seat = full(Place::new(), WORDS, size);
        answered(&mut seat, "Go", "src/main.rs.");
        let at = place_of(&seat, "main");
        clicks(&mut seat, at, 2);
        copies(&mut seat, "src/main.rs");
        assert!(!is_copied(&seat, ANSWER));
        let at = place_of(&seat, "beta");
        clicks(&mut seat, at, 3);
        copies(&mut seat, ANSWER);
    }
}

#[test]
fn a_program_that_confirms_a_copy_is_believed() {
    let place = Place::new();
    let kept = place.root().join("kept").display().to_string();
    place.program("xclip", &format!("cat > {kept}"));
    let path = format!("{}:{}", place.root().join("bin").display(), std::env::var("PATH").expect("a path"));
    let mut seat = full_with(place, WORDS, &[], (100, 30), &[("PATH", &path), ("DISPLAY", ":9")]);
    answered(&mut seat, "Go", "src/main.rs.");
    let at = place_of(&seat, "gamma");
    clicks(&mut seat, at, 2);
    seat.shows("Copied");
    assert_eq!(std::fs::read_to_string(kept).expect("a copy"), "gamma");
}

#[test]
fn a_copy_that_fails_is_said() {
    let place = Place::new();
    for name in ["wl-copy", "xclip", "xsel"] {
        place.program(name, "echo no display >&2; exit 1");
    }
    let path = format!("{}:{}", place.root().join("bin").display(), std::env::var("PATH").expect("a path"));
    let mut seat = full_with(place, WORDS, &[], (100, 30), &[("PATH", &path), ("DISPLAY", ":9")]);
    answered(&mut seat, "Go", "src/main.rs.");
    let at = place_of(&seat, "gamma");
    clicks(&mut seat, at, 2);
    seat.shows("Not copied: ");
}

#[test]
fn without_copying_at_once_the_key_that_copies_does() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"fullscreenCopyOnSelect": false}"#);
    let mut seat = full(place, WORDS, (100, 30));
    answered(&mut seat, "Go", "src/main.rs.");
    let at = place_of(&seat, "gamma");
    clicks(&mut seat, at, 2);
    seat.types("typed");
    seat.shows("typed");
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b]52;"));
    let at = place_of(&seat, "delta");
    clicks(&mut seat, at, 2);
    seat.types("\x18");
    copies(&mut seat, "delta");
}

#[test]
fn a_drag_past_the_edge_scrolls_and_takes_what_comes() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(60), size);
        answered(&mut seat, "Go", "line 60 of it");
        let from = place_of(&seat, "line 60 of it");
        let end = (from.0, from.1 + "line 60 of it".len() - 1);
        report(&mut seat, LEFT, end, false);
        report(&mut seat, DRAG, (0, 1), false);
        seat.until("what is above", |screen| screen.contains("line 30 of it"));
        report(&mut seat, LEFT, (0, 1), true);
        seat.shows("Sent to the terminal");
        let written = String::from_utf8_lossy(&seat.bytes).into_owned();
        let sent = written.rsplit("\x1b]52;c;").next().expect("a copy");
        let sent: String = sent.chars().take_while(|ch| !ch.is_control()).collect();
        use base64::Engine as _;
        let sent = base64::engine::general_purpose::STANDARD.decode(sent).expect("base64");
        let sent = String::from_utf8(sent).expect("text");
        assert!(
            sent.ends_with("line 59 of it\n\nline 60 of it") && sent.contains("line 31 of it\n\nline 32 of it"),
            "{sent}"
        );
    }
}

#[test]
fn losing_the_focus_ends_what_a_button_does() {
    let mut seat = full(Place::new(), WORDS, (100, 30));
    answered(&mut seat, "Go", "src/main.rs.");
    let (from, to) = (place_of(&seat, "Alpha"), place_of(&seat, "gamma"));
    report(&mut seat, LEFT, from, false);
    report(&mut seat, DRAG, to, false);
    seat.types("\x1b[O");
    report(&mut seat, LEFT, to, true);
    seat.types("typed");
    seat.shows("typed");
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b]52;"));
}

#[test]
fn ctrl_c_copies_what_is_selected_and_leaves_the_editor_alone() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"fullscreenCopyOnSelect": false}"#);
    let mut seat = full(place, WORDS, (100, 30));
    answered(&mut seat, "Go", "src/main.rs.");
    seat.types("a draft");
    seat.shows("a draft");
    let at = place_of(&seat, "gamma");
    clicks(&mut seat, at, 2);
    assert!(!is_copied(&seat, "gamma"));
    seat.types("\x03");
    copies(&mut seat, "gamma");
    let screen = seat.shows("a draft");
    assert!(!screen.contains("Press again to exit"), "{screen}");
    // Nothing is selected any more.
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("a draft"));
}
