//! Extensions that keep the thread of their engine, seen by a client.

use tau_rpc::Abort;
use tau_testkit::TempHome;

use super::support::{run, sessions, start_with, text, transcript};

const TOOL: &str = "replies: [[{tool_call: {name: bash, arguments: {command: 'echo ran >> ran'}}}], Done., [{tool_call: {name: bash, arguments: {command: 'echo ran >> ran'}}}], Done.]";

#[test]
fn an_abort_ends_what_a_handler_waits_for() {
    let home = TempHome::new();
    let waits = "import { execSync } from 'node:child_process';
        export default (pi) => { pi.on('agent_start', () => { execSync('echo $$ > pid.tmp; mv pid.tmp pid; sleep 1000'); }); };";
    let client = start_with(&home, "replies: [Never.]", waits);
    let mark = client.mark();
    client.call(text("Go")).unwrap();
    let file = home.cwd().join("pid");
    while !file.exists() {
        std::thread::yield_now();
    }
    client.call(Abort {}).unwrap();
    client.event(mark, "agent_settled");
    let pid = std::fs::read_to_string(file).expect("a number");
    let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    // The session goes on while the process ends.
    while std::path::Path::new(&format!("/proc/{}", pid.trim())).exists() && !state().contains(") Z ") {
        std::thread::yield_now();
    }
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn after_a_reload_a_fresh_engine_guards_the_gates() {
    let home = TempHome::new();
    home.write_agent("settings.json", r#"{"tau": {"limits": {"stretchMs": 100}}}"#);
    let hangs = "import * as fs from 'node:fs';
        export default (pi) => {
          pi.on('agent_start', () => {
            if (fs.existsSync('hung')) return;
            fs.writeFileSync('hung', '');
            Array.prototype.reverse.call({ length: 2 ** 53 - 1 });
          });
          pi.on('tool_call', () => fs.appendFileSync('asked', 'x'));
          pi.on('session_shutdown', () => fs.appendFileSync('asked', 'never'));
        };";
    let client = start_with(&home, TOOL, hangs);
    let told = run(&client, "Go");
    let errors: Vec<&str> = told
        .iter()
        .filter(|record| record["type"] == "extension_error")
        .filter_map(|record| record["error"].as_str())
        .collect();
    assert!(errors.len() == 1 && errors[0].contains("does not answer any more"), "{errors:?}");
    let said = transcript(&sessions(&home)[0]);
    assert!(said[2].contains("is lost: its script engine does not answer any more; /reload"), "{said:?}");
    assert!(!home.cwd().join("ran").exists());
    run(&client, "/reload");
    run(&client, "Go");
    assert!(home.cwd().join("ran").exists());
    let asked = std::fs::read_to_string(home.cwd().join("asked")).expect("a gate that was asked");
    assert_eq!(asked, "x");
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn a_reload_waits_for_handlers_of_the_end_of_the_run_before_it() {
    let home = TempHome::new();
    // Long enough for a client to ask in the meantime.
    let slow = "import * as fs from 'node:fs';
        export default (pi) => {
          fs.appendFileSync('loaded', 'x');
          pi.on('agent_settled', async () => {
            fs.writeFileSync('settling', '');
            await new Promise((done) => setTimeout(done, 500));
          });
        };";
    let client = start_with(&home, "replies: [Done.]", slow);
    client.call(text("Go")).unwrap();
    while !home.cwd().join("settling").exists() {
        std::thread::yield_now();
    }
    client.call(text("/reload")).unwrap();
    assert_eq!(std::fs::read_to_string(home.cwd().join("loaded")).expect("an extension"), "xx");
    assert_eq!(client.close().status.code(), Some(0));
}
