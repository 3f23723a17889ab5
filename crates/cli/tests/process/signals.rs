//! Signals: the first one ends the session in order, the second one at once.

use std::io::{BufRead, BufReader, Lines, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Place, ended, events, kinds, transcript};

/// Runs a command that says so through a named pipe, and holds the pipe for as long as anything of it lives. Whatever
/// outlives tau says that too, in the end.
const BUSY: &str = r#"
replies:
  - - text: Working.
    - tool_call: {name: bash, arguments: {command: "{ echo started; sleep 20; echo survived; } > ../pipe & wait; echo waited"}}
  - Never said.
"#;

fn pipe(place: &Place) -> std::path::PathBuf {
    let path = place.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    path
}

pub fn send(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("a process to signal");
}

/// Reads lines up to one of that type.
fn read_until(lines: &mut Lines<BufReader<ChildStdout>>, kind: &str) -> String {
    let mut text = String::new();
    let wanted = format!("{{\"type\":\"{kind}\"");
    loop {
        let line = lines.next().unwrap_or_else(|| panic!("no {kind} in {text}")).expect("a line");
        text.push_str(&line);
        text.push('\n');
        if line.starts_with(&wanted) {
            return text;
        }
    }
}

fn rest(lines: Lines<BufReader<ChildStdout>>) -> String {
    lines.map(|line| line.expect("a line") + "\n").collect()
}

/// Waits until the command runs; what is read later is what comes after that.
fn started(pipe: &Path) -> BufReader<std::fs::File> {
    let mut pipe = BufReader::new(std::fs::File::open(pipe).expect("the pipe"));
    let mut line = String::new();
    pipe.read_line(&mut line).expect("a line");
    assert_eq!(line, "started\n");
    pipe
}

pub fn stderr(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut text).expect("text");
    text
}

fn a_signal_ends_the_session_in_order(signal: Signal, code: i32) {
    let place = Place::new();
    let pipe = pipe(&place);
    let mut child = place.play(BUSY, ["--mode", "json", "Go", "never asked"]).spawn();
    drop(child.stdin.take());
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut out = read_until(&mut lines, "tool_execution_start");
    let mut pipe = started(&pipe);
    send(&child, signal);
    out.push_str(&rest(lines));
    assert_eq!((ended(child.wait().expect("an end")), stderr(&mut child).as_str()), (Ok(code), ""));
    let mut later = String::new();
    pipe.read_to_string(&mut later).expect("text");
    assert_eq!(later, "", "the command is gone with everything it started");
    let events = events(&out);
    assert_eq!(
        kinds(&events)[events_of_the_end(&events)..],
        ["tool_execution_end", "message_start", "message_end", "turn_end", "agent_end", "agent_settled"]
    );
    assert_eq!(
        transcript(&place.session()),
        ["user: Go", "assistant: Working.: [bash]", "toolResult: Command aborted"]
    );
    assert_eq!(place.session().problems(), []);
}

fn events_of_the_end(events: &[serde_json::Value]) -> usize {
    kinds(events).iter().position(|kind| *kind == "tool_execution_end").expect("the end of the call")
}

#[test]
fn sigint_ends_the_session_in_order() {
    a_signal_ends_the_session_in_order(Signal::INT, 130);
}

#[test]
fn sigterm_ends_the_session_in_order() {
    a_signal_ends_the_session_in_order(Signal::TERM, 143);
}

#[test]
fn sighup_ends_the_session_in_order() {
    a_signal_ends_the_session_in_order(Signal::HUP, 129);
}

#[test]
fn sigquit_ends_the_session_in_order() {
    a_signal_ends_the_session_in_order(Signal::QUIT, 131);
}

