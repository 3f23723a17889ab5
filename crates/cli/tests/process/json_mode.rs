//! `--mode json`: the header, then every event, a line each.

use serde_json::{Value, json};

use crate::support::{Done, Place, kinds};

const TOOLS: &str = r#"
replies:
  - - thinking: Let me see.
    - text: Looking.
      chunk: 4
    - tool_call: {name: read, arguments: {path: notes.txt}}
    - tool_call: {name: bash, arguments: {command: "echo out; exit 3"}}
    - usage: {input: 10, output: 5}
  - - expect: {tool_result: {name: bash, is_error: true}}
    - text: Done.
"#;

/// Replaces what differs from run to run. How often a command reports its output is a matter of luck, so that is left
/// out.
fn normal(place: &Place, done: &Done) -> String {
    let mut lines = String::new();
    let stable =
        |event: &Value| event["type"] != "tool_execution_update" || event["partialResult"]["content"] == json!([]);
    for mut event in done.events().into_iter().filter(stable) {
        blank(&mut event);
        lines.push_str(&place.normal(&event.to_string()));
        lines.push('\n');
    }
    lines
}

fn blank(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), &*value) {
                    ("timestamp", _) => *value = json!(0),
                    ("id", Value::String(id)) if id.len() == 36 => *value = json!("UUID"),
                    ("usage", usage) => *value = json!(usage["totalTokens"]),
                    _ => blank(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank),
        _ => {}
    }
}

#[test]
fn every_event_of_a_run_with_tools_is_a_line() {
    let place = Place::new();
    place.write("work/notes.txt", "alpha\n");
    let done = place.play(TOOLS, ["--mode", "json", "--thinking", "off", "Go"]).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(normal(&place, &done));
}

#[test]
fn the_header_is_that_of_the_file() {
    let place = Place::new();
    let done = place.play("replies: [Hi]", ["--mode", "json", "Go"]).run();
    let file = std::fs::read_to_string(&place.session_files()[0]).expect("the session file");
    assert_eq!(done.stdout.lines().next(), file.lines().next());
}

#[test]
fn without_a_prompt_there_is_only_a_header() {
    let place = Place::new();
    let done = place.play("replies: []", ["--mode", "json"]).run();
    assert_eq!(kinds(&done.events()), ["session"]);
    assert_eq!((done.code, place.session_files().len()), (Some(0), 0));
}

#[test]
fn what_happens_while_the_session_starts_is_told() {
    let place = Place::new();
    place.write(
        "work/greet.ts",
        "export default (pi) => pi.on('session_start', () => {
            pi.setSessionName('named');
            pi.sendMessage({ customType: 'greeting', content: 'Hello', display: true });
        });",
    );
    let done = place.play("replies: [Hi]", ["--mode", "json", "-e", "greet.ts"]).run();
    assert_eq!(kinds(&done.events()), ["session", "session_info_changed", "message_start", "message_end"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
}

#[test]
fn without_a_session_file_the_lines_are_the_same() {
    let place = Place::new();
    let kept = place.play("replies: [Hi]", ["--mode", "json", "Go"]).run();
    let unkept = place.play("replies: [Hi]", ["--mode", "json", "--no-session", "Go"]).run();
    assert_eq!(normal(&place, &unkept), normal(&place, &kept));
    assert_eq!(place.session_files().len(), 1);
}

#[test]
fn each_prompt_settles_before_the_next_begins() {
    let place = Place::new();
    let done = place.play("replies: [One, Two]", ["--mode", "json", "first", "second"]).run();
    let run = [
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "message_start",
        "message_update",
        "message_end",
        "turn_end",
        "agent_end",
        "agent_settled",
    ];
    assert_eq!(kinds(&done.events()), [&["session"][..], &run, &run].concat());
}

#[test]
fn a_model_error_is_an_event_and_no_failure_of_the_program() {
    let place = Place::new();
    let done = place.play("replies: [[{error: It broke}]]", ["--mode", "json", "Go"]).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    let events = done.events();
    let end = events.iter().find(|event| event["type"] == "turn_end").expect("a turn's end");
    assert_eq!((&end["message"]["stopReason"], &end["message"]["errorMessage"]), (&json!("error"), &json!("It broke")));
}
