//! Extensions that keep the thread of their engine: what they wait for ends at their limits, and an engine that does not
//! answer is given up. Whatever they do, the session goes on and the program ends with its code.

use std::path::Path;

use rustix::process::{Pid, Signal, test_kill_process};

use crate::signals::{send, stderr};
use crate::support::{Done, Place, ended, transcript};

const TOOL: &str = "
replies:
  - - tool_call: {name: bash, arguments: {command: 'echo ran > ran'}}
  - Done.
";

/// Starts a child that writes its number and outlives every test, and waits for it.
const WAIT: &str = "execSync('echo $$ >> pids; sleep 1000 & echo $! >> pids; wait')";

/// A native call that never ends and never asks whether it must.
const HANG: &str = "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })";

fn place(limits: &str) -> Place {
    let place = Place::new();
    place.write("agent/settings.json", format!("{{\"hookTimeout\": 300, \"tau\": {{\"limits\": {limits}}}}}"));
    place
}

fn extension(place: &Place, name: &str, body: &str) {
    let head = "import { execSync } from 'node:child_process';\nimport * as fs from 'node:fs';\n";
    place.write(&format!("agent/extensions/{name}.ts"), format!("{head}export default (pi) => {{\n{body}\n}};\n"));
}

/// The processes that [`WAIT`] started have ended; they are nobody's children, so that only the system can tell.
fn gone(place: &Place) {
    let pids = place.read("work/pids");
    assert!(!pids.is_empty());
    for pid in pids.lines() {
        let pid = Pid::from_raw(pid.parse().expect("a number")).expect("a process id");
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        while test_kill_process(pid).is_ok() && !state().contains(") Z ") {
            std::thread::yield_now();
        }
    }
}

fn told<'a>(done: &'a Done, text: &str) -> Vec<&'a str> {
    done.stderr.lines().filter(|line| line.contains(text)).collect()
}

fn until(mut done: impl FnMut() -> bool) {
    while !done() {
        std::thread::yield_now();
    }
}

