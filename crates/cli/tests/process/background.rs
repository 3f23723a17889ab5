//! What programs leave running in the background, in every mode and at every end.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::signals::send;
use crate::support::{Place, ended};

/// Holds a pipe for as long as it lives; if it outlives tau it says so in the end.
const LEAVE: &str = "{ echo started; sleep 20; echo survived; } > ../pipe 2>&1 &";
/// One that must outlive tau.
const STAY: &str = "sleep 600 > /dev/null 2>&1 & echo $! > ../stays";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Print,
    Json,
    Rpc,
    Acp,
}

const MODES: [Mode; 4] = [Mode::Print, Mode::Json, Mode::Rpc, Mode::Acp];

/// tau in a mode, at work on one prompt.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Mode {
    /// Lets the model run a command, in the way that fits the mode.
    fn start(self, place: &Place, command: &str) -> Running {
        let reply = json!([{"tool_call": {"name": "bash", "arguments": {"command": command}}}]);
        let script = json!({"replies": [reply, "Done"]}).to_string();
        let mut tau = match self {
            Self::Print => place.play(&script, ["-p", "Go"]),
            Self::Json => place.play(&script, ["--mode", "json", "Go"]),
            Self::Rpc => place.play(&script, ["--mode", "rpc"]),
            Self::Acp => {
                let path = place.write("script.yaml", script).display().to_string();
                place.tau(["acp", "--script", &path])
            }
        };
        let mut child = tau.spawn();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut running = Running { stdin: child.stdin.take(), child, stdout };
        match self {
            Self::Print | Self::Json => running.stdin = None,
            Self::Rpc => running.write(&json!({"type": "prompt", "message": "Go"})),
            Self::Acp => {
                let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
                running.write(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
                running.read(|line| line["id"] == 1);
                let params = json!({"cwd": place.work(), "mcpServers": []});
                running.write(&json!({"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": params}));
                let session = running.read(|line| line["id"] == 2)["result"]["sessionId"].clone();
                let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Go"}]});
                running.write(&json!({"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params}));
            }
        }
        running
    }
}

impl Running {
    fn write(&mut self, line: &Value) {
        writeln!(self.stdin.as_mut().expect("standard input"), "{line}").expect("tau reads");
    }

    fn read(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).expect("a line"), 0, "it ended");
            let line: Value = serde_json::from_str(&line).expect("JSON");
            assert!(line.get("error").is_none(), "{line}");
            if wanted(&line) {
                return line;
            }
        }
    }

    /// Waits for the end of the prompt, and lets tau end as its client does.
    fn finish(mut self, mode: Mode) -> Result<i32, i32> {
        match mode {
            Mode::Print | Mode::Json => {}
            Mode::Rpc => drop(self.read(|line| line["type"] == "agent_settled")),
            Mode::Acp => drop(self.read(|line| line["id"] == 3)),
        }
        drop(self.stdin.take());
        self.end()
    }

    fn end(mut self) -> Result<i32, i32> {
        self.stdout.read_to_string(&mut String::new()).expect("the rest");
        ended(self.child.wait().expect("an end"))
    }
}

fn fifo(place: &Place, name: &str) -> PathBuf {
    let path = place.root().join(name);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    path
}

/// Reads a pipe for as long as somebody holds it.
fn listen(place: &Place) -> JoinHandle<String> {
    let pipe = fifo(place, "pipe");
    std::thread::spawn(move || std::fs::read_to_string(pipe).expect("text"))
}

fn hook(place: &Place) {
    place.write("home/.claude/hooks/pre/bash.sh", format!("#!/bin/sh\n{LEAVE}\n"));
}

fn exec(place: &Place) {
    exec_of_an_extension(place, LEAVE);
}

fn exec_of_an_extension(place: &Place, script: &str) {
    let source = format!(
        "export default (pi) => {{ pi.on('tool_call', async () => {{ await pi.exec('sh', ['-c', {}]); }}); }};\n",
        json!(script)
    );
    place.write("agent/extensions/leaves.ts", source);
}

/// Something leaves a process running before the model's command; then tau ends.
fn ends(leave: fn(&Place), mode: Mode, signal: Option<(Signal, i32)>) {
    let place = Place::new();
    leave(&place);
    let (listener, busy) = (listen(&place), fifo(&place, "busy"));
    let code = match signal {
        None => mode.start(&place, "true").finish(mode),
        Some((signal, _)) => {
            let running = mode.start(&place, "echo > ../busy; sleep 600");
            drop(std::fs::read(busy).expect("the command runs"));
            send(&running.child, signal);
            running.end()
        }
    };
    assert_eq!(code, Ok(signal.map_or(0, |(_, code)| code)), "{mode:?} {signal:?}");
    assert_eq!(listener.join().expect("a thread"), "started\n", "{mode:?} {signal:?}");
}

const TERM: Option<(Signal, i32)> = Some((Signal::TERM, 143));
const OTHERS: [Option<(Signal, i32)>; 2] = [Some((Signal::INT, 130)), Some((Signal::HUP, 129))];

#[test]
fn what_a_shell_hook_leaves_running_ends_with_tau_in_every_mode() {
    for mode in MODES {
        ends(hook, mode, None);
        ends(hook, mode, TERM);
    }
    for signal in OTHERS {
        ends(hook, Mode::Print, signal);
        ends(hook, Mode::Json, signal);
    }
}

#[test]
fn what_an_extensions_exec_leaves_running_ends_with_tau_in_every_mode() {
    for mode in MODES {
        ends(exec, mode, None);
        ends(exec, mode, TERM);
    }
    for signal in OTHERS {
        ends(exec, Mode::Print, signal);
    }
}

