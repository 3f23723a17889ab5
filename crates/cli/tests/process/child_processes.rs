//! A tau that a session starts as a program is guarded by the gates of that session.

use std::path::Path;

use serde_json::json;

use crate::support::Place;

const INNER: &str = "replies: [[{tool_call: {name: bash, arguments: {command: echo ran > ran}}}], [{text: Done}]]";

/// Blocks one command, no matter which session runs it, and notes which one did.
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
  // An extension that clears up its environment opens nothing.
  pi.registerCommand('cleared', { handler: async () => {
    delete process.env.TAU_PARENT_GATES;
    const { execFile } = await import('node:child_process');
    const args = ['--script', 'inner.yaml', '--mode', 'json', '-p', 'Go'];
    const out = await new Promise((done) => {
      execFile(TAU, args, { env: { ...process.env } }, (_, text) => done(text)).stdin.end();
    });
    writeFileSync('inner.jsonl', out);
  } });
};
";
    place.write("work/opener.ts", opener.replace("(TAU,", &format!("({},", json!(tau()))));
    for command in ["/exec", "/spawn", "/cleared"] {
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

/// Runs a tau that starts another one with these words, each with a model that calls bash; gives what the inner one said.
fn nested(place: &Place, outer: &[&str], inner: &str) -> String {
    place.write("work/inner.yaml", INNER);
    let command = format!("{} {inner} > inner.jsonl 2>inner.txt", tau().display());
    let runs = format!(
        "export default (pi) => pi.registerCommand('go', {{ handler: async () => {{\n\
           await pi.exec('sh', ['-c', {}]);\n}} }});\n",
        json!(command)
    );
    place.write("work/opener.ts", runs);
    let args = [&["-p", "/go", "-e", "opener.ts"], outer].concat();
    let done = place.play("replies: []", &args).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    place.read("work/inner.txt")
}

/// Tools that the user forbids are forbidden in programs that the session starts, too.
#[test]
fn a_program_gets_no_tool_that_its_session_may_not_use() {
    for (flags, ran) in [(vec![], true), (vec!["--exclude-tools", "bash"], false), (vec!["--tools", "read"], false)] {
        let place = Place::new();
        nested(&place, &flags, "--script inner.yaml --mode json -p Go");
        assert_eq!(place.work().join("ran").exists(), ran, "{flags:?}");
        if !ran {
            assert_eq!(told(&place), "Blocked: the parent session may not use the tool bash");
        }
    }
}

/// `--no-approve` holds for programs that the session starts, whatever they are started with.
#[test]
fn a_program_trusts_nothing_when_its_session_does_not() {
    for (flags, loaded) in [(vec![], true), (vec!["--no-approve"], false)] {
        let place = Place::new();
        place.write("work/.pi/extensions/project.ts", "export default () => console.log('it runs');");
        let outer = [&["--no-extensions"], &*flags].concat();
        let said = nested(&place, &outer, "--script inner.yaml --approve -p Go");
        assert_eq!(said.contains("it runs"), loaded, "{flags:?}: {said}");
    }
}

/// Sessions that start each other as programs come to an end.
#[test]
fn programs_do_not_nest_without_end() {
    let place = Place::new();
    let again = format!(
        "export default (pi) => pi.registerCommand('go', {{ handler: async () => {{\n\
           const {{ appendFileSync }} = await import('node:fs');\n\
           appendFileSync('levels', 'x');\n\
           const done = await pi.exec({}, ['--script', 'inner.yaml', '-e', 'again.ts', '-p', '/go']);\n\
           if (done.code !== 0) appendFileSync('end', done.stderr);\n}} }});\n",
        json!(tau())
    );
    place.write("work/again.ts", again);
    place.write("work/inner.yaml", "replies: []");
    let done = place.play("replies: []", ["-p", "/go", "-e", "again.ts"]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(place.read("work/levels"), "x".repeat(9));
    let end = place.read("work/end");
    assert_eq!(end, "Error: child sessions are limited to 8 levels, and 8 sessions stand above this one\n");
}

/// Nobody else may answer in the name of a session, whatever the umask.
#[test]
fn the_folder_of_the_socket_is_its_users_alone() {
    let place = Place::new();
    let look = "
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
export default (pi) => pi.registerCommand('look', { handler: async () => {
  console.log((statSync(dirname(process.env.TAU_PARENT_GATES)).mode & 0o777).toString(8));
} });
";
    place.write("work/look.ts", look);
    let done = place.play("replies: []", ["-e", "look.ts", "-p", "/look"]).with_umask("000").run();
    assert_eq!(done.stderr, "700\n");
}

/// `--no-approve` holds for the folders of children, too.
#[test]
fn a_child_trusts_nothing_when_its_session_does_not() {
    for (flags, loaded) in [(vec![], true), (vec!["--no-approve"], false)] {
        let place = Place::new();
        let away = place.write("away/.pi/extensions/project.ts", "export default () => console.log('it runs');");
        let away = away.ancestors().nth(3).expect("a folder").display().to_string();
        place.write("agent/trust.json", json!({&away: true}).to_string());
        let opener = format!(
            "import {{ createAgentSession, SessionManager }} from '@earendil-works/pi-coding-agent';\n\
             export default (pi) => pi.registerCommand('go', {{ handler: async () => {{\n\
               const {{ session }} = await createAgentSession({{ cwd: {away:?}, sessionManager: SessionManager.inMemory() }});\n\
               session.dispose();\n}} }});\n"
        );
        place.write("work/opener.ts", opener);
        let done = place.play("replies: []", [&["-p", "/go", "-e", "opener.ts"], &*flags].concat()).run();
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert_eq!(done.stderr.contains("it runs"), loaded, "{flags:?}: {}", done.stderr);
    }
}
