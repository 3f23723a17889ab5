//! A conversation as text, so that a model that is asked for a summary reads it and does not go on with it.

use std::sync::Arc;

use tau_ai::{AssistantMessage, ContentBlock, Message, MessageContent};
use tau_hooks::Messages;

use crate::pipeline::convert::to_llm;

/// How much of a tool's result is worth reading for a summary, in characters.
const MAX_RESULT: usize = 2000;

/// The messages as a provider would get them, each as a labelled paragraph. Images and thinking are left out and long
/// results of tools are cut.
pub(crate) fn serialize_conversation(messages: &Messages) -> String {
    let mut parts = Vec::new();
    for message in to_llm(messages, false) {
        describe(&message, &mut parts);
    }
    parts.join("\n\n")
}

fn describe(message: &Arc<Message>, parts: &mut Vec<String>) {
    match &**message {
        Message::User(user) => {
            let text = match &user.content {
                MessageContent::Text(text) => text.clone(),
                MessageContent::Blocks(blocks) => joined(blocks),
            };
            if !text.is_empty() {
                parts.push(format!("[User]: {text}"));
            }
        }
        Message::Assistant(answer) => describe_answer(answer, parts),
        Message::ToolResult(result) => {
            let text = joined(&result.content);
            if !text.is_empty() {
                parts.push(format!("[Tool result]: {}", shortened(&text)));
            }
        }
        _ => {}
    }
}

fn describe_answer(answer: &AssistantMessage, parts: &mut Vec<String>) {
    let texts: Vec<&str> = answer.texts().collect();
    if !texts.is_empty() {
        parts.push(format!("[Assistant]: {}", texts.join("\n")));
    }
    let calls: Vec<String> = answer
        .tool_calls()
        .map(|call| {
            let arguments = call.arguments.as_object().into_iter().flatten();
            let arguments: Vec<String> = arguments.map(|(name, value)| format!("{name}={value}")).collect();
            format!("{}({})", call.name, arguments.join(", "))
        })
        .collect();
    if !calls.is_empty() {
        parts.push(format!("[Assistant tool calls]: {}", calls.join("; ")));
    }
}

fn joined(blocks: &[ContentBlock]) -> String {
    blocks.iter().filter_map(ContentBlock::as_text).collect()
}

fn shortened(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(MAX_RESULT) else { return text.to_owned() };
    format!("{}\n\n[... {} more characters truncated]", &text[..cut], text[cut..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn serialized(messages: serde_json::Value) -> String {
        let messages: Vec<Message> = serde_json::from_value(messages).expect("messages");
        serialize_conversation(&messages.into_iter().collect())
    }

    #[test]
    fn every_kind_of_message_has_its_label() {
        let text = serialized(json!([
            {"role": "user", "content": [{"type": "text", "text": "Look "}, {"type": "image", "data": "AA==",
                "mimeType": "image/png"}, {"type": "text", "text": "here"}], "timestamp": 1},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "One"},
                {"type": "text", "text": "two"},
                {"type": "toolCall", "id": "a", "name": "read", "arguments": {"path": "a b", "limit": 3}},
                {"type": "toolCall", "id": "b", "name": "ls", "arguments": {}}], "timestamp": 2},
            {"role": "toolResult", "toolCallId": "a", "toolName": "read", "content": [{"type": "text", "text": "x"},
                {"type": "text", "text": "y"}], "isError": false, "timestamp": 3},
            {"role": "toolResult", "toolCallId": "b", "toolName": "ls", "content": [], "isError": false, "timestamp": 4},
            {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0, "cancelled": false,
                "truncated": false, "timestamp": 5},
            {"role": "custom", "customType": "note", "content": "remember", "display": false, "timestamp": 6},
        ]));
        insta::assert_snapshot!(text, @r#"
        [User]: Look here

        [Assistant]: One
        two

        [Assistant tool calls]: read(path="a b", limit=3); ls()

        [Tool result]: xy

        [User]: Ran `ls`
        ```
        a
        ```

        [User]: remember
        "#);
    }

    #[test]
    fn long_results_are_cut_between_characters() {
        let text = serialized(json!([{"role": "toolResult", "toolCallId": "a", "toolName": "read", "isError": false,
            "content": [{"type": "text", "text": "ä".repeat(2007)}], "timestamp": 3}]));
        assert_eq!(text, format!("[Tool result]: {}\n\n[... 7 more characters truncated]", "ä".repeat(2000)));
    }
}
