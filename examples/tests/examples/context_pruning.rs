use std::sync::Arc;

use serde_json::json;
use tau_ai::{ContentBlock, Message};
use tau_examples::ContextPruning;
use tau_hooks::events::Context;
use tau_hooks::payload::ContextEvent;
use tau_hooks::{HistoryMessage, Messages};
use tau_testkit::Stage;

const SETTINGS: ContextPruning = ContextPruning { keep_last: 2, block: 2, small: 10 };

fn message(json: serde_json::Value) -> Message {
    serde_json::from_value(json).expect("it is a message")
}

fn result(text: &str) -> Message {
    let content = [ContentBlock::text(text)];
    message(json!({ "role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": content, "timestamp": 1 }))
}

fn user(text: &str) -> Message {
    message(json!({ "role": "user", "content": text, "timestamp": 1 }))
}

fn history(messages: &[Message]) -> Messages {
    let item =
        |(at, message): (usize, &Message)| Arc::new(HistoryMessage::new(message.clone(), Some(format!("e{at}"))));
    messages.iter().enumerate().map(item).collect()
}

fn texts(messages: &Messages) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::ToolResult(result) => result.content[0].as_text().unwrap_or("(no text)").to_owned(),
        Message::User(user) => user.content.text(),
        other => panic!("{other:?}"),
    };
    messages.iter().map(text).collect()
}

const LONG: &str = "a long output";
const STUB: &str = "[13 bytes of old output of `bash` left out. Run the tool again if they are needed.]";

async fn prune(settings: ContextPruning, messages: &Messages) -> (Messages, Vec<String>) {
    let stage = Stage::new();
    stage.load(&settings).expect("it can be loaded");
    let after = stage.fold::<Context>(ContextEvent { messages: messages.clone() }).await.messages;
    let records = stage.hooks.dispatcher.trace.records();
    (after, records[0].changes.entry_ids.clone())
}

#[tokio::test]
async fn old_large_output_becomes_a_stub() {
    let messages = history(&[user("do it"), result(LONG), result("short"), user("go on"), result(LONG), result(LONG)]);
    let (after, changed) = prune(SETTINGS, &messages).await;
    assert_eq!(texts(&after), ["do it", STUB, "short", "go on", LONG, LONG]);
    assert_eq!(changed, ["e1"]);
    assert_eq!(texts(&messages), ["do it", LONG, "short", "go on", LONG, LONG], "the session keeps everything");
}

#[tokio::test]
async fn a_few_results_stay_as_they_are() {
    let messages = history(&[result(LONG), result(LONG)]);
    let (after, changed) = prune(SETTINGS, &messages).await;
    assert_eq!((after, changed), (messages, vec![]));
}

#[tokio::test]
async fn output_is_dropped_a_block_at_a_time() {
    let mut seen = Vec::new();
    for count in 2..=8 {
        let (after, _) = prune(SETTINGS, &history(&vec![result(LONG); count])).await;
        seen.push(texts(&after).iter().filter(|text| *text == STUB).count());
    }
    assert_eq!(seen, [0, 0, 2, 2, 4, 4, 6]);
}

#[tokio::test]
async fn pictures_count_with_their_data() {
    let image = json!({
        "role": "toolResult", "toolCallId": "c", "toolName": "read", "timestamp": 1,
        "content": [{ "type": "image", "data": "AAAAAAAAAAAAAAAA", "mimeType": "image/png" }],
    });
    let settings = ContextPruning { keep_last: 0, block: 0, small: 15 };
    let (after, _) = prune(settings, &history(&[message(image), result(LONG)])).await;
    let stub = "[16 bytes of old output of `read` left out. Run the tool again if they are needed.]";
    assert_eq!(texts(&after), [stub, LONG]);
}
