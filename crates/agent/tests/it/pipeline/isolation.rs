//! What a handler of `context` does to its copy is seen by one request and by nobody else.

use serde_json::{Value, json};
use tau_ai::{ContentBlock, Message};
use tau_hooks::events::Context;
use tau_hooks::payload::ContextResult;

use crate::common::{World, calls, messages, to_json};

/// Wipes every text and every argument, deep inside the messages.
fn wipe(message: &mut Message) {
    let blocks = match message {
        Message::User(user) => {
            user.content = user.content.to_blocks().into();
            match &mut user.content {
                tau_ai::MessageContent::Blocks(blocks) => blocks,
                tau_ai::MessageContent::Text(_) => return,
            }
        }
        Message::Assistant(answer) => &mut answer.content,
        Message::ToolResult(result) => {
            if let Some(details) = &mut result.details {
                details["deep"]["down"] = json!("wiped");
            }
            &mut result.content
        }
        _ => return,
    };
    for block in blocks {
        match block {
            ContentBlock::Text(text) => text.text = "wiped".to_owned(),
            ContentBlock::ToolCall(call) => call.arguments["text"] = json!("wiped"),
            _ => {}
        }
    }
}

fn wiper(world: &World) {
    world.extend("wiper", |registrar| {
        registrar.on::<Context>(|mut event, ctx| async move {
            if ctx.session().session_name().as_deref() != Some("wipe") {
                return None;
            }
            for index in 0..event.messages.len() {
                wipe(event.messages.edit(index)?);
            }
            Some(ContextResult { messages: Some(event.messages) })
        });
        registrar.tool(crate::common::tools::spec("work"), |_, _| async {
            Ok(tau_tools::ToolOutput::text("did it").with_details(json!({"deep": {"down": 1}})))
        });
    });
}

#[tokio::test]
async fn an_edit_deep_inside_is_seen_by_one_request_only() {
    let world = World::new(json!([calls([("1", "work", json!({"text": "a"}))]), "Done.", "Yes."]));
    wiper(&world);
    let running = world.start().await;
    running.say("/name wipe").await;
    running.say("Hi").await;
    running.say("/name keep").await;
    let before: Vec<Value> = running.session.history().iter().map(to_json).collect();
    running.say("Really?").await;

    let wiped = messages([("user", "wiped"), ("assistant", r#"work({"text":"wiped"})"#), ("toolResult", "wiped")]);
    let kept = messages([
        ("user", "Hi"),
        ("assistant", r#"work({"text":"a"})"#),
        ("toolResult", "did it"),
        ("assistant", "Done."),
        ("user", "Really?"),
    ]);
    assert_eq!(running.asked()[1], wiped);
    assert_eq!(running.asked()[2], kept);
    let requests = running.script.requests();
    assert_eq!(requests[1]["messages"][2]["details"], json!({"deep": {"down": "wiped"}}));
    assert_eq!(requests[2]["messages"][2]["details"], json!({"deep": {"down": 1}}));
    let file: Vec<Value> = running
        .file()
        .into_iter()
        .filter(|line| line["type"] == "message" && line["message"]["role"] != "system")
        .map(|line| line["message"].clone())
        .collect();
    assert_eq!(file[..4], before);
    assert_eq!(before[0]["content"][0]["text"], json!("Hi"));
}

/// Two sessions with the same extensions and models.
#[tokio::test]
async fn another_session_with_the_same_extensions_sees_nothing_of_it() {
    let call = calls([("1", "work", json!({"text": "a"}))]);
    let world = World::new(json!([call, "Done.", call, "Done.", "Yes."]));
    wiper(&world);
    let (wiping, keeping) = (world.start().await, world.start().await);
    wiping.say("/name wipe").await;
    wiping.say("Hi").await;
    keeping.say("Hi").await;
    wiping.say("Bye").await;
    let asked = keeping.asked();
    let asked: Vec<Vec<&str>> = asked.iter().map(|list| list.iter().map(|(_, text)| text.as_str()).collect()).collect();
    assert_eq!(asked[1], ["wiped", r#"work({"text":"wiped"})"#, "wiped"]);
    assert_eq!(asked[3], ["Hi", r#"work({"text":"a"})"#, "did it"]);
    assert_eq!(asked[4], ["wiped", r#"work({"text":"wiped"})"#, "wiped", "wiped", "wiped"]);
    assert_eq!(wiping.file_messages()[..4], keeping.file_messages());
}

/// Handlers one after another see each other's copies, in order.
#[tokio::test]
async fn handlers_pass_their_list_along() {
    let world = World::new(json!(["Done."]));
    world.extend("chain", |registrar| {
        for text in ["b", "c"] {
            registrar.on_json("context", move |event, _| async move {
                let mut messages = event["messages"].clone();
                messages
                    .as_array_mut()
                    .expect("messages")
                    .push(json!({"role": "user", "content": text, "timestamp": 1}));
                Ok(Some(json!({"messages": messages})))
            });
        }
    });
    let running = world.start().await;
    running.say("a").await;
    assert_eq!(running.asked()[0], messages([("user", "a"), ("user", "b"), ("user", "c")]));
    assert_eq!(running.conversation(), messages([("user", "a"), ("assistant", "Done.")]));
}
