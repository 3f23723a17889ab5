//! What is asked in a session whose file stays on the disk is what a plain reading of every line gives.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tau_ai::Message;
use tau_session::{EntryBody, Memory, NewSession, Session};
use tau_testkit::loopback::{LoopbackServer, Reply};

use crate::common::{World, registry};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/work"}"#;

/// What a line holds beside its id and its parent.
fn fields() -> impl Strategy<Value = Value> {
    let text = prop_oneof![Just("a".to_owned()), "[a-zäλ🎉\"\\\\\n]{0,9}", Just("x".repeat(200))];
    let target = 0..20_u8;
    (0..16_u8, text, any::<bool>(), target).prop_map(|(kind, text, flag, target)| {
        let said = |content: Value, stop: &str| json!({"type": "message", "message": {"role": "assistant", "content": content,
            "api": "anthropic-messages", "provider": "loop", "model": "loop-1", "stopReason": stop, "timestamp": 2}});
        let call = |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": text}});
        let part = json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        match kind {
            0..=2 => json!({"type": "message", "message": {"role": "user", "content": text, "timestamp": 1}}),
            3 => json!({"type": "message", "message": {"role": "user", "content": [part, image], "timestamp": 1, "future": [1]}}),
            4 | 5 => said(json!([part]), "stop"),
            6 => said(json!([{"type": "thinking", "thinking": text, "thinkingSignature": "c2ln"}, call("c1"), call("c2")]), "toolUse"),
            7 => said(json!([part, call("c1")]), if flag { "aborted" } else { "error" }),
            8 => json!({"type": "message", "message": {"role": "toolResult", "toolCallId": if flag { "c1" } else { "c2" },
                "toolName": "read", "content": [part], "isError": flag, "details": {"n": 1.5}, "timestamp": 3}}),
            9 => json!({"type": "message", "message": {"role": "bashExecution", "command": text, "output": text, "exitCode": 1,
                "cancelled": false, "truncated": false, "excludeFromContext": flag, "timestamp": 4}}),
            10 => json!({"type": "custom_message", "customType": "x", "content": if flag { json!(text) } else { json!([part]) }, "display": flag}),
            11 => json!({"type": "branch_summary", "fromId": "root", "summary": text}),
            12 => json!({"type": "compaction", "summary": text, "firstKeptEntryId": id(target), "tokensBefore": 3}),
            13 => json!({"type": "context_edit", "targetId": id(target), "replacement": if flag { json!({"content": text}) } else { Value::Null }}),
            14 => json!({"type": "custom", "customType": "x", "data": {"deep": [text]}}),
            _ => json!({"type": "label", "targetId": id(target), "label": text}),
        }
    })
}

fn id(number: u8) -> String {
    format!("{number:08x}")
}