/// The process that was to stay is there, and goes now.
fn stayed(place: &Place) {
    let pid = place.read("stays").trim().parse().ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::KILL).expect("it is there");
}

#[test]
fn what_a_command_of_the_model_leaves_running_stays() {
    for mode in MODES {
        let place = Place::new();
        assert_eq!(mode.start(&place, STAY).finish(mode), Ok(0), "{mode:?}");
        stayed(&place);
    }
}

/// The signal ends what tau waits for, and no command that is over.
#[test]
fn what_a_command_of_the_model_left_running_stays_also_behind_a_signal() {
    let place = Place::new();
    let busy = fifo(&place, "busy");
    let call = |command: &str| json!([{"tool_call": {"name": "bash", "arguments": {"command": command}}}]);
    let script = json!({"replies": [call(STAY), call("echo > ../busy; sleep 600")]});
    let mut child = place.play(&script.to_string(), ["--mode", "json", "Go"]).spawn();
    drop(child.stdin.take());
    drop(std::fs::read(busy).expect("the command runs"));
    send(&child, Signal::TERM);
    assert_eq!(child.wait_with_output().map(|done| ended(done.status)).expect("an end"), Ok(143));
    stayed(&place);
}

#[test]
fn what_a_command_of_the_user_leaves_running_stays() {
    let place = Place::new();
    let mut running = Mode::Rpc.start(&place, "true");
    running.read(|line| line["type"] == "agent_settled");
    running.write(&json!({"id": "x", "type": "bash", "command": STAY}));
    running.read(|line| line["type"] == "response" && line["id"] == "x");
    drop(running.stdin.take());
    assert_eq!(running.end(), Ok(0));
    stayed(&place);
}

#[test]
fn a_program_that_detached_stays() {
    for way in ["setsid", "nohup"] {
        let place = Place::new();
        let own = "echo $$ > ../stays; exec sleep 600";
        let wait = "until [ -s ../stays ]; do sleep 0.01; done";
        exec_of_an_extension(&place, &format!("{way} sh -c '{own}' > /dev/null 2>&1 & {wait}"));
        assert_eq!(Mode::Print.start(&place, "true").finish(Mode::Print), Ok(0));
        stayed(&place);
    }
}

/// Leaves something running that holds a pipe, as [`LEAVE`] does, and ends when that has begun.
const LEAVE_BEHIND: &str = "{ echo started; echo > ../began; sleep 20; echo survived; } > ../pipe 2>&1 & \
    until [ -s ../began ]; do sleep 0.01; done";

/// Ways in which an extension starts children; `SCRIPT` is what a shell runs.
const WAYS: [&str; 5] = [
    "await new Promise((done) => cp.spawn('sh', ['-c', SCRIPT], { stdio: 'ignore' }).on('exit', done));",
    "await new Promise((done) => cp.exec(SCRIPT, done));",
    "await new Promise((done) => cp.execFile('sh', ['-c', SCRIPT], done));",
    "cp.execSync(SCRIPT);",
    "cp.spawnSync('sh', ['-c', SCRIPT]);",
];

fn children_of_an_extension(place: &Place, event: &str, way: &str, script: &str) {
    let body = way.replace("SCRIPT", &json!(script).to_string());
    let source = format!(
        "import * as cp from 'node:child_process';\n\
         export default (pi) => {{ pi.on({event:?}, async () => {{ {body} }}); }};\n"
    );
    place.write("agent/extensions/leaves.ts", source);
}

#[test]
fn what_the_children_of_an_extension_leave_running_ends_with_tau() {
    for event in ["tool_call", "session_shutdown"] {
        for way in WAYS {
            let place = Place::new();
            children_of_an_extension(&place, event, way, LEAVE_BEHIND);
            let listener = listen(&place);
            assert_eq!(Mode::Print.start(&place, "true").finish(Mode::Print), Ok(0), "{event}: {way}");
            assert_eq!(listener.join().expect("a thread"), "started\n", "{event}: {way}");
        }
    }
}

#[test]
fn what_a_detached_child_of_an_extension_leaves_running_stays() {
    let place = Place::new();
    let way = "await new Promise((done) =>
        cp.spawn('sh', ['-c', SCRIPT], { detached: true, stdio: 'ignore' }).on('exit', done));";
    children_of_an_extension(&place, "tool_call", way, STAY);
    assert_eq!(Mode::Print.start(&place, "true").finish(Mode::Print), Ok(0));
    stayed(&place);
}

/// Waits until no process has the word among its arguments.
#[cfg(target_os = "linux")]
fn wait_until_none_runs_with(word: &str) {
    let has_word = |process: &std::fs::DirEntry| {
        // One that is over has no arguments, or no folder.
        let arguments = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        arguments.windows(word.len()).any(|part| part == word.as_bytes())
    };
    while std::fs::read_dir("/proc").expect("processes").flatten().any(|process| has_word(&process)) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Some of them are being started at the very moment when tau ends.
#[cfg(target_os = "linux")]
#[test]
fn no_program_that_an_extension_starts_at_the_end_survives() {
    let started = [
        "for (let i = 0; i < 20; i++) pi.exec('sh', ['-c', SCRIPT]);",
        "for (let i = 0; i < 20; i++) cp.spawn('sh', ['-c', SCRIPT], { stdio: 'ignore' });",
    ];
    for way in started.iter().cycle().take(6) {
        let place = Place::new();
        let survived = place.root().join("survived");
        children_of_an_extension(&place, "tool_call", way, &format!("sleep 20; echo > '{}'", survived.display()));
        assert_eq!(Mode::Print.start(&place, "true").finish(Mode::Print), Ok(0), "{way}");
        wait_until_none_runs_with(&survived.display().to_string());
        assert!(!survived.exists(), "{way}");
    }
}