#[test]
fn the_limit_of_a_hook_ends_its_synchronous_child_and_the_report_names_the_command() {
    let place = place("{}");
    place.write(
        "agent/hooks/waits.ts",
        format!(
            "// @hook-dialect original\nimport {{ execSync }} from 'node:child_process';\n\
             export default (pi) => {{\n  pi.on('agent_start', () => {{ {WAIT}; }});\n}};\n"
        ),
    );
    let done = place.play("replies: [Fine.]", ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Fine.\n"), "{}", done.stderr);
    assert_eq!(
        told(&done, "Hook timed out after 300ms (it waited for the command `echo $$").len(),
        1,
        "{}",
        done.stderr
    );
    gone(&place);
}

#[test]
fn a_gate_whose_child_was_ended_by_its_limit_blocks() {
    for body in [WAIT.to_owned(), format!("await new Promise((r) => setTimeout(r, 1)); {WAIT}")] {
        let place = place("{\"handlerMs\": 300}");
        extension(&place, "gate", &format!("pi.on('tool_call', async () => {{ try {{ {body}; }} catch {{}} }});"));
        let done = place.play(TOOL, ["-p", "x"]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"), "{}", done.stderr);
        let said = transcript(&place.session());
        let wanted =
            "did not answer within 300ms, the limit of tau.limits.handlerMs (it waited for the command `echo $$";
        assert!(said[2].contains(wanted), "{said:?}");
        assert!(!place.work().join("ran").exists());
        // With the processors busy, the shell may have been ended before it wrote anything.
        if place.work().join("pids").exists() {
            gone(&place);
        }
    }
}

#[test]
fn a_child_that_a_timer_waits_for_holds_no_handler_beyond_its_limit() {
    let place = place("{\"observeMs\": 300, \"handlerMs\": 300}");
    extension(&place, "timer", &format!("pi.on('agent_start', () => {{ setTimeout(() => {{ {WAIT}; }}, 0); }});"));
    extension(
        &place,
        "waits",
        "pi.on('turn_start', async () => { while (!fs.existsSync('pids')) await new Promise((r) => setTimeout(r, 1)); });",
    );
    extension(&place, "zgate", "pi.on('tool_call', () => {});");
    let done = place.play(TOOL, ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"), "{}", done.stderr);
    gone(&place);
}

#[test]
fn an_engine_that_does_not_answer_is_lost_and_its_gates_are_shut() {
    let place = place("{\"stretchMs\": 100}");
    extension(&place, "hangs", &format!("pi.on('agent_start', () => {{ {HANG}; }});"));
    extension(&place, "gate", "pi.on('tool_call', () => {});\npi.on('turn_end', () => {});");
    let done = place.play(TOOL, ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"), "{}", done.stderr);
    let lost = told(&done, "does not answer any more");
    assert_eq!(lost.len(), 1, "{}", done.stderr);
    assert!(lost[0].contains("hangs.ts") && lost[0].contains("[agent_start"), "{}", lost[0]);
    assert!(lost[0].contains("with it: gate, hangs") && lost[0].contains("/reload"), "{}", lost[0]);
    let said = transcript(&place.session());
    assert!(said[2].contains("gate.ts is lost: its script engine does not answer any more; /reload"), "{said:?}");
    assert!(!place.work().join("ran").exists());
}

#[test]
fn a_factory_that_never_returns_takes_nobody_along() {
    for (body, why) in [
        (HANG.to_owned(), "it does not answer any more"),
        (WAIT.to_owned(), "it waited for the command `echo $$"),
        ("for (;;) {}".to_owned(), "it was not done with loading after 300ms"),
    ] {
        let place = place("{\"loadMs\": 300}");
        extension(&place, "a", "pi.on('session_start', () => fs.appendFileSync('told', 'a'));");
        extension(&place, "b", &body);
        extension(&place, "c", "pi.on('session_start', () => fs.appendFileSync('told', 'c'));");
        let done = place.play("replies: [Fine.]", ["-p", "x"]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Fine.\n"), "{}", done.stderr);
        let told = told(&done, "it was not done with loading after 300ms (tau.limits.loadMs)");
        assert!(told.len() == 1 && told[0].contains("b.ts") && told[0].contains(why), "{}", done.stderr);
        assert_eq!(place.read("work/told"), "ac");
        if body == WAIT {
            gone(&place);
        }
    }
}

#[test]
fn a_signal_ends_the_program_whatever_a_tool_waits_for() {
    for body in [WAIT, "fs.writeFileSync('pids', ''); Array.prototype.reverse.call({ length: 2 ** 53 - 1 })"] {
        let place = place("{}");
        let tool = format!(
            "pi.registerTool({{ name: 'wait', label: 'Wait', description: 'waits', parameters: {{ type: 'object', properties: {{}} }}, async execute() {{ {body}; }} }});"
        );
        extension(&place, "tool", &tool);
        let script = "replies: [[{tool_call: {name: wait, arguments: {}}}], Never.]";
        let mut child = place.play(script, ["-p", "x"]).spawn();
        drop(child.stdin.take());
        let pids = place.work().join("pids");
        let lines = |path: &Path| std::fs::read_to_string(path).map_or(0, |text| text.lines().count());
        until(|| pids.exists() && (body != WAIT || lines(&pids) == 2));
        send(&child, Signal::TERM);
        let status = child.wait().expect("an end");
        assert_eq!(ended(status), Ok(143), "{}", stderr(&mut child));
        if body == WAIT {
            gone(&place);
        }
    }
}

#[test]
fn handlers_of_the_end_share_their_time_also_when_they_wait_for_children() {
    let place = place("{\"shutdownMs\": 300}");
    extension(&place, "end", &format!("pi.on('session_shutdown', () => {{ {WAIT}; }});"));
    let done = place.play("replies: [Fine.]", ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Fine.\n"), "{}", done.stderr);
    assert_eq!(told(&done, "(it waited for the command `echo $$").len(), 1, "{}", done.stderr);
    gone(&place);
}

#[test]
fn a_pipe_that_nobody_opens_ends_with_the_limit_of_its_handler() {
    for body in [
        "fs.openSync('pipe', 'r')",
        "fs.openSync('pipe', 'w')",
        "fs.readFileSync('pipe')",
        "fs.writeFileSync('pipe', 'x')",
        "fs.readSync(fs.openSync('pipe', 'r+'), Buffer.alloc(1))",
    ] {
        let place = place("{\"handlerMs\": 300}");
        let made = std::process::Command::new("mkfifo").arg(place.work().join("pipe")).status();
        assert!(made.expect("mkfifo").success());
        extension(
            &place,
            "gate",
            &format!(
                "pi.on('tool_call', () => {{ try {{ {body}; }} catch {{}} }});\npi.on('agent_end', () => fs.writeFileSync('told', 'x'));"
            ),
        );
        let done = place.play(TOOL, ["-p", "x"]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"), "{body}: {}", done.stderr);
        let said = transcript(&place.session());
        assert!(
            said[2].contains("did not answer within 300ms, the limit of tau.limits.handlerMs (it waited for "),
            "{body}: {said:?}"
        );
        assert!(!place.work().join("ran").exists());
        assert_eq!(place.read("work/told"), "x", "the engine goes on");
    }
}

#[test]
fn an_asynchronous_gate_that_runs_out_of_memory_blocks_at_once() {
    let pause = "await new Promise((r) => setTimeout(r, 1));";
    for bomb in [
        "const all = []; for (;;) all.push('x'.repeat(1 << 20));",
        "const all = []; for (;;) all.push({});",
        "globalThis.all = []; for (;;) all.push([1]);",
        "globalThis.all = []; for (;;) all.push(new Promise(() => {}));",
        "globalThis.all = []; for (;;) { all.push(String(all.length)); await null; }",
        "globalThis.all = []; await (async () => { for (;;) all.push({}); })();",
        "globalThis.all = []; const more = async () => { all.push({}); await null; await more(); }; await more();",
        "for (const all = [];;) try { for (;;) all.push(new ArrayBuffer(1 << 16)); } catch { all.length = 0; new Error('x'); }",
    ] {
        let place = place("{\"memoryMb\": 48, \"stretchMs\": 60000, \"handlerMs\": 60000}");
        extension(&place, "gate", &format!("pi.on('tool_call', async () => {{ {pause} {bomb} }});"));
        let done = place.play(TOOL, ["-p", "x"]).run();
        assert_eq!(done.code, Some(0), "{bomb}: {}", done.stderr);
        let said = transcript(&place.session());
        assert!(said[2].contains("out of memory"), "{bomb}: {said:?}");
        assert!(!place.work().join("ran").exists());
    }
}

/// `new Promise` and asynchronous functions catch what stops them, and a loop of so many steps is asked at the same place
/// every time: the calls of `q` move that place.
#[test]
fn a_loop_is_stopped_also_where_the_engine_catches_the_stop() {
    const PHASES: usize = 6;
    let call = "tool_call: {name: bash, arguments: {command: 'echo ran > ran'}}";
    let calls = vec![format!("  - {call}"); PHASES].join("\n");
    for body in [
        "for (;;) [].at(new Promise(() => {}));",
        "const quiet = async () => {}; for (;;) quiet();",
        "for (;;) [].at(new Promise(() => { for (let i = 0; i < 4995; i++); }));",
        "const deep = (n) => new Promise(() => { if (n) deep(n - 1); }); for (;;) deep(40);",
        "for (;;) Array.fromAsync([1, 2]);",
        "for (;;) [].at(new Promise(() => { /^(a+)+$/.test('a'.repeat(30) + 'b'); }));",
    ] {
        let place = place("{\"stretchMs\": 60, \"handlerMs\": 20000}");
        let gate = format!(
            "let phase = 0; const q = () => 1;\npi.on('tool_call', async () => {{ await null; for (let i = phase++; i > 0; i--) q(); {body} }});"
        );
        extension(&place, "gate", &gate);
        let done = place.play(&format!("replies:\n- \n{calls}\n- Done.\n"), ["-p", "x"]).run();
        assert_eq!(done.code, Some(0), "{body}: {}", done.stderr);
        let stopped = transcript(&place.session());
        let stopped = stopped.iter().filter(|line| line.contains("ran for more than 60ms without a pause")).count();
        assert_eq!(stopped, PHASES, "{body}: {:?}", transcript(&place.session()));
        assert!(!place.work().join("ran").exists());
    }
}

/// The engine's compiler does not survive missing memory, and nothing can stop it.
#[test]
fn an_engine_that_cannot_be_stopped_before_its_memory_ends_is_lost() {
    let place = place("{\"memoryMb\": 48, \"stretchMs\": 60000}");
    let compile = "new Function(`return [${'() => 0,'.repeat(1_000_000)}]`)";
    extension(&place, "compiles", &format!("pi.on('agent_start', () => {{ {compile}; }});"));
    extension(&place, "gate", "pi.on('tool_call', () => {});");
    let done = place.play(TOOL, ["-p", "x"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"), "{}", done.stderr);
    let lost = told(&done, "it needs more memory than it may have");
    assert_eq!(lost.len(), 1, "{}", done.stderr);
    assert!(lost[0].contains("compiles.ts") && lost[0].contains("[agent_start"), "{}", lost[0]);
    assert!(lost[0].contains("with it: compiles, gate") && lost[0].contains("/reload"), "{}", lost[0]);
    let said = transcript(&place.session());
    assert!(said[2].contains("gate.ts is lost: its script engine does not answer any more; /reload"), "{said:?}");
    assert!(!place.work().join("ran").exists());
}

#[test]
fn a_call_that_takes_as_long_as_it_likes_ends_with_the_limit_of_its_handler() {
    let cases = [
        ("crypto.pbkdf2Sync('a', 'b', 2 ** 31 - 1, 32, 'sha512')", "`pbkdf2Sync`"),
        ("crypto.scryptSync('a', 'b', 32, { N: 16384, r: 8, p: 2 ** 16, maxmem: 2 ** 40 })", "`scryptSync`"),
        // The system keeps these, and says so with an error that may be over in a moment.
        ("fs.rmSync('/proc/self/fdinfo', { recursive: true, maxRetries: 1e6, retryDelay: 1e6 })", "`rmSync` of"),
    ];
    for (body, named) in cases.into_iter().filter(|(body, _)| cfg!(target_os = "linux") || !body.contains("/proc")) {
        let place = place("{\"handlerMs\": 300}");
        let body = format!(
            "pi.on('tool_call', () => {{ try {{ {body}; }} catch {{}} }});\npi.on('agent_end', () => fs.writeFileSync('told', 'x'));"
        );
        extension(&place, "gate", &body.replace("crypto.", "process.getBuiltinModule('node:crypto')."));
        let done = place.play(TOOL, ["-p", "x"]).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done.\n"), "{body}: {}", done.stderr);
        let said = transcript(&place.session());
        let wanted = format!("did not answer within 300ms, the limit of tau.limits.handlerMs (it waited for {named}");
        assert!(said[2].contains(&wanted), "{body}: {said:?}");
        assert!(!place.work().join("ran").exists());
        assert_eq!(place.read("work/told"), "x", "the engine goes on");
    }
}
