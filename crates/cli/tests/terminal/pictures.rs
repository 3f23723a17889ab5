//! The screens that people look at most, with the scrollback above them, in a usual, a narrow and a tiny terminal.

use super::Seat;
use crate::place::Place;

const SIZES: [(u16, u16); 3] = [(100, 30), (40, 20), (20, 8)];

/// A seat whose footer is the same in each run.
fn seat(place: Place, script: &str, args: &[&str], size: (u16, u16)) -> Seat {
    let home = place.root().display().to_string();
    Seat::with_variables(place, script, args, size, &[("HOME", &home)])
}

/// Whether the last row of a frame is there.
fn is_whole(screen: &str) -> bool {
    screen.contains("~/work") && screen.trim_end().ends_with("scripted")
}

/// Compares the scrollback and the screen.
fn compare(name: &str, seat: &mut Seat, (columns, rows): (u16, u16)) {
    let all = seat.all_rows();
    let above = all.len() - seat.rows().len();
    let mut picture = all[..above].iter().map(|row| format!("{row}\n")).collect::<String>();
    picture.push_str("=== the screen ===\n");
    picture.extend(all[above..].iter().map(|row| format!("{row}\n")));
    insta::with_settings!({ filters => vec![
        (r"Took \d+\.\d+s", "Took 0.0s"),
        (r"tau v\d+\.\d+\.\d+", "tau v0.0.0"),
    ] }, {
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), picture);
    });
}

#[test]
fn the_start() {
    for size in SIZES {
        let place = Place::new();
        place.write("agent/prompts/review.md", "Review it.");
        place.write("work/AGENTS.md", "Be brief.");
        let mut seat = seat(place, "replies: []", &[], size);
        seat.until("the end of the start", |screen| screen.contains("/review"));
        seat.until("the footer", |screen| !screen.contains("starting") && is_whole(screen));
        compare("start", &mut seat, size);
    }
}

#[test]
fn a_conversation_with_a_command_and_a_change() {
    let script = "replies:
  - [{text: \"I **look** first:\"}, {tool_call: {name: bash, arguments: {command: 'seq 1 8'}}}]
  - [{tool_call: {name: edit, arguments: {path: notes.txt, edits: [{oldText: old line, newText: new line}]}}}]
  - \"It is changed:\\n\\n- one line\\n- `notes.txt`\\n\\nDone.\"";
    for size in SIZES {
        let place = Place::new();
        place.write("work/notes.txt", "one\nold line\nthree\n");
        let mut seat = seat(place, script, &["Change the old line of notes.txt"], size);
        seat.shows("Done.");
        seat.until("the end of the run", |screen| !screen.contains("Working") && is_whole(screen));
        compare("conversation", &mut seat, size);
    }
}

#[test]
fn a_gate_that_asks_about_a_change() {
    let extension = "export default (pi) => pi.on('tool_call', async (event, ctx) => {
        const { existsSync } = await import('node:fs');
        while (!existsSync('go')) await new Promise((done) => setTimeout(done, 10));
        if (!await ctx.ui.confirm('Change it?', event.input.path)) return { block: true, reason: 'no' };
    });";
    let edit = "{path: notes.txt, edits: [{oldText: old line, newText: new line}]}";
    let script = format!("replies:\n  - [{{tool_call: {{name: edit, arguments: {edit}}}}}]\n  - Done.");
    for size in SIZES {
        let place = Place::new();
        place.write("agent/extensions/gate.ts", extension);
        place.write("work/notes.txt", "one\nold line\nthree\n");
        let mut seat = seat(place, &script, &["Go"], size);
        // What is around the change is known once the file was read.
        seat.shows("three");
        seat.place.write("work/go", "");
        seat.shows("Change it?");
        seat.until("the question alone", |screen| !screen.contains("Waiting for") && screen.contains("enter choose"));
        compare("gate", &mut seat, size);
    }
}

#[test]
fn commands_that_are_suggested() {
    for size in SIZES {
        let mut seat = seat(Place::new(), "replies: []", &[], size);
        seat.until("the end of the start", |screen| screen.contains("pager") && !screen.contains("starting"));
        seat.types("/");
        seat.shows("(1/");
        compare("completion", &mut seat, size);
    }
}
