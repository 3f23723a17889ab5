//! Sessions: what is in them, and one in place of another while the client stays.

use serde_json::Value;
use tau_rpc::*;
use tau_testkit::TempHome;

use super::support::{kinds, run, sessions, start, start_with, text, transcript};

#[test]
fn the_client_stays_when_the_session_is_replaced() {
    let home = TempHome::new();
    let client = start(&home, "replies: [One, Two, Three, Four]", &[]);
    run(&client, "first");
    run(&client, "second");
    let first = client.call(GetState {}).unwrap();
    let points = client.call(GetForkMessages {}).unwrap().messages;
    assert_eq!(points.iter().map(|point| point.text.as_str()).collect::<Vec<_>>(), ["first", "second"]);

    let mark = client.mark();
    let forked = client.call(Fork { entry_id: points[1].entry_id.clone() }).unwrap();
    assert_eq!(forked, Forked { text: Some("second".to_owned()), cancelled: false });
    assert_eq!(client.event(mark, "session")["parentSession"], Value::from(first.session_file.clone()));
    assert_eq!(client.call(GetState {}).unwrap().message_count, 2);
    run(&client, "another way");

    let mark = client.mark();
    assert_eq!(
        client.call(NewSession { parent_session: Some("before".to_owned()) }).unwrap(),
        Cancellable { cancelled: false }
    );
    let header = client.event(mark, "session");
    assert_eq!((&header["parentSession"], kinds(&client.records()[mark..])), (&"before".into(), vec!["session"]));
    run(&client, "third");

    let back = SwitchSession { session_path: first.session_file.clone().expect("a file") };
    assert_eq!(client.call(back).unwrap(), Cancellable { cancelled: false });
    assert_eq!(client.call(GetState {}).unwrap().session_id, first.session_id);
    assert_eq!(client.call(CloneSession {}).unwrap(), Cancellable { cancelled: false });
    assert_eq!(client.call(GetState {}).unwrap().message_count, 4);
    assert!(
        client.call(Fork { entry_id: "nothing".to_owned() }).unwrap_err().starts_with("Invalid entry ID for forking")
    );
    assert_eq!(client.close().status.code(), Some(0));
    let told: Vec<Vec<String>> = sessions(&home).iter().map(transcript).collect();
    assert_eq!(
        told,
        [
            vec!["user: first", "assistant: One", "user: second", "assistant: Two"],
            vec!["user: first", "assistant: One", "user: another way", "assistant: Three"],
            vec!["user: third", "assistant: Four"],
            vec!["user: first", "assistant: One", "user: second", "assistant: Two"],
        ]
    );
}

#[test]
fn an_extension_can_stop_it() {
    let home = TempHome::new();
    let extension = r#"export default (pi) => pi.on("session_before_switch", () => ({ cancel: true }));"#;
    let client = start_with(&home, "replies: []", extension);
    let before = client.call(GetState {}).unwrap();
    assert_eq!(client.call(NewSession { parent_session: None }).unwrap(), Cancellable { cancelled: true });
    assert_eq!(client.call(GetState {}).unwrap(), before);
}

