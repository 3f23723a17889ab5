//! The scripted model through its public interface.

mod demo;
mod docs;
mod errors;
mod expectations;
mod hooks;
mod replies;
mod templates;
mod timing;

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::ScriptedApi;
use crate::{AssistantMessage, Message, StopReason, StreamApi, StreamEvent, StreamItem, StreamOptions, StreamRequest};

fn script(yaml: &str) -> ScriptedApi {
    ScriptedApi::from_yaml("script", yaml).expect("a valid script")
}

fn request(api: &ScriptedApi, messages: Value) -> StreamRequest {
    let messages: Vec<Arc<Message>> = serde_json::from_value(messages).expect("messages");
    let tools = json!([
        {"name": "ls", "description": "List.", "parameters": {"type": "object"}},
        {"name": "read", "description": "Read.", "parameters": {"type": "object"}},
    ]);
    StreamRequest {
        model: Arc::new(api.model()),
        system: Some("Be brief.".to_owned()),
        messages,
        tools: serde_json::from_value::<Vec<_>>(tools).expect("tools").into(),
        options: StreamOptions::default(),
        hooks: None,
        cancel: Default::default(),
    }
}

fn user(text: &str) -> Value {
    json!([{"role": "user", "content": text, "timestamp": 1}])
}

/// A conversation in which the tool `name` has just returned `text`.
fn after_tool(prompt: &str, id: &str, name: &str, text: &str, is_error: bool) -> Value {
    json!([
        {"role": "user", "content": prompt, "timestamp": 1},
        {"role": "assistant", "content": [{"type": "toolCall", "id": id, "name": name, "arguments": {}}]},
        {"role": "toolResult", "toolCallId": id, "toolName": name, "isError": is_error, "timestamp": 2,
         "content": [{"type": "text", "text": text}]},
    ])
}

async fn items(request: StreamRequest, api: &ScriptedApi) -> Vec<StreamItem> {
    api.stream(request).collect().await
}

/// The final message of an answer.
async fn answer(api: &ScriptedApi, messages: Value) -> AssistantMessage {
    let items = items(request(api, messages), api).await;
    let last = items.last().expect("an event");
    AssistantMessage::clone(last.event.final_message().expect("a final message"))
}

async fn text(api: &ScriptedApi, messages: Value) -> String {
    let message = answer(api, messages).await;
    assert_eq!(message.error_message, None);
    message.texts().collect()
}

async fn failure(api: &ScriptedApi, messages: Value) -> String {
    let message = answer(api, messages).await;
    assert_eq!(message.stop_reason, StopReason::Error);
    message.error_message.expect("an error message")
}

/// Events in one line each.
fn lines(items: &[StreamItem]) -> Vec<String> {
    items
        .iter()
        .map(|item| match &item.event {
            StreamEvent::TextDelta { index, delta }
            | StreamEvent::ThinkingDelta { index, delta }
            | StreamEvent::ToolCallDelta { index, delta } => format!("{} {index} {delta:?}", item.event.name()),
            StreamEvent::TextEnd { index, content } | StreamEvent::ThinkingEnd { index, content } => {
                format!("{} {index} {content:?}", item.event.name())
            }
            StreamEvent::ToolCallEnd { index, tool_call } => {
                format!("toolcall_end {index} {} {} {}", tool_call.id, tool_call.name, tool_call.arguments)
            }
            StreamEvent::Done { message } => format!("done {:?}", message.stop_reason),
            StreamEvent::Error { message } => {
                format!("error {:?} {:?}", message.stop_reason, message.error_message.as_deref().unwrap_or_default())
            }
            event => event.name().to_owned(),
        })
        .collect()
}
