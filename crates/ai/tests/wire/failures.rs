//! Answers that fail, and what the user gets to read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::support::{EVERY, FORMATS, KEY, answer, content, lines, model, model_at, request, run};
use async_trait::async_trait;
use serde_json::{Value, json};
use tau_ai::{AssistantMessage, RequestHooks, ResponseHead, StopReason, retry_after};
use tau_testkit::loopback::{LoopbackServer, Reply};

fn failure(message: &AssistantMessage) -> &str {
    assert_eq!(message.stop_reason, StopReason::Error);
    message.error_message.as_deref().expect("a failed answer says why")
}

#[tokio::test]
async fn a_refusal_is_told_in_the_words_of_the_provider() {
    for (api, limit, unloaded, over) in [
        (
            "anthropic-messages",
            r#"429 {"error":{"type":"rate_limit_error","message":"Too many requests"}}"#,
            r#"200 {"error":"model not loaded"}"#,
            r#"500 {"type":"error","error":{"type":"loopback_error","message":"the script of the loopback server ended before request 5"}}"#,
        ),
        (
            "openai-completions",
            r#"429: {"type":"rate_limit_error","message":"Too many requests"}"#,
            r#"200 "model not loaded""#,
            r#"500: {"type":"loopback_error","message":"the script of the loopback server ended before request 5"}"#,
        ),
    ] {
        let body = json!({"error": {"type": "rate_limit_error", "message": "Too many requests"}}).to_string();
        let server = LoopbackServer::start([
            Reply::http_error(429, body).header("Retry-After", "7"),
            Reply::http_error(529, ""),
            Reply::http_error(200, json!({"error": "model not loaded"}).to_string()),
            Reply::http_error(502, "<html><title>Bad gateway</title></html>").header("content-type", "text/html"),
        ]);
        let items = run(request(model(api, &server, json!({})))).await;
        assert_eq!(lines(&items), ["error Error"], "no start without an answer");
        let message = super::support::final_message(&items);
        assert_eq!(failure(&message), limit);
        assert_eq!(retry_after(&message), Some(Duration::from_secs(7)));

        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!((failure(&message), retry_after(&message)), ("529 status code (no body)", None));
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), unloaded);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), "502 Bad Gateway: a web page (\"Bad gateway\")");
        // The script is over; the server says so.
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), over);
    }
}

#[tokio::test]
async fn an_error_inside_the_stream_keeps_what_came_before() {
    for (api, text) in [
        ("anthropic-messages", r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        ("openai-completions", "Overloaded"),
    ] {
        let server = LoopbackServer::start([Reply::text("half").error_event("overloaded_error", "Overloaded")]);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), text);
        assert_eq!(content(&message), json!([{"type": "text", "text": "half"}]));
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_no_success() {
    for (api, text) in [
        ("anthropic-messages", "Anthropic stream ended before message_stop"),
        ("openai-completions", "Stream ended without finish_reason"),
    ] {
        let server = LoopbackServer::start([Reply::text("half").truncate(), Reply::new().truncate()]);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), text);
        assert_eq!(content(&message), json!([{"type": "text", "text": "half"}]));
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), text);
    }
}

#[tokio::test]
async fn a_broken_connection_is_named_with_its_host() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("half").cut()]);
        let message = answer(request(model(api, &server, json!({})))).await;
        let host = server.url().replace("http://", "");
        let text = failure(&message);
        assert!(text.starts_with(&format!("Connection lost: test at {host}: ")), "{text}");
    }
}

#[tokio::test]
async fn an_unreachable_provider_is_named_without_secrets() {
    // A port that was free a moment ago and has no listener now.
    let port = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("bind");
        listener.local_addr().expect("an address").port()
    };
    for api in EVERY {
        let url = format!("http://user:hunter22@127.0.0.1:{port}");
        let message = answer(request(model_at(api, &url, json!({"headers": {"x-team": "very-secret"}})))).await;
        let text = failure(&message);
        assert!(text.starts_with(&format!("Connection error: test at 127.0.0.1:{port}: ")), "{text}");
        assert!(text.contains("refused"), "{text}");
        for secret in [KEY, "hunter22", "very-secret"] {
            assert!(!text.contains(secret), "{text}");
        }

        let message = answer(request(model_at(api, "not a url", json!({})))).await;
        assert_eq!(
            failure(&message),
            "The base URL of provider test is not a valid URL: it begins with http:// or https://, and names a host"
        );
    }
}

#[tokio::test]
async fn a_provider_that_quotes_the_key_is_censored() {
    for (api, text) in [
        ("anthropic-messages", r#"401 {"error":{"message":"Incorrect API key: …"}}"#),
        ("openai-completions", r#"401: {"message":"Incorrect API key: …"}"#),
    ] {
        let body = json!({"error": {"message": format!("Incorrect API key: {KEY}")}}).to_string();
        // Cutting a long body must not leave the beginning of the key.
        let long = format!("{}{KEY}", "x".repeat(4000 - 10));
        let server = LoopbackServer::start([Reply::http_error(401, body), Reply::http_error(401, long)]);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), text);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert!(!failure(&message).contains("sk-"), "{}", failure(&message));
    }
}

