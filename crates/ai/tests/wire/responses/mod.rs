//! The Responses interface in its three forms.

mod azure;
mod bodies;
pub mod codex;
mod failures;
mod streams;
mod tools;

use serde_json::{Value, json};
use tau_ai::{AssistantMessage, StreamItem, StreamRequest};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply};

use super::support::{self, answer, run};

const OPENAI: &str = "openai-responses";
const CODEX: &str = "openai-codex-responses";
const AZURE: &str = "azure-openai-responses";

/// A request of one short message to a model of OpenAI on the server.
fn request(server: &LoopbackServer, extra: Value) -> StreamRequest {
    let mut fields = json!({"provider": "openai", "reasoning": true});
    merge(&mut fields, extra);
    support::request(support::model(OPENAI, server, fields))
}

fn merge(fields: &mut Value, extra: Value) {
    if let (Some(fields), Value::Object(extra)) = (fields.as_object_mut(), extra) {
        fields.extend(extra);
    }
}

/// Sends it and returns what arrived.
async fn sent(extra: Value, change: impl FnOnce(&mut StreamRequest)) -> RecordedRequest {
    let server = LoopbackServer::start([Reply::text("ok")]);
    let mut request = request(&server, extra);
    change(&mut request);
    answer(request).await;
    server.requests().remove(0)
}

/// A reply of these events and nothing else.
fn events(list: &[Value]) -> Reply {
    list.iter().fold(Reply::new().truncate(), |reply, event| reply.raw(format!("data: {event}")))
}

/// What becomes of a stream of these events.
async fn read(list: &[Value], change: impl FnOnce(&mut StreamRequest)) -> (Vec<StreamItem>, AssistantMessage) {
    let server = LoopbackServer::start([events(list)]);
    let mut request = request(&server, json!({}));
    change(&mut request);
    let items = run(request).await;
    let message = support::final_message(&items);
    (items, message)
}

fn added(place: u64, item: Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": place, "item": item})
}

fn done(place: u64, item: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": place, "item": item})
}

fn delta(kind: &str, place: u64, delta: &str) -> Value {
    json!({"type": format!("response.{kind}.delta"), "output_index": place, "delta": delta})
}

fn completed(extra: Value) -> Value {
    let mut response = json!({"id": "resp_1", "status": "completed", "usage": {
        "input_tokens": 300, "output_tokens": 50, "total_tokens": 350,
        "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 20},
        "output_tokens_details": {"reasoning_tokens": 7}}});
    merge(&mut response, extra);
    json!({"type": "response.completed", "response": response})
}

/// A message with a text, from its beginning to its end.
fn text(place: u64, text: &str) -> [Value; 3] {
    let item = json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text}]});
    let begun = json!({"type": "message", "id": "msg_1", "content": []});
    [added(place, begun), delta("output_text", place, text), done(place, item)]
}
