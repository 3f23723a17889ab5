//! Whatever comes in, tau answers and goes on.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::editor::play;
use crate::place::{Place, ended};

/// Sends bytes to a tau that was greeted, then one good request; gives the answers in between by id and code.
fn answers(bytes: &[u8]) -> Vec<(Value, Value)> {
    let place = Place::new();
    let mut child = play(&place, "replies: []", [] as [&str; 0]).spawn();
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next =
        || -> Value { serde_json::from_str(&stdout.next().expect("an answer").expect("a line")).expect("JSON") };
    writeln!(
        stdin,
        "{}",
        json!({"jsonrpc": "2.0", "id": "hi", "method": "initialize", "params": {"protocolVersion": 1}})
    )
    .expect("tau reads");
    assert_eq!(next()["id"], "hi");
    stdin.write_all(bytes).expect("tau reads");
    writeln!(stdin, "\n{}", json!({"jsonrpc": "2.0", "id": "last", "method": "session/list", "params": {}}))
        .expect("tau reads");
    let mut answers = Vec::new();
    loop {
        let answer = next();
        if answer["id"] == "last" {
            assert_eq!(answer["result"]["sessions"], json!([]));
            break;
        }
        answers.push((answer["id"].clone(), answer["error"]["code"].clone()));
    }
    drop(stdin);
    assert_eq!(ended(child.wait().expect("its end")), Ok(0));
    answers
}

fn error(id: Value, code: i32) -> (Value, Value) {
    (id, json!(code))
}

#[test]
fn lines_that_are_no_messages_are_answered() {
    let null = || Value::Null;
    assert_eq!(
        answers(b"nonsense\n\n   \n{\n[]\n17\n"),
        [error(null(), -32700), error(null(), -32700), error(null(), -32600), error(null(), -32600),]
    );
    assert_eq!(
        answers(b"\xff\xfe\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}\n"),
        [error(null(), -32700), error(null(), -32700),]
    );
}

#[test]
fn requests_that_make_no_sense_are_answered_with_their_id() {
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/unknown", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": 5}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "session/new"}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "session/prompt", "params": {"sessionId": "x", "prompt": []}}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "_own/method", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 6, "method": "session/fork", "params": {"sessionId": "x", "cwd": "/"}}),
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "x"}}),
        json!({"jsonrpc": "2.0", "method": "unknown/notification"}),
        json!({"jsonrpc": "2.0", "id": "nobody asked", "result": {}}),
    ];
    let bytes: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut found = answers(bytes.as_bytes());
    found.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(
        found,
        [
            error(json!(1), -32601),
            error(json!(2), -32602),
            error(json!(3), -32602),
            error(json!(4), -32002),
            error(json!(5), -32601),
            error(json!(6), -32601),
        ]
    );
}

#[test]
fn half_a_line_at_the_end_is_no_harm() {
    let place = Place::new();
    let done = play(&place, "replies: []", [] as [&str; 0]).stdin(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth").run();
    assert_eq!((done.code, &*done.stderr), (Some(0), ""));
    let answer: Value = serde_json::from_str(&done.stdout).expect("an answer");
    assert_eq!(answer["error"]["code"], -32700);
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let mut bytes = vec![b'x'; (64 << 20) + 1];
    bytes.push(b'\n');
    assert_eq!(answers(&bytes), [error(Value::Null, -32700)]);
}
