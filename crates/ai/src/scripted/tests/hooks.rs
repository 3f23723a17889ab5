use std::collections::BTreeMap;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::*;
use crate::{RequestHooks, ResponseHead};

/// Adds a header, replaces the system prompt and notes what it saw.
#[derive(Default)]
struct Watcher {
    payload: Option<Value>,
    wire: bool,
    seen: Mutex<Vec<Value>>,
}

#[async_trait]
impl RequestHooks for Watcher {
    async fn headers(&self, mut headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        self.seen.lock().push(json!({ "headers": headers }));
        headers.insert("x-a".to_owned(), None);
        headers.insert("x-b".to_owned(), Some("2".to_owned()));
        headers
    }

    async fn payload(&self, payload: Value) -> Value {
        self.seen.lock().push(json!({ "payload": payload }));
        self.payload.clone().unwrap_or(payload)
    }

    async fn response(&self, head: ResponseHead) {
        self.seen.lock().push(json!({ "response": head }));
    }

    fn wants_wire_events(&self) -> bool {
        self.wire
    }

    async fn wire_event(&self, data: Value) {
        self.seen.lock().push(data);
    }
}

async fn play(api: &ScriptedApi, watcher: &Arc<Watcher>) -> Vec<String> {
    let mut request = request(api, user("hi"));
    request.options.headers.insert("X-A".to_owned(), "1".to_owned());
    request.hooks = Some(Arc::clone(watcher) as Arc<dyn RequestHooks>);
    lines(&items(request, api).await)
}

#[tokio::test]
async fn hooks_see_the_request_and_the_response() {
    let api = script("replies: [hello]");
    let watcher = Arc::new(Watcher::default());
    play(&api, &watcher).await;
    let payload = json!({
        "model": "scripted",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "hi", "timestamp": 1}],
        "tools": [
            {"name": "ls", "description": "List.", "parameters": {"type": "object"}},
            {"name": "read", "description": "Read.", "parameters": {"type": "object"}},
        ],
    });
    assert_eq!(
        *watcher.seen.lock(),
        [
            json!({"headers": {"x-a": "1"}}),
            json!({"payload": payload}),
            json!({"response": {"status": 200, "headers": {}}}),
        ]
    );
    assert_eq!(api.requests(), [payload]);
    assert_eq!(api.request_headers(), [BTreeMap::from([("x-b".to_owned(), "2".to_owned())])]);
}

#[tokio::test]
async fn a_replaced_payload_is_what_the_script_sees() {
    let api = script("replies: [[{expect: {system_contains: pirate, tools: []}}, 'You said {{user}}']]");
    let other = json!({"model": "m", "system": "a pirate", "messages": [{"role": "user", "content": "arr"}]});
    let watcher = Arc::new(Watcher { payload: Some(other.clone()), ..Watcher::default() });
    assert_eq!(play(&api, &watcher).await[2], r#"text_delta 0 "You said arr""#);
    assert_eq!(api.requests(), [other]);
}

#[tokio::test]
async fn a_payload_that_is_none_fails_the_request() {
    let api = script("replies: [hello]");
    let watcher = Arc::new(Watcher { payload: Some(json!({"messages": 3})), ..Watcher::default() });
    let lines = play(&api, &watcher).await;
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("the request payload is no {model, system, messages, tools}"), "{lines:?}");
    assert_eq!((api.requests(), api.unplayed()), (vec![json!({"messages": 3})], 1));
}

#[tokio::test]
async fn an_error_with_a_status_reaches_the_response_hook() {
    let api = script("replies: [[{error: {message: slow down, status: 529, retry_after_ms: 1500}}], [{error: gone}]]");
    let watcher = Arc::new(Watcher::default());
    assert_eq!(play(&api, &watcher).await, [r#"error Error "slow down""#]);
    assert_eq!(
        watcher.seen.lock().last(),
        Some(&json!({"response": {"status": 529, "headers": {"retry-after": "2", "retry-after-ms": "1500"}}}))
    );
    // Without a status the connection failed, so there is no response to see.
    let watcher = Arc::new(Watcher::default());
    assert_eq!(play(&api, &watcher).await, [r#"error Error "gone""#]);
    assert_eq!(watcher.seen.lock().len(), 2);
}

/// Aborts its request while it looks at it.
struct Aborting(tokio_util::sync::CancellationToken);

#[async_trait]
impl RequestHooks for Aborting {
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        headers
    }

    async fn payload(&self, payload: Value) -> Value {
        self.0.cancel();
        payload
    }

    async fn response(&self, _: ResponseHead) {}
}

#[tokio::test]
async fn a_request_that_is_aborted_while_hooks_look_at_it_takes_no_reply() {
    let api = script("replies: [hello]");
    let mut aborted = request(&api, user("hi"));
    aborted.hooks = Some(Arc::new(Aborting(aborted.cancel.clone())));
    let last = lines(&items(aborted, &api).await).pop();
    assert_eq!(last.as_deref(), Some(r#"error Aborted "Request was aborted""#));
    assert_eq!(api.requests(), [] as [Value; 0]);
    let answer = lines(&items(request(&api, user("hi")), &api).await);
    assert!(answer.contains(&r#"text_delta 0 "hello""#.to_owned()), "{answer:?}");
}

#[tokio::test]
async fn hooks_see_the_events_of_the_answer_when_they_want_to() {
    let api = script("replies: [[{text: hello, chunk: 3}]]");
    let watcher = Arc::new(Watcher { wire: true, ..Watcher::default() });
    play(&api, &watcher).await;
    let seen = watcher.seen.lock();
    let events = [
        json!({"type": "start"}),
        json!({"type": "text_start", "contentIndex": 0}),
        json!({"type": "text_delta", "contentIndex": 0, "delta": "hel"}),
        json!({"type": "text_delta", "contentIndex": 0, "delta": "lo"}),
        json!({"type": "text_end", "contentIndex": 0, "content": "hello"}),
    ];
    assert_eq!(seen[3..8], events);
    assert_eq!((&seen[8]["type"], &seen[8]["stopReason"]), (&json!("done"), &json!("stop")));
}
