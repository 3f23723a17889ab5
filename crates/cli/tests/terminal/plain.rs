//! The terminal as lines of text.

use rustix::termios::{LocalModes, SpecialCodeIndex};

use super::Seat;
use crate::place::{Place, transcript};

const ANSWER: &str = r##"replies: ["# Title\n\nSome **words**."]"##;

fn plain(place: Place, script: &str, args: &[&str]) -> Seat {
    let args: Vec<&str> = ["--plain"].into_iter().chain(args.iter().copied()).collect();
    Seat::new(place, script, &args)
}

fn with(extension: &str) -> Place {
    let place = Place::new();
    place.write("agent/extensions/gate.ts", format!("export default (pi) => {{ {extension} }};"));
    place
}

/// Waits until a prompt is asked for: the last line on the screen.
fn is_ready(seat: &mut Seat) -> String {
    seat.until("the prompt", |screen| screen.trim_end().ends_with("You:"))
}

/// Ends it as a user does: nothing but text was written, and the terminal is as before.
fn ends(mut seat: Seat) -> String {
    seat.types("\x04");
    let (code, screen) = seat.ends();
    assert_eq!(code, Some(0), "{screen}");
    only_appends(&seat);
    screen
}

fn only_appends(seat: &Seat) {
    let written = String::from_utf8_lossy(&seat.bytes);
    assert!(!written.contains('\x1b'), "{written:?}");
    // The system itself ends lines with a carriage return.
    assert!(!written.replace("\r\n", "\n").contains(['\r', '\x08']), "{written:?}");
    let modes = seat.modes();
    assert!(modes.local_modes.contains(LocalModes::ECHO | LocalModes::ICANON));
    assert_eq!(modes.special_codes[SpecialCodeIndex::VINTR], 3);
}

#[test]
fn a_prompt_and_its_answer_have_labels() {
    let mut seat = plain(Place::new(), ANSWER, &[]);
    is_ready(&mut seat);
    seat.types("Hi \\\rthere\r");
    let screen = seat.shows("Some **words**.");
    assert!(screen.contains("You: Hi \\\n") && screen.contains("tau: # Title\n\nSome **words**."), "{screen}");
    is_ready(&mut seat);
    let place_is = transcript(&seat.place.session());
    let screen = ends(seat);
    assert!(screen.contains("To resume this session: tau"), "{screen}");
    assert_eq!(place_is, ["user: Hi \nthere", "assistant: # Title\n\nSome **words**."]);
}

#[test]
fn calls_results_and_errors_have_labels() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'echo one; echo two'}}}]\n  \
                  - [{tool_call: {name: read, arguments: {path: missing.txt}}}]\n  - Done.";
    let mut seat = plain(Place::new(), script, &["Go"]);
    let screen = seat.shows("tau: Done.");
    assert!(screen.contains("You: Go\nTool bash echo one; echo two:\nResult: one\ntwo\n"), "{screen}");
    assert!(screen.contains("Tool read missing.txt:\nError: "), "{screen}");
    is_ready(&mut seat);
    seat.types("!echo it ran\r");
    seat.shows("Result: it ran");
    is_ready(&mut seat);
    ends(seat);
}

#[test]
fn choices_have_numbers() {
    let mut seat = plain(
        with(
            "pi.registerCommand('ask', { description: 'asks', handler: async (_, ctx) => {
                const chosen = await ctx.ui.select('Which?', ['first', 'second']);
                const line = await ctx.ui.input('A line?', 'a hint');
                ctx.ui.notify('got ' + chosen + '+' + line);
            }});",
        ),
        "replies: []",
        &[],
    );
    is_ready(&mut seat);
    seat.types("/ask\r");
    let screen = seat.shows("Type a number from 1 to 2");
    assert!(screen.contains("Question of gate.ts: Which?\n1. first\n2. second\n"), "{screen}");
    seat.types("3\r");
    seat.until("the question again", |screen| screen.matches("Type a number").count() == 2);
    seat.types("2\r");
    // What is typed before is no answer.
    seat.shows("Type a line:");
    seat.types("text\r");
    seat.shows("Note: got second+text");
    is_ready(&mut seat);
    ends(seat);
}

