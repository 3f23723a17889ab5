//! Making room in the conversation, repeating failed requests, and what goes on beside a run.

mod auto;
mod bash;
mod boundaries;
mod choices;
mod manual;
mod retry;

use serde_json::{Value, json};

use crate::common::{Running, World};

/// A model with a window of `window` tokens and these replies; two short exchanges are recent enough to be kept.
fn small(window: u64, replies: Value) -> World {
    let model = json!({"id": "planner", "reasoning": true, "contextWindow": window, "maxTokens": 1000});
    World::scripted(model, replies).settings(json!({"compaction": {"reserveTokens": 100, "keepRecentTokens": 4}}))
}

/// The events of these types that front ends were told of.
fn told(running: &Running, names: &[&str]) -> Vec<Value> {
    let wanted = |event: &Value| names.contains(&event["type"].as_str().unwrap_or_default());
    running.events.all().into_iter().filter(wanted).collect()
}

/// The entries of a type in the session file, without what differs between two runs.
fn entries(running: &Running, kind: &str) -> Vec<Value> {
    let of_kind = running.file().into_iter().filter(|line| line["type"] == kind);
    of_kind
        .map(|mut line| {
            for field in ["id", "parentId", "timestamp"] {
                line.as_object_mut().expect("an object").remove(field);
            }
            line
        })
        .collect()
}

/// The id of the entry of the message with this text.
fn entry_of(running: &Running, text: &str) -> String {
    let file = running.file();
    let line = file.iter().find(|line| line["message"]["content"].to_string().contains(text));
    line.expect("an entry").get("id").and_then(Value::as_str).expect("an id").to_owned()
}
