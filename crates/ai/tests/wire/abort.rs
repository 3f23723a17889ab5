//! Stopping a request.

use super::support::{EVERY, content, final_message, lines, model, request, start};
use futures_util::StreamExt;
use serde_json::json;
use std::time::Duration;
use tau_ai::{HttpClient, HttpSettings, StopReason, StreamEvent, builtin_apis_over};
use tau_testkit::loopback::{LoopbackServer, Reply};

#[tokio::test]
async fn cancelling_closes_the_socket_and_keeps_what_came() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("half").hang()]);
        let request = request(model(api, &server, json!({})));
        let cancel = request.cancel.clone();
        let mut stream = start(request);
        loop {
            let item = stream.next().await.expect("the text arrives");
            if matches!(item.event, StreamEvent::TextDelta { .. }) {
                break;
            }
        }
        assert_eq!(server.disconnects(), 0);
        cancel.cancel();
        let rest: Vec<_> = stream.collect().await;
        let message = final_message(&rest);
        assert_eq!(message.stop_reason, StopReason::Aborted);
        assert_eq!(message.error_message.as_deref(), Some("Request was aborted"));
        assert_eq!(content(&message), json!([{"type": "text", "text": "half"}]));
        server.disconnected(1).await;
    }
}

#[tokio::test]
async fn cancelling_before_the_answer_begins_closes_the_socket() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::silence()]);
        let request = request(model(api, &server, json!({})));
        let cancel = request.cancel.clone();
        let running = tokio::spawn(start(request).collect::<Vec<_>>());
        server.arrived(1).await;
        cancel.cancel();
        let items = running.await.expect("no panic");
        assert_eq!(lines(&items), ["error Aborted"]);
        server.disconnected(1).await;
    }
}

#[tokio::test]
async fn a_cancelled_request_is_not_even_sent() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("never")]);
        let request = request(model(api, &server, json!({})));
        request.cancel.cancel();
        let items: Vec<_> = start(request).collect().await;
        assert_eq!(lines(&items), ["error Aborted"]);
        assert_eq!(server.requests(), []);
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_socket() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("half").hang()]);
        let mut stream = start(request(model(api, &server, json!({}))));
        stream.next().await.expect("it starts");
        drop(stream);
        server.disconnected(1).await;
    }
}

#[tokio::test]
async fn a_finished_answer_is_no_disconnect() {
    for api in EVERY {
        let server = LoopbackServer::start([Reply::text("done")]);
        let items: Vec<_> = start(request(model(api, &server, json!({})))).collect().await;
        assert_eq!(final_message(&items).stop_reason, StopReason::Stop);
        assert_eq!(server.disconnects(), 0);
    }
}

#[tokio::test]
async fn a_server_that_sends_nothing_is_given_up_after_the_users_limit() {
    let server = LoopbackServer::start([Reply::silence()]);
    let http = std::sync::Arc::new(HttpClient::new(HttpSettings {
        silence: Some(Duration::from_millis(20)),
        ..HttpSettings::default()
    }));
    let request = request(model("anthropic-messages", &server, json!({})));
    let (_, api) = builtin_apis_over(http).swap_remove(0);
    let items: Vec<_> = api.stream(request).collect().await;
    let message = final_message(&items);
    assert_eq!(message.stop_reason, StopReason::Error);
    assert!(message.is_retryable(), "{:?}", message.error_message);
}
