//! Components of extensions in the real program: their places, their input, and what happens when they fail.

mod completions;
mod editors;
mod embedded;
mod faults;
mod floods;
mod keys;
mod lent;
mod matrix;
mod overlays;
mod parts;
mod places;
mod questions;
mod texts;
mod unfold;

use super::Seat;
use crate::place::Place;

/// A terminal with an extension in it.
fn with(extension: &str, script: &str) -> Seat {
    let mut seat = started(extension, script);
    seat.is_ready();
    seat
}

/// The same, where the extension has a header of its own.
fn started(extension: &str, script: &str) -> Seat {
    let place = Place::new();
    place.write("agent/extensions/draws.ts", extension);
    Seat::new(place, script, &[])
}

/// A terminal with an extension whose factory does this.
fn does(body: &str) -> Seat {
    with(&format!("export default (pi) => {{ {body} }};"), "replies: [Yes., Yes again.]")
}

/// The editor takes what is typed, and shows it.
fn assert_takes_text(seat: &mut Seat, text: &str) {
    seat.types("\x15");
    seat.types(text);
    seat.shows(text);
    seat.types("\x15");
    seat.until("an empty editor", |screen| !screen.contains(text));
}
