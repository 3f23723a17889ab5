//! A client that does not read.

use std::path::Path;
use std::time::Duration;

use tau_rpc::{Bash, GetLastAssistantText};
use tau_testkit::{RpcClient, TempHome};

use super::support::{sessions, start, text, transcript};

/// Waits for a file that somebody makes.
fn appears(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What a process holds in memory now, in bytes.
fn resident(client: &RpcClient) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).expect("its status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its size");
    let kb: usize = line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).expect("a number");
    kb * 1024
}

#[test]
fn a_client_that_does_not_read_stops_the_model_and_nothing_else() {
    let home = TempHome::new();
    let piece = "0123456789".repeat(20);
    let script = format!("replies:\n  - - text: '{piece}'\n      repeat_delta: 50000\n  - Done.\n");
    let client = start(&home, &script, &[]);
    client.call(GetLastAssistantText {}).expect("an answer");
    let before = resident(&client);
    let mark = client.mark();
    client.call(text("Go")).expect("the prompt is taken");
    client.event(mark, "message_update");
    client.pause(true);
    // Commands are read and done: this one takes longer than the whole answer would.
    let bash = client.send(Bash { command: "sleep 2; touch done".to_owned(), exclude_from_context: None });
    appears(&home.cwd().join("done"));
    let after = resident(&client);
    // The command is in the file once it is over, the answer is not.
    let told = transcript(&sessions(&home)[0]);
    let told: Vec<&String> = told.iter().filter(|line| !line.starts_with("bashExecution: ")).collect();
    assert_eq!(told, ["user: Go"], "the model is not read to its end");
    assert!(after < before + 24 * 1024 * 1024, "{before} bytes before, {after} after");

    client.pause(false);
    client.event(mark, "agent_settled");
    bash.answer().expect("a result");
    let records = client.records().split_off(mark);
    let steps = || records.iter().filter(|record| record["type"] == "message_update");
    let said: String = steps().filter_map(|record| record["assistantMessageEvent"]["delta"].as_str()).collect();
    assert!(said == piece.repeat(50_000), "{} bytes instead of {}", said.len(), piece.len() * 50_000);
    let kinds: Vec<&str> = steps().filter_map(|record| record["assistantMessageEvent"]["type"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"text_start"), Some(&"text_end")));
    assert!(kinds.len() < 50_002, "pieces were joined");
    let end = records.iter().rfind(|record| record["type"] == "message_end").expect("the end of the answer");
    assert!(end["message"]["content"][0]["text"] == said.as_str());
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn tools_go_on_while_nobody_reads() {
    let home = TempHome::new();
    let script = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "until [ -e go ]; do sleep 0.02; done; echo went; touch gone"}}
  - - text: All done.
"#;
    let client = start(&home, script, &[]);
    let mark = client.mark();
    client.call(text("Go")).expect("the prompt is taken");
    client.event(mark, "tool_execution_start");
    client.pause(true);
    // More than fits into the queue; the command waits with the rest of it.
    let flood = "touch flooding; yes 0123456789 | head -c 8000000; touch flooded";
    let flood = client.send(Bash { command: flood.to_owned(), exclude_from_context: Some(true) });
    appears(&home.cwd().join("flooding"));
    home.write("go", "");
    appears(&home.cwd().join("gone"));
    assert!(!home.cwd().join("flooded").exists(), "the flood is held back");

    client.pause(false);
    assert_eq!(flood.answer().expect("a result").exit_code, Some(0));
    client.event(mark, "agent_settled");
    let records = client.records().split_off(mark);
    let outputs = records.iter().filter(|record| record["type"] == "bash_execution_update");
    let put_out: usize = outputs.filter_map(|record| record["delta"].as_str()).map(str::len).sum();
    assert_eq!(put_out, 8_000_000);
    assert_eq!(transcript(&sessions(&home)[0])[2..], ["toolResult: went\n", "assistant: All done.", "bashExecution: "]);
}
