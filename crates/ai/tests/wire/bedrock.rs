//! Amazon Bedrock's ConverseStream.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tau_ai::{Clock, RequestHooks, ResponseHead, Secret, Sources, StopReason, StreamRequest, ThinkingLevel};
use tau_testkit::loopback::{AMAZON_STREAM, LoopbackServer, RecordedRequest, Reply, amazon_frame};

use super::frames::signed;
use super::payloads::history;
use super::support::{KEY, answer, content, final_message, lines, messages, run, tools};

const API: &str = "bedrock-converse-stream";
const CLAUDE: &str = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

fn event(name: &str, payload: Value) -> Vec<u8> {
    amazon_frame(&[(":message-type", "event"), (":event-type", name)], &payload.to_string())
}

fn delta(block: u64, delta: Value) -> Vec<u8> {
    event("contentBlockDelta", json!({"contentBlockIndex": block, "delta": delta}))
}

fn tool_start(block: u64, id: &str, name: &str) -> Vec<u8> {
    let start = json!({"toolUse": {"toolUseId": id, "name": name}});
    event("contentBlockStart", json!({"contentBlockIndex": block, "start": start}))
}

fn block_stop(block: u64) -> Vec<u8> {
    event("contentBlockStop", json!({"contentBlockIndex": block}))
}

fn begin() -> Vec<u8> {
    event("messageStart", json!({"role": "assistant"}))
}

fn stop(reason: &str) -> Vec<u8> {
    event("messageStop", json!({"stopReason": reason}))
}

fn reply(frames: &[Vec<u8>]) -> Reply {
    Reply::verbatim(AMAZON_STREAM, frames.concat())
}

fn ok() -> Reply {
    reply(&[begin(), delta(0, json!({"text": "ok"})), block_stop(0), stop("end_turn")])
}

async fn sent(extra: Value, change: impl FnOnce(&mut StreamRequest)) -> RecordedRequest {
    let server = LoopbackServer::start([ok()]);
    let mut request = signed(&server, extra);
    change(&mut request);
    assert_eq!(answer(request).await.error_message, None);
    server.requests().remove(0)
}

#[tokio::test]
async fn every_kind_of_block_streams_with_its_events() {
    let frames = [
        begin(),
        delta(0, json!({"reasoningContent": {"text": "Let me see."}})),
        delta(0, json!({"reasoningContent": {"signature": "sig"}})),
        block_stop(0),
        delta(1, json!({"reasoningContent": {"redactedContent": "AAEC"}})),
        delta(1, json!({"reasoningContent": {"redactedContent": "AwQ="}})),
        block_stop(1),
        delta(2, json!({"text": "I will "})),
        delta(2, json!({"text": "look."})),
        block_stop(2),
        tool_start(3, "t1", "read"),
        delta(3, json!({"toolUse": {"input": "{\"path\":"}})),
        delta(3, json!({"toolUse": {"input": "\"a.txt\"}"}})),
        block_stop(3),
        tool_start(4, "t2", "list"),
        block_stop(4),
        stop("tool_use"),
        event("news", json!({"what": "ever"})),
        event(
            "metadata",
            json!({"usage": {
                "inputTokens": 10, "outputTokens": 5, "totalTokens": 1015, "cacheReadInputTokens": 600,
                "cacheWriteInputTokens": 400, "cacheDetails": [{"ttl": "1h", "inputTokens": 300}, {"ttl": "5m", "inputTokens": 100}],
            }}),
        ),
    ];
    let server = LoopbackServer::start([reply(&frames)]);
    let items = run(signed(&server, json!({"reasoning": true}))).await;
    insta::assert_snapshot!("events_bedrock", lines(&items).join("\n"));
    let message = final_message(&items);
    assert_eq!(
        content(&message),
        json!([
            {"type": "thinking", "thinking": "Let me see.", "thinkingSignature": "sig"},
            {"type": "thinking", "thinking": "[Reasoning redacted]", "thinkingSignature": "AAECAwQ=", "redacted": true},
            {"type": "text", "text": "I will look."},
            {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "a.txt"}},
            {"type": "toolCall", "id": "t2", "name": "list", "arguments": {}},
        ])
    );
    let usage = &message.usage;
    assert_eq!(
        (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.total_tokens),
        (10, 5, 600, 400, 1015)
    );
    assert_eq!(usage.extra["cacheWrite1h"], json!(300));
    assert_eq!((message.stop_reason, &message.extra["rawStopReason"]), (StopReason::ToolUse, &json!("tool_use")));
}

