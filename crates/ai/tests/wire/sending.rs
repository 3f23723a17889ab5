//! How requests reach a server, and what becomes of answers that are not sent plainly.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use futures_util::StreamExt;
use serde_json::json;
use tau_ai::{AssistantMessage, HttpClient, HttpSettings, StopReason, StreamRequest, builtin_apis_over};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{FORMATS, answer, content, final_message, model, request};

/// The answer to a request that is sent with these settings.
async fn answer_with(settings: HttpSettings, request: StreamRequest) -> AssistantMessage {
    let apis = builtin_apis_over(Arc::new(HttpClient::new(settings)));
    let (_, api) = apis.into_iter().find(|(name, _)| *name == request.model.api).expect("a format");
    final_message(&api.stream(request).collect::<Vec<_>>().await)
}

fn encoded(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    let level = Compression::fast();
    let mut out = Vec::new();
    match encoding {
        "gzip" => GzEncoder::new(&mut out, level).write_all(bytes),
        "deflate" => ZlibEncoder::new(&mut out, level).write_all(bytes),
        "raw" => DeflateEncoder::new(&mut out, level).write_all(bytes),
        _ => brotli::CompressorWriter::new(&mut out, 4096, 1, 20).write_all(bytes),
    }
    .expect("room");
    out
}

const STREAM: &str = "data: {\"choices\": [{\"delta\": {\"content\": \"Grüße\"}}]}\n\n\
                      data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";

#[tokio::test]
async fn compressed_answers_are_read_though_none_is_asked_for() {
    for (name, encoding) in [("gzip", "gzip"), ("deflate", "deflate"), ("raw", "deflate"), ("br", "br")] {
        let bytes = encoded(name, STREAM.as_bytes());
        let error = encoded(name, br#"{"error": {"message": "no"}}"#);
        let server = LoopbackServer::start([
            Reply::bytes(bytes.chunks(5)).header("content-encoding", encoding),
            Reply::http_error(400, error).header("content-encoding", encoding),
        ]);
        let message = answer(request(model("openai-completions", &server, json!({})))).await;
        assert_eq!(content(&message), json!([{"type": "text", "text": "Grüße"}]), "{name}");
        assert_eq!(server.requests()[0].headers.get("accept-encoding"), None);
        let message = answer(request(model("openai-completions", &server, json!({})))).await;
        assert_eq!(message.error_message.as_deref(), Some(r#"400: {"message":"no"}"#), "{name}");
    }
}

#[tokio::test]
async fn an_encoding_that_is_unknown_or_wrong_is_named() {
    let server = LoopbackServer::start([
        Reply::bytes([STREAM]).header("content-encoding", "zstd"),
        Reply::bytes([STREAM]).header("content-encoding", "gzip"),
    ]);
    for text in
        ["The answer of test has an encoding that tau does not read: zstd", "The answer of test cannot be decoded: "]
    {
        let message = answer(request(model("openai-completions", &server, json!({})))).await;
        assert!(message.error_message.as_deref().is_some_and(|error| error.starts_with(text)), "{message:?}");
    }
}

#[tokio::test]
async fn a_passing_failure_is_repeated_as_often_as_the_user_wants() {
    let busy = |status: u16| Reply::http_error(status, "busy").header("retry-after-ms", "1");
    let never = || busy(503).header("x-should-retry", "false");
    for api in FORMATS {
        for (repeats, script, requests, end) in [
            (0, vec![busy(503), Reply::text("ok")], 1, StopReason::Error),
            (2, vec![busy(503), busy(429), Reply::text("ok")], 3, StopReason::Stop),
            (2, vec![busy(503), busy(429), busy(500), Reply::text("ok")], 3, StopReason::Error),
            (2, vec![busy(400), Reply::text("ok")], 1, StopReason::Error),
            (2, vec![busy(400).header("x-should-retry", "true"), Reply::text("ok")], 2, StopReason::Stop),
            (2, vec![never(), Reply::text("ok")], 1, StopReason::Error),
            // Whoever wants too long a pause is not asked again.
            (
                2,
                vec![Reply::http_error(429, "busy").header("retry-after", "61"), Reply::text("ok")],
                1,
                StopReason::Error,
            ),
        ] {
            let server = LoopbackServer::start(script);
            let settings = HttpSettings { repeats, ..HttpSettings::default() };
            let message = answer_with(settings, request(model(api, &server, json!({})))).await;
            assert_eq!((server.requests().len(), message.stop_reason), (requests, end), "{api} {repeats}");
        }
    }
}

#[tokio::test]
async fn an_answer_must_begin_in_time() {
    let server = LoopbackServer::start([Reply::silence(), Reply::text("ok")]);
    let limit = Duration::from_millis(30);
    let settings = HttpSettings { answer: Some(limit), ..HttpSettings::default() };
    let message = answer_with(settings.clone(), request(model("openai-completions", &server, json!({})))).await;
    let text = message.error_message.as_deref().unwrap_or_default();
    assert!(text.starts_with("Connection error: test at ") && text.contains("no answer began within 30 ms"), "{text}");
    assert!(message.is_retryable());
}
