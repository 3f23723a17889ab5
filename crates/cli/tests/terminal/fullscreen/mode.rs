//! Which mode there is, and how it is changed.

use serde_json::Value;

use super::{SIZES, answered, full, full_with, long_answer};
use crate::place::Place;
use crate::terminal::Seat;

const ALTERNATE: &str = "\x1b[?1049h";
const NOTHING: &str = "replies: []";

fn written(seat: &Seat) -> String {
    String::from_utf8_lossy(&seat.bytes).into_owned()
}

fn started(place: Place, args: &[&str]) -> Seat {
    let mut seat = Seat::new(place, NOTHING, args);
    seat.is_ready();
    seat
}

fn with_settings(settings: &str) -> Place {
    let place = Place::new();
    place.write("agent/settings.json", settings);
    place
}

#[test]
fn the_window_is_over_the_dock_and_the_header_names_the_mode() {
    for size in SIZES {
        let seat = full(Place::new(), NOTHING, size);
        let rows = seat.rows();
        assert!(rows[1].starts_with(" tau v"), "{rows:?}");
        assert!(rows.iter().any(|row| row.starts_with(" Full screen · shift+drag")), "{rows:?}");
        let rules: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].starts_with("───")).collect();
        assert_eq!(rules, [rows.len() - 5, rows.len() - 3], "{rows:?}");
        assert!(written(&seat).contains(ALTERNATE));
    }
}

#[test]
fn the_flag_comes_before_the_project_and_that_before_the_user_and_regular_is_usual() {
    let is_full = |seat: &Seat| written(seat).contains(ALTERNATE);
    let seat = started(Place::new(), &[]);
    assert!(!is_full(&seat));
    assert!(seat.rows().iter().any(|row| row.contains("--tui-mode fullscreen takes the whole screen")));
    assert!(is_full(&started(with_settings(r#"{"tuiMode": "fullscreen"}"#), &[])));
    assert!(!is_full(&started(with_settings(r#"{"tuiMode": "fullscreen"}"#), &["--tui-mode", "regular"])));
    let place = with_settings(r#"{"tuiMode": "regular"}"#);
    place.write("work/.pi/settings.json", r#"{"tuiMode": "fullscreen"}"#);
    let seat = started(place, &["--approve"]);
    assert!(seat.rows().iter().any(|row| row.starts_with(" Full screen")), "{:?}", seat.rows());
}

#[test]
fn an_unknown_value_is_reported_and_is_regular() {
    let mut seat = started(with_settings(r#"{"tuiMode": "wide"}"#), &[]);
    seat.shows("tuiMode");
    assert!(!written(&seat).contains(ALTERNATE));
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_has_no_full_screen() {
    let mut seat = Seat::with(Place::new(), NOTHING, &["--tui-mode", "fullscreen"], &[("TERM", "dumb")]);
    seat.shows("--tui-mode fullscreen has no effect here");
    seat.shows("You:");
    assert!(!written(&seat).contains(ALTERNATE));
}

#[test]
fn the_page_of_settings_changes_the_mode_at_once_and_writes_it_only_then() {
    let mode = |seat: &Seat| -> Option<Value> {
        let text = std::fs::read_to_string(seat.place.root().join("agent/settings.json")).ok()?;
        serde_json::from_str::<Value>(&text).expect("settings").get("tuiMode").cloned()
    };
    let mut seat = full(Place::new(), NOTHING, (100, 30));
    seat.types("/settings\r");
    seat.shows("→ Auto-compact");
    seat.types("TUI mode");
    let screen = seat.shows("→ TUI mode");
    assert!(screen.contains("fullscreen (chosen in this session)") || screen.contains("\"fullscreen\""), "{screen}");
    assert_eq!(mode(&seat), None);
    seat.types("\r");
    seat.until_true("regular mode", |seat| written(seat).contains("\x1b[?1049l"));
    seat.until_true("the setting", |seat| mode(seat) == Some("regular".into()));
    // The page is still open.
    seat.shows("→ TUI mode");
    seat.types("\r");
    seat.until_true("the setting", |seat| mode(seat) == Some("fullscreen".into()));
    seat.types("\x1b[27u");
    seat.until("the editor", |screen| !screen.contains("→ TUI mode"));
    seat.quits();
}

#[test]
fn a_key_changes_the_mode_and_writes_no_setting_and_nothing_is_lost() {
    for size in SIZES {
        let place = Place::new();
        place.write("agent/keybindings.json", r#"{"app.tui.toggle": "f6"}"#);
        let mut seat = full_with(place, &long_answer(20), &[], size, &[]);
        answered(&mut seat, "Go", "line 20 of it");
        seat.types("a draft");
        seat.shows("a draft");
        let leaves = |seat: &Seat| written(seat).matches("\x1b[?1049l").count();
        let before = leaves(&seat);
        seat.types("\x1b[17~");
        seat.until_true("regular mode", |seat| leaves(seat) > before);
        seat.until("the editor", |screen| screen.contains("a draft") && screen.contains("line 20 of it"));
        let all = seat.all_rows().join("\n");
        assert!((1..=20).all(|line| all.matches(&format!("line {line} of it")).count() == 1), "{all}");
        seat.types("\x1b[17~");
        seat.until("the window again", |screen| screen.contains("a draft") && screen.contains("line 20 of it"));
        seat.types("\x1b[1;5H");
        seat.until("the beginning", |screen| screen.contains("tau v"));
        assert!(!seat.place.root().join("agent/settings.json").exists());
    }
}
