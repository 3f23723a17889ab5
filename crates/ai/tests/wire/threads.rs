//! Message threads of Anthropic's interface.

use serde_json::{Value, json};
use tau_ai::{CacheRetention, StreamRequest};
use tau_testkit::loopback::Reply;
use tokio_util::sync::CancellationToken;

use super::support::answer;
use super::talk::{Talk, tool};

const BETA: &str = "message-threads-2026-08-12";

fn talk() -> Talk {
    Talk::new(json!({"compat": {"supportsMessageThreads": true}}))
}

fn in_session(request: &mut StreamRequest) {
    request.options.session_id = Some("s".to_owned());
    request.tools = [tool("read", "Reads.")].into();
}

fn refusal(code: Option<&str>, message: &str) -> Reply {
    let mut error = json!({"type": "invalid_request_error", "message": message});
    if let Some(code) = code {
        error["details"] = json!({"error_code": code});
    }
    Reply::http_error(400, json!({"type": "error", "error": error}).to_string())
}

/// The thread of each request since the last look, with how many messages it had, and whether it was whole.
fn threads(talk: &Talk, from: usize) -> Value {
    let one = |body: &Value| {
        let count = body["messages"].as_array().map_or(0, Vec::len);
        json!([body["thread"]["type"], count, body.get("system").is_some() && body.get("tools").is_some()])
    };
    talk.server.requests()[from..].iter().map(|request| one(&request.body)).collect()
}

#[tokio::test]
async fn only_what_is_new_is_sent() {
    let mut talk = talk();
    talk.says("One");
    let (first, _) = talk.asks(Reply::text("A"), in_session).await;
    assert_eq!((&*first.headers["anthropic-beta"], &first.body["thread"]), (BETA, &json!({"type": "create"})));
    talk.says("Two");
    let (second, _) = talk.asks(Reply::text("B"), in_session).await;
    assert_eq!(second.body["thread"], json!({"type": "continue", "previous_message_id": "msg_loopback"}));
    assert_eq!(second.body["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!((second.body.get("system"), second.body.get("tools")), (None, None));
    // What differs from what the provider has begins another thread.
    talk.says("Three");
    talk.asks(Reply::text("C"), |request| {
        in_session(request);
        request.system = Some("Be kind.".to_owned());
    })
    .await;
    talk.says("Four");
    talk.history.remove(0);
    talk.asks(Reply::text("D"), in_session).await;
    assert_eq!(threads(&talk, 2), json!([["create", 5, true], ["create", 6, true]]));
}

#[tokio::test]
async fn a_thread_needs_a_session_and_a_cache() {
    let plain = Talk::new(json!({}));
    for (mut talk, change) in [
        (plain, Box::new(in_session) as Box<dyn FnOnce(&mut StreamRequest)>),
        (talk(), Box::new(|_: &mut StreamRequest| {})),
        (
            talk(),
            Box::new(|request: &mut StreamRequest| {
                in_session(request);
                request.options.cache_retention = CacheRetention::None;
            }),
        ),
    ] {
        talk.says("One");
        let (sent, _) = talk.asks(Reply::text("A"), change).await;
        assert_eq!((sent.body.get("thread"), sent.headers.get("anthropic-beta")), (None, None));
    }
}

/// Everything of a body but the thread and what only the answer depends on.
fn prompt(mut body: Value) -> Value {
    let fields = body.as_object_mut().expect("an object");
    fields.retain(|name, _| !["thread", "max_tokens"].contains(&name.as_str()));
    body
}

#[tokio::test]
async fn a_replay_sends_the_same_prompt_and_leaves_the_thread_alone() {
    let mut talk = talk();
    talk.says("One");
    let (first, _) = talk.asks(Reply::text("A"), in_session).await;
    let said = talk.history.pop().expect("the answer");
    talk.server.push(Reply::text("x"));
    let again = talk.request(in_session).replay(CancellationToken::new());
    answer(again).await;
    let replayed = talk.server.requests().pop().expect("a request");
    assert_eq!(prompt(replayed.body.clone()).to_string(), prompt(first.body.clone()).to_string());
    assert_eq!((&replayed.body["max_tokens"], replayed.body.get("thread")), (&json!(1), None));
    assert_eq!(replayed.headers.get("anthropic-beta"), None);
    // The conversation goes on as if nothing had been.
    talk.history.push(said);
    talk.says("Two");
    let (second, _) = talk.asks(Reply::text("B"), in_session).await;
    assert_eq!(second.body["thread"]["type"], "continue");
}

#[tokio::test]
async fn a_refused_thread_is_begun_anew_or_left() {
    let mut talk = talk();
    talk.says("One");
    talk.asks(Reply::text("A"), in_session).await;
    talk.says("Two");
    talk.server.push(refusal(Some("thread_not_found"), "gone"));
    let (_, said) = talk.asks(Reply::text("B"), in_session).await;
    let note = &said.extra["diagnostics"][0];
    assert_eq!(
        (&note["type"], &note["details"]),
        (&json!("anthropic_thread_fallback"), &json!({"reason": "thread_not_found"}))
    );
    assert!(note["error"]["message"].as_str().is_some_and(|text| text.contains("gone")));
    talk.says("Three");
    talk.server.push(refusal(None, "thread: unknown field"));
    let (_, said) = talk.asks(Reply::text("C"), in_session).await;
    assert_eq!(said.extra["diagnostics"][0]["details"], json!({"reason": "400"}));
    talk.says("Four");
    talk.asks(Reply::text("D"), in_session).await;
    let sent = json!([
        ["create", 1, true],
        ["continue", 1, false],
        ["create", 3, true],
        ["continue", 1, false],
        [null, 5, true],
        [null, 7, true],
    ]);
    assert_eq!(threads(&talk, 0), sent);
}

#[tokio::test]
async fn other_refusals_stay_what_they_are() {
    let mut talk = talk();
    talk.says("One");
    let (_, said) = talk.asks(refusal(None, "max_tokens: too large"), in_session).await;
    assert!(said.error_message.is_some_and(|text| text.contains("max_tokens")));
    assert_eq!(said.extra.get("diagnostics"), None);
}
