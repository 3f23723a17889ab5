//! Answers that fail, and what the user gets to read.

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, FailureText, StopReason};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::{AZURE, CODEX, OPENAI, added, completed, delta, done, read, request, text};
use crate::wire::support::{answer, content};

fn failure(message: &AssistantMessage) -> &str {
    assert_eq!(message.stop_reason, StopReason::Error, "{message:?}");
    message.error_message.as_deref().expect("a failed answer says why")
}

/// How a stream fails that ends with this event after some text.
async fn after_text(api: &str, last: Option<Value>) -> String {
    let list: Vec<Value> = text(0, "half").into_iter().chain(last).collect();
    let (_, message) = read(&list, |request| {
        std::sync::Arc::make_mut(&mut request.model).api = api.to_owned();
        request.options.api_key = Some(tau_ai::Secret::new(super::codex::token("a")));
    })
    .await;
    assert_eq!(content(&message)[0]["text"], "half");
    failure(&message).to_owned()
}

#[tokio::test]
async fn the_stream_says_why_it_fails() {
    let failed = |response: Value| json!({"type": "response.failed", "response": response});
    let boom = json!({"status": "failed", "error": {"code": "server_error", "message": "Boom"}});
    let incomplete = |details: Value| {
        let response = json!({"status": "incomplete", "incomplete_details": details});
        json!({"type": "response.incomplete", "response": response})
    };
    let slow = json!({"type": "error", "code": "rate_limit", "message": "Slow down"});
    let nested = json!({"type": "error", "error": {"code": "c", "message": "Nested"}});
    for (api, last, expected) in [
        (OPENAI, failed(boom.clone()), "server_error: Boom"),
        (OPENAI, failed(json!({"incomplete_details": {"reason": "odd"}})), "incomplete: odd"),
        (OPENAI, failed(json!({})), "Unknown error (no error details in response)"),
        (OPENAI, slow.clone(), "Error Code rate_limit: Slow down"),
        (AZURE, nested.clone(), "Nested"),
        (OPENAI, incomplete(json!({"reason": "content_filter"})), "Response incomplete: content_filter"),
        (OPENAI, incomplete(Value::Null), "Response incomplete without a provider reason"),
        (OPENAI, completed(json!({"status": "cancelled"})), "An unknown error occurred"),
        (OPENAI, completed(json!({"status": "odd"})), "Unhandled stop reason: odd"),
        (CODEX, failed(boom), "Boom"),
        (CODEX, failed(json!({})), "Codex response failed"),
        (CODEX, slow, "Codex error: Slow down"),
        (CODEX, nested, "Codex error: Nested"),
        (CODEX, json!({"type": "error"}), r#"Codex error: {"type":"error"}"#),
    ] {
        assert_eq!(after_text(api, Some(last)).await, expected, "{api}");
    }
    for api in [OPENAI, AZURE, CODEX] {
        let ended = after_text(api, None).await;
        assert_eq!(ended, "OpenAI Responses stream ended before a terminal response event");
        assert_eq!(FailureText::read(&ended), FailureText::Ended);
    }
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"), "name": "read",
        "arguments": arguments})
}

#[tokio::test]
async fn a_call_without_its_end_never_runs() {
    let begun = [added(0, call("1", "")), delta("function_call_arguments", 0, "{\"pa")];
    let whole: Vec<Value> = begun.iter().cloned().chain([completed(json!({}))]).collect();
    let (_, message) = read(&whole, |_| {}).await;
    let unfinished = "OpenAI Responses stream completed with an unfinished tool call: read (call_1|fc_1)";
    assert_eq!(failure(&message), unfinished);

    let full = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}});
    let custom = json!({"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": ""});
    let cut = [added(1, custom), delta("custom_tool_call_input", 1, "half"), completed(full)];
    let cut: Vec<Value> = begun.into_iter().chain(cut).collect();
    let (_, message) = read(&cut, |_| {}).await;
    assert_eq!(
        (&message.stop_reason, &message.extra["rawStopReason"]),
        (&StopReason::Length, &json!("incomplete.max_output_tokens"))
    );
    let calls: Vec<_> = message.tool_calls().collect();
    assert!(calls.len() == 2 && calls.iter().all(|call| call.is_incomplete()), "{calls:?}");
}

#[tokio::test]
async fn calls_that_a_server_mixes_up_are_an_error() {
    let list = [
        added(0, call("1", "")),
        added(0, call("2", "")),
        delta("function_call_arguments", 0, "{}"),
        done(0, call("2", "{}")),
        done(0, call("1", "{}")),
        completed(json!({})),
    ];
    let without_places: Vec<Value> = list
        .into_iter()
        .map(|mut event| {
            event.as_object_mut().expect("an event").remove("output_index");
            event
        })
        .collect();
    let (_, message) = read(&without_places, |_| {}).await;
    assert_eq!(failure(&message), "OpenAI Responses stream completed with an unfinished tool call: read (call_1|fc_1)");
    // One at a time they cannot be mixed up.
    let text: Vec<Value> = without_places.into_iter().filter(|event| event["item"]["id"] != "fc_1").collect();
    assert_eq!(read(&text, |_| {}).await.1.stop_reason, StopReason::ToolUse);
}

#[tokio::test]
async fn a_refusal_names_the_vendor() {
    let limit = json!({"error": {"type": "rate_limit_error", "message": "Too many"}}).to_string();
    let share = json!({"error": {"code": "subscription_sharing_usage_limit_exceeded"}}).to_string();
    let share_text = "OpenAI API error (429): {\"code\":\"subscription_sharing_usage_limit_exceeded\"}\n\
        https://chatgpt.com/settings/usage shows the usage of the plan.";
    for (fields, status, body, expected) in [
        (json!({}), 429, &*limit, r#"OpenAI API error (429): {"type":"rate_limit_error","message":"Too many"}"#),
        (json!({"provider": "mine"}), 500, "busy", "mine API error (500): 500 busy"),
        (json!({"api": AZURE}), 529, "", "Azure OpenAI API error (529): 529 status code (no body)"),
        (json!({}), 400, r#"{"error":"no model"}"#, r#"OpenAI API error (400): 400 "no model""#),
        (json!({}), 400, r#"{"detail":"no"}"#, r#"OpenAI API error (400): 400 {"detail":"no"}"#),
        (json!({}), 400, r#"{"message":"no"}"#, r#"OpenAI API error (400): {"message":"no"}"#),
        (json!({}), 429, &*share, share_text),
    ] {
        let server = LoopbackServer::start([Reply::http_error(status, body)]);
        let message = answer(request(&server, fields)).await;
        assert_eq!(failure(&message), expected);
        let told = FailureText::read(expected);
        assert!(matches!(told, FailureText::Answered { status: said, .. } if said == status), "{told:?}");
    }
}
