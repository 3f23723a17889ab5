//! The engine of the extensions is lost while a component stands at each place.

use super::super::assert_takes_text;
use super::drive::Session;
use super::faults::HERE;
use super::mounted::{below, is_printed, put};
use super::places::PLACES;
use crate::place::Place as Folder;
use crate::terminal::Seat;

/// Little enough that a script can use it up at once.
const LIMITS: &str = r#"{"memoryMb": 48, "stretchMs": 60000}"#;
const LOST: &str = "Its script engine is lost";

#[test]
fn components_go_with_it_and_gates_stay_shut_until_the_next_one() {
    for place in PLACES {
        let mut session = Session::limited(LIMITS);
        session.works("the start");
        let before = below(&mut session);
        put(&mut session, place, "none", Some("lose"));
        session.now("lose");
        session.says(LOST);
        if !is_printed(place) {
            session.seat.until("no component", |screen| !screen.contains(HERE));
        }
        assert_takes_text(&mut session.seat, "after it");
        session.answers(place.name, ["gate.ts is lost"; 2]);
        assert_eq!(below(&mut session), before, "{}", place.name);
        session.assert_said(place.name, LOST, 1);
        session.assert_said(place.name, &format!("its {} ", place.called), 0);
        session.assert_said(place.name, "it could not draw", 0);
        session.seat.submits("/reload");
        session.seat.shows("begun with reload");
        session.works(place.name);
        session.assert_well();
    }
}

/// A terminal with this extension and the one that loses the engine later.
fn with(extension: &str) -> Seat {
    let folder = Folder::new();
    folder.write("agent/extensions/draws.ts", extension);
    folder.write("agent/extensions/gate.ts", include_str!("gate.ts"));
    folder.write("agent/settings.json", format!(r#"{{"tau": {{"limits": {LIMITS}}}}}"#));
    let mut seat = Seat::new(folder, "replies: ['Answer to {{user}}']", &[]);
    seat.is_ready();
    seat.submits("/later lose");
    seat.shows("lose is to come");
    seat
}

#[test]
fn the_text_of_an_editor_stays_with_what_is_typed_meanwhile() {
    let mut seat = with(
        "import { CustomEditor } from '@earendil-works/pi-coding-agent';
        class Mine extends CustomEditor {
            render(width) { return [...super.render(width), 'my editor']; }
        }
        export default (pi) => pi.on('session_start', (_, ctx) =>
            ctx.ui.setEditorComponent((tui, theme, keys) => new Mine(tui, theme, keys)));",
    );
    seat.shows("my editor");
    seat.types("a draft");
    seat.shows("a draft");
    seat.place.write("work/lose", "");
    seat.until_true("the beginning of the end", |seat| !seat.place.work().join("lose").exists());
    seat.types(" with more");
    seat.until("the editor of tau", |screen| screen.contains("a draft with more") && !screen.contains("my editor"));
    seat.types("\r");
    seat.shows("Answer to a draft with more");
}

#[test]
fn questions_go_with_it() {
    let mut seat = with(
        "export default (pi) => {
            pi.registerCommand('ask', { description: 'asks', handler: async (_, ctx) => {
                ctx.ui.select('Which one?', ['the first', 'the second']);
            }});
        };",
    );
    seat.submits("/ask");
    seat.shows("the second");
    seat.place.write("work/lose", "");
    seat.until("no question", |screen| screen.contains("starts a fresh engine") && !screen.contains("the second"));
    assert_takes_text(&mut seat, "after it");
}
