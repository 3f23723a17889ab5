//! Events and messages in a form that reads well in assertions.

use serde_json::{Value, json};
use tau_ai::Message;

pub fn outline(events: &[Value]) -> Vec<String> {
    let line = |event: &Value| {
        let name = event["type"].as_str().expect("an event with a type");
        match name {
            "message_start" | "message_end" => {
                let (role, text) = brief(&event["message"]);
                format!("{name} {role} {text}").trim_end().to_owned()
            }
            "tool_execution_start" | "tool_execution_update" | "tool_execution_end" | "tool_call" | "tool_result" => {
                format!("{name} {}", event["toolCallId"].as_str().unwrap_or_default())
            }
            _ => name.to_owned(),
        }
    };
    events.iter().map(line).collect()
}

/// The names of events.
pub fn names(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| event["type"].as_str().expect("an event with a type").to_owned()).collect()
}

pub fn to_json(message: &Message) -> Value {
    serde_json::to_value(message).expect("a message as JSON")
}

/// Role and text of a message in JSON. A tool call reads `name(arguments)`.
pub fn brief(message: &Value) -> (String, String) {
    let role = message["role"].as_str().unwrap_or_default().to_owned();
    let mut text = text_of(&message["content"]);
    if let Some(error) = message["errorMessage"].as_str() {
        text = format!("{text}[{error}]");
    }
    (role, text)
}

pub fn brief_list(messages: &Value) -> Vec<(String, String)> {
    messages.as_array().into_iter().flatten().map(brief).collect()
}

/// The text of a content: blocks joined by `|`.
pub fn text_of(content: &Value) -> String {
    let block = |block: &Value| match block["type"].as_str() {
        Some("toolCall") => format!("{}({})", block["name"].as_str().unwrap_or_default(), block["arguments"]),
        Some("image") => "(image)".to_owned(),
        _ => block["text"].as_str().unwrap_or_default().to_owned(),
    };
    match content {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array().into_iter().flatten().map(block).collect::<Vec<_>>().join("|"),
    }
}

/// `[(role, text)]` with owned strings.
pub fn messages<const N: usize>(messages: [(&str, &str); N]) -> Vec<(String, String)> {
    messages.map(|(role, text)| (role.to_owned(), text.to_owned())).to_vec()
}

/// A reply that calls tools: `(id, name, arguments)`.
pub fn calls<const N: usize>(calls: [(&str, &str, Value); N]) -> Value {
    calls
        .into_iter()
        .map(|(id, name, arguments)| json!({"tool_call": {"id": id, "name": name, "arguments": arguments}}))
        .collect()
}
