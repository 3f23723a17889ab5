//! What extensions draw of the conversation is drawn anew when it is unfolded and folded again.

use super::super::Seat;
use crate::place::Place;

/// A tool whose calls, and messages whose text, look different unfolded.
const DRAWS: &str = "const text = (...lines) => ({ render: () => lines, invalidate() {} });
export default (pi) => {
    pi.registerTool({
        name: 'weigh', label: 'Weigh', description: 'weighs', parameters: { type: 'object', properties: { what: { type: 'string' } } },
        execute: async (id, { what }) => ({ content: [{ type: 'text', text: 'raw result' }], details: { what } }),
        renderCall: (args) => text('weighing ' + args.what),
        renderResult: (result, { expanded }) => text((expanded ? 'long' : 'short') + ' of ' + result.details.what),
    });
    pi.registerMessageRenderer('card', (message, { expanded }) => text((expanded ? 'long' : 'short') + ' card ' + message.content));
    pi.registerCommand('cards', { description: 'adds', handler: async () => {
        for (const content of ['one', 'two', 'three']) pi.sendMessage({ customType: 'card', content, display: true });
    }});
};";

const REPLIES: &str = "replies:
  - [{tool_call: {name: weigh, arguments: {what: a feather}}}, {tool_call: {name: weigh, arguments: {what: a stone}}}, {tool_call: {name: weigh, arguments: {what: a whale}}}]
  - Done.
  - [{tool_call: {name: weigh, arguments: {what: a mouse}}}]
  - Done again.";

const ALL: [&str; 6] = ["of a feather", "of a stone", "of a whale", "card one", "card two", "card three"];

fn seat(mode: &str) -> Seat {
    let place = Place::new();
    place.write("agent/extensions/draws.ts", DRAWS);
    let mut seat = Seat::of_size(place, REPLIES, &["--tui-mode", mode], (80, 40));
    seat.is_ready();
    seat.submits("Go");
    seat.shows("short of a whale");
    seat.shows("Done.");
    seat.submits("/cards");
    seat.shows("short card three");
    seat
}

fn shows_all(seat: &mut Seat, how: &str) {
    seat.until(how, |screen| ALL.iter().all(|part| screen.contains(&format!("{how} {part}"))));
}

#[test]
fn a_renderer_may_fail_at_arguments_that_are_not_all_there() {
    let place = Place::new();
    let renders = "renderCall: (args) => text('weighing ' + args.what.length + ' letters, ' + args.how.length),";
    place.write(
        "agent/extensions/draws.ts",
        DRAWS.replace("renderCall: (args) => text('weighing ' + args.what),", renders),
    );
    let script = "replies:
  - - {tool_call: {name: weigh, arguments: {what: a feather that is light, how: slowly}}, chunk: 2, delta_ms: 40}
  - Done.";
    let mut seat = Seat::new(place, script, &[]);
    seat.is_ready();
    seat.submits("Go");
    seat.shows("weighing 23 letters, 6");
    let screen = seat.shows("Done.");
    assert!(!screen.contains("could not draw"), "{screen}");
}

#[test]
fn in_the_pager() {
    let mut seat = seat("regular");
    seat.types("\x0f");
    shows_all(&mut seat, "long");
    seat.types("\x0f");
    shows_all(&mut seat, "short");
    seat.types("\x0f");
    shows_all(&mut seat, "long");
    seat.types("q");
    seat.until("the prompt", |screen| screen.contains("card three") && !screen.contains("long of a whale"));
    // What comes now is unfolded from the beginning.
    seat.submits("More");
    seat.shows("long of a mouse");
}

#[test]
fn in_full_screen_mode() {
    let mut seat = seat("fullscreen");
    for _ in 0..3 {
        seat.types("\x0f");
        shows_all(&mut seat, "long");
        seat.types("\x0f");
        shows_all(&mut seat, "short");
    }
    seat.types("\x0f");
    shows_all(&mut seat, "long");
    seat.submits("More");
    seat.shows("long of a mouse");
}

#[test]
fn an_answer_whose_transformer_never_ends_is_shown_whole() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"tau": {"limits": {"stretchMs": 500}}}"#);
    place.write(
        "agent/extensions/draws.ts",
        "export default (pi) => pi.registerMarkdownTransformer((text) => {
            const again = () => Promise.resolve().then(again);
            again();
            return text;
        });",
    );
    let script = "replies:
  - - {text: The beginning and the very end of it., chunk: 8, delta_ms: 30}";
    let mut seat = Seat::new(place, script, &[]);
    seat.is_ready();
    seat.submits("Go");
    seat.shows("The beginning and the very end of it.");
}
