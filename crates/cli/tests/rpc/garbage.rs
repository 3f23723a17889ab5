//! Whatever a client writes, tau goes on, keeps what it has, and says what was wrong.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};
use tau_hooks::payload::StreamingBehavior;
use tau_rpc::{Abort, COMMANDS, GetState, MAX_LINE, Prompt};
use tau_testkit::{RpcClient, TempHome};

use super::support::{run, sessions, start, text, transcript};

/// Something that a client writes.
#[derive(Debug, Clone)]
enum Line {
    /// Bytes that may be anything.
    Bytes(Vec<u8>),
    /// JSON that may be anything.
    Json(Value),
    /// A command with arguments of the wrong type, or none.
    Wrong { name: String, value: Value },
    /// A command without arguments, in the middle of everything.
    Bare(&'static str),
    /// A prompt that can be answered.
    Prompt(u32),
}

/// Commands that do something without arguments, and nothing outside of the session.
const BARE: &[&str] = &[
    "abort",
    "clear_queue",
    "get_state",
    "get_messages",
    "get_commands",
    "cycle_model",
    "cycle_thinking_level",
    "compact",
    "abort_retry",
    "abort_bash",
    "new_session",
    "clone",
    "get_fork_messages",
    "get_entries",
    "get_tree",
    "get_session_stats",
    "get_last_assistant_text",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("(id|type|message|[a-z]{1,4})", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn no_text() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!(5)), Just(json!([])), Just(json!({})), Just(json!(true)), Just(Value::Null)]
}

fn line() -> impl Strategy<Value = Line> {
    let names: Vec<String> = COMMANDS.iter().map(|row| row.name.to_owned()).collect();
    // Those that can be wrong: with arguments that must be there.
    let strict = [
        "prompt",
        "steer",
        "follow_up",
        "set_model",
        "set_thinking_level",
        "set_steering_mode",
        "bash",
        "set_auto_retry",
        "switch_session",
        "fork",
        "set_session_name",
    ];
    let strict: Vec<String> = names.into_iter().filter(|name| strict.contains(&name.as_str())).collect();
    let known = prop::sample::select(strict).boxed();
    let name = prop_oneof![3 => known, 1 => "[a-z_]{1,10}x".boxed()];
    prop_oneof![
        2 => prop::collection::vec(any::<u8>().prop_filter("a line", |byte| *byte != b'\n'), 0..60).prop_map(Line::Bytes),
        2 => any_json().prop_map(Line::Json),
        3 => (name, no_text()).prop_map(|(name, value)| Line::Wrong { name, value }),
        2 => prop::sample::select(BARE).prop_map(Line::Bare),
        2 => any::<u32>().prop_map(Line::Prompt),
    ]
}

/// The texts of the user that were told of.
fn told(records: &[Value]) -> Vec<String> {
    let ends = records.iter().filter(|record| record["type"] == "message_end" && record["message"]["role"] == "user");
    ends.filter_map(|record| record["message"]["content"][0]["text"].as_str().map(str::to_owned)).collect()
}

fn survives(lines: &[Line]) -> Result<(), TestCaseError> {
    let home = TempHome::new();
    let client = start(&home, "replies: [{repeat: forever, steps: [{text: Yes, delta_ms: 1}]}]", &[]);
    let mut wrong = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        match line {
            Line::Bytes(bytes) => client.write_bytes(&[bytes, &b"\n"[..]].concat()),
            Line::Json(value) => client.write(value),
            Line::Bare(name) => client.write(&json!({"id": format!("n{n}"), "type": name})),
            Line::Prompt(number) => client.write(&json!({
                "id": format!("n{n}"), "type": "prompt", "message": format!("text {number}"), "streamingBehavior": "steer"
            })),
            Line::Wrong { name, value } => {
                let id = format!("w{n}");
                client.write(&json!({
                    "type": name, "id": id, "message": value, "provider": value, "level": value, "mode": value,
                    "command": value, "enabled": [value], "sessionPath": value, "entryId": value, "name": value
                }));
                wrong.push(id);
            }
        }
    }
    let alive = (client.call(GetState {}).is_ok(), client.call(Abort {}).is_ok());
    prop_assert_eq!(alive, (true, true));
    let last = Prompt { streaming_behavior: Some(StreamingBehavior::FollowUp), ..text("at the end") };
    let last = client.call(last);
    prop_assert!(last.is_ok(), "{:?}", last);
    let end = client.close();
    prop_assert_eq!(end.status.code(), Some(0), "{}", end.stderr);
    for id in wrong {
        let answers: Vec<&Value> = end.records.iter().filter(|record| record["id"] == id.as_str()).collect();
        prop_assert_eq!(answers.len(), 1, "{} {:?}", id, answers);
        prop_assert!(answers[0]["success"] == false && answers[0]["error"].is_string());
    }
    let kept: Vec<String> = sessions(&home).iter().flat_map(transcript).collect();
    for text in told(&end.records) {
        prop_assert!(kept.contains(&format!("user: {text}")), "{} is lost: {:?}", text, kept);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 20, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_written_it_goes_on(lines in prop::collection::vec(line(), 1..40)) {
        survives(&lines)?;
    }
}

