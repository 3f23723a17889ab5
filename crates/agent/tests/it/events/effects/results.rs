//! What goes over the wire, what is kept, and what tools may do.

use serde_json::{Value, json};
use tau_ai::{ContentBlock, Message};
use tau_hooks::events::{BeforeProviderHeaders, BeforeProviderRequest, MessageEnd, ToolCall, ToolResult};
use tau_hooks::payload::{
    BeforeProviderHeadersResult, BeforeProviderRequestResult, MessageEndResult, ToolCallResult, ToolResultResult,
};
use tau_tools::ToolFailure;

use crate::common::tools::{recording, spec};
use crate::common::{Log, World, brief_list, calls, messages};

/// Headers are added, replaced and removed.
pub async fn before_provider_headers() {
    let world = World::new(json!(["One."]));
    world.extend("headers", |registrar| {
        registrar.on::<BeforeProviderHeaders>(|mut event, _| async move {
            event.headers.insert("x-one".to_owned(), Some("1".to_owned()));
            event.headers.insert("x-two".to_owned(), Some("2".to_owned()));
            Some(BeforeProviderHeadersResult { headers: Some(event.headers) })
        });
        registrar.on::<BeforeProviderHeaders>(|mut event, _| async move {
            assert_eq!(event.headers.get("x-one"), Some(&Some("1".to_owned())));
            event.headers.insert("x-one".to_owned(), None);
            Some(BeforeProviderHeadersResult { headers: Some(event.headers) })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let headers: Vec<Value> = running.script.request_headers().iter().map(|headers| json!(headers)).collect();
    assert_eq!(headers, [json!({"x-two": "2"})]);
}

/// Bodies are passed along.
pub async fn before_provider_request() {
    let world = World::new(json!(["One."]));
    world.extend("body", |registrar| {
        for mark in ["a", "b"] {
            registrar.on::<BeforeProviderRequest>(move |mut event, _| async move {
                let system = event.payload["system"].as_str().expect("a prompt").len();
                event.payload["system"] = if mark == "a" { json!("A") } else { json!(format!("{system}B")) };
                Some(BeforeProviderRequestResult(event.payload))
            });
        }
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(running.script.requests()[0]["system"], json!("1B"));
}

/// The replacement is what is kept, shown and sent again. One of another role is refused.
pub async fn message_end() {
    let world = World::new(json!(["One.", "Two."]));
    world.extend("replace", |registrar| {
        registrar.on::<MessageEnd>(|event, _| async move {
            let mut message = Message::clone(&event.message);
            match &mut message {
                Message::Assistant(answer) => answer.content.push(ContentBlock::text("(checked)")),
                Message::User(_) => message = serde_json::from_value(json!({"role": "assistant", "content": []}))?,
                _ => return Ok(None),
            }
            Ok(Some(MessageEndResult { message: Some(message.into()) }))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    running.say("And?").await;
    let expected = messages([("user", "Hi"), ("assistant", "One.|(checked)"), ("user", "And?")]);
    assert_eq!(running.asked()[1], expected);
    assert_eq!(running.file_messages()[..3], expected);
    assert!(running.outline().contains(&"message_end assistant One.|(checked)".to_owned()));
    let report = (
        "<native:replace>".to_owned(),
        "message_end".to_owned(),
        "returned a malformed result: the replacement has role \"assistant\" but the message has role \"user\""
            .to_owned(),
    );
    assert_eq!(world.reports.all(), vec![report; 2]);
}

/// A call is blocked with the reason, or runs with the arguments as handlers left them; what was shown when it was
/// taken up stays what the model sent.
pub async fn tool_call() {
    let world = World::new(json!([
        calls([("1", "work", json!({"text": "no"})), ("2", "work", json!({"text": "yes"}))]),
        "Done."
    ]));
    let ran = Log::default();
    world.extend("gate", |registrar| {
        recording(registrar, "work", &ran);
        registrar.on::<ToolCall>(|event, _| async move {
            (event.input["text"] == "no").then(|| ToolCallResult::block("not here"))
        });
        registrar.on::<ToolCall>(|event, _| async move {
            assert_ne!(event.input["text"], "no");
            Some(ToolCallResult::with_input(json!({"text": "changed"})))
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(ran.all(), [json!({"text": "changed"})]);
    let results = &running.asked()[1][2..];
    assert_eq!(results, messages([("toolResult", "not here"), ("toolResult", "did changed")]));
    let started: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_start").collect();
    assert_eq!((&started[0]["args"], &started[1]["args"]), (&json!({"text": "no"}), &json!({"text": "yes"})));
    let ends: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    assert_eq!(ends[0]["result"], json!({"content": [{"type": "text", "text": "not here"}], "details": {}}));
    assert_eq!((&ends[0]["isError"], &ends[1]["isError"]), (&json!(true), &json!(false)));
}

/// Fields are patched one by one, also of failures, and reach the end event, the message and the model.
pub async fn tool_result() {
    let world =
        World::new(json!([calls([("1", "work", json!({"text": "a"})), ("2", "missing_file", json!({}))]), "Done."]));
    world.extend("filter", |registrar| {
        recording(registrar, "work", &Log::default());
        registrar.tool(spec("missing_file"), |_, _| async { Err(ToolFailure::new("no such file")) });
        registrar.on::<ToolResult>(|event, _| async move {
            let text = if event.is_error { "none, but never mind" } else { "patched" };
            Some(ToolResultResult { content: Some(vec![ContentBlock::text(text)]), ..Default::default() })
        });
        registrar.on::<ToolResult>(|event, _| async move {
            assert_ne!(event.content, [ContentBlock::text("did a")]);
            Some(ToolResultResult {
                details: Some(json!({"was": event.is_error})),
                is_error: Some(!event.is_error),
                ..Default::default()
            })
        });
    });
    let running = world.start().await;
    running.say("Hi").await;
    let request = &running.script.requests()[1];
    assert_eq!(
        brief_list(&request["messages"])[2..],
        messages([("toolResult", "patched"), ("toolResult", "none, but never mind")])
    );
    let fields = |message: &Value| (message["isError"].clone(), message["details"].clone());
    let results: Vec<Value> = running.file().iter().map(|line| line["message"].clone()).collect();
    let results: Vec<&Value> = results.iter().filter(|message| message["role"] == "toolResult").collect();
    assert_eq!(fields(results[0]), (json!(true), json!({"was": false})));
    assert_eq!(fields(results[1]), (json!(false), json!({"was": true})));
    let ends: Vec<Value> =
        running.events.all().into_iter().filter(|event| event["type"] == "tool_execution_end").collect();
    assert_eq!(
        (&ends[1]["result"], &ends[1]["isError"]),
        (
            &json!({"content": [{"type": "text", "text": "none, but never mind"}], "details": {"was": true}}),
            &json!(false)
        )
    );
}
