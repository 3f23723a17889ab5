//! `google-generative-ai` and `google-vertex`.

mod answers;
mod logins;
mod requests;

use std::sync::Arc;

use super::support::{answer, messages, model_at, pretty, request, tools};
use serde_json::{Value, json};
use tau_ai::{Model, RequestHooks, ResponseHead, StreamRequest, ThinkingLevel};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply};

const BOTH: [&str; 2] = ["google-generative-ai", "google-vertex"];

/// A model of Google on the server.
fn model(api: &str, server: &LoopbackServer, id: &str, extra: Value) -> Model {
    let mut fields = json!({"id": id, "baseUrl": format!("{}/v1beta", server.url())});
    if let (Some(fields), Value::Object(extra)) = (fields.as_object_mut(), extra) {
        fields.extend(extra);
    }
    model_at(api, &server.url(), fields)
}

/// Sends a request and returns what arrived.
async fn sent(api: &str, id: &str, extra: Value, change: impl FnOnce(&mut StreamRequest)) -> RecordedRequest {
    let server = LoopbackServer::start([Reply::text("ok")]);
    let mut request = request(model(api, &server, id, extra));
    change(&mut request);
    let message = answer(request).await;
    assert_eq!(message.error_message, None);
    server.requests().remove(0)
}
