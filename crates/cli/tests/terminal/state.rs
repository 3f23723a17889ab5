//! What tau says about its state, and what it shows of sessions that are opened again.

use super::Seat;
use crate::place::Place;

const CALL: &str = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]\n  - Done.";

#[test]
fn a_terminal_that_wants_to_know_learns_what_is_done_and_what_is_asked() {
    let place = Place::new();
    place.write(
        "agent/extensions/gate.ts",
        "export default (pi) => pi.on('tool_call', async (event, ctx) => {
            const ok = await ctx.ui.confirm('Run it?', event.input.command);
            if (!ok) return { block: true, reason: 'no' };
        });",
    );
    let mut seat = Seat::with(place, CALL, &["Go"], &[("PI_PROGRAM_STATUS", "1")]);
    seat.shows("Run it?");
    seat.types("y");
    seat.shows("Done.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x04");
    seat.ends();
    let written = String::from_utf8_lossy(&seat.bytes).into_owned();
    let said = written.split("\x1b]7501;state=").skip(1).map(|said| said.split("\x1b\\").next().unwrap_or_default());
    let said: Vec<&str> = said.collect();
    // The title of the question in base64.
    let asked = "blocked:app=tau:kind=permission:msg=UnVuIGl0Pw==";
    assert_eq!(said, ["idle:app=tau", "working:app=tau", asked, "working:app=tau", "done:app=tau", "idle:app=tau"]);
}

#[test]
fn questions_and_failures_are_told_with_their_kind_and_their_first_line() {
    let place = Place::new();
    place.write(
        "agent/extensions/ask.ts",
        "export default (pi) => pi.registerCommand('ask', { description: 'asks', handler: async (_, ctx) => {
            await ctx.ui.select('Which?', ['a', 'b']);
            ctx.ui.notify('nothing was chosen');
        }});",
    );
    let script = "replies: [[{error: the wire is cut}]]";
    let mut seat = Seat::with(place, script, &[], &[("PI_PROGRAM_STATUS", "1")]);
    seat.is_ready();
    seat.types("/ask\r");
    seat.shows("Which?");
    seat.types("\x1b");
    seat.shows("nothing was chosen");
    seat.types("Try\r");
    seat.shows("the wire is cut");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x03\x04");
    seat.ends();
    let written = String::from_utf8_lossy(&seat.bytes).into_owned();
    // Titles and messages in base64.
    assert!(written.contains("7501;state=blocked:app=tau:kind=question:msg=V2hpY2g/\x1b"), "{written:?}");
    assert!(written.contains("7501;state=error:app=tau:msg="), "{written:?}");
}

#[test]
fn nothing_is_said_to_a_terminal_that_does_not_want_to_know() {
    let mut seat = Seat::new(Place::new(), "replies: [Done.]", &["Go"]);
    seat.shows("Done.");
    seat.types("\x04");
    seat.ends();
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("7501;state"));
}

#[test]
fn a_long_session_that_is_opened_again_begins_with_its_last_lines() {
    let answer = |name: &str| (1..=150).map(|line| format!("- {name} {line}\\n")).collect::<String>();
    let script = format!("replies: [\"{}\", \"{}\", \"{}\"]", answer("first"), answer("second"), answer("third"));
    let mut seat = Seat::new(Place::new(), &script, &["One", "Two", "Three"]);
    seat.shows("third 150");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.types("\x04");
    seat.ends();
    let mut again = seat.again("replies: []", &["-c"]);
    again.shows("third 150");
    let written = String::from_utf8_lossy(&again.bytes).into_owned();
    assert!(written.contains("4 earlier messages") && written.contains("second 150"), "{written}");
    assert!(!written.contains("first ") && !written.contains("second 1\x1b"), "{written}");
    // The pager has everything.
    again.types("\x1b[1;5H");
    again.shows("first 1");
}

#[test]
fn what_was_found_for_the_session_is_listed() {
    let place = Place::new();
    place.write("agent/extensions/gate.ts", "export default () => {};");
    place.write("agent/prompts/review.md", "Review it.");
    place.write("work/AGENTS.md", "Be brief.");
    let mut seat = Seat::new(place, "replies: []", &[]);
    let screen = seat.shows("[Extensions]");
    assert!(screen.contains("[Context]\n   AGENTS.md") && screen.contains("/review"), "{screen}");
    assert!(screen.contains("gate"), "{screen}");
}

