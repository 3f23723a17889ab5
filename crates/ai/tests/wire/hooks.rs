//! Looking at requests on their way out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::support::{EVERY, KEY, answer, model, request};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::{RequestHooks, ResponseHead, StopReason, StreamRequest};
use tau_testkit::loopback::{LoopbackServer, Reply};

type Headers = BTreeMap<String, Option<String>>;

/// Records the order of calls and applies fixed changes.
#[derive(Default)]
struct Recorder {
    log: Mutex<Vec<String>>,
    seen: Mutex<Headers>,
    change: Headers,
    payload: Option<Value>,
    /// Whether events of the answer are wanted, and which came.
    listens: bool,
    wire: Mutex<Vec<Value>>,
}

#[async_trait]
impl RequestHooks for Recorder {
    async fn headers(&self, mut headers: Headers) -> Headers {
        self.log.lock().push("headers".to_owned());
        self.seen.lock().clone_from(&headers);
        headers.extend(self.change.clone());
        headers
    }

    async fn payload(&self, mut payload: Value) -> Value {
        self.log.lock().push(format!("payload {}", payload["model"]));
        if let (Some(change), Some(payload)) = (&self.payload, payload.as_object_mut()) {
            payload.extend(change.as_object().cloned().unwrap_or_default());
        }
        payload
    }

    async fn response(&self, head: ResponseHead) {
        self.log.lock().push(format!("response {} {:?}", head.status, head.headers.get("x-request-id")));
    }

    fn wants_wire_events(&self) -> bool {
        self.listens
    }

    async fn wire_event(&self, data: Value) {
        self.wire.lock().push(data);
    }
}

fn hooked(mut request: StreamRequest, hooks: &Arc<Recorder>) -> StreamRequest {
    request.hooks = Some(Arc::clone(hooks) as Arc<dyn RequestHooks>);
    request
}

#[tokio::test]
async fn they_run_in_order_and_see_the_answer_before_its_body() {
    for api in EVERY {
        let server = LoopbackServer::start([
            Reply::text("ok").header("X-Request-Id", "r1"),
            Reply::http_error(429, "{}").header("x-request-id", "r2"),
        ]);
        let hooks = Arc::new(Recorder::default());
        assert_eq!(answer(hooked(request(model(api, &server, json!({}))), &hooks)).await.stop_reason, StopReason::Stop);
        assert_eq!(
            answer(hooked(request(model(api, &server, json!({}))), &hooks)).await.stop_reason,
            StopReason::Error
        );
        assert_eq!(
            *hooks.log.lock(),
            [
                "headers",
                "payload \"test-model\"",
                "response 200 Some(\"r1\")",
                "headers",
                "payload \"test-model\"",
                "response 429 Some(\"r2\")",
            ]
        );
    }
}

#[tokio::test]
async fn headers_are_added_replaced_and_removed_whatever_their_case() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("ok")]);
        let change: Headers =
            [("X-Added", Some("a")), ("User-Agent", Some("mine")), ("X-Model", None), ("x-options", None)]
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)))
                .collect();
        let hooks = Arc::new(Recorder { change, ..Recorder::default() });
        let mut request =
            hooked(request(model(api, &server, json!({"headers": {"X-Model": "m", "X-Kept": "k"}}))), &hooks);
        request.options.headers.insert("X-Options".to_owned(), "o".to_owned());
        answer(request).await;

        let sent = &server.requests()[0].headers;
        let sent = |name: &str| sent.get(name).map(String::as_str);
        assert_eq!(
            [sent("x-added"), sent("user-agent"), sent("x-model"), sent("x-options"), sent("x-kept")],
            [Some("a"), Some("mine"), None, None, Some("k")]
        );
        let seen = hooks.seen.lock();
        assert_eq!(seen["x-kept"].as_deref(), Some("k"), "names come in lower case");
        assert!(!format!("{seen:?}").contains(KEY), "the key is not shown to hooks");
    }
}

#[tokio::test]
async fn a_hook_may_bring_or_take_away_the_credential() {
    for (api, name) in [("anthropic-messages", "x-api-key"), ("openai-completions", "authorization")] {
        for (value, expected) in [(Some("other"), Some("other")), (None, None)] {
            let server = LoopbackServer::start([Reply::text("ok")]);
            let change = Headers::from([(name.to_uppercase(), value.map(str::to_owned))]);
            let hooks = Arc::new(Recorder { change, ..Recorder::default() });
            let message = answer(hooked(request(model(api, &server, json!({}))), &hooks)).await;
            assert_eq!(message.stop_reason, StopReason::Stop);
            assert_eq!(server.requests()[0].headers.get(name).map(String::as_str), expected);
        }
    }
}

#[tokio::test]
async fn a_replaced_payload_is_what_is_sent() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("ok")]);
        let payload = json!({"temperature": 0.25, "stream": false, "betas": ["x-1"]});
        let hooks = Arc::new(Recorder { payload: Some(payload), ..Recorder::default() });
        answer(hooked(request(model(api, &server, json!({}))), &hooks)).await;
        let sent = &server.requests()[0];
        assert_eq!(sent.body["temperature"], 0.25);
        assert_eq!(sent.body["stream"], true, "only a stream can be read");
        if api == "anthropic-messages" {
            assert_eq!(sent.headers["anthropic-beta"], "x-1");
            assert_eq!(sent.body.get("betas"), None);
        }
    }
}

#[tokio::test]
async fn an_impossible_header_is_an_error_that_hides_its_value() {
    for api in EVERY {
        let server = LoopbackServer::start([]);
        let mut request = request(model(api, &server, json!({})));
        request.options.headers.insert("x-bad".to_owned(), "se\ncret".to_owned());
        let message = answer(request).await;
        assert_eq!(message.error_message.as_deref(), Some("The value of header \"x-bad\" is not allowed in HTTP"));
    }
}

#[tokio::test]
async fn events_of_the_answer_are_shown_as_they_came_when_somebody_wants_them() {
    for (api, first, last) in [
        ("anthropic-messages", json!("message_start"), json!("message_stop")),
        ("openai-completions", json!("chat.completion.chunk"), json!("chat.completion.chunk")),
    ] {
        let server = LoopbackServer::start([Reply::text("ok"), Reply::text("ok")]);
        for listens in [true, false] {
            let hooks = Arc::new(Recorder { listens, ..Recorder::default() });
            answer(hooked(request(model(api, &server, json!({}))), &hooks)).await;
            let wire = hooks.wire.lock();
            assert_eq!(wire.is_empty(), !listens, "{api}");
            if listens {
                let kind = |event: Option<&Value>| {
                    let event = event.cloned().unwrap_or_default();
                    event.get("type").or(event.get("object")).cloned().unwrap_or_default()
                };
                assert_eq!((kind(wire.first()), kind(wire.last())), (first.clone(), last.clone()), "{wire:?}");
                assert!(wire.iter().any(|event| event.to_string().contains("\"ok\"")), "{wire:?}");
            }
        }
    }
}
