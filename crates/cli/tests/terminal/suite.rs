//! Every module of the suite in a terminal.

use super::Seat;
use crate::modules::{DRIVES, ways};
use crate::place::Place;

#[test]
fn every_module_works_in_a_terminal() {
    for drive in DRIVES {
        for way in ways(drive) {
            let mut seat = Seat::new(Place::new(), drive.script, &["-e", &way]);
            seat.is_ready();
            seat.types(&format!("{}\r", drive.prompt));
            seat.shows(drive.shows[4]);
        }
    }
}

/// The table of arguments is of the module, not of the template.
#[test]
fn arguments_of_a_template_are_completed() {
    let place = || {
        let place = Place::new();
        place.write("agent/prompts/release.md", "---\ndescription: Release\n---\nRelease it.");
        place
    };
    let mut seat = Seat::new(place(), "replies: []", &["-e", "builtin:autocomplete"]);
    seat.is_ready();
    seat.types("/release --dr");
    seat.shows("--dry-run");
}
