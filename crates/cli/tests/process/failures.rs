//! A model that fails, a reader that goes away, a disk that cannot be written.

use std::io::{BufRead, BufReader, Read};

use crate::support::{Done, Place, ended, transcript};

#[test]
fn a_model_error_goes_to_standard_error() {
    let place = Place::new();
    let done = place.play("replies: [[{text: Half an}, {error: It broke}]]", ["-p", "Go"]).run();
    assert_eq!(done, Done::failed("It broke"));
    assert_eq!(transcript(&place.session()), ["user: Go", "assistant: Half an (error)"]);
}

#[test]
fn an_aborted_answer_is_an_error() {
    let place = Place::new();
    let done = place.play("replies: [[{error: {message: Stopped, aborted: true}}]]", ["-p", "Go"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_cut_off_answer_is_printed_and_is_an_error() {
    let place = Place::new();
    let done = place.play("replies: [[{text: Half an}, {stop_reason: length}]]", ["-p", "Go"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), "Half an\n"));
    assert_eq!(done.stderr, "The answer is cut off: the model reached its limit of output tokens.\n");
}

#[test]
fn in_json_mode_an_answer_that_is_none_is_an_error_too() {
    let replies = [
        ("[{error: It broke}]", 1),
        ("[{error: {message: Stopped, aborted: true}}]", 1),
        ("[{text: Half an}, {stop_reason: length}]", 1),
        ("Done.", 0),
    ];
    for (reply, code) in replies {
        let place = Place::new();
        let done = place.play(&format!("replies: [{reply}]"), ["--mode", "json", "Go"]).run();
        assert_eq!((done.code, done.stderr.as_str()), (Some(code), ""), "{reply}");
        let settled = done.events().into_iter().filter(|event| event["type"] == "agent_settled").count();
        assert_eq!(settled, 1, "{reply}");
    }
}

#[test]
fn a_run_that_an_extension_stops_at_a_tool_is_an_error() {
    let place = Place::new();
    let stop = "export default (pi) => { pi.on('tool_execution_start', (_, ctx) => ctx.abort()); };\n";
    let file = place.write("work/stop.ts", stop).display().to_string();
    let script = "replies: [[{text: Looking.}, {tool_call: {name: ls, arguments: {}}}], Never]";
    assert_eq!(place.play(script, ["-e", file.as_str(), "-p", "Go"]).run(), Done::failed("Request aborted"));
    assert_eq!(place.play("replies: [Better]", ["-e", file.as_str(), "-p", "Go on"]).run(), Done::ok("Better\n"));
}

#[test]
fn the_last_prompt_decides() {
    let place = Place::new();
    let script = "replies: [[{error: It broke}], Better]";
    assert_eq!(place.play(script, ["-p", "Go", "Go on"]).run(), Done::ok("Better\n"));
}

#[test]
fn when_the_reader_goes_away_the_session_ends() {
    let place = Place::new();
    // Far longer than anybody would wait, and no end of requests.
    let script = r#"
loop: true
replies:
  - - {text: "tick ", repeat_delta: 100000, delta_ms: 5}
    - tool_call: {name: ls, arguments: {}}
"#;
    let mut child = place.play(script, ["--mode", "json", "Go"]).spawn();
    drop(child.stdin.take());
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    while !lines.next().expect("more lines").expect("a line").contains("text_delta") {}
    drop(lines);
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!((ended(child.wait().expect("an end")), stderr.as_str()), (Ok(0), ""));
    let said = transcript(&place.session());
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].starts_with("assistant: tick ") && said[1].ends_with("(aborted)"), "{said:?}");
}

#[test]
fn a_result_that_nobody_takes_is_no_panic() {
    let place = Place::new();
    let mut child = place.play("replies: [[{delay_ms: 50}, {text: Hello}]]", ["-p", "Go"]).spawn();
    drop((child.stdin.take(), child.stdout.take()));
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!((ended(child.wait().expect("an end")), stderr.as_str()), (Ok(0), ""));
    assert_eq!(transcript(&place.session()), ["user: Go", "assistant: Hello"]);
}

#[test]
fn a_session_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    place.write("work/file", "");
    let done = place.play("replies: [Hello]", ["--session-dir", "file/sessions", "-p", "Go"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    let dir = place.work().join("file/sessions");
    assert!(done.stderr.starts_with(&format!("Error: cannot create {}/", dir.display())), "{done:?}");
    assert!(done.stderr.ends_with(".jsonl: Not a directory (os error 20)\n"), "{done:?}");
}
