//! How it ends.

use std::io::{Read, Write};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tau_rpc::{Abort, GetState};
use tau_testkit::TempHome;

use super::support::{command, run, sessions, start, start_with, text, transcript};

/// Reports the end of the session.
const WATCHING: &str = r#"
export default (pi) => {
  pi.on("session_shutdown", (event, ctx) => { ctx.ui.notify("end: " + event.reason); });
  pi.registerCommand("stop", { handler: async (args, ctx) => ctx.shutdown() });
  pi.registerCommand("ask", { handler: async (args, ctx) => { ctx.ui.notify("got " + await ctx.ui.confirm("?", "")); } });
};
"#;

fn notices(records: &[serde_json::Value]) -> Vec<&str> {
    records
        .iter()
        .filter(|record| record["method"] == "notify")
        .filter_map(|record| record["message"].as_str())
        .collect()
}

#[test]
fn the_end_of_the_input_ends_everything_in_order() {
    let home = TempHome::new();
    let script = "replies: [[{text: Begun.}, {tool_call: {name: bash, arguments: {command: echo up; sleep 600}}}]]";
    let extension = home.write_agent("here/extension.ts", WATCHING).display().to_string();
    let client = start(&home, script, &["-e", &extension]);
    let mark = client.mark();
    client.call(text("Go")).unwrap();
    // The command is under way: before that, what is taken back is the call.
    client.event(mark, "tool_execution_update");
    let end = client.close();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), ""));
    let kinds: Vec<&str> = end.records.iter().filter_map(|record| record["type"].as_str()).collect();
    assert!(kinds.ends_with(&["agent_end", "agent_settled", "extension_ui_request"]), "{kinds:?}");
    assert_eq!(notices(&end.records), ["end: quit"]);
    let said = transcript(&sessions(&home)[0]);
    assert_eq!(said[..2], ["user: Go", "assistant: Begun."]);
    assert!(said.len() == 3 && said[2].starts_with("toolResult: ") && said[2].ends_with("Command aborted"), "{said:?}");
}

#[test]
fn a_dialog_that_nobody_can_answer_any_more_does_not_keep_it() {
    let home = TempHome::new();
    let client = start_with(&home, "replies: []", WATCHING);
    let asked = client.send(text("/ask"));
    client.dialog(0, "confirm");
    let id = asked.id().to_owned();
    let end = client.close();
    assert_eq!(end.status.code(), Some(0));
    assert!(end.records.iter().any(|record| record["id"] == id.as_str() && record["success"] == true));
    assert_eq!(notices(&end.records), ["got false", "end: quit"]);
}

#[test]
fn every_command_that_was_sent_is_answered() {
    let home = TempHome::new();
    let client = start(&home, "replies: []", &[]);
    for n in 0..50 {
        client.write(&json!({"id": n, "type": "get_state"}));
    }
    client.write(&json!({"id": "slow", "type": "bash", "command": "sleep 600"}));
    client.write_bytes(b"{\"id\":\"last\",\"type\":\"get_tree\"}");
    let end = client.close();
    assert_eq!(end.status.code(), Some(0));
    let mut ids: Vec<String> = end.records.iter().map(|record| record["id"].to_string()).collect();
    ids.sort();
    let mut wanted: Vec<String> =
        (0..50).map(|n| n.to_string()).chain(["\"last\"", "\"slow\""].map(str::to_owned)).collect();
    wanted.sort();
    ids.retain(|id| id != "null");
    ids.dedup();
    assert_eq!(ids, wanted);
}

#[test]
fn half_a_line_is_answered_too() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Hi]", &[]);
    run(&client, "Go");
    client.write_bytes(b"{\"id\":\"h\",\"type\":\"prompt\",\"message\":\"ha");
    let end = client.close();
    assert_eq!(end.status.code(), Some(0));
    let last = end.records.last().expect("a response");
    assert_eq!((&last["id"], &last["command"], &last["success"]), (&json!("h"), &json!("parse"), &json!(false)));
    assert_eq!(transcript(&sessions(&home)[0]), ["user: Go", "assistant: Hi"]);
}

#[test]
fn extensions_and_the_user_can_ask_for_the_end() {
    for how in ["/stop", "/quit"] {
        let home = TempHome::new();
        let client = start_with(&home, "replies: []", WATCHING);
        let asked = client.send(text(how)).id().to_owned();
        let end = client.end();
        assert_eq!(end.status.code(), Some(0), "{how}");
        assert!(end.records.iter().any(|record| record["id"] == asked.as_str() && record["success"] == true));
        assert_eq!(notices(&end.records), ["end: quit"]);
    }
}

#[test]
fn while_a_run_holds_up_the_end_questions_are_answered_and_the_run_can_be_stopped() {
    for stops in [false, true] {
        let home = TempHome::new();
        let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo up; sleep 600}}}]]";
        let client = start_with(&home, script, WATCHING);
        let mark = client.mark();
        client.call(text("Go")).unwrap();
        client.event(mark, "tool_execution_update");
        client.call(text("/quit")).unwrap();
        assert!(client.call(GetState {}).unwrap().is_streaming);
        assert_eq!(client.call(text("More")).unwrap_err(), "The session is ending.");
        let end = if stops {
            let stop = client.send(Abort {}).id().to_owned();
            let end = client.end();
            assert!(end.records.iter().any(|record| record["id"] == stop.as_str() && record["success"] == true));
            end
        } else {
            client.close()
        };
        assert_eq!((end.status.code(), notices(&end.records)), (Some(0), vec!["end: quit"]));
    }
}