/// A script's `&` makes a program ignore these, and programs hand that on.
#[test]
fn children_know_signals_also_when_tau_runs_in_the_background() {
    let place = Place::new();
    let source = r#"
        import { spawn, spawnSync } from "node:child_process";
        import { appendFileSync } from "node:fs";
        const hit = (signal: string) => ["sh", ["-c", `kill -${signal} $$; echo survived`]] as [string, string[]];
        const note = (...line: unknown[]) => appendFileSync("ends", JSON.stringify(line) + "\n");
        export default async function () {
          for (const signal of ["INT", "QUIT"]) {
            note(spawnSync(...hit(signal)).signal);
            await new Promise((resolve) => spawn(...hit(signal)).on("exit", (...end) => resolve(note(...end))));
          }
        }
    "#;
    let extension = place.write("ends.ts", source).display().to_string();
    let bash = "{ sh -c 'kill -INT $$'; echo $?; sh -c 'kill -QUIT $$'; echo $?; } 2>/dev/null";
    let script = format!(
        "replies:\n  - - tool_call: {{name: bash, arguments: {{command: {}}}}}\n  - Done.\n",
        serde_json::json!(bash)
    );
    let mut child =
        place.play(&script, ["--extension", &extension, "--mode", "json", "Go"]).ignoring("INT QUIT").spawn();
    drop(child.stdin.take());
    let done = child.wait_with_output().expect("its output");
    assert_eq!((ended(done.status), String::from_utf8_lossy(&done.stderr).as_ref()), (Ok(0), ""));
    assert_eq!(place.read("work/ends"), "[\"SIGINT\"]\n[null,\"SIGINT\"]\n[\"SIGQUIT\"]\n[null,\"SIGQUIT\"]\n");
    let output =
        transcript(&place.session()).into_iter().find(|line| line.starts_with("toolResult")).expect("a result");
    let codes: Vec<&str> =
        output.split_whitespace().filter(|word| word.parse::<i32>().is_ok_and(|code| code < 256)).collect();
    assert_eq!(codes, ["130", "131"], "{output}");
}

#[test]
fn a_signal_while_the_model_answers_keeps_what_it_said() {
    let place = Place::new();
    let script = "replies: [[{text: \"word \", repeat_delta: 100000, delta_ms: 5}]]";
    let mut child = place.play(script, ["--mode", "json", "Go"]).spawn();
    drop(child.stdin.take());
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    read_until(&mut lines, "message_update");
    read_until(&mut lines, "message_update");
    send(&child, Signal::INT);
    rest(lines);
    assert_eq!((ended(child.wait().expect("an end")), stderr(&mut child).as_str()), (Ok(130), ""));
    let said = transcript(&place.session());
    assert!(said.len() == 2 && said[1].starts_with("assistant: word ") && said[1].ends_with("(aborted)"), "{said:?}");
}

#[test]
fn print_mode_ends_without_a_result() {
    let place = Place::new();
    let pipe = pipe(&place);
    let mut child = place.play(BUSY, ["-p", "Go"]).spawn();
    drop(child.stdin.take());
    drop(started(&pipe));
    send(&child, Signal::TERM);
    let done = child.wait_with_output().expect("its output");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    assert_eq!((ended(done.status), text(done.stdout).as_str(), text(done.stderr).as_str()), (Ok(143), "", ""));
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    let place = Place::new();
    let pipe = pipe(&place);
    // The credential comes from a command that takes its time, and nothing can interrupt that.
    place.write(
        "agent/models.json",
        r#"{"providers": {"near": {"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions",
            "apiKey": "!echo started > ../pipe; sleep 20; echo key", "models": [{"id": "small"}]}}}"#,
    );
    let mut child = place.tau(["--model", "near/small", "--mode", "json", "Go"]).spawn();
    drop(child.stdin.take());
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut out = read_until(&mut lines, "session");
    drop(started(&pipe));
    send(&child, Signal::INT);
    send(&child, Signal::TERM);
    let code = ended(child.wait().expect("an end"));
    assert!(matches!(code, Ok(130 | 143)), "{code:?}");
    out.push_str(&rest(lines));
    assert_eq!(kinds(&events(&out)), ["session"], "nothing was waited for");
}
