//! Prompts, and what is shown of them.

use super::Seat;
use crate::place::{Place, transcript};

const ANSWER: &str = r##"replies: ["# Title\n\nSome **words**."]"##;

#[test]
fn a_prompt_is_answered_on_the_screen_and_kept_in_the_session() {
    let mut seat = Seat::new(Place::new(), ANSWER, &[]);
    seat.is_ready();
    seat.submits("Hi there");
    let screen = seat.shows("Some words.");
    assert!(screen.contains("Title") && !screen.contains("**"), "{screen}");
    seat.types("\x04");
    let (code, screen) = seat.ends();
    assert_eq!(code, Some(0));
    assert!(screen.contains("To resume this session: tau"), "{screen}");
    assert_eq!(transcript(&seat.place.session()), ["user: Hi there", "assistant: # Title\n\nSome **words**."]);
}

#[test]
fn nothing_that_was_above_is_wiped() {
    let mut seat = Seat::new(Place::new(), ANSWER, &["Hi"]);
    seat.shows("Some words.");
    seat.types("\x04");
    seat.ends();
    let bytes = String::from_utf8_lossy(&seat.bytes);
    assert!(!bytes.contains("\x1b[3J") && !bytes.contains("\x1b[2J"), "{bytes:?}");
}

#[test]
fn keys_that_are_typed_while_it_starts_are_kept() {
    let mut seat = Seat::new(Place::new(), ANSWER, &[]);
    seat.types("early");
    seat.is_ready();
    seat.shows("early");
}

#[test]
fn a_tool_call_is_shown_with_its_result() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'echo one; echo two'}}}]\n  - Done.";
    let mut seat = Seat::new(Place::new(), script, &["Go"]);
    let screen = seat.shows("Done.");
    assert!(screen.contains("✓ $ echo one; echo two") && screen.contains("\none\ntwo\n"), "{screen}");
}

#[test]
fn a_command_of_the_user_is_run() {
    let mut seat = Seat::new(Place::new(), ANSWER, &[]);
    seat.is_ready();
    seat.types("!echo it; echo ran\r");
    let screen = seat.shows("\nit\nran\n");
    assert!(screen.contains("$ echo it; echo ran"), "{screen}");
}

#[test]
fn a_failed_request_says_why_and_gives_the_prompt_back() {
    let mut seat = Seat::new(Place::new(), "replies: [[{error: the wire is cut}]]", &[]);
    seat.is_ready();
    seat.types("Try\r");
    let screen = seat.shows("the wire is cut");
    assert!(screen.contains("Error:") && !screen.contains("/bug"), "{screen}");
    seat.until("the prompt", |screen| screen.lines().any(|line| line == "Try"));
}

#[test]
fn text_from_elsewhere_cannot_steer_the_terminal() {
    let script = "replies: [\"red \\e]0;owned\\x07 and \\e[2J gone\"]";
    let mut seat = Seat::new(Place::new(), script, &["Go"]);
    seat.shows("and");
    let bytes = String::from_utf8_lossy(&seat.bytes).into_owned();
    assert!(!bytes.contains("owned\x07") && !bytes.contains("\x1b[2J"), "{bytes:?}");
}

#[test]
fn files_are_found_by_some_of_their_letters() {
    let place = Place::new();
    place.write("work/main.rs", "fn main() {}");
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.is_ready();
    seat.types("@mr");
    seat.shows("→ main.rs");
    seat.types("\t");
    seat.shows("@main.rs");
}

#[test]
fn commands_are_listed_and_their_choices_shown() {
    let mut seat = Seat::new(Place::new(), ANSWER, &[]);
    seat.is_ready();
    seat.types("/thin");
    seat.shows("→ thinking");
    seat.types("\r");
    seat.until("the list", |screen| !screen.contains("→ thinking"));
}

