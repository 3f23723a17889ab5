//! `--mode json`: the header, then every event, a line each.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};
use tau_testkit::loopback::{LoopbackServer, Reply};

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
                    ("timestamp" | "durationMs" | "wall_time_seconds", _) => *value = json!(0),
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
fn a_model_error_is_an_event_and_tells_in_the_exit_code() {
    let place = Place::new();
    let done = place.play("replies: [[{error: It broke}]]", ["--mode", "json", "Go"]).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), ""));
    let events = done.events();
    let end = events.iter().find(|event| event["type"] == "turn_end").expect("a turn's end");
    assert_eq!((&end["message"]["stopReason"], &end["message"]["errorMessage"]), (&json!("error"), &json!("It broke")));
}

/// Tools that call tools: every line names its caller, and no line is a message of such a call.
#[test]
fn nested_calls_are_lines_that_name_their_caller() {
    let place = Place::new();
    let outer = "export default (pi) => pi.registerTool({
  name: 'outer', description: 'o', parameters: { type: 'object', properties: {} },
  async execute(id, params, signal, onUpdate, ctx) {
    const { result } = await ctx.executeTool('bash', { command: 'echo out; exit 3' });
    return { content: [{ type: 'text', text: `it exited with ${result.structuredContent.exit_code}` }] };
  },
});";
    place.write("agent/extensions/outer.ts", outer);
    let script = "replies: [[{tool_call: {id: c1, name: outer, arguments: {}}}], [{text: Done.}]]";
    let done = place.play(script, ["--mode", "json", "--thinking", "off", "Go"]).run();
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    let events = done.events();
    let of = |name: &str| -> Vec<[&Value; 2]> {
        let of = events.iter().filter(|event| event["type"] == name);
        of.map(|event| [&event["toolCallId"], &event["parentToolCallId"]]).collect()
    };
    let (c1, first) = (json!("c1"), json!("c1/1"));
    let (caller, nested) = ([&c1, &Value::Null], [&first, &c1]);
    assert_eq!(of("tool_execution_start"), [caller, nested]);
    assert!(of("tool_execution_update").iter().all(|update| *update == nested));
    assert_eq!(of("tool_execution_end"), [nested, caller]);
    let results: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "message_end" && event["message"]["role"] == "toolResult")
        .map(|event| &event["message"])
        .collect();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["content"][0]["text"], json!("it exited with 3"));
    let call = &results[0]["nestedCalls"]["calls"][0];
    assert_eq!(json!([call["id"], call["name"], call["status"]]), json!(["c1/1", "bash", "error"]));
}

/// Pieces that arrive together are handed on together, and none waits for what has not arrived.
#[test]
fn each_piece_of_an_answer_is_handed_on_before_the_next_one_is_waited_for() {
    // The connection stays open: nothing comes after the last piece.
    let server = LoopbackServer::start([Reply::text("one two three four").split_deltas(1).hang()]);
    let place = Place::new();
    let provider =
        json!({"api": "openai-completions", "baseUrl": server.url(), "apiKey": "key", "models": [{"id": "m"}]});
    place.write("agent/models.json", json!({"providers": {"local": provider}}).to_string());
    let mut child = place.tau(["--mode", "json", "--model", "local/m", "Go"]).spawn();
    drop(child.stdin.take());
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut said = String::new();
    for line in stdout.lines() {
        let event: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        said.push_str(event["assistantMessageEvent"]["delta"].as_str().unwrap_or_default());
        if said == "one two three four" {
            break;
        }
    }
    child.kill().expect("a process to kill");
    child.wait().expect("an end");
    assert_eq!(said, "one two three four");
}
