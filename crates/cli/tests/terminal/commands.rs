//! Commands that show something: help, what was changed, what is wrong.

use super::Seat;
use crate::place::{Place, transcript};

const NOTHING: &str = "replies: []";

#[test]
fn help_lists_commands_with_what_they_do_and_keys() {
    let place = Place::new();
    place.write(
        "agent/extensions/own.ts",
        "export default (pi) => { pi.registerCommand('greet', { description: 'says hello', handler: async () => {} }); };",
    );
    let mut seat = Seat::of_size(place, NOTHING, &[], (100, 90));
    seat.is_ready();
    seat.types("/help\r");
    let screen = seat.shows("/hotkeys shows all keys");
    for text in ["Commands of extensions", "/greet", "says hello", "/undo", "Take back the last prompt", "ctrl+o"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
}

#[test]
fn a_question_mark_alone_lists_the_keys_and_is_text_with_more() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.types("?");
    let screen = seat.shows("Stop what is under way");
    // Not those of lists, which mean nothing here.
    assert!(screen.contains("/hotkeys") && !screen.contains("Fold the branch"), "{screen}");
    seat.types("!");
    seat.until("the editor", |screen| screen.contains("?!") && !screen.contains("Stop what is under way"));
}

#[test]
fn undo_brings_the_last_prompt_back_and_keeps_it_in_the_tree() {
    let mut seat = Seat::new(Place::new(), "replies: [First., Second., Third.]", &["one"]);
    seat.shows("First.");
    seat.types("two\r");
    seat.shows("Second.");
    seat.types("/undo\r");
    seat.until("the prompt", |screen| screen.lines().any(|line| line == "two"));
    seat.types(" again\r");
    seat.shows("Third.");
    seat.types("\x04");
    seat.ends();
    let expected = ["user: one", "assistant: First.", "user: two again", "assistant: Third."];
    assert_eq!(transcript(&seat.place.session()), expected);
}

#[test]
fn undo_without_a_prompt_says_so() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/undo\r");
    seat.shows("There is no prompt to take back");
}

#[test]
fn diff_shows_what_tools_changed_in_the_pager() {
    let script = "replies:
  - [{tool_call: {name: write, arguments: {path: new.txt, content: \"fresh line\\n\"}}}]
  - [{tool_call: {name: edit, arguments: {path: old.txt, edits: [{oldText: two, newText: zwei}]}}}]
  - [{tool_call: {name: edit, arguments: {path: old.txt, edits: [{oldText: absent, newText: x}]}}}]
  - Done.";
    let place = Place::new();
    place.write("work/old.txt", "one\ntwo\nthree\n");
    let mut seat = Seat::new(place, script, &["Go"]);
    seat.shows("Done.");
    seat.types("/diff\r");
    let screen = seat.shows("Changes ·");
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}\n{screen}"));
    assert!(at("new.txt +1 -0") < at("fresh line") && at("fresh line") < at("old.txt +1 -1"), "{screen}");
    assert!(at("two") < at("zwei") && !screen.contains("absent"), "{screen}");
    seat.types("\x1b");
    seat.until("the editor", |screen| !screen.contains("Changes ·") && screen.contains("Done."));
}

#[test]
fn diff_without_a_change_says_so() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/diff\r");
    seat.shows("No tool has changed a file in this session.");
}

#[test]
fn copy_offers_messages_and_code_and_sends_what_is_chosen() {
    let answer = "replies: [\"Before.\\n\\n```sh\\necho it\\n```\\n\\nAfter.\"]";
    let mut seat = Seat::new(Place::new(), answer, &["Say"]);
    seat.shows("After.");
    seat.types("/copy\r");
    let screen = seat.shows("sh (1 line)");
    assert!(screen.contains("→ answer") && screen.contains("prompt (1 line)"), "{screen}");
    seat.types("\x1b[B\r");
    seat.shows("Sent to the terminal");
    let bytes = String::from_utf8_lossy(&seat.bytes).into_owned();
    // `echo it` in base64.
    assert!(bytes.contains("\x1b]52;c;ZWNobyBpdA=="), "{bytes:?}");
}

#[test]
fn doctor_tells_what_is_wrong_with_the_terminal_and_how_to_fix_it() {
    let place = Place::new();
    place.write("agent/keybindings.json", r#"{"no.such.action": "f4"}"#);
    let mut seat = Seat::of_size(place, NOTHING, &[], (140, 70));
    seat.is_ready();
    seat.types("/doctor\r");
    let screen = seat.shows("export COLORTERM=truecolor");
    for text in ["no.such.action", "TERM is xterm-256color", "clipboard"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
}

#[test]
fn a_key_for_a_login_is_not_shown_and_stored() {
    let mut seat = Seat::new(Place::new(), NOTHING, &[]);
    seat.is_ready();
    seat.types("/login openai\r");
    seat.shows("API key for openai");
    seat.types("sk-very-secret-1");
    seat.shows("••••••••••••••••");
    seat.types("\r");
    seat.shows("The API key for openai is stored.");
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("very-secret"), "the key was shown");
    assert!(seat.place.read("agent/auth.json").contains("sk-very-secret-1"));
}
