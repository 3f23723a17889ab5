//! From the command line to the first prompt.

use super::Seat;
use crate::place::{Place, files_below, transcript};

const ANSWER: &str = "replies: [It was answered.]";

/// An extension that keeps the start waiting until there is a file named `go`.
const WAITS: &str = "export default (pi) => pi.on('session_start', async () => {
    const { existsSync } = await import('node:fs');
    while (!existsSync('go')) await new Promise((done) => setTimeout(done, 10));
});";

#[test]
fn the_first_frame_has_no_header_and_waits_for_no_answer() {
    let place = Place::new();
    place.write("agent/extensions/waits.ts", WAITS);
    let mut seat = Seat::new(place, ANSWER, &[]);
    let screen = seat.shows("starting…");
    assert!(screen.trim_start().starts_with('─') && !screen.contains("tau v"), "{screen}");
    let written = String::from_utf8_lossy(&seat.bytes).into_owned();
    let at = |text: &str| written.find(text).unwrap_or_else(|| panic!("{text:?} in {written:?}"));
    // Everything that the terminal is asked, with a last question that each one answers.
    let (modes, questions) = (["\x1b[?2004h", "\x1b[>7u", "\x1b[?25l"], ["\x1b[?u", "\x1b]11;?", "\x1b[c"]);
    for sequence in modes.into_iter().chain(questions) {
        assert!(at(sequence) < at("starting…"), "{sequence:?} in {written:?}");
    }
    seat.place.write("work/go", "");
    seat.is_ready();
    // This terminal does not know the protocol of Kitty, and its window has a title.
    seat.until_true("the other way to report keys", |seat| has(seat, "\x1b[>4;2m"));
    seat.until_true("a title", |seat| has(seat, "]0;τ - work"));
}

fn has(seat: &Seat, sequence: &str) -> bool {
    String::from_utf8_lossy(&seat.bytes).contains(sequence)
}

#[test]
fn enter_before_the_start_is_over_keeps_the_text_and_ctrl_d_leaves() {
    let place = Place::new();
    place.write("agent/extensions/waits.ts", WAITS);
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.shows("starting…");
    seat.types("first");
    seat.shows("first");
    seat.types("\x03");
    seat.until("an empty editor", |screen| !screen.contains("first"));
    seat.submits("early");
    let screen = seat.shows("Startup is still in progress");
    assert!(screen.lines().any(|line| line == "early"), "{screen}");
    seat.place.write("work/go", "");
    seat.is_ready();
    seat.types("\r");
    seat.shows("It was answered.");
    seat.types("\x04");
    seat.ends();
    assert_eq!(transcript(&seat.place.session())[0], "user: early");

    let place = Place::new();
    place.write("agent/extensions/waits.ts", WAITS);
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.shows("starting…");
    seat.quits();
}

#[test]
fn the_header_has_all_keys_when_asked_for_and_in_the_pager() {
    let mut seat = Seat::of_size(Place::new(), ANSWER, &["--verbose"], (100, 60));
    let screen = seat.shows("Stop what is under way");
    assert!(screen.contains("ctrl+o") && !screen.contains("escape interrupt"), "{screen}");
    // What it logs does not come back as something to log.
    seat.types("\x04");
    assert_eq!(seat.ends().0, Some(0));
    let logs = files_below(&seat.place.root().join("agent/logs"));
    let logged: u64 = logs.iter().map(|file| file.metadata().expect("a file").len()).sum();
    assert!(logged < 100_000, "{logged} bytes in {logs:?}");

    let mut seat = Seat::of_size(Place::new(), ANSWER, &[], (100, 60));
    seat.is_ready();
    seat.types("\x0f");
    let screen = seat.shows("Tool output: expanded");
    assert!(screen.contains("escape interrupt"), "{screen}");
    seat.types("\x1b[1;5H");
    seat.shows("Transcript ·");
    seat.shows("Stop what is under way");
}

#[test]
fn a_quiet_start_can_keep_the_header_and_never_hides_what_is_wrong() {
    for (quiet, has_header) in [("\"header\"", true), ("true", false)] {
        let place = Place::new();
        place.write("agent/settings.json", format!("{{\"quietStartup\": {quiet}}}"));
        place.write("agent/prompts/review.md", "Review it.");
        place.write("agent/skills/broken/SKILL.md", "---\nname: broken\n---\n\nNo description.\n");
        let mut seat = Seat::new(place, ANSWER, &["Go"]);
        let screen = seat.shows("It was answered.");
        assert_eq!(screen.contains("escape interrupt"), has_header, "{screen}");
        assert!(!screen.contains("[Prompts]"), "{screen}");
        assert!(screen.contains("[Issues]") && screen.contains("broken"), "{screen}");
    }
}

#[test]
fn without_a_model_the_way_to_one_is_named_and_a_prompt_is_not_lost() {
    let place = Place::new();
    let tau = place.tau([] as [&str; 0]);
    let mut seat = Seat::at(place, tau, (100, 30), &[]);
    seat.is_ready();
    let screen = seat.shows("No models available.");
    assert!(screen.contains("/login") && screen.contains("ANTHROPIC_API_KEY"), "{screen}");
    assert!(screen.contains("no model"), "{screen}");
    seat.submits("a prompt");
    seat.shows("Error:");
    seat.until("the prompt", |screen| screen.lines().any(|line| line == "a prompt"));
}

