//! Mistral's chat interface.

use serde_json::{Value, json};
use tau_ai::{StopReason, StreamRequest, ThinkingLevel};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply};

use super::payloads::history;
use super::support::{answer, content, final_message, lines, messages, model, request, run, tools};

const API: &str = "mistral-conversations";

fn reply(chunks: &[Value]) -> Reply {
    let events: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    Reply::verbatim("text/event-stream", format!("{events}data: [DONE]\n\n"))
}

fn chunk(delta: Value, finish: Option<&str>) -> Value {
    json!({"id": "cmpl-1", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

async fn sent(extra: Value, change: impl FnOnce(&mut StreamRequest)) -> RecordedRequest {
    let server = LoopbackServer::start([reply(&[chunk(json!({"content": "ok"}), Some("stop"))])]);
    let mut request = request(model(API, &server, extra));
    change(&mut request);
    assert_eq!(answer(request).await.error_message, None);
    server.requests().remove(0)
}

#[tokio::test]
async fn content_comes_as_text_or_as_pieces() {
    let thought = |text: &str| json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]});
    let mut last = chunk(json!({"content": ""}), Some("tool_calls"));
    last["usage"] = json!({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105,
        "prompt_tokens_details": {"cached_tokens": 60}});
    let chunks = [
        chunk(json!({"role": "assistant", "content": ""}), None),
        chunk(json!({"content": [thought("Let "), thought("me see.")]}), None),
        chunk(json!({"content": [{"type": "text", "text": "Hel"}, "lo"]}), None),
        chunk(json!({"content": " \"you\""}), None),
        chunk(json!({"content": [{"type": "reference", "reference_ids": [1]}]}), None),
        chunk(
            json!({"tool_calls": [{"id": "abcdefgh1", "index": 0, "function": {"name": "read", "arguments": "{\"path\":"}}]}),
            None,
        ),
        chunk(
            json!({"tool_calls": [
                {"id": "null", "index": 0, "function": {"name": "", "arguments": "\"a\"}"}},
                {"id": "abcdefgh2", "index": 1, "function": {"name": "list", "arguments": {"a": 1}}}]}),
            None,
        ),
        last,
    ];
    let server = LoopbackServer::start([reply(&chunks)]);
    let items = run(request(model(API, &server, json!({"reasoning": true})))).await;
    insta::assert_snapshot!("events_mistral", lines(&items).join("\n"));
    let message = final_message(&items);
    assert_eq!(
        content(&message),
        json!([
            {"type": "thinking", "thinking": "Let me see."},
            {"type": "text", "text": "Hello \"you\""},
            {"type": "toolCall", "id": "abcdefgh1", "name": "read", "arguments": {"path": "a"}},
            {"type": "toolCall", "id": "abcdefgh2", "name": "list", "arguments": {"a": 1}},
        ])
    );
    let usage = &message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.total_tokens), (40, 60, 5, 105));
    assert_eq!((message.stop_reason, &message.extra["responseId"]), (StopReason::ToolUse, &json!("cmpl-1")));
}

#[tokio::test]
async fn a_whole_conversation() {
    let request = sent(json!({"reasoning": true}), |request| {
        request.messages = messages(history(API));
        request.tools = tools();
        request.options.thinking = ThinkingLevel::Medium;
        request.options.session_id = Some("session-1".to_owned());
    })
    .await;
    assert_eq!((&*request.path, &*request.headers["x-affinity"]), ("/v1/chat/completions", "session-1"));
    insta::assert_snapshot!("mistral", serde_json::to_string_pretty(&request.body).expect("JSON"));
}

#[tokio::test]
async fn models_with_names_for_levels_take_an_effort() {
    for (map, level, expected) in [
        (json!(null), ThinkingLevel::High, json!(["reasoning", null])),
        (json!(null), ThinkingLevel::Off, json!([null, null])),
        (json!({"off": "none", "high": "high"}), ThinkingLevel::Low, json!([null, "high"])),
        (json!({"off": "none", "high": "high"}), ThinkingLevel::Off, json!([null, "none"])),
    ] {
        let request =
            sent(json!({"reasoning": true, "thinkingLevelMap": map}), |request| request.options.thinking = level).await;
        assert_eq!(json!([request.body["prompt_mode"], request.body["reasoning_effort"]]), expected, "{map} {level}");
    }
}

#[tokio::test]
async fn failures_say_what_happened() {
    let half = |finish| chunk(json!({"content": "half"}), finish);
    let cut = json!({"tool_calls": [{"id": "abcdefgh1", "index": 0, "function": {"name": "read", "arguments": "{\"path\":"}}]});
    for (reply, expected) in [
        (reply(&[half(None)]), "Mistral stream ended without a finish reason"),
        (reply(&[half(Some("error"))]), "Provider stopped with: error (server error)"),
        (reply(&[half(Some("content_filter"))]), "Provider stopped with: content_filter"),
        (reply(&[json!({"object": "error", "message": "Busy"})]), "Busy"),
        (reply(&[json!({"error": {"message": "Boom"}})]), "Boom"),
        (reply(&[json!({"what": "ever"})]), "Invalid Mistral streaming event"),
        (Reply::http_error(401, r#"{"detail":"No"}"#), r#"Mistral API error (401): {"detail":"No"}"#),
        (Reply::http_error(503, "busy"), "503 busy"),
    ] {
        let server = LoopbackServer::start([reply]);
        let message = answer(request(model(API, &server, json!({})))).await;
        assert_eq!((message.stop_reason, message.error_message.as_deref()), (StopReason::Error, Some(expected)));
    }
    let server = LoopbackServer::start([reply(&[chunk(cut, Some("tool_calls"))])]);
    let message = answer(request(model(API, &server, json!({})))).await;
    let call = &content(&message)[0];
    assert_eq!(call["arguments"], json!({}));
    assert!(call["argumentsError"].as_str().is_some_and(|why| why.contains("ended before")), "{call}");
}