#[test]
fn entries_and_the_tree_are_those_of_the_file() {
    let home = TempHome::new();
    let client = start(&home, "replies: [One, Two]", &[]);
    run(&client, "first");
    let all = client.call(GetEntries { since: None }).unwrap();
    run(&client, "second");
    let last: Value = serde_json::from_str(all.entries.last().unwrap().get()).unwrap();
    let new = client.call(GetEntries { since: last["id"].as_str().map(str::to_owned) }).unwrap();
    let roles: Vec<Value> = new
        .entries
        .iter()
        .map(|entry| serde_json::from_str::<Value>(entry.get()).unwrap()["message"]["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "assistant"]);
    assert_eq!(client.call(GetEntries { since: Some("nothing".to_owned()) }).unwrap_err(), "Entry not found: nothing");
    let tree = client.call(GetTree {}).unwrap();
    assert_eq!(tree.leaf_id, new.leaf_id);
    let file = std::fs::read_to_string(client.call(GetState {}).unwrap().session_file.unwrap()).unwrap();
    let mut nodes: Value = serde_json::from_str(tree.tree.get()).unwrap();
    for line in file.lines().skip(1) {
        let [node] = &mut nodes.as_array_mut().unwrap()[..] else { panic!("one chain: {nodes}") };
        assert_eq!(node["entry"], serde_json::from_str::<Value>(line).unwrap());
        nodes = node["children"].take();
    }
    assert_eq!(nodes, Value::Array(vec![]));
    let stats = client.call(GetSessionStats {}).unwrap();
    assert_eq!((stats.user_messages, stats.assistant_messages, stats.total_messages), (2, 2, 4));
    assert_eq!(stats.context_usage.map(|usage| usage.context_window), Some(200_000));
}

/// A chain of entries is as deep as it is long.
#[test]
fn a_long_session_has_a_deep_tree() {
    let home = TempHome::new();
    let header = r#"{"type":"session","version":3,"id":"00000000-0000-7000-8000-000000000000","timestamp":"2026-01-01T00:00:00.000Z","cwd":"CWD"}"#;
    let mut lines = vec![header.replace("CWD", &home.cwd().display().to_string())];
    for n in 0..20_000 {
        let parent = if n == 0 { "null".to_owned() } else { format!("\"{:08x}\"", n - 1) };
        lines.push(format!(
            r#"{{"type":"custom","id":"{n:08x}","parentId":{parent},"timestamp":"2026-01-01T00:00:00.000Z","customType":"x"}}"#
        ));
    }
    let file = home.write("long.jsonl", lines.join("\n") + "\n");
    let client = start(&home, "replies: []", &["--session", &file.display().to_string()]);
    let tree = client.call(GetTree {}).unwrap();
    assert!(tree.tree.get().matches("\"children\":[").count() >= 20_000);
    assert!(client.call(GetEntries { since: None }).unwrap().entries.len() >= 20_000);
    assert_eq!(client.close().status.code(), Some(0));
}

#[test]
fn names_pages_and_what_cannot_be() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Hi]", &[]);
    assert_eq!(client.call(SetSessionName { name: "  ".to_owned() }).unwrap_err(), "Session name cannot be empty");
    let mark = client.mark();
    client.call(SetSessionName { name: " Mine ".to_owned() }).unwrap();
    assert_eq!(client.event(mark, "session_info_changed")["name"], "Mine");
    assert!(client.call(ExportHtml { output_path: None }).unwrap_err().starts_with("Nothing to export"));
    run(&client, "Go");
    let page = client.call(ExportHtml { output_path: Some("out/page.html".to_owned()) }).unwrap();
    assert_eq!(page.path, home.cwd().join("out/page.html").display().to_string());
    assert!(std::fs::read_to_string(page.path).unwrap().contains("Hi"));
    assert_eq!(
        client.call(Compact { custom_instructions: None }).unwrap_err(),
        "Nothing to compact (session too small)"
    );
    let missing = SwitchSession { session_path: "missing/x.jsonl".to_owned() };
    assert!(client.call(missing).unwrap_err().contains("missing/x.jsonl"));
    client.call(text("/session")).unwrap();
}

const BUSY: &str = r#"
replies:
  - - tool_call: {name: bash, arguments: {command: "until [ -e go ]; do sleep 0.01; done"}}
  - "Done."
"#;

#[test]
fn a_command_of_the_user_is_in_the_file_when_it_is_answered_and_never_behind_a_call() {
    let home = TempHome::new();
    let client = start(&home, BUSY, &[]);
    let mark = client.mark();
    client.call(text("Go")).unwrap();
    client.event(mark, "tool_execution_start");
    let asked = client.send(Bash { command: "printf mine".to_owned(), exclude_from_context: None });
    client.wait_for(mark, "its output", |record| record["delta"] == "mine");
    home.write("go", "");
    assert_eq!(asked.answer().unwrap().output, "mine");
    let file = client.call(GetState {}).unwrap().session_file.expect("a file");
    let roles = || {
        let session = tau_session::Session::open(file.as_ref()).expect("a session");
        let context = session.context();
        context.messages.iter().map(|item| item.message.role().to_owned()).collect::<Vec<_>>()
    };
    // The command may end after the tool, even after the answer that follows it.
    let begun = roles();
    assert_eq!(begun[..3], ["user", "assistant", "toolResult"]);
    assert!(begun[3..].iter().any(|role| role == "bashExecution"), "{begun:?}");
    client.event(mark, "agent_settled");
    let mut all = roles();
    all[3..].sort();
    assert_eq!(all, ["user", "assistant", "toolResult", "assistant", "bashExecution"]);
    assert_eq!(client.close().status.code(), Some(0));
}
