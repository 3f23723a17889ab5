//! What the tests share.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tau_ai::{
    AssistantMessage, Message, MessageStream, Model, Secret, StreamApi, StreamEvent, StreamItem, StreamOptions,
    StreamRequest, ToolDeclaration, builtin_apis,
};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest};
use tokio_util::sync::CancellationToken;

/// The wire formats under test.
pub const FORMATS: [&str; 2] = ["anthropic-messages", "openai-completions"];

/// Those, and those of the Responses interface.
pub const EVERY: [&str; 4] = ["anthropic-messages", "openai-completions", "openai-responses", "azure-openai-responses"];

/// A key that must never show up where it does not belong.
pub const KEY: &str = "sk-test-0123456789abcdef";

/// A model on the server, with fields on top.
pub fn model(api: &str, server: &LoopbackServer, extra: Value) -> Model {
    model_at(api, &server.url(), extra)
}

/// A model at an address, with fields on top.
pub fn model_at(api: &str, url: &str, extra: Value) -> Model {
    let base = if api == "anthropic-messages" { url.to_owned() } else { format!("{url}/v1") };
    let mut model = json!({
        "id": "test-model", "name": "Test", "api": api, "provider": "test", "baseUrl": base,
        "input": ["text", "image"], "contextWindow": 200_000, "maxTokens": 8192,
        "cost": {"input": 1.0, "output": 2.0, "cacheRead": 0.1, "cacheWrite": 1.25},
    });
    if let (Some(model), Value::Object(extra)) = (model.as_object_mut(), extra) {
        model.extend(extra);
    }
    serde_json::from_value(model).expect("a model")
}

/// A request of one short user message.
pub fn request(model: Model) -> StreamRequest {
    StreamRequest {
        model: Arc::new(model),
        system: Some("Be brief.".to_owned()),
        messages: messages(json!([{"role": "user", "content": "Hi"}])),
        tools: Arc::from([]),
        options: StreamOptions { api_key: Some(Secret::new(KEY)), ..StreamOptions::default() },
        hooks: None,
        cancel: CancellationToken::new(),
    }
}

/// Messages from their JSON form.
pub fn messages(list: Value) -> Vec<Arc<Message>> {
    serde_json::from_value::<Vec<Message>>(list).expect("messages").into_iter().map(Arc::new).collect()
}

/// Two tools.
pub fn tools() -> Arc<[ToolDeclaration]> {
    let tool = |name: &str, parameters: Value| ToolDeclaration {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters,
        constrained_sampling: None,
    };
    Arc::from([
        tool("read", json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})),
        tool("list", json!({"type": "object", "properties": {}})),
    ])
}

/// The wire format of that name.
pub fn api(name: &str) -> Arc<dyn StreamApi> {
    builtin_apis().into_iter().find(|(api, _)| *api == name).map(|(_, api)| api).expect("a built-in format")
}

/// Starts a request in the format of its model.
pub fn start(request: StreamRequest) -> MessageStream {
    api(&request.model.api).stream(request)
}

/// All items of a request.
pub async fn run(request: StreamRequest) -> Vec<StreamItem> {
    start(request).collect().await
}

/// The final message of a request.
pub async fn answer(request: StreamRequest) -> AssistantMessage {
    final_message(&run(request).await)
}

/// The final message of a finished stream.
pub fn final_message(items: &[StreamItem]) -> AssistantMessage {
    let last = items.last().expect("at least one event");
    AssistantMessage::clone(last.event.final_message().expect("the stream ends with Done or Error"))
}

/// The events as short lines.
pub fn lines(items: &[StreamItem]) -> Vec<String> {
    items
        .iter()
        .map(|item| {
            let name = item.event.name();
            match &item.event {
                StreamEvent::Start => name.to_owned(),
                StreamEvent::TextStart { index }
                | StreamEvent::ThinkingStart { index }
                | StreamEvent::ToolCallStart { index } => format!("{name} {index}"),
                StreamEvent::TextDelta { index, delta }
                | StreamEvent::ThinkingDelta { index, delta }
                | StreamEvent::ToolCallDelta { index, delta } => format!("{name} {index} {delta:?}"),
                StreamEvent::TextEnd { index, content } | StreamEvent::ThinkingEnd { index, content } => {
                    format!("{name} {index} {content:?}")
                }
                StreamEvent::ToolCallEnd { index, tool_call } => {
                    format!("{name} {index} {} {} {}", tool_call.id, tool_call.name, tool_call.arguments)
                }
                StreamEvent::Done { message } | StreamEvent::Error { message } => {
                    format!("{name} {:?}", message.stop_reason)
                }
            }
        })
        .collect()
}

/// The content of a message as JSON.
pub fn content(message: &AssistantMessage) -> Value {
    serde_json::to_value(&message.content).expect("content")
}

/// A request as snapshots show it.
pub fn pretty(request: &RecordedRequest) -> String {
    let headers: Vec<String> = request
        .headers
        .iter()
        .filter(|(name, _)| !["host", "content-length"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}\n", value.replace(env!("CARGO_PKG_VERSION"), "VERSION")))
        .collect();
    let body = serde_json::to_string_pretty(&request.body).expect("JSON");
    format!("{} {}\n{}\n{body}", request.method, request.path, headers.concat())
}
