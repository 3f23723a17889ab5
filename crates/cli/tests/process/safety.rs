//! Session files that something happens to while tau works, and a disk that is full.

use std::fs;
use std::io::{BufRead, BufReader, Read};

use tau_session::Session;

use crate::support::{Done, Place, ended, transcript};

const WAITS: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "until [ -e go ]; do sleep 0.01; done"}}
  - "Done."
"#;

/// Runs a prompt; while its tool works, `change` is done to the session file.
fn while_it_works(place: &Place, change: impl Fn(&std::path::Path)) -> Done {
    let mut child = place.play(WAITS, ["--mode", "json", "Go"]).spawn();
    drop(child.stdin.take());
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("tool_execution_start") {
        assert_ne!(stdout.read_line(&mut text).expect("a line"), 0, "it ended: {text}");
    }
    change(&place.session_files()[0]);
    place.write("work/go", "");
    stdout.read_to_string(&mut text).expect("the rest");
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    Done { code: ended(child.wait().expect("its end")).ok(), stdout: text, stderr }
}

const WHOLE: [&str; 4] = ["user: Go", "assistant: [bash]", "toolResult: (no output)", "assistant: Done."];

#[test]
fn a_session_file_that_is_deleted_or_cut_is_written_again_and_the_user_hears_of_it() {
    let delete: &dyn Fn(&std::path::Path) = &|file| fs::remove_dir_all(file.parent().expect("a folder")).expect("gone");
    let cut: &dyn Fn(&std::path::Path) = &|file| drop(fs::File::create(file).expect("emptied"));
    let replace: &dyn Fn(&std::path::Path) = &|file| {
        let header = fs::read_to_string(file).expect("a file").lines().next().expect("a header").to_owned();
        fs::remove_file(file).expect("gone");
        fs::write(file, header + "\n").expect("another file");
    };
    for (change, notice) in [(delete, "written again in full"), (cut, "written again"), (replace, "written again")] {
        let place = Place::new();
        let done = while_it_works(&place, change);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stderr.contains(notice), "{done:?}");
        assert_eq!(transcript(&place.session()), WHOLE);
    }
}

#[test]
fn deep_calls_are_there_again_when_a_session_is_resumed() {
    let place = Place::new();
    let deep = format!("{}{}", r#"{"a":["#.repeat(150), "]}".repeat(150));
    let lines = [
        r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#.to_owned(),
        r#"{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"user","content":"Go","timestamp":1}}"#.to_owned(),
        format!(r#"{{"type":"message","id":"2","parentId":"1","timestamp":"t","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"deep_tool","arguments":{deep}}}],"api":"scripted","provider":"scripted","model":"scripted","stopReason":"toolUse","timestamp":1}}}}"#),
        r#"{"type":"message","id":"3","parentId":"2","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","toolName":"deep_tool","content":[{"type":"text","text":"found"}],"isError":false,"timestamp":1}}"#.to_owned(),
        r#"{"type":"message","id":"4","parentId":"3","timestamp":"t","message":{"role":"gh\u001b[2Jost"}}"#.to_owned(),
    ];
    let file = place.write("work/old.jsonl", lines.join("\n") + "\n");
    let script = "replies: [[{expect: {messages: 4, contains: found}}, {text: fine}]]";
    let done = place.play(script, ["--session", "old.jsonl", "-p", "And?"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{done:?}");
    assert!(
        done.stderr.contains(
            "1 line has a problem and stays in the file as it is: line 5: unknown message role `gh\u{fffd}[2Jost`"
        ),
        "{done:?}"
    );
    let after = Session::open(&file).expect("a session");
    assert!(after.entry("2").expect("the call").json().expect("JSON").contains(&deep));
}

#[test]
fn a_disk_that_is_full_ends_the_run_with_an_error_and_loses_nothing() {
    let place = Place::new();
    let long = "x".repeat(40_000);
    let script = format!("replies: [{long}, Short]");
    let tau = place.play(&script, ["-p", "First"]);
    let done = tau.limited_to(64).run();
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("cannot append to") && done.stderr.contains("File too large"), "{}", done.stderr);
    let session = place.session();
    assert_eq!((transcript(&session), session.problems().len()), (vec!["user: First".to_owned()], 0));
}

/// A client talks on after a message that did not get to the disk.
#[cfg(target_os = "linux")]
#[test]
fn what_a_full_disk_did_not_take_is_written_once_there_is_room() {
    use std::io::{BufRead, BufReader, Write};

    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let place = Place::new();
    let long = "x".repeat(40_000);
    let mut child = place.play(&format!("replies: [Hello, {long}, Again]"), ["--mode", "rpc"]).spawn();
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut say = |text: &str| {
        writeln!(stdin, "{}", serde_json::json!({"type": "prompt", "message": text})).expect("tau reads");
        while !stdout.next().expect("an event").expect("a line").contains("\"agent_settled\"") {}
    };
    let pid = Pid::from_child(&child);
    let limit = |bytes: Option<u64>| {
        let all = prlimit(Some(pid), Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("a limit");
        assert_eq!(all.maximum, None);
    };
    say("First");
    let file = place.session_files().remove(0);
    limit(Some(fs::metadata(&file).expect("a file").len() + 2_000));
    say("Second");
    assert!(!fs::read_to_string(&file).expect("a file").contains(&long));
    limit(None);
    say("Third");
    drop((stdin, stdout));
    assert_eq!(ended(child.wait().expect("an end")), Ok(0));
    let session = place.session();
    let said = [
        "user: First",
        "assistant: Hello",
        "user: Second",
        &format!("assistant: {long}"),
        "user: Third",
        "assistant: Again",
    ];
    assert_eq!((transcript(&session), session.problems().len()), (said.map(str::to_owned).to_vec(), 0));
}

#[test]
fn a_session_of_a_later_version_is_refused_and_left_alone() {
    let place = Place::new();
    let text = "{\"type\":\"session\",\"version\":4,\"id\":\"a\",\"timestamp\":\"t\",\"cwd\":\"/\"}\n";
    place.write("work/new.jsonl", text);
    let done = place.play("replies: [Hello]", ["--session", "new.jsonl", "-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""));
    assert!(done.stderr.contains("is a session of format 4; this version of tau reads formats up to 3"), "{done:?}");
    assert_eq!(place.read("work/new.jsonl"), text);
}

#[test]
fn a_pipe_among_the_sessions_keeps_nobody_waiting() {
    let place = Place::new();
    assert_eq!(place.play("replies: [Hello]", ["-p", "Hi"]).run(), Done::ok("Hello\n"));
    let pipe = place.session_files()[0].with_file_name("9999-01-01T00-00-00-000Z_x.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert_eq!(place.play("replies: [Again]", ["-c", "-p", "Hi"]).run(), Done::ok("Again\n"));
    assert_eq!(place.play("replies: []", ["-p", "/resume"]).run().code, Some(0));
    let done = place.play("replies: []", ["-p", "--session", &pipe.display().to_string(), "Hi"]).run();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("not a regular file"), "{done:?}");
}