#[tokio::test]
async fn a_whole_conversation() {
    for (name, id) in [("claude", CLAUDE), ("nova", "us.amazon.nova-pro-v1:0")] {
        let request = sent(json!({"id": id, "reasoning": true, "maxTokens": 64_000}), |request| {
            let history = history(API).to_string().replace("test-model", id);
            request.messages = messages(serde_json::from_str(&history).expect("JSON"));
            request.tools = tools();
            request.options.thinking = ThinkingLevel::Medium;
        })
        .await;
        assert_eq!(request.path, format!("/model/{}/converse-stream", id.replace(':', "%3A")));
        insta::assert_snapshot!(format!("bedrock_{name}"), serde_json::to_string_pretty(&request.body).expect("JSON"));
    }
}

#[tokio::test]
async fn failures_say_what_happened() {
    let exception =
        |name: &str| amazon_frame(&[(":message-type", "exception"), (":exception-type", name)], r#"{"message":"No."}"#);
    let error = amazon_frame(&[(":message-type", "error"), (":error-code", "Oops"), (":error-message", "No.")], "");
    let whole = [begin(), delta(0, json!({"text": "half"}))].concat();
    let cut = whole[..whole.len() - 3].to_vec();
    let mut damaged = whole.clone();
    damaged[begin().len() + 40] ^= 1;
    let call = [tool_start(0, "t", "read"), delta(0, json!({"toolUse": {"input": "{\"a\":"}}))].concat();
    let refused = |status, kind: &str| {
        Reply::http_error(status, r#"{"message":"No."}"#).header("x-amzn-errortype", format!("{kind}:http://x/"))
    };
    for (reply, expected) in [
        (reply(&[begin(), exception("throttlingException")]), "Throttling error: No."),
        (reply(&[exception("modelStreamErrorException")]), "Model stream error: No."),
        (reply(&[exception("newException")]), "NewException: No."),
        (reply(&[error]), "Oops: No."),
        (reply(&[whole]), "Bedrock stream ended without a stop reason"),
        (reply(&[]), "Bedrock stream ended without a stop reason"),
        (reply(&[cut]), "The answer of test ended without a stop, in the middle of frame 2"),
        (reply(&[call, stop("tool_use")]), "Bedrock stream ended without closing a tool call"),
        (reply(&[begin(), stop("guardrail_intervened")]), "Provider stopped with: guardrail_intervened"),
        (refused(400, "ValidationException"), "Validation error: No."),
        (refused(403, "AccessDeniedException"), "AccessDeniedException: No."),
        (Reply::http_error(403, r#"{"message":"No."}"#), "403 No."),
    ] {
        let server = LoopbackServer::start([reply]);
        let message = answer(signed(&server, json!({}))).await;
        assert_eq!((message.stop_reason, message.error_message.as_deref()), (StopReason::Error, Some(expected)));
        assert_eq!(server.requests().len(), 1, "{expected}");
    }
    let server = LoopbackServer::start([reply(&[damaged])]);
    let text = answer(signed(&server, json!({}))).await.error_message.expect("an error");
    assert!(
        text.starts_with("The answer of test is no stream of events: frame 2 is damaged: message checksum"),
        "{text}"
    );
}

#[tokio::test]
async fn a_picture_of_an_unknown_type_is_refused_before_anything_is_sent() {
    let server = LoopbackServer::start([]);
    let mut request = signed(&server, json!({}));
    request.messages = messages(json!([
        {"role": "user", "content": [{"type": "image", "data": "AAAA", "mimeType": "image/bmp"}]}]));
    assert_eq!(answer(request).await.error_message.as_deref(), Some("Unknown image type: image/bmp"));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_clock_that_is_wrong_is_corrected_once_and_for_all() {
    let late = || {
        Reply::http_error(403, r#"{"message":"Signature expired"}"#)
            .header("x-amzn-errortype", "InvalidSignatureException")
            .header("date", "Sun, 30 Aug 2015 12:36:00 GMT")
    };
    let server = LoopbackServer::start([late(), ok(), ok(), late()]);
    let api = super::support::api(API);
    let ask = async || {
        let mut request = signed(&server, json!({}));
        request.options.sources = Sources { clock: Clock::of(|| 1_440_000_000_000), ..Sources::default() };
        let items: Vec<_> = futures_util::StreamExt::collect(api.stream(request)).await;
        final_message(&items).error_message
    };
    assert_eq!((ask().await, ask().await), (None, None));
    // The clock is right now, so another signature would be no better.
    assert_eq!(ask().await.as_deref(), Some("InvalidSignatureException: Signature expired"));
    let dates: Vec<String> = server.requests().iter().map(|request| request.headers["x-amz-date"].clone()).collect();
    assert_eq!(dates, ["20150819T160000Z", "20150830T123600Z", "20150830T123600Z", "20150830T123600Z"]);
}

#[tokio::test]
async fn a_token_needs_no_signature_and_a_proxy_may_need_neither() {
    let token = |request: &RecordedRequest| request.headers.get("authorization").cloned().unwrap_or_default();
    let given = sent(json!({}), |request| request.options.api_key = Some(Secret::new(KEY))).await;
    assert_eq!((token(&given), given.headers.contains_key("x-amz-date")), (format!("Bearer {KEY}"), false));
    let put = |request: &mut StreamRequest, name: &str, value: &str| {
        request.options.env.insert(name.to_owned(), value.to_owned());
    };
    let found = sent(json!({}), |request| put(request, "AWS_BEARER_TOKEN_BEDROCK", "t0ken")).await;
    assert_eq!(token(&found), "Bearer t0ken");
    let skips = |request: &mut StreamRequest| put(request, "AWS_BEDROCK_SKIP_AUTH", "1");
    let skipped = sent(json!({}), skips).await;
    assert!(token(&skipped).contains("Credential=dummy-access-key/"), "{}", token(&skipped));
    let own = sent(json!({"headers": {"Authorization": "Bearer proxy"}}), skips).await;
    assert_eq!(token(&own), "Bearer proxy");
}

struct Changes;

#[async_trait]
impl RequestHooks for Changes {
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        headers
    }

    async fn payload(&self, mut payload: Value) -> Value {
        assert!(payload.get("modelId").is_none(), "{payload}");
        payload["guardrailConfig"] = json!({"guardrailIdentifier": "g"});
        payload
    }

    async fn response(&self, _: ResponseHead) {}
}

#[tokio::test]
async fn the_signature_is_over_what_handlers_made_of_the_body() {
    let request = sent(json!({}), |request| request.hooks = Some(Arc::new(Changes))).await;
    assert_eq!(request.body["guardrailConfig"], json!({"guardrailIdentifier": "g"}));
    let hash = <sha2::Sha256 as sha2::Digest>::digest(request.body.to_string());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(request.headers["x-amz-content-sha256"], hash);
    assert!(request.headers["authorization"].contains("/eu-west-1/bedrock/aws4_request"));
}

#[tokio::test]
async fn a_server_that_repeats_the_token_of_a_session_is_not_quoted() {
    let token = "session-token-0123456789";
    let body = format!(r#"{{"message": "The security token {token} is invalid"}}"#);
    let server = LoopbackServer::start([Reply::http_error(403, body)]);
    let mut request = signed(&server, json!({}));
    request.options.env.insert("AWS_SESSION_TOKEN".to_owned(), token.to_owned());
    let text = answer(request).await.error_message.expect("a refusal");
    assert_eq!(server.requests()[0].headers["x-amz-security-token"], token);
    assert!(text.contains("The security token … is invalid"), "{text}");
}

#[tokio::test]
async fn strict_tools_are_asked_for_and_given_up_once_there_are_too_many() {
    let refusal = || Reply::http_error(400, r#"{"message": "Too many strict tools (21). The limit is 20."}"#);
    let server = LoopbackServer::start([refusal(), ok(), ok(), refusal()]);
    let mut request = signed(&server, json!({"compat": {"supportsStrictMode": true}}));
    let prefers = json!({"type": "json_schema", "strict": "prefer"});
    let mut all = tools().to_vec();
    all[0].constrained_sampling = serde_json::from_value(prefers).expect("what a tool asks for");
    request.tools = all.into();
    let first = answer(request.clone()).await;
    assert_eq!(first.extra["diagnostics"][0]["type"], "bedrock_strict_tools_fallback");
    assert_eq!(answer(request.clone()).await.error_message, None);
    assert!(answer(request).await.error_message.is_some(), "nothing is left to give up");
    let spec = |at: usize| server.requests()[at].body["toolConfig"]["tools"][0]["toolSpec"].clone();
    assert_eq!(spec(0)["strict"], true);
    assert_eq!(spec(0)["inputSchema"]["json"]["additionalProperties"], false);
    for later in 1..4 {
        assert_eq!(spec(later).get("strict"), None);
    }
}