fn a_signal(signal: Signal, code: i32) {
    let home = TempHome::new();
    let client = start_with(&home, "replies: [[{tool_call: {name: bash, arguments: {command: sleep 600}}}]]", WATCHING);
    client.call(text("Go")).unwrap();
    client.event(0, "tool_execution_start");
    let pid = i32::try_from(client.pid()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("a process to signal");
    let end = client.end();
    assert_eq!((end.status.code(), notices(&end.records)), (Some(code), vec!["end: quit"]));
}

#[test]
fn signals_end_it_in_order() {
    a_signal(Signal::TERM, 143);
    a_signal(Signal::HUP, 129);
    a_signal(Signal::INT, 130);
}

/// Reports the end of the session, and its handler waits until a file exists.
const STAYING: &str = r#"
import { existsSync } from "node:fs";
export default (pi) => {
  pi.on("session_shutdown", async (event, ctx) => {
    ctx.ui.notify("end: " + event.reason);
    while (!existsSync(ctx.cwd + "/go")) await new Promise((later) => setTimeout(later, 10));
  });
};
"#;

/// A client that closed the input and waits for the shutdown to begin.
fn at_its_end(home: &TempHome) -> (tau_testkit::RpcClient, Pid) {
    let client = start_with(home, "replies: []", STAYING);
    let pid = i32::try_from(client.pid()).ok().and_then(Pid::from_raw).expect("a process id");
    client.close_input();
    client.wait_for(0, "the end", |record| record["message"] == "end: quit");
    (client, pid)
}

#[test]
fn a_signal_after_the_end_of_the_input_is_no_other_end() {
    let home = TempHome::new();
    let (client, pid) = at_its_end(&home);
    kill_process(pid, Signal::TERM).expect("a process to signal");
    home.write("go", "");
    let end = client.end();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_end_of_the_input_after_a_signal_is_no_other_end() {
    let home = TempHome::new();
    let hangs = "replies: [[{tool_call: {name: bash, arguments: {command: sleep 600}}}]]";
    let client = start_with(&home, hangs, STAYING);
    client.call(text("Go")).unwrap();
    client.event(0, "tool_execution_start");
    let pid = i32::try_from(client.pid()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::INT).expect("a process to signal");
    client.wait_for(0, "the end", |record| record["message"] == "end: quit");
    client.close_input();
    // The input is read by a thread of its own: once the program ends, it has long seen the end.
    home.write("go", "");
    assert_eq!(client.end().status.code(), Some(130));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let home = TempHome::new();
    let (client, pid) = at_its_end(&home);
    // Signals of one kind that come together are one.
    kill_process(pid, Signal::TERM).expect("a process to signal");
    kill_process(pid, Signal::INT).expect("a process to signal");
    let code = client.end().status.code();
    assert!(matches!(code, Some(143 | 130)), "{code:?}");
}

#[test]
fn without_a_reader_it_ends() {
    let home = TempHome::new();
    let script = "replies: [[{text: \"word \", repeat_delta: 1000000}]]";
    let mut child = command(&home, script, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tau starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"{\"type\":\"prompt\",\"message\":\"Go\"}\n").expect("a command");
    let mut some = [0; 4096];
    child.stdout.take().expect("a pipe").read_exact(&mut some).expect("some events");
    let status = child.wait().expect("an end");
    assert_eq!(status.code(), Some(1));
    let told = transcript(&sessions(&home)[0]);
    assert!(told.len() == 2 && told[1].starts_with("assistant: word "), "{}", told.len());
}

#[test]
fn what_needs_no_client_says_it_on_standard_output() {
    let home = TempHome::new();
    for args in [&["--help"][..], &["--list-models"]] {
        let output = command(&home, "replies: []", args).stdin(Stdio::null()).output().expect("an end");
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}");
    }
    let output = command(&home, "replies: []", &["@notes.txt"]).stdin(Stdio::null()).output().expect("an end");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "Error: @file arguments are not supported in RPC mode\n");
}

/// What a shell hook left running ends with the session, whichever way that comes.
#[test]
fn what_a_shell_hook_leaves_running_does_not_outlive_the_session() {
    for signal in [None, Some(Signal::TERM)] {
        let home = TempHome::new();
        let pipe = home.cwd().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let hooks = home.home().join(".claude/hooks/pre");
        std::fs::create_dir_all(&hooks).expect("a folder");
        let leaves = "#!/bin/sh\n{ echo started; sleep 20; echo survived; } > pipe 2>&1 &\n";
        std::fs::write(hooks.join("bash.sh"), leaves).expect("a script");
        let script = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran}}}], [{text: Done}]]";
        let client = start(&home, script, &[]);
        let listener = std::thread::spawn(move || {
            let mut text = String::new();
            std::fs::File::open(pipe).expect("the pipe").read_to_string(&mut text).expect("text");
            text
        });
        run(&client, "Go");
        match signal {
            Some(signal) => {
                let pid = i32::try_from(client.pid()).ok().and_then(Pid::from_raw).expect("a process id");
                kill_process(pid, signal).expect("a process to signal");
                client.end();
            }
            None => drop(client.close()),
        }
        assert_eq!(listener.join().expect("a thread"), "started\n", "{signal:?}");
    }
}