#[test]
fn a_session_whose_folder_is_gone_continues_here_or_in_a_fork_or_not() {
    for (keys, here) in [("\r", true), ("\x1b[B\r", false)] {
        let place = Place::new();
        let gone = place.root().join("gone");
        std::fs::create_dir(&gone).expect("a folder");
        assert_eq!(place.play(ANSWER, ["-p", "Hi"]).within(&gone).run().code, Some(0));
        std::fs::remove_dir(&gone).expect("it goes");
        let file = place.session_files().remove(0).display().to_string();
        let mut seat = Seat::new(place, "replies: [Once more.]", &["--session", &file, "Again"]);
        let screen = seat.shows("Cancel");
        assert!(screen.contains("is gone") && screen.contains("Continue here") && screen.contains("Fork"), "{screen}");
        seat.types(keys);
        seat.shows("Once more.");
        seat.types("\x04");
        seat.ends();
        assert_eq!(seat.place.session_files().len(), if here { 1 } else { 2 });
    }
}

#[test]
fn a_session_of_another_project_is_forked_when_the_user_wants_that() {
    let place = Place::new();
    let other = place.root().join("other");
    std::fs::create_dir(&other).expect("a folder");
    assert_eq!(place.play(ANSWER, ["-p", "Hi"]).within(&other).run().code, Some(0));
    let id = place.session().id().to_owned();
    let mut seat = Seat::new(place, "replies: [Once more.]", &["--session", &id, "Again"]);
    let screen = seat.shows("The session is of another project");
    assert!(screen.contains("Fork it into this directory"), "{screen}");
    seat.types("\r");
    seat.shows("Once more.");
    assert_eq!(seat.place.session_files().len(), 2);
}

#[test]
fn leaving_the_choice_of_a_session_ends_the_program() {
    let place = Place::new();
    assert_eq!(place.play(ANSWER, ["-p", "Hi"]).run().code, Some(0));
    let mut seat = Seat::new(place, ANSWER, &["-r"]);
    seat.until("the list", |screen| screen.contains("Hi"));
    seat.types("\x1b");
    let (code, screen) = seat.ends();
    assert_eq!(code, Some(0));
    assert!(screen.contains("No session was chosen."), "{screen}");
}

#[test]
fn no_answer_about_a_project_is_no_trust_and_says_how_to_change_that() {
    let place = Place::new();
    place.write("work/.pi/prompts/here.md", "Here.");
    let mut seat = Seat::new(place, ANSWER, &[]);
    let screen = seat.shows("Trust");
    for choice in ["Trust", "this session only", "Do not trust"] {
        assert!(screen.contains(choice), "{choice}\n{screen}");
    }
    seat.types("\x1b");
    seat.is_ready();
    let screen = seat.shows("Warning:");
    assert!(screen.contains("/trust") && !screen.contains("/here"), "{screen}");
    assert!(!seat.place.root().join("agent/trust.json").exists());
}

#[test]
fn a_file_of_the_command_line_that_fails_shuts_every_gate() {
    let place = Place::new();
    place.write("work/broken.ts", "export default () => { throw new Error('it is broken'); };");
    let script = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'touch ran'}}}]\n  - Done.";
    let mut seat = Seat::new(place, script, &["-e", "broken.ts", "Go"]);
    let screen = seat.shows("Done.");
    assert!(screen.contains("broken.ts") && screen.contains("it is broken"), "{screen}");
    assert!(!seat.place.work().join("ran").exists());
}

#[test]
fn files_and_the_first_message_are_one_prompt_and_each_further_message_waits_for_the_one_before() {
    let place = Place::new();
    place.write("work/a.md", "the content");
    let mut seat = Seat::new(place, "replies: [First., Second.]", &["@a.md", "one", "two"]);
    seat.shows("Second.");
    seat.types("\x04");
    seat.ends();
    let all = transcript(&seat.place.session());
    assert!(all[0].contains("the content") && all[0].ends_with("one"), "{all:?}");
    assert_eq!(all[1..], ["assistant: First.", "user: two", "assistant: Second."]);
}

#[test]
fn keys_with_two_meanings_are_named_at_the_start() {
    let place = Place::new();
    place.write("agent/keybindings.json", r#"{"app.tools.expand": "ctrl+t"}"#);
    let mut seat = Seat::new(place, ANSWER, &[]);
    seat.shows("ctrl+t is a key of app.tools.expand and app.thinking.toggle");
}

#[test]
fn tmux_that_keeps_keys_for_itself_is_named() {
    let place = Place::new();
    place.program("tmux", "case \"$*\" in *-s*) echo 'extended-keys off';; esac");
    let path = format!("{}:{}", place.root().join("bin").display(), std::env::var("PATH").expect("a path"));
    let mut seat = Seat::with(place, ANSWER, &[], &[("TMUX", "/tmp/none,1,0"), ("PATH", &path)]);
    let screen = seat.shows("set -s extended-keys on");
    assert!(screen.contains("Warning: tmux does not pass"), "{screen}");
}
