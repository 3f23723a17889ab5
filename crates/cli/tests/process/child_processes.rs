//! A tau that a session starts as a program is guarded by the gates of that session.

use std::path::Path;

use serde_json::json;

use crate::support::Place;

const INNER: &str = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran > ran}}}], [{text: Done}]]";

/// Blocks one command, whoever calls it, and notes who did.
const GATE: &str = "
import { appendFileSync } from 'node:fs';
export default (pi) => pi.on('tool_call', (event, ctx) => {
  if (event.input.command !== 'echo ran > ran') return;
  appendFileSync('asked', `${ctx.child.name.split(' ')[0]} ${ctx.cwd.split('/').at(-1)}\\n`);
  return { block: true, reason: 'not that one' };
});
";

/// What the model of the inner session was told of its call.
fn told(place: &Place) -> String {
    let inner = place.read("work/inner.jsonl");
    let line = inner.lines().find(|line| line.contains("tool_execution_end")).expect("a call");
    let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
    event["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
}

fn tau() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tau"))
}

#[test]
fn a_model_gets_around_no_gate_by_starting_another_agent() {
    let place = Place::new();
    place.write("work/inner.yaml", INNER);
    place.write("work/gate.ts", GATE);
    let command = format!("{} --script inner.yaml --mode json -p Go > inner.jsonl", tau().display());
    let outer = json!({"replies": [[{"tool_call": {"name": "bash", "arguments": {"command": command}}}], "Done"]});
    let done = place.play(&outer.to_string(), ["-p", "Go", "-e", "gate.ts"]).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Done\n"), "{}", done.stderr);
    assert_eq!((told(&place), place.read("work/asked")), ("not that one".to_owned(), "process work\n".to_owned()));
    assert!(!place.work().join("ran").exists());
}

/// As subagent extensions of pi do it.
#[test]
fn an_extension_that_starts_a_program_starts_a_child() {
    let place = Place::new();
    place.write("work/inner.yaml", INNER);
    place.write("work/gate.ts", GATE);
    let opener = "
import { writeFileSync } from 'node:fs';
export default (pi) => {
  pi.registerCommand('exec', { handler: async () => {
    const done = await pi.exec(TAU, ['--script', 'inner.yaml', '--mode', 'json', '-p', 'Go']);
    writeFileSync('inner.jsonl', done.stdout);
  } });
  pi.registerCommand('spawn', { handler: async () => {
    const { spawn } = await import('node:child_process');
    const child = spawn(TAU, ['--script', 'inner.yaml', '--mode', 'json', '-p', 'Go'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (data) => { out += data; });
    await new Promise((done) => child.on('close', done));
    writeFileSync('inner.jsonl', out);
  } });
};
";
    place.write("work/opener.ts", opener.replace("TAU", &json!(tau()).to_string()));
    for command in ["/exec", "/spawn"] {
        let done = place.play("replies: []", ["-p", command, "-e", "gate.ts", "-e", "opener.ts"]).run();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let asked = place.read("work/asked");
        assert_eq!(
            (told(&place).as_str(), asked.as_str()),
            ("not that one", "process work\n"),
            "{command}: {}",
            done.stderr
        );
        assert!(!place.work().join("ran").exists(), "{command}");
        std::fs::remove_file(place.work().join("asked")).expect("a file to remove");
    }
}