/// A file: each entry below the one before, or below one that is a few entries up; now and then a line that is none.
fn file() -> impl Strategy<Value = String> {
    let line = (fields(), prop::option::weighted(0.2, 1..6_u8), prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    prop::collection::vec(line, 0..20).prop_map(|lines| {
        let mut text = format!("{HEADER}\n");
        for (at, (fields, up, damage, crlf)) in (0_u8..).zip(lines) {
            let parent = at.checked_sub(up.unwrap_or(1)).map(id);
            let mut line =
                json!({"type": "", "id": id(at), "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z"});
            line.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
            if damage {
                text.push_str("{\"type\":\"message\",\"id\":\n");
            }
            text.push_str(&line.to_string());
            text.push_str(if crlf { "\r\n" } else { "\n" });
        }
        text
    })
}

/// The messages of a file, by reading all of it and looking at nothing twice.
fn plain(text: &str) -> Vec<Message> {
    let lines = text.lines().skip(1).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let entries: Vec<Value> = lines.collect();
    let by_id: HashMap<&str, &Value> =
        entries.iter().map(|entry| (entry["id"].as_str().expect("an id"), entry)).collect();
    let above = |entry: &&Value| entry["parentId"].as_str().and_then(|parent| by_id.get(parent).copied());
    let mut path: Vec<&Value> = std::iter::successors(entries.last(), above).collect();
    path.reverse();
    let compaction = path.iter().rposition(|entry| entry["type"] == "compaction");
    let visible: Vec<&Value> = match compaction {
        None => path,
        Some(at) => {
            let kept = path[..at].iter().skip_while(|entry| entry["id"] != path[at]["firstKeptEntryId"]);
            std::iter::once(&path[at]).chain(kept).chain(&path[at + 1..]).copied().collect()
        }
    };
    let edits: HashMap<&str, &Value> = visible
        .iter()
        .filter(|entry| entry["type"] == "context_edit")
        .map(|entry| (entry["targetId"].as_str().expect("a target"), &entry["replacement"]))
        .collect();
    let mut messages = Vec::new();
    for (at, entry) in visible.iter().enumerate() {
        let mut message = match entry["type"].as_str().expect("a type") {
            "message" => entry["message"].clone(),
            "custom_message" => {
                json!({"role": "custom", "customType": "x", "content": entry["content"], "display": entry["display"]})
            }
            "branch_summary" if entry["summary"] != "" => {
                json!({"role": "branchSummary", "summary": entry["summary"], "fromId": "root"})
            }
            "compaction" if at == 0 => {
                json!({"role": "compactionSummary", "summary": entry["summary"], "tokensBefore": 3})
            }
            _ => continue,
        };
        match edits.get(entry["id"].as_str().expect("an id")) {
            Some(Value::Null) => continue,
            Some(edit) => match message["role"].as_str().expect("a role") {
                "user" | "custom" => message["content"] = edit["content"].clone(),
                "assistant" | "toolResult" => message["content"] = json!([{"type": "text", "text": edit["content"]}]),
                _ => {}
            },
            None => {}
        }
        messages.push(serde_json::from_value(message).expect("a message"));
    }
    messages
}

/// The messages of two requests in a row, but for the prompt of the system, as text.
async fn asked(api: &str, session: Session) -> Vec<Vec<String>> {
    let server = LoopbackServer::start([Reply::text("One."), Reply::text("Two.")]);
    let base = if api == "anthropic-messages" { server.url() } else { format!("{}/v1", server.url()) };
    let config = json!({"providers": {"loop": {
        "baseUrl": base, "api": api, "apiKey": "test-key",
        "models": [{"id": "loop-1", "reasoning": true, "input": ["text", "image"], "contextWindow": 200_000, "maxTokens": 8192}],
    }}});
    let models = registry();
    models.load_models_json(&config.to_string()).expect("models");
    let model = models.find("loop", "loop-1").expect("the model");
    let world = World::new(json!([])).with_models(models, model).resume(session);
    let running = world.start().await;
    running.say("First.").await;
    running.say("Second.").await;
    assert_eq!(server.unused(), 0);
    let messages = |body: &Value| {
        let all = body["messages"].as_array().expect("messages").iter();
        let all = all.filter(|message| !matches!(message["role"].as_str(), Some("system" | "developer")));
        all.map(Value::to_string).collect()
    };
    server.requests().iter().map(|request| messages(&request.body)).collect()
}

async fn compare(api: &str, text: &str) -> Result<(), TestCaseError> {
    let dir = tempfile::tempdir().expect("a folder");
    let opened = |name: &str, memory| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        Session::open_with(&path, memory).expect("the session opens")
    };
    let all = plain(text);
    let in_memory = Session::in_memory(Path::new("/work"), NewSession::default()).expect("a session");
    for message in &all {
        in_memory.append(EntryBody::message(Arc::new(message.clone()))).expect("appended");
    }
    let expected = asked(api, in_memory).await;
    for (name, memory) in [
        ("lazy.jsonl", Memory { whole_file: 0, entries: 0 }),
        ("cached.jsonl", Memory { whole_file: 0, entries: 1 << 20 }),
        ("whole.jsonl", Memory { whole_file: u64::MAX, entries: 0 }),
    ] {
        prop_assert_eq!(&asked(api, opened(name, memory)).await, &expected, "{}: {}", name, text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn requests_are_those_of_a_plain_reading(text in file()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        for api in ["anthropic-messages", "openai-completions"] {
            runtime.block_on(compare(api, &text))?;
        }
    }
}
