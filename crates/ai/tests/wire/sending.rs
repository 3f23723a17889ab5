//! How requests reach a server, and what becomes of answers that are not sent plainly.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use futures_util::StreamExt;
use serde_json::json;
use tau_ai::{AssistantMessage, HttpClient, HttpSettings, StopReason, StreamRequest, builtin_apis_over};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{FORMATS, answer, content, final_message, model, model_at, request};

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

/// Reads a request to its end; `false` when the connection ends first.
fn take_request(connection: &mut BufReader<TcpStream>) -> bool {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line).expect("a line") == 0 {
            return false;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            connection.read_exact(&mut vec![0; length]).expect("a body");
            return true;
        }
    }
}

/// A server whose connections each answer so many requests, then read one more and close without a word. Returns its address
/// and how many requests it has read.
fn closing_server(connections: &'static [usize]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let read = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&read);
    std::thread::spawn(move || {
        for answers in connections {
            let mut connection = BufReader::new(listener.accept().expect("a connection").0);
            let mut answers = *answers;
            while take_request(&mut connection) {
                counter.fetch_add(1, Ordering::SeqCst);
                if answers == 0 {
                    break;
                }
                answers -= 1;
                let event = r#"data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#;
                let body = format!("{event}\n\ndata: [DONE]\n\n");
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ";
                write!(connection.get_mut(), "{head}{}\r\n\r\n{body}", body.len()).expect("an answer");
            }
        }
    });
    (url, read)
}

/// Asks so often, one after the other, over the same connections, and repeats nothing.
async fn ask_in_turn(url: &str, times: usize) -> Vec<Option<String>> {
    let apis = builtin_apis_over(Arc::new(HttpClient::new(HttpSettings { repeats: 0, ..HttpSettings::default() })));
    let (_, api) = apis.into_iter().find(|(name, _)| *name == "openai-completions").expect("a format");
    let mut errors = Vec::new();
    for _ in 0..times {
        let request = request(model_at("openai-completions", url, json!({})));
        errors.push(final_message(&api.stream(request).collect::<Vec<_>>().await).error_message);
    }
    errors
}

#[tokio::test]
async fn a_connection_that_closes_for_lack_of_use_loses_no_request() {
    let (url, read) = closing_server(&[1, 1]);
    assert_eq!(ask_in_turn(&url, 2).await, [None, None]);
    assert_eq!(read.load(Ordering::SeqCst), 3);
    // On a new connection it is a failure, and nothing is sent again.
    let (url, read) = closing_server(&[0, 1]);
    let errors = ask_in_turn(&url, 1).await;
    assert!(errors[0].as_deref().is_some_and(|error| error.starts_with("Connection error: ")), "{errors:?}");
    assert_eq!(read.load(Ordering::SeqCst), 1);
}