#[test]
fn an_id_that_comes_twice_is_answered_twice() {
    let lines = [json!({"id": ""}), json!({"id": ""}), json!({"id": "t"})].map(Line::Json);
    survives(&lines).expect("it goes on");
}

fn refused(client: &RpcClient, mark: usize) -> Value {
    client.wait_for(mark, "a response", |record| record["type"] == "response" && record["success"] == false)
}

#[test]
fn a_line_of_100_mb_is_refused_and_forgotten() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Before, After]", &[]);
    run(&client, "first");
    let mark = client.mark();
    client.write_bytes(b"{\"type\":\"prompt\",\"message\":\"");
    let piece = vec![b'x'; 1_000_000];
    (0..100).for_each(|_| client.write_bytes(&piece));
    client.write_bytes(b"\",\"id\":\"big\"}\n");
    let answer = refused(&client, mark);
    assert_eq!((&answer["id"], &answer["command"]), (&json!("big"), &json!("parse")));
    assert_eq!(answer["error"], format!("Failed to parse command: the line is longer than {MAX_LINE} bytes"));
    run(&client, "second");
    assert_eq!(client.close().status.code(), Some(0));
    assert_eq!(
        transcript(&sessions(&home)[0]),
        ["user: first", "assistant: Before", "user: second", "assistant: After"]
    );
}

#[test]
fn what_is_no_utf_8_is_refused() {
    let home = TempHome::new();
    let client = start(&home, "replies: [Fine]", &[]);
    let mark = client.mark();
    client.write_bytes(b"{\"id\":\"u\",\"type\":\"prompt\",\"message\":\"\xc3(\"}\n");
    let answer = refused(&client, mark);
    assert_eq!((&answer["id"], &answer["command"]), (&json!("u"), &json!("parse")));
    assert!(answer["error"].as_str().unwrap().starts_with("Failed to parse command: invalid utf-8 sequence"));
    // Separators of lines that are no line ends, and halves of surrogate pairs, are text.
    run(&client, "a\u{2028}b\u{85}");
    client.write_bytes(b"{\"id\":\"s\",\"type\":\"steer\",\"message\":\"\\ud800\"}\n");
    client.wait_for(mark, "an answer", |record| record["id"] == "s");
    assert_eq!(transcript(&sessions(&home)[0])[0], "user: a\u{2028}b\u{85}");
}

#[test]
fn lines_may_end_with_cr_lf_and_come_in_pieces() {
    let home = TempHome::new();
    let client = start(&home, "replies: []", &[]);
    client.write_bytes(b"{\"id\":\"a\",\"type\":\"get_state\"}\r\n{\"id\":\"b\",\"ty");
    client.wait_for(0, "the first answer", |record| record["id"] == "a" && record["success"] == true);
    client.write_bytes(b"pe\":\"get_tree\"}\n");
    client.wait_for(0, "the second answer", |record| record["id"] == "b" && record["success"] == true);
}

#[test]
fn deeply_nested_lines_are_refused() {
    let home = TempHome::new();
    let client = start(&home, "replies: []", &[]);
    let deep = format!("{{\"id\":\"d\",\"x\":{}1{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    client.write_bytes(deep.as_bytes());
    assert_eq!(refused(&client, 0)["id"], "d");
    assert!(client.call(GetState {}).is_ok());
}