#[tokio::test]
async fn a_key_is_found_however_the_provider_writes_it() {
    let escaped: String = KEY.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect();
    let percent = KEY.replace('-', "%2D");
    for api in FORMATS {
        // The body, an event, and the reason to stop: as JSON text within JSON, and as the part of an address.
        let body =
            json!({"error": {"message": "no", "metadata": {"raw": format!("{{\"key\": \"{escaped}\"}}")}}}).to_string();
        let server = LoopbackServer::start([
            Reply::http_error(401, body),
            Reply::http_error(401, format!("not {escaped} and not {percent}")),
            Reply::text("half").error_event("odd", format!("at /v1?key={percent} {escaped}")),
            Reply::text("half").stop(format!("{KEY} {escaped}")),
        ]);
        for _ in 0..4 {
            let items = run(request(model(api, &server, json!({})))).await;
            for item in &items {
                let text = serde_json::to_string(&item.partial.to_message()).expect("JSON");
                for form in [KEY, &escaped, &escaped.replace('\\', "\\\\"), &percent] {
                    assert!(!text.contains(form), "{api}: {text}");
                }
            }
            let last = serde_json::to_string(&super::support::final_message(&items)).expect("JSON");
            assert!(last.contains('…'), "{api}: {last}");
        }
    }
}

/// From the head of the answer on, time passes when nothing else happens.
struct Hurry;

#[async_trait]
impl RequestHooks for Hurry {
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        headers
    }

    fn wants_payload(&self) -> bool {
        false
    }

    async fn payload(&self, payload: Value) -> Value {
        payload
    }

    async fn response(&self, _: ResponseHead) {
        tokio::time::pause();
    }
}

#[tokio::test]
async fn a_refusal_whose_text_never_ends_is_told_all_the_same() {
    for api in EVERY {
        let server =
            LoopbackServer::start([Reply::http_error(403, "").hang(), Reply::http_error(403, "You may").hang()]);
        for _ in 0..2 {
            let mut asked = request(model(api, &server, json!({})));
            asked.hooks = Some(Arc::new(Hurry));
            let message = answer(asked).await;
            tokio::time::resume();
            assert!(failure(&message).contains("403"), "{}", failure(&message));
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_is_a_connection_error_over_https() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("never")]);
        let url = server.url().replace("http://", "https://");
        let message = answer(request(model_at(api, &url, json!({})))).await;
        let text = failure(&message);
        assert!(text.starts_with("Connection error: test at 127.0.0.1:"), "{text}");
        assert_eq!(server.requests(), []);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for api in EVERY {
        let elsewhere = LoopbackServer::start([]);
        let server = LoopbackServer::start([Reply::http_error(308, "").header("location", elsewhere.url())]);
        let message = answer(request(model(api, &server, json!({})))).await;
        let text = format!("308 Permanent Redirect: the base URL of provider test redirects to {}/", elsewhere.url());
        assert_eq!(failure(&message), text);
        assert_eq!(elsewhere.requests(), [], "the key stays here");
    }
}

#[tokio::test]
async fn events_that_are_no_json_are_an_error() {
    for api in EVERY {
        let broken = if api == "anthropic-messages" {
            "event: content_block_delta\ndata: {\"type\": oops"
        } else {
            "data: {oops"
        };
        let server = LoopbackServer::start([Reply::text("half").raw(broken)]);
        let message = answer(request(model(api, &server, json!({})))).await;
        let text = failure(&message);
        assert!(text.starts_with("Could not parse an event of test: "), "{text}");
        assert!(text.ends_with("oops"), "{text}");
    }
}

#[tokio::test]
async fn reasons_that_are_failures_fail() {
    for (api, stop, text) in [
        ("anthropic-messages", "refusal", "The model refused to complete the request"),
        ("anthropic-messages", "model_context_window_exceeded", "Provider stopped with: model_context_window_exceeded"),
        ("openai-completions", "content_filter", "Provider finish_reason: content_filter"),
        ("openai-completions", "new_reason", "Provider finish_reason: new_reason"),
    ] {
        let server = LoopbackServer::start([Reply::text("x").stop(stop)]);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(failure(&message), text);
    }
}

#[tokio::test]
async fn nothing_is_sent_without_a_credential() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("ok")]);
        let mut keyless = request(model(api, &server, json!({})));
        keyless.options.api_key = None;
        let message = answer(keyless.clone()).await;
        assert_eq!(failure(&message), "No API key for provider: test");
        assert_eq!(server.requests(), []);

        keyless.options.headers.insert("Authorization".to_owned(), "Bearer mine".to_owned());
        assert_eq!(answer(keyless).await.stop_reason, StopReason::Stop);
        assert_eq!(server.requests()[0].headers["authorization"], "Bearer mine");
    }
}
