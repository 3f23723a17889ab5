//! Keys: scrolling, prompts, the search, and who gets them first.

use super::{SIZES, answered, click, full, long_answer, place_of};
use crate::place::Place;
use crate::terminal::Seat;

fn first_number(seat: &Seat) -> usize {
    let rows = seat.rows();
    let number = rows.iter().find_map(|row| row.trim().strip_prefix("line ")?.split(' ').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no line: {rows:?}"))
}

#[test]
fn a_page_is_the_window_but_four_lines() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(100), size);
        answered(&mut seat, "Go", "line 100 of it");
        let window = usize::from(size.1) - 6;
        seat.types("\x1b[5~");
        seat.shows("Jump to latest");
        let first = first_number(&seat);
        seat.types("\x1b[5~");
        // Each line has a blank one under it.
        let page = (window - 4) / 2;
        seat.until_true("a page", |seat| first_number(seat) < first);
        assert!(first_number(&seat).abs_diff(first - page) <= 1, "{} {first} {page}", first_number(&seat));
        seat.types("\x1b[6~");
        seat.until_true("a page back", |seat| first_number(seat) == first);
        seat.types("\x1b[1;5H");
        seat.shows("tau v");
        seat.types("\x1b[1;5F");
        seat.until("the end", |screen| screen.contains("line 100 of it") && !screen.contains("Jump to latest"));
    }
}

#[test]
fn keys_go_from_prompt_to_prompt_with_its_first_row_at_the_top() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(60), size);
        answered(&mut seat, "Prompt one", "line 60 of it");
        answered(&mut seat, "Prompt two", "Second.");
        let is_on_top =
            |prompt: &'static str| move |screen: &str| screen.lines().take(3).any(|row| row.trim() == prompt);
        // The second one is on the screen, and there is not enough below it to bring it to the top.
        seat.types("\x1b[1;5A");
        seat.until("the first prompt", is_on_top("Prompt one"));
        seat.types("\x1b[1;5A");
        seat.shows("tau v");
        seat.types("\x1b[1;5B");
        seat.until("the first prompt", is_on_top("Prompt one"));
        seat.types("\x1b[1;5B");
        seat.until("the end", |screen| screen.contains("Second.") && !screen.contains("Jump to latest"));
    }
}

#[test]
fn the_search_counts_marks_and_goes_from_match_to_match() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(60), size);
        answered(&mut seat, "Go", "line 60 of it");
        seat.types("\x1b[102;6u");
        seat.shows("Find in transcript");
        let rows = seat.rows();
        let start = rows[0].chars().take_while(|ch| *ch != '┌').count();
        let width = rows[0].chars().skip(start).take_while(|ch| *ch != '┐').count() + 1;
        let least = (usize::from(size.0) * 2 / 5).max(32);
        assert_eq!((start + width, width), (usize::from(size.0) - 1, least), "{rows:?}");
        assert!(rows[2].contains("↑ shift+enter · ↓ enter"), "{rows:?}");
        seat.types("LINE 3");
        // 3 and 30 to 39.
        seat.shows("/11");
        seat.types("\x1b[5~\x1b[5~");
        seat.types("x");
        seat.shows("No matches");
        seat.types("\x7f");
        seat.shows("/11");
        let current = |seat: &Seat| -> usize {
            let row = seat.rows()[1].clone();
            let count = row.split_whitespace().find(|word| word.ends_with("/11")).expect("a count");
            count.split_once('/').expect("two numbers").0.parse().expect("a number")
        };
        let before = current(&seat);
        let next = before % 11 + 1;
        seat.types("\r");
        seat.until_true("the next one", |seat| current(seat) == next);
        let (row, column) = place_of(&seat, "↑ shift+enter");
        click(&mut seat, (row, column));
        seat.until_true("the one before", |seat| current(seat) == before);
        let (row, column) = place_of(&seat, "↓ enter");
        click(&mut seat, (row, column + 3));
        seat.until_true("the next one", |seat| current(seat) == next);
        let below_the_box = seat.rows()[3..9].to_vec();
        seat.types("\x1b[27u");
        seat.until("the end of the search", |screen| !screen.contains("Find in transcript"));
        assert_eq!(seat.rows()[3..9], below_the_box, "it stays in the place");
        // It is closed: what is typed is for the editor.
        seat.types("typed");
        seat.shows("typed");
    }
}

#[test]
fn a_list_has_its_pages_first_and_the_search_goes_over_everything() {
    let mut seat = full(Place::new(), &long_answer(60), (100, 30));
    answered(&mut seat, "Go", "line 60 of it");
    seat.types("/settings\r");
    seat.shows("→ Auto-compact");
    seat.types("\x1b[6~");
    seat.until("another item", |screen| screen.contains('→') && !screen.contains("→ Auto-compact"));
    assert!(seat.rows().iter().any(|row| row.contains("line 60 of it")), "{:?}", seat.rows());
    // The list has no use for it.
    seat.types("\x1b[1;5H");
    seat.shows("tau v");
    seat.types("\x1b[102;6u");
    seat.shows("Find in transcript");
    seat.types("line 60");
    seat.shows("1/1");
    seat.types("\x1b[27u");
    seat.until("the list", |screen| !screen.contains("Find in transcript") && screen.contains("leave"));
    seat.types("\x1b[27u");
    seat.until("the editor", |screen| !screen.contains("escape, ctrl+c leave") && !screen.contains(" leave"));
    seat.types("/mod");
    seat.shows("→ model");
    seat.types("\x1b[6~");
    seat.until("another command", |screen| screen.contains('→') && !screen.contains("→ model "));
}
