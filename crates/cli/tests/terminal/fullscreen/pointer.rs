//! The mouse: the wheel, the scrollbar, clicks, and how much of it is taken.

use super::{
    ALT, DRAG, LEFT, SIZES, WHEEL_DOWN, WHEEL_UP, answered, click, full, full_with, long_answer, place_of, report,
};
use crate::place::Place;
use crate::terminal::Seat;

const NOTHING: &str = "replies: []";

fn with_settings(settings: &str) -> Place {
    let place = Place::new();
    place.write("agent/settings.json", settings);
    place
}

/// The number of the first line on the screen: the last one may be under what leads to the end.
fn first_number(seat: &Seat) -> usize {
    let rows = seat.rows();
    let mut numbers = rows.iter().filter_map(|row| row.trim().strip_prefix("line ")?.split(' ').next()?.parse().ok());
    numbers.next().unwrap_or_else(|| panic!("no line: {rows:?}"))
}

#[test]
fn the_wheel_scrolls_as_far_as_the_setting_says_and_five_times_with_alt() {
    for size in SIZES {
        let mut seat = full(with_settings(r#"{"fullscreenWheelScrollLines": 2}"#), &long_answer(90), size);
        answered(&mut seat, "Go", "line 90 of it");
        let first = first_number(&seat);
        report(&mut seat, WHEEL_UP, (3, 3), false);
        // A line and the blank one under it.
        seat.until_true("a step", |seat| first_number(seat) == first - 1);
        report(&mut seat, WHEEL_UP + ALT, (3, 3), false);
        seat.until_true("a long step", |seat| first_number(seat) == first - 6);
        for _ in 0..6 {
            report(&mut seat, WHEEL_DOWN, (3, 3), false);
        }
        seat.until("the end", |screen| screen.contains("line 90 of it") && !screen.contains("Jump to latest"));
    }
}

#[test]
fn a_list_under_the_pointer_takes_the_wheel_and_leaves_the_rest() {
    let mut seat = full(with_settings(r#"{"fullscreenWheelScrollLines": 2}"#), &long_answer(60), (100, 30));
    answered(&mut seat, "Go", "line 60 of it");
    seat.types("/settings\r");
    seat.shows("→ Auto-compact");
    let at = place_of(&seat, "→ Auto-compact");
    report(&mut seat, WHEEL_DOWN, at, false);
    seat.shows("→ Block images");
    assert!(seat.rows().iter().any(|row| row.contains("line 60 of it")));
    for _ in 0..2 {
        report(&mut seat, WHEEL_UP, at, false);
    }
    let screen = seat.shows("→ Auto-compact");
    let screen = if screen.contains("Jump to latest") { screen } else { seat.shows("Jump to latest") };
    assert!(!screen.contains("line 60 of it"), "{screen}");
    // A click chooses what is there.
    let at = place_of(&seat, "Skill commands");
    click(&mut seat, at);
    seat.until_true("the setting", |seat| seat.place.contains("agent/settings.json", "\"enableSkillCommands\": false"));
}

#[test]
fn the_scrollbar_shows_for_a_moment_always_or_never() {
    let bar = |screen: &str| screen.lines().filter(|row| row.ends_with(['│', '┃', '█'])).count();
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(60), size);
        answered(&mut seat, "Go", "line 60 of it");
        seat.until("no bar", |screen| bar(screen) == 0);
        seat.types("\x1b[5~");
        seat.until("the bar", |screen| bar(screen) == usize::from(size.1) - 6 && screen.contains('┃'));
        seat.until("its end", |screen| bar(screen) == 0);
        seat.types("\x1b[1;5F");
        let last = usize::from(size.0) - 1;
        report(&mut seat, 35, (2, last), false);
        seat.until("the bar under the pointer", |screen| screen.contains('█'));
        report(&mut seat, LEFT, (0, last), false);
        seat.shows("tau v");
        report(&mut seat, DRAG, (usize::from(size.1) - 7, last), false);
        report(&mut seat, LEFT, (usize::from(size.1) - 7, last), true);
        seat.until("the end", |screen| screen.contains("line 60 of it") && !screen.contains("Jump to latest"));
        report(&mut seat, 35, (2, 2), false);
        seat.until("no bar", |screen| bar(screen) == 0);
    }
    let mut seat = full(with_settings(r#"{"fullscreenScrollbar": "always"}"#), &long_answer(60), (100, 30));
    answered(&mut seat, "Go", "line 60 of it");
    seat.until("the bar", |screen| bar(screen) == 24);
    let wide = format!("replies: [\"{}\"]", "x".repeat(400));
    let mut seat = full(with_settings(r#"{"fullscreenScrollbar": "hidden"}"#), &wide, (100, 30));
    seat.submits("Go");
    seat.until("lines without a bar's column", |screen| screen.lines().any(|row| row.trim() == "x".repeat(98)));
}

#[test]
fn a_click_leads_to_the_end_sets_the_cursor_and_unfolds_blocks() {
    let script = "replies:\n  - [{thinking: A thought.}, {tool_call: {name: bash, arguments: {command: 'seq 201 260'}}}]\n  - Done.";
    for size in SIZES {
        let mut seat = full(Place::new(), script, size);
        answered(&mut seat, "Go", "Done.");
        let at = place_of(&seat, "A thought.");
        click(&mut seat, at);
        seat.until("the label", |screen| screen.contains(" Thinking...") && !screen.contains("A thought."));
        click(&mut seat, at);
        seat.shows("A thought.");
        let at = place_of(&seat, "258");
        click(&mut seat, at);
        seat.until("all of the output", |screen| screen.contains("\n254\n"));
        seat.types("\x1b[1;5H");
        seat.shows("Jump to latest");
        let at = place_of(&seat, "Jump to");
        click(&mut seat, at);
        seat.until("the end", |screen| screen.contains("Done.") && !screen.contains("Jump to latest"));
        seat.types("hello");
        seat.shows("hello");
        let (row, column) = place_of(&seat, "hello");
        click(&mut seat, (row, column + 2));
        seat.types("X");
        seat.shows("heXllo");
        click(&mut seat, (row, column + 20));
        seat.types("Y");
        seat.shows("heXlloY");
    }
}

#[test]
fn links_are_opened_by_a_program_and_only_those_of_known_kinds() {
    let place = Place::new();
    let kept = place.root().join("opened").display().to_string();
    place.program("xdg-open", &format!("printf '%s' \"$*\" > {kept}"));
    let path = format!("{}:{}", place.root().join("bin").display(), std::env::var("PATH").expect("a path"));
    let script = "replies: ['[the page](https://example.org/?a=$(b)&c) and [another](ftp://example.org)']";
    let mut seat = full_with(place, script, &[], (100, 30), &[("PATH", &path), ("PI_HYPERLINKS", "1")]);
    answered(&mut seat, "Go", "the page and another");
    let at = place_of(&seat, "and another");
    click(&mut seat, (at.0, at.1 + 5));
    seat.shows("Links of this kind are not opened");
    let at = place_of(&seat, "the page");
    click(&mut seat, at);
    let is_open = |_: &Seat| std::fs::read_to_string(&kept).is_ok_and(|text| text == "https://example.org/?a=$(b)&c");
    seat.until_true("the link", is_open);
}

#[test]
fn as_much_of_the_mouse_is_taken_as_is_wanted() {
    let modes = |place: Place, variables: &[(&str, &str)]| {
        let seat = full_with(place, NOTHING, &[], (100, 30), variables);
        let written = String::from_utf8_lossy(&seat.bytes).into_owned();
        [1000, 1002, 1003].map(|mode| written.contains(&format!("\x1b[?{mode}h")))
    };
    assert_eq!(modes(Place::new(), &[]), [true, true, true]);
    assert_eq!(modes(Place::new(), &[("TMUX", "/nowhere,1,0")]), [true, true, false]);
    assert_eq!(modes(with_settings(r#"{"fullscreenMouse": false}"#), &[]), [false; 3]);
    assert_eq!(modes(with_settings(r#"{"fullscreenMouse": "wheel"}"#), &[]), [true, false, false]);
    assert_eq!(modes(with_settings(r#"{"fullscreenMouse": false}"#), &[("TAU_MOUSE", "wheel")]), [true, false, false]);
    assert_eq!(modes(Place::new(), &[("TAU_MOUSE", "0")]), [false; 3]);
}

#[test]
fn with_the_wheel_alone_clicks_do_nothing() {
    let mut seat = full(
        with_settings(r#"{"fullscreenMouse": "wheel", "fullscreenWheelScrollLines": 9}"#),
        &long_answer(60),
        (100, 30),
    );
    answered(&mut seat, "Go", "line 60 of it");
    report(&mut seat, WHEEL_UP, (3, 3), false);
    seat.shows("Jump to latest");
    let at = place_of(&seat, "Jump to");
    click(&mut seat, at);
    seat.types("typed");
    let screen = seat.shows("typed");
    assert!(screen.contains("Jump to latest"), "{screen}");
}

#[test]
fn in_regular_mode_the_pager_takes_the_mouse_only_when_that_is_wanted() {
    for (settings, takes) in [("{}", false), (r#"{"fullscreenMouse": true, "fullscreenWheelScrollLines": 2}"#, true)] {
        let mut seat = Seat::new(with_settings(settings), &long_answer(60), &[]);
        seat.is_ready();
        answered(&mut seat, "Go", "line 60 of it");
        seat.types("\x1b[5~");
        seat.shows("Transcript ·");
        assert_eq!(String::from_utf8_lossy(&seat.bytes).contains("\x1b[?1000h"), takes);
        let before = first_number(&seat);
        if takes {
            report(&mut seat, WHEEL_UP, (3, 3), false);
            seat.until_true("a step", |seat| first_number(seat) == before - 1);
        }
        seat.types("q");
        seat.until("the editor", |screen| !screen.contains("Transcript ·"));
        seat.quits();
    }
}
