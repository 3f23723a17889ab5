//! The transcript: following its end, staying where it is, all of it at hand.

use super::{SIZES, answered, full, full_with, long_answer};
use crate::place::Place;

#[test]
fn the_window_follows_the_end_and_stays_put_when_it_was_scrolled_away() {
    for size in SIZES {
        let mut seat = full(Place::new(), &long_answer(60), size);
        answered(&mut seat, "Go", "line 60 of it");
        seat.submits("!echo begun; while [ ! -e go ]; do sleep 0.02; done; seq 1001 1060; touch done");
        seat.shows("begun");
        seat.types("\x1b[5~");
        let window = usize::from(size.1) - 6;
        seat.shows("Jump to latest message · ctrl+end");
        let before = seat.rows();
        seat.place.write("work/go", "");
        let done = seat.place.root().join("work/done");
        seat.until_true("the end of the command", |_| done.exists());
        seat.types("typed");
        seat.shows("typed");
        let after = seat.rows();
        assert_eq!(after[..window - 4], before[..window - 4], "{before:?}\n{after:?}");
        let pill = after.iter().position(|row| row.contains("↓ Jump")).expect("what leads back");
        assert_eq!(pill, after.iter().position(|row| row.starts_with("───")).expect("a rule") - 2, "{after:?}");
        let start = after[pill].chars().take_while(|ch| *ch != '↓').count();
        let width = " ↓ Jump to latest message · ctrl+end ".chars().count();
        assert!((start - 1).abs_diff((usize::from(size.0) - 1 - width) / 2) <= 1, "{after:?}");
        seat.types("\x1b[1;5F");
        seat.until("the end", |screen| screen.contains("1060") && !screen.contains("Jump to latest"));
    }
}

#[test]
fn expanding_and_hiding_act_on_every_block() {
    let script = "replies:\n  - [{thinking: First thought.}, {tool_call: {name: bash, arguments: {command: 'seq 201 230'}}}]\n  \
                  - [{thinking: Second thought.}, {text: Done.}]\n  - Later.";
    for size in [(100, 60), (40, 60)] {
        let mut seat = full(Place::new(), script, size);
        answered(&mut seat, "Go", "Done.");
        answered(&mut seat, "More", "Later.");
        let folded = seat.rows().join("\n");
        assert!(folded.contains("\n230") && !folded.contains("\n201"), "{folded}");
        seat.types("\x0f");
        seat.until("all of the output", |screen| screen.contains("\n201\n") && screen.contains("\n230\n"));
        seat.types("\x14");
        seat.until("labels", |screen| !screen.contains(" thought.") && screen.matches(" Thinking...").count() == 2);
        seat.types("\x14\x0f");
        seat.until("all as it was", |screen| screen.contains("First thought.") && !screen.contains("\n201\n"));
    }
}

#[test]
fn a_session_that_is_opened_again_has_everything_and_costs_a_screen() {
    let mut seat = full(Place::new(), &long_answer(300), (100, 30));
    answered(&mut seat, "The first prompt", "line 300 of it");
    seat.quits();
    for size in SIZES {
        let mut again = seat.again_with("replies: []", &["--tui-mode", "fullscreen", "-c"], size);
        again.until("the end", |screen| screen.contains("line 300 of it") && !screen.contains("starting"));
        assert!(again.bytes.len() < 64_000, "{} bytes", again.bytes.len());
        again.types("\x1b[1;5A");
        again.shows("The first prompt");
        let screen = again.rows().join("\n");
        assert!(!screen.contains("earlier messages"), "{screen}");
        again.quits();
        seat = again;
    }
}

#[test]
fn long_lines_end_at_the_edge_and_resizing_paints_everything_anew() {
    let mut seat = full_with(Place::new(), &long_answer(60), &[], (100, 30), &[]);
    answered(&mut seat, "Go", "line 60 of it");
    for (columns, rows) in [(60, 20), (40, 12), (30, 12), (100, 30)] {
        seat.resize(columns, rows);
        seat.until("the new size", |screen| {
            let at = |text: &str| screen.lines().position(|line| line.starts_with(text));
            at("───").is_some() && screen.contains("line 60 of it") && screen.lines().count() == usize::from(rows)
        });
    }
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b[3J"));
    seat.quits();
}