#[test]
fn quiet_starts_list_nothing() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"quietStartup": true}"#);
    place.write("agent/prompts/review.md", "Review it.");
    let mut seat = Seat::new(place, "replies: [Done.]", &["Go"]);
    let screen = seat.shows("Done.");
    assert!(!screen.contains("[Prompts]") && !screen.contains("escape interrupt"), "{screen}");
}

#[test]
fn waiting_prompts_are_moved_removed_and_changed_one_by_one() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";
    let mut seat = Seat::new(Place::new(), script, &["Go"]);
    seat.shows("$ sleep 1000");
    for text in ["alpha", "beta", "gamma"] {
        seat.types(text);
        seat.types("\r");
        seat.shows(&format!("Steering: {text}"));
    }
    seat.types("\x1b[1;3B");
    seat.shows("Prompts that wait");
    // The last one goes up, and is changed.
    seat.types("\x1b[1;3A");
    seat.until("the new order", |screen| below(screen, "Steering: gamma", "Steering: beta"));
    seat.types("\r");
    seat.shows("enter keep");
    seat.types(" more");
    seat.shows("gamma more");
    seat.types("\r");
    seat.until("the changed text", |screen| below(screen, "Steering: beta", "Steering: gamma more"));
    seat.types("\x1b[A");
    seat.types("\x1b[3~");
    seat.until("one less", |screen| screen.matches("Steering:").count() == 2);
    seat.types("\x1b");
    seat.until("the end of the list", |screen| !screen.contains("Prompts that wait"));
    seat.types("\x1b");
    let screen = seat.until("the end of the run", |screen| !screen.contains("Working"));
    assert!(screen.contains("gamma more"), "{screen}");
}

#[test]
fn waiting_prompts_are_taken_back_all_at_once() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";
    let mut seat = Seat::new(Place::new(), script, &["Go"]);
    seat.shows("$ sleep 1000");
    for text in ["alpha", "beta"] {
        seat.types(text);
        seat.types("\r");
        seat.shows(&format!("Steering: {text}"));
    }
    seat.types("\x1b[1;3A");
    seat.shows("Restored 2 queued messages to the editor");
    seat.until("both in the editor", |screen| {
        let is_there = |text: &&str| screen.lines().any(|line| line == *text);
        !screen.contains("Steering:") && ["alpha", "beta"].iter().all(is_there)
    });
    seat.types("\x1b");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
}

/// Whether both are there, the second one further down.
fn below(screen: &str, first: &str, second: &str) -> bool {
    matches!((screen.find(first), screen.find(second)), (Some(first), Some(second)) if first < second)
}

#[test]
fn a_command_of_the_user_writes_below_the_footer() {
    let place = Place::new();
    let command = r"cat > given.json; printf '\033[31mmine\033[0m\033[2J\n'";
    place.write("agent/settings.json", serde_json::json!({ "tau": { "statusLine": command } }).to_string());
    let mut seat = Seat::new(place, "replies: [Done.]", &["Go"]);
    let screen = seat.until("the line", |screen| screen.trim_end().ends_with("\nmine"));
    assert!(!screen.contains("[2J"), "{screen}");
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b[2J"));
    let given = std::fs::read_to_string(seat.place.work().join("given.json")).expect("it was given something");
    let given: serde_json::Value = serde_json::from_str(&given).expect("JSON");
    assert!(given["session_id"].is_string() && given["model"]["id"].is_string(), "{given}");
}

#[test]
fn a_command_that_fails_is_named_once() {
    let place = Place::new();
    let settings = serde_json::json!({ "tau": { "statusLine": "echo no such thing >&2; exit 3" } });
    place.write("agent/settings.json", settings.to_string());
    let mut seat = Seat::new(place, "replies: [One., Two.]", &["Go", "On"]);
    seat.shows("Two.");
    let screen = seat.shows("it ended with code 3: no such thing");
    seat.types("\x04");
    seat.ends();
    assert_eq!(screen.matches("`tau.statusLine` failed").count(), 1, "{screen}");
}
