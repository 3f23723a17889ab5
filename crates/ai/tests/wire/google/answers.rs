//! Answers, and how they fail.

use super::*;
use crate::wire::support::{content, final_message, lines, run};
use tau_ai::{FailureText, StopReason, Usage, is_passing_error};
use tau_testkit::loopback::ReplyUsage;

async fn answered(reply: Reply) -> tau_ai::AssistantMessage {
    let server = LoopbackServer::start([reply]);
    answer(request(model("google-generative-ai", &server, "gemini-3-pro-preview", json!({})))).await
}

fn chunk(chunk: Value) -> String {
    format!("data: {chunk}")
}

#[tokio::test]
async fn every_kind_of_block_streams_with_its_events() {
    for api in BOTH {
        let reply = Reply::new()
            .thinking("Let me see.", Some("c2ln"))
            .then_text("I will löok.")
            .tool_call("call_1", "read", json!({"path": "a.txt"}))
            .tool_call("call_2", "list", json!({}))
            .split_deltas(7)
            .split_bytes(11);
        let server = LoopbackServer::start([reply]);
        let items = run(request(model(api, &server, "gemini-3-pro-preview", json!({"reasoning": true})))).await;
        insta::assert_snapshot!("events", lines(&items).join("\n"));
        let message = final_message(&items);
        assert_eq!(
            content(&message),
            json!([
                {"type": "thinking", "thinking": "Let me see.", "thinkingSignature": "c2ln"},
                {"type": "text", "text": "I will löok."},
                {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "a.txt"}},
                {"type": "toolCall", "id": "call_2", "name": "list", "arguments": {}},
            ])
        );
        assert_eq!(message.stop_reason, StopReason::ToolUse);
        assert_eq!(
            (&*message.api, &message.extra["responseId"], &message.extra["rawStopReason"]),
            (api, &json!("loopback"), &json!("STOP"))
        );
    }
}