#[test]
fn a_gate_asks_and_its_no_is_said() {
    let mut seat = plain(
        with(
            "pi.on('tool_call', async (event, ctx) => {
                const ok = await ctx.ui.confirm('Run it?', event.input.command);
                if (!ok) return { block: true, reason: 'the user said no' };
            });",
        ),
        "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]\n  - Done.",
        &["Go"],
    );
    let screen = seat.shows("Type y or n:");
    assert!(screen.contains("Question of gate.ts: Run it?\ntouch ran\n"), "{screen}");
    seat.types("perhaps\r");
    seat.until("the question again", |screen| screen.matches("Type y or n:").count() == 2);
    seat.types("n\r");
    let screen = seat.shows("tau: Done.");
    assert!(screen.contains("Blocked by gate.ts: ") && screen.contains("the user said no"), "{screen}");
    assert!(!seat.place.work().join("ran").exists());
    is_ready(&mut seat);
    ends(seat);
}

#[test]
fn a_secret_is_not_shown() {
    let mut seat = plain(
        with(
            "pi.registerCommand('ask', { description: 'asks', handler: async (_, ctx) => {
                const key = await ctx.ui.input('Your API key?');
                ctx.ui.notify('it has ' + key.length + ' letters');
            }});",
        ),
        "replies: []",
        &[],
    );
    is_ready(&mut seat);
    seat.types("/ask\r");
    seat.shows("which is not shown:");
    // What is pasted behind it goes nowhere, not to the model either.
    seat.types("hunter2\rhunter3\r");
    let screen = seat.shows("it has 7 letters");
    assert!(screen.contains("what came behind it is left out") && !screen.contains("hunter"), "{screen}");
    is_ready(&mut seat);
    seat.types("seen again");
    let screen = seat.shows("You: seen again");
    assert!(!screen.contains("hunter"), "{screen}");
    seat.types("\x03");
    is_ready(&mut seat);
    ends(seat);
}

#[test]
fn dumb_terminals_and_users_who_say_so_get_it() {
    for variable in [("TERM", "dumb"), ("ACCESSIBLE", "1")] {
        let mut seat = Seat::with_variables(Place::new(), ANSWER, &["Hi"], (100, 30), &[variable]);
        seat.shows("You: Hi\ntau: # Title");
        is_ready(&mut seat);
        ends(seat);
    }
    let mut seat = Seat::with_variables(Place::new(), ANSWER, &[], (100, 30), &[("ACCESSIBLE", "")]);
    seat.is_ready();
}

#[test]
fn ctrl_c_stops_a_run_and_twice_at_a_prompt_ends_the_program() {
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";
    let mut seat = plain(Place::new(), script, &["Go"]);
    seat.shows("Tool bash sleep 1000:");
    seat.types("\x03");
    let screen = is_ready(&mut seat);
    assert!(screen.to_lowercase().contains("abort") && !screen.contains("Done."), "{screen}");
    seat.types("a text that is not sent\x03");
    seat.shows("Press Ctrl+C again");
    is_ready(&mut seat);
    seat.types("\x03");
    let (code, screen) = seat.ends();
    assert_eq!(code, Some(0), "{screen}");
    only_appends(&seat);
    let place_is = transcript(&seat.place.session());
    assert_eq!(place_is.iter().filter(|line| line.starts_with("user:")).count(), 1, "{place_is:?}");
}

#[test]
fn a_project_is_asked_about_before_its_code_is_loaded() {
    let place = Place::new();
    place.write(
        "work/.pi/extensions/here.ts",
        "export default (pi) => { pi.on('session_start', (_, ctx) => ctx.ui.notify('it ran')); };",
    );
    let mut seat = plain(place, ANSWER, &[]);
    let screen = seat.shows("Type a number");
    assert!(screen.contains("Trust") && screen.contains("1. ") && !screen.contains("it ran"), "{screen}");
    seat.types("1\r");
    seat.shows("Note: it ran");
    is_ready(&mut seat);
    ends(seat);
}

#[test]
fn choices_of_commands_have_numbers_and_text_cannot_steer_the_terminal() {
    let script = "replies: [\"red \\e]0;owned\\x07 and \\e[2J gone\"]";
    let mut seat = plain(Place::new(), script, &["Go"]);
    seat.shows("gone");
    is_ready(&mut seat);
    seat.types("/thinking\r");
    let screen = seat.shows("Type a number from 1 to 1, or q to leave:");
    assert!(screen.contains("Question: /thinking\n1. off (in use now)\n"), "{screen}");
    seat.types("q\r");
    is_ready(&mut seat);
    ends(seat);
}

#[test]
fn a_question_during_the_end_holds_nothing_up() {
    let mut seat = plain(
        with("pi.on('session_shutdown', async (_, ctx) => { await ctx.ui.confirm('Really?', 'It ends.'); });"),
        ANSWER,
        &[],
    );
    is_ready(&mut seat);
    ends(seat);
}
