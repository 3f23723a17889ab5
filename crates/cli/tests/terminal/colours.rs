//! Colours of code.

use vt100::Color;

use super::Seat;
use crate::place::Place;

/// An answer with code that arrives in pieces.
const CODE: &str =
    r#"replies: ["Look:\n\n```rust\nfn main() {\n    let x = 1; /* a\n    b */\n}\n```\n\nThat was it."]"#;

#[test]
fn code_in_an_answer_is_coloured_and_is_copied_as_it_is() {
    let mut seat = Seat::new(Place::new(), CODE, &["Go"]);
    seat.shows("That was it.");
    let colours = ["fn", "main", "1", "/* a", "b */"].map(|text| {
        let colours = seat.colours(text);
        assert!(colours.iter().all(|colour| *colour == colours[0]), "{text}: {colours:?}");
        colours[0]
    });
    assert!(colours.iter().all(|colour| *colour != Color::Default), "{colours:?}");
    let [keyword, function, number, comment, rest] = colours;
    assert_eq!(comment, rest, "a comment of two lines");
    assert!(keyword != function && function != number && number != comment, "{colours:?}");
    assert_eq!(seat.copied("fn main", "}"), "fn main() {\n    let x = 1; /* a\n    b */\n}\n");
}

#[test]
fn no_color_leaves_code_plain() {
    let mut seat = Seat::with_variables(Place::new(), CODE, &["Go"], (100, 30), &[("NO_COLOR", "1")]);
    seat.shows("That was it.");
    for text in ["fn main() {", "let x = 1; /* a", "b */"] {
        assert!(seat.colours(text).iter().all(|colour| *colour == Color::Default), "{text}");
    }
}
