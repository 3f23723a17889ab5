//! A client that does not read.

use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::editor::play;
use crate::place::{Place, ended, transcript};

const DELTAS: usize = 50_000;

#[test]
fn nothing_is_lost_and_what_waits_is_joined() {
    let place = Place::new();
    let script = format!("replies: [[{{text: \"0123456789\", repeat_delta: {DELTAS}}}]]");
    let mut child = play(&place, &script, [] as [&str; 0]).spawn();
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next =
        || -> Value { serde_json::from_str(&stdout.next().expect("a message").expect("a line")).expect("JSON") };
    let send = |stdin: &mut std::process::ChildStdin, id: u32, method: &str, params: Value| {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{line}").expect("tau reads");
    };
    send(&mut stdin, 1, "initialize", json!({"protocolVersion": 1}));
    assert_eq!(next()["id"], 1);
    send(&mut stdin, 2, "session/new", json!({"cwd": place.work(), "mcpServers": []}));
    let answer = next();
    let session = answer["result"]["sessionId"].clone();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Go"}]});
    send(&mut stdin, 3, "session/prompt", prompt);
    // The session works on although nobody reads; what it knows is in its file.
    let is_done = || match &place.session_files()[..] {
        [file] => std::fs::metadata(file).is_ok_and(|file| file.len() > (DELTAS * 10) as u64),
        _ => false,
    };
    while !is_done() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (mut text, mut chunks) = (String::new(), 0);
    loop {
        let message = next();
        if message["id"] == 3 {
            assert_eq!(message["result"]["stopReason"], "end_turn");
            break;
        }
        let update = &message["params"]["update"];
        if update["sessionUpdate"] == "agent_message_chunk" {
            text.push_str(update["content"]["text"].as_str().expect("a text"));
            chunks += 1;
        }
    }
    assert!(text == "0123456789".repeat(DELTAS), "{} bytes", text.len());
    // A pipe, and what is on its way to it, hold a few hundred.
    assert!(chunks < 5_000, "{chunks}");
    drop(stdin);
    assert_eq!(ended(child.wait().expect("its end")), Ok(0));
    assert_eq!(transcript(&place.session()).len(), 2);
}
