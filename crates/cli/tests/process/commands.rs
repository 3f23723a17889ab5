//! Built-in commands in print and JSON mode.

use crate::support::{Done, Place, kinds, transcript};

const MODEL: &str = "model: {id: helper, reasoning: true}\nreplies: [Hello, Again]";

#[test]
fn completions_and_the_man_page_know_flags_and_subcommands() {
    let place = Place::new();
    let print = |args: &[&str]| {
        let done = place.tau(args).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{args:?}");
        done.stdout
    };
    for shell in ["bash", "zsh", "fish"] {
        let script = print(&["completions", shell]);
        for word in ["thinking", "no-approve", "rpc", "install", "print-api-key", "unset"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(print(&["man"]).contains(".B tau config\nLook at settings and change them;"));
    let unknown = "Error: tau has completions for bash, zsh, fish, but not for \"tcsh\"";
    assert_eq!(place.tau(["completions", "tcsh"]).run(), Done::failed(unknown));
}

#[test]
fn print_mode_prints_what_commands_say() {
    let place = Place::new();
    let run = |args: &[&str]| place.play(MODEL, args).run();
    assert_eq!(run(&["-p", "/name"]), Done::ok("This session has no name.\n"));
    assert_eq!(run(&["-p", "/name Kettle", "/name"]), Done::ok("Session name: Kettle\nKettle\n"));
    assert_eq!(run(&["-p", "/model"]), Done::ok("Model: scripted/helper\n"));
    assert_eq!(run(&["-p", "/thinking low", "/thinking"]).stdout.lines().next(), Some("Thinking: low"));
    assert_eq!(place.session_files().len(), 0, "a session without a user message is no file");
}

#[test]
fn a_command_that_fails_ends_the_program() {
    let place = Place::new();
    let run = |command: &str| place.play(MODEL, ["-p", command, "never asked"]).run();
    assert_eq!(
        run("/model nope/none"),
        Done::failed("Error: Model \"nope/none\" not found. Use --list-models to see available models.")
    );
    assert_eq!(
        run("/thinking hard"),
        Done::failed("Error: Unknown thinking level \"hard\" (available: off, minimal, low, medium, high)")
    );
}

#[test]
fn what_the_session_is_can_be_asked() {
    let place = Place::new();
    let done = place.play(MODEL, ["--name", "Kettle", "-p", "Hi", "/session"]).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    let file = place.session_files().remove(0).display().to_string();
    let text = done.stdout.replace(&file, "FILE").replace(place.session().id(), "ID");
    insta::assert_snapshot!(text);
}

#[test]
fn quit_ends_before_the_next_prompt() {
    let place = Place::new();
    assert_eq!(place.play(MODEL, ["-p", "Hi", "/quit", "Again"]).run(), Done::ok("Hello\n"));
    assert_eq!(place.session().context().messages.len(), 2);
}

#[test]
fn a_command_does_not_print_an_answer_of_old() {
    let place = Place::new();
    assert_eq!(place.play(MODEL, ["-p", "Hi"]).run(), Done::ok("Hello\n"));
    assert_eq!(place.play(MODEL, ["-c", "-p", "/name Kettle"]).run(), Done::ok("Session name: Kettle\n"));
    assert_eq!(place.session().session_name().as_deref(), Some("Kettle"));
    assert_eq!(place.play("replies: [[{error: It broke}]]", ["-c", "-p", "Hi"]).run().code, Some(1));
    assert_eq!(place.play(MODEL, ["-c", "-p", "/name"]).run(), Done::ok("Kettle\n"));
}

#[test]
fn json_mode_keeps_standard_output_for_events() {
    let place = Place::new();
    let done = place.play(MODEL, ["--mode", "json", "/name Kettle", "/thinking low", "/model", "/quit", "Hi"]).run();
    let events = done.events();
    assert_eq!(kinds(&events), ["session", "session_info_changed", "thinking_level_changed"]);
    assert_eq!((&events[1]["name"], &events[2]["level"]), (&"Kettle".into(), &"low".into()));
    assert_eq!(done.stderr, "Session name: Kettle\nThinking: low\nModel: scripted/helper\n");
    assert_eq!(done.code, Some(0));
}

#[test]
fn an_unknown_command_is_text() {
    let place = Place::new();
    let script = "replies: [[{expect: {last_user: /frob now}}, {text: fine}]]";
    assert_eq!(place.play(script, ["-p", "/frob now"]).run(), Done::ok("fine\n"));
}

#[test]
fn settings_trust_and_keys_are_told_without_a_terminal() {
    let place = Place::new();
    place.write("agent/settings.json", r#"{"theme": "dark"}"#);
    place.write("work/.pi/settings.json", r#"{"theme": "light"}"#);
    let prompts = ["/settings theme", "/settings theme blue", "/settings", "/trust yes", "/trust"];
    let done = place.play(MODEL, ["--approve", "-p"].into_iter().chain(prompts)).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(place.normal(&done.stdout));
    assert_eq!(place.read("agent/settings.json"), "{\n  \"theme\": \"blue\"\n}");
    // What was kept counts from the next start on.
    assert!(place.play(MODEL, ["-p", "/settings theme"]).run().stdout.starts_with("theme = \"light\"\n"));
    assert_eq!(place.play(MODEL, ["-p", "/trust no"]).run().code, Some(0));
    assert!(place.play(MODEL, ["-p", "/settings theme"]).run().stdout.starts_with("theme = \"blue\"\n"));
    assert!(place.play(MODEL, ["-p", "/hotkeys"]).run().stdout.contains("  ctrl+z  "));
}

#[test]
fn logging_in_without_a_user_says_what_to_do() {
    let place = Place::new();
    let done = place.play(MODEL, ["-p", "/login openai", "never asked"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    let expected = "Error: Logging in asks questions, and there is nobody to answer. Set OPENAI_API_KEY, ";
    assert!(done.stderr.starts_with(expected), "{}", done.stderr);
    place.write(
        "agent/auth.json",
        r#"{"openai": {"type": "api_key", "key": "k"}, "corp": {"type": "oauth", "access": "a"}}"#,
    );
    let done = place.play(MODEL, ["-p", "/logout", "/logout openai", "/logout"]).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(done.stdout);
    assert!(!place.read("agent/auth.json").contains("openai"));
}

#[test]
fn a_session_from_elsewhere_goes_on_here() {
    let there = Place::new();
    assert_eq!(there.play(MODEL, ["-p", "Hi"]).run(), Done::ok("Hello\n"));
    let place = Place::new();
    let theirs = place.write("work/theirs.jsonl", std::fs::read(&there.session_files()[0]).expect("a file"));
    drop(there);
    let script = "model: {id: helper, reasoning: true}\nreplies: [[{expect: {messages: 3, contains: [Hi, Hello]}}, {text: On we go}]]";
    let refused = place.play(script, ["-p", "/import theirs.jsonl", "Go on"]).run();
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("Failed to import session: its directory "), "{}", refused.stderr);
    let done = place.play(script, ["-p", "/import theirs.jsonl here", "Go on"]).run();
    assert_eq!(done, Done::ok("Session imported from: theirs.jsonl\nOn we go\n"));
    // From now on it is a session like any other.
    assert_eq!(place.play(MODEL, ["-c", "-p", "/name Theirs", "Hi"]).run(), Done::ok("Session name: Theirs\nHello\n"));
    assert_eq!(place.session().context().messages.len(), 6);
    assert!(theirs.exists());
}

/// Commands are looked up in what the handlers of `input` made of a text, here by the real engine.
#[test]
fn input_makes_commands_and_unmakes_them() {
    let place = Place::new();
    let rewrite = "export default (pi) => pi.on('input', ({ text }) => {
  if (text === 'call it Kettle') return { action: 'transform', text: '/name Kettle' };
  if (text === '/name') return { action: 'transform', text: 'What is its name?' };
});";
    place.write("work/rewrite.ts", rewrite);
    let run = |replies: &str, prompt: &str| place.play(replies, ["-e", "rewrite.ts", "-p", prompt]).run();
    // Without an answer in the script, a request would fail.
    assert_eq!(run("replies: []", "call it Kettle"), Done::ok("Session name: Kettle\n"));
    assert_eq!(place.session_files().len(), 0, "nothing was said to the model");
    let asked = "replies: [[{expect: {messages: 1, last_user: 'What is its name?'}}, {text: It has none}]]";
    assert_eq!(run(asked, "/name"), Done::ok("It has none\n"));
    assert_eq!(transcript(&place.session()), ["user: What is its name?", "assistant: It has none"]);
    assert_eq!(place.session().session_name(), None);
}