#[test]
fn the_pager_shows_what_scrolled_away_and_a_letter_goes_to_the_editor() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'seq 1 80'}}}]\n  - Done.";
    let mut seat = Seat::new(Place::new(), script, &["Begin"]);
    seat.shows("Done.");
    seat.types("\x0f");
    seat.shows("Transcript ·");
    seat.types("\x1b[1;5H");
    seat.until("the beginning", |screen| screen.contains("Begin"));
    seat.types("x");
    seat.until("the editor", |screen| !screen.contains("Transcript ·") && screen.lines().any(|line| line == "x"));
}

#[test]
fn the_pager_searches_and_goes_to_prompts_and_ends_behind_its_end() {
    let mut seat = Seat::new(Place::new(), "replies: ['It has a needle.', 'Another needle, and no more.']", &["Begin"]);
    seat.shows("It has a needle.");
    seat.types("!seq 1 80\r");
    seat.until("its end", |screen| screen.contains("\n80\n"));
    seat.types("Go on\r");
    seat.shows("no more.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x1b[102;6u");
    seat.shows("Find in transcript");
    seat.types("NEEDLE");
    seat.shows("/2");
    seat.types("\r");
    seat.until("a hit", |screen| screen.contains("1/2") || screen.contains("2/2"));
    seat.types("x");
    seat.shows("No matches");
    seat.types("\x1b");
    seat.until("the keys", |screen| !screen.contains("Find in transcript") && screen.contains("ctrl+f search"));
    // The key of terminals that send no other.
    seat.types("\x06");
    seat.shows("Find in transcript");
    seat.types("\x1b");
    seat.until("the keys", |screen| !screen.contains("Find in transcript") && screen.contains("Transcript ·"));
    seat.types("\x1b[1;5H");
    seat.shows("Jump to latest message");
    seat.types("\x1b[1;5F");
    seat.until("the end", |screen| !screen.contains("Jump to latest message"));
    seat.types("\x1b[1;5A");
    seat.until("the first prompt at the top", |screen| {
        screen.lines().take(3).any(|line| line.trim_start().starts_with("Begin"))
    });
    seat.types("\x1b[1;5F");
    seat.until("the end", |screen| !screen.contains("Jump to latest message"));
    seat.types("\x1b[6~");
    seat.until("the editor", |screen| !screen.contains("Transcript ·") && screen.contains("no more."));
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b[?1000h"));
}

#[test]
fn a_conversation_that_is_too_small_to_compact_leaves_nothing_under_way() {
    let mut seat = Seat::new(Place::new(), "replies: [Hello.]", &["Hi"]);
    seat.shows("Hello.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("/compact\r");
    seat.shows("Nothing to compact");
    seat.until("rest", |screen| !screen.contains("to interrupt)") && !screen.contains("to cancel)"));
}

#[test]
fn narrow_and_small_screens_are_used() {
    for size in [(40, 20), (20, 8)] {
        let mut seat = Seat::of_size(
            Place::new(),
            "replies: ['Some words that are longer than the screen is wide.']",
            &["Go"],
            size,
        );
        seat.until("the end of the answer", |screen| screen.contains("wide."));
        seat.resize(size.0 + 7, size.1 + 3);
        seat.types("typed");
        seat.shows("typed");
    }
}

#[test]
fn files_that_tools_worked_on_come_first() {
    let place = Place::new();
    for name in ["a_notes.txt", "b_notes.txt", "c_notes.txt"] {
        place.write(&format!("work/{name}"), "text");
    }
    let script = "replies:\n  - [{tool_call: {name: read, arguments: {path: c_notes.txt}}}]\n  - Done.";
    let mut seat = Seat::new(place, script, &["Go"]);
    seat.shows("Done.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("@notes");
    seat.until("the newest file first", |screen| {
        let first = screen.find("→").map(|at| &screen[at..]);
        first.is_some_and(|list| list.lines().next().is_some_and(|line| line.contains("c_notes.txt")))
    });
}