#[tokio::test]
async fn signatures_stay_with_their_parts_and_calls_without_an_id_get_one() {
    let parts = json!([
        {"text": "Hm", "thought": true}, {"text": "m.", "thought": true, "thoughtSignature": "Zmlyc3Q="},
        {"text": "", "thought": true}, {"text": "A", "thoughtSignature": "dGV4dA=="}, {"text": "B"},
        {"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "Y2FsbA=="},
        {"functionCall": {"id": "x", "name": "list"}}, {"functionCall": {"id": "x", "name": "list", "args": null}},
        {"functionCall": {"id": "y", "name": "list", "args": [1]}},
        {"executableCode": {"code": "1"}}, {"text": ""}, {"text": "", "thoughtSignature": "ZW5k"},
    ]);
    let whole = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let mut message = content(&answered(Reply::new().raw(chunk(whole)).truncate()).await);
    let blocks = message.as_array_mut().expect("blocks");
    for made in [2, 4] {
        let id = blocks[made]["id"].take();
        assert!(id.as_str().is_some_and(|id| id.starts_with("call_") && id.len() == 37), "{id}");
    }
    let (read, list) = (json!({"path": "a"}), json!({}));
    assert_eq!(
        message,
        json!([
            {"type": "thinking", "thinking": "Hmm.", "thinkingSignature": "Zmlyc3Q="},
            {"type": "text", "text": "AB", "textSignature": "dGV4dA=="},
            {"type": "toolCall", "id": null, "name": "read", "arguments": read, "thoughtSignature": "Y2FsbA=="},
            {"type": "toolCall", "id": "x", "name": "list", "arguments": list},
            {"type": "toolCall", "id": null, "name": "list", "arguments": list},
            {"type": "toolCall", "id": "y", "name": "list", "arguments": {},
                "argumentsError": "Tool arguments must be a JSON object\n\nReceived arguments:\n[1]"},
            {"type": "text", "text": "", "textSignature": "ZW5k"},
        ])
    );
}

#[tokio::test]
async fn usage_is_counted_and_priced() {
    let counts = ReplyUsage { input: 60, output: 27, cache_read: 40, reasoning: 7, ..ReplyUsage::default() };
    let message = answered(Reply::text("ok").usage(counts)).await;
    let Usage { input, output, cache_read, reasoning, total_tokens, cost, .. } = message.usage;
    assert_eq!((input, output, cache_read, reasoning, total_tokens), (60, 27, 40, Some(7), 127));
    assert!((cost.total - 0.000_118).abs() < 1e-12, "{cost:?}");
    let tools = json!({"usageMetadata": {"promptTokenCount": 5, "toolUsePromptTokenCount": 3, "candidatesTokenCount": 2},
        "candidates": [{"finishReason": "STOP"}]});
    let usage = answered(Reply::new().raw(chunk(tools)).truncate()).await.usage;
    assert_eq!((usage.input, usage.output, usage.total_tokens), (8, 2, 10));
}

#[tokio::test]
async fn an_answer_ends_as_the_provider_says() {
    let ends = async |last: Value| {
        let message = answered(Reply::text("half").raw(chunk(last)).truncate()).await;
        assert_eq!(content(&message), json!([{"type": "text", "text": "half"}]));
        (message.stop_reason, message.error_message)
    };
    let candidate = |reason: &str| json!({"candidates": [{"finishReason": reason}]});
    let failed = |text: &str| (StopReason::Error, Some(text.to_owned()));
    for (last, end) in [
        (candidate("STOP"), (StopReason::Stop, None)),
        (candidate("MAX_TOKENS"), (StopReason::Length, None)),
        (candidate("SAFETY"), failed("Provider stopped with: SAFETY")),
        (candidate("SOMETHING_NEW"), failed("Provider stopped with: SOMETHING_NEW")),
        (
            json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(x)"}]}),
            failed("Provider stopped with: MALFORMED_FUNCTION_CALL: print(x)"),
        ),
        (
            json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}),
            failed("Provider stopped with: PROHIBITED_CONTENT"),
        ),
        (json!({"promptFeedback": {}}), failed("Google stream ended without a finish reason")),
        (
            json!({"error": {"code": 503, "message": "The model is busy.", "status": "UNAVAILABLE"}}),
            failed("503 The model is busy."),
        ),
    ] {
        assert_eq!(ends(last.clone()).await, end, "{last}");
    }
}

#[tokio::test]
async fn what_is_cut_off_never_runs() {
    let call = r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","args":{"path":"/"#;
    for (reply, passes) in [
        (Reply::text("a").raw(call).truncate(), false),
        (Reply::text("a").truncate(), true),
        (Reply::text("a").cut(), true),
    ] {
        let message = answered(reply).await;
        assert_eq!(content(&message), json!([{"type": "text", "text": "a"}]));
        let text = message.error_message.expect("a failure");
        assert_eq!(is_passing_error(&text), passes, "{text}");
        let told = FailureText::read(&text);
        let told = matches!(told, FailureText::Unreadable(_) | FailureText::Ended | FailureText::Lost(_));
        assert!(told, "{text}");
    }
}

#[tokio::test]
async fn a_refusal_is_told_in_the_words_of_google() {
    let error = json!({"error": {"code": 429, "message": "Slow down", "status": "RESOURCE_EXHAUSTED"}});
    let text = r#"429 {"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED"}}"#;
    for body in [error.clone(), json!([error])] {
        let message = answered(Reply::http_error(429, body.to_string()).header("retry-after", "7")).await;
        assert_eq!(message.error_message.as_deref(), Some(text));
        assert_eq!(tau_ai::retry_after(&message), Some(std::time::Duration::from_secs(7)));
    }
    let told = FailureText::Answered { status: 429, words: "Slow down".to_owned(), is_page: false };
    assert_eq!(FailureText::read(text), told);
}
