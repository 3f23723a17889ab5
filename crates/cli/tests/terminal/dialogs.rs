//! Questions of extensions, and gates.

use super::Seat;
use crate::place::Place;

const CALL: &str = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]\n  - Done.";

fn with(extension: &str) -> Place {
    let place = Place::new();
    place.write("agent/extensions/gate.ts", format!("export default (pi) => {{ {extension} }};"));
    place
}

#[test]
fn a_gate_asks_in_the_place_of_the_editor_and_its_no_is_shown() {
    let place = with(
        "pi.on('tool_call', async (event, ctx) => {
            const ok = await ctx.ui.confirm('Run it?', event.input.command);
            if (!ok) return { block: true, reason: 'the user said no' };
        });",
    );
    let mut seat = Seat::new(place, CALL, &["Go"]);
    let screen = seat.shows("Run it?");
    assert!(screen.contains("touch ran") && screen.contains("gate.ts"), "{screen}");
    seat.types("n");
    let screen = seat.shows("Done.");
    assert!(screen.contains("Blocked by") && screen.contains("gate.ts"), "{screen}");
    assert!(screen.contains("the user said no"), "{screen}");
    assert!(!seat.place.work().join("ran").exists());
}

#[test]
fn of_two_questions_the_newest_is_shown_and_both_are_answered() {
    let place = with(
        "pi.registerCommand('two', { description: 'asks twice', handler: async (_, ctx) => {
            const both = await Promise.all([ctx.ui.select('First?', ['a', 'b']), ctx.ui.input('Second?', 'a hint')]);
            ctx.ui.notify('got ' + both.join('+'));
        }});",
    );
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    seat.types("/two\r");
    let screen = seat.shows("Second?");
    assert!(screen.contains("(1 of 2)") && screen.contains("a hint"), "{screen}");
    seat.types("x\x7f");
    seat.until("the line", |screen| screen.contains("a hint"));
    // What was typed at the one before must not answer it: a key that moves says that it was seen.
    seat.types("\x1b[D");
    seat.types("text\r");
    seat.shows("First?");
    seat.types("\x1b[B\r");
    seat.shows("got b+text");
}

#[test]
fn statuses_widgets_and_notes_are_shown() {
    let place = with(
        "pi.on('session_start', (_, ctx) => {
            ctx.ui.setStatus('s', 'all is well');
            ctx.ui.setWidget('w', ['a line above']);
            ctx.ui.setWidget('v', ['a line below'], { placement: 'belowEditor' });
            ctx.ui.notify('careful', 'warning');
            console.log('not for the screen');
        });",
    );
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    // They come one after the other, and a frame may be painted in between.
    for text in ["all is well", "a line above", "a line below"] {
        seat.shows(text);
    }
    let screen = seat.shows("Warning: careful");
    assert!(!screen.contains("not for the screen"), "{screen}");
}

#[test]
fn a_project_is_asked_about_before_its_code_is_loaded() {
    let place = Place::new();
    place.write(
        "work/.pi/extensions/here.ts",
        "export default (pi) => { pi.on('session_start', (_, ctx) => ctx.ui.notify('it ran')); };",
    );
    let mut seat = Seat::new(place, "replies: []", &[]);
    let screen = seat.shows("Trust");
    assert!(!screen.contains("it ran"), "{screen}");
    seat.types("\r");
    seat.shows("it ran");
}

#[test]
fn a_gate_that_asks_about_an_edit_is_answered_with_the_change_in_sight() {
    let place = with(
        "pi.on('tool_call', async (event, ctx) => {
            if (event.toolName !== 'edit') return;
            if (!await ctx.ui.confirm('Change it?', event.input.path)) return { block: true, reason: 'no' };
        });",
    );
    place.write("work/notes.txt", "one\nold line\nthree\n");
    let edit = "{path: notes.txt, edits: [{oldText: old line, newText: new line}]}";
    let script = format!("replies:\n  - [{{tool_call: {{name: edit, arguments: {edit}}}}}]\n  - Done.");
    let mut seat = Seat::new(place, &script, &["Go"]);
    seat.shows("Change it?");
    let screen = seat.shows("new line");
    assert!(screen.contains("old line"), "{screen}");
    assert_eq!(std::fs::read_to_string(seat.place.work().join("notes.txt")).expect("a file"), "one\nold line\nthree\n");
    seat.types("y");
    seat.shows("Done.");
    assert_eq!(std::fs::read_to_string(seat.place.work().join("notes.txt")).expect("a file"), "one\nnew line\nthree\n");
}

#[test]
fn a_question_during_the_end_is_not_waited_for() {
    let place = with(
        "pi.on('session_shutdown', async (_, ctx) => {
            const answer = await ctx.ui.confirm('Really?', 'now');
            (await import('node:fs')).writeFileSync('answered', String(answer));
        });",
    );
    let mut seat = Seat::new(place, "replies: []", &[]);
    seat.is_ready();
    seat.types("\x04");
    assert_eq!(seat.ends().0, Some(0));
    assert_eq!(std::fs::read_to_string(seat.place.work().join("answered")).expect("it was answered"), "false");
}
