//! From the conversation to what a provider understands: a fixed mapping that no extension can change.

use std::sync::Arc;

use tau_ai::{ContentBlock, Message, MessageContent, UserMessage};
use tau_hooks::{HistoryMessage, Messages};

/// The messages a provider gets. User, assistant and tool-result messages pass as they are; the others become user
/// messages or are left out.
pub(crate) fn to_llm(messages: &Messages, block_images: bool) -> Vec<Arc<Message>> {
    let mut converted: Vec<Arc<Message>> = messages.items().filter_map(|item| item.for_model(one)).collect();
    if block_images {
        converted.iter_mut().for_each(without_images);
    }
    converted
}

/// As [`to_llm`], for showing: messages that pass as they are keep their session entry and cost nothing.
pub(crate) fn preview(messages: &Messages, block_images: bool) -> Messages {
    let passes =
        |message: &Message| matches!(message, Message::User(_) | Message::Assistant(_) | Message::ToolResult(_));
    if !block_images && messages.iter().all(passes) {
        return messages.clone();
    }
    let converted = to_llm(messages, block_images).into_iter();
    converted.map(|message| Arc::new(HistoryMessage::new(message, None))).collect()
}

fn one(message: &Arc<Message>) -> Option<Arc<Message>> {
    let (content, timestamp) = match &**message {
        Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) => return Some(Arc::clone(message)),
        Message::Custom(custom) => (MessageContent::Blocks(custom.content.to_blocks()), custom.timestamp),
        Message::BashExecution(bash) if bash.exclude_from_context == Some(true) => return None,
        Message::BashExecution(bash) => (text(bash_text(bash)), bash.timestamp),
        Message::CompactionSummary(summary) => (
            text(format!(
                "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{}\n</summary>",
                summary.summary
            )),
            summary.timestamp,
        ),
        Message::BranchSummary(summary) => (
            text(format!(
                "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>",
                summary.summary
            )),
            summary.timestamp,
        ),
        Message::System(_) | Message::Other(_) => return None,
    };
    let mut user = UserMessage::new(content);
    user.timestamp = timestamp;
    Some(Arc::new(Message::User(user)))
}

fn text(text: String) -> MessageContent {
    MessageContent::Blocks(vec![ContentBlock::text(text)])
}

fn bash_text(bash: &tau_ai::BashExecutionMessage) -> String {
    let mut text = format!("Ran `{}`\n", bash.command);
    if bash.output.is_empty() {
        text.push_str("(no output)")
    } else {
        text.push_str(&format!("```\n{}\n```", bash.output))
    }
    if bash.cancelled {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = bash.exit_code.filter(|code| *code != 0) {
        text.push_str(&format!("\n\nCommand exited with code {code}"));
    }
    if let (true, Some(path)) = (bash.truncated, &bash.full_output_path) {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    text
}

/// The setting `images.blockImages`: every run of images becomes one line of text.
fn without_images(message: &mut Arc<Message>) {
    let blocks = match &**message {
        Message::User(user) => match &user.content {
            MessageContent::Blocks(blocks) => blocks,
            MessageContent::Text(_) => return,
        },
        Message::ToolResult(result) => &result.content,
        _ => return,
    };
    if !blocks.iter().any(|block| matches!(block, ContentBlock::Image(_))) {
        return;
    }
    let notice = ContentBlock::text("Image reading is disabled.");
    let mut kept: Vec<ContentBlock> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let block = match block {
            ContentBlock::Image(_) => &notice,
            other => other,
        };
        if *block != notice || kept.last() != Some(&notice) {
            kept.push(block.clone());
        }
    }
    match Arc::make_mut(message) {
        Message::User(user) => user.content = MessageContent::Blocks(kept),
        Message::ToolResult(result) => result.content = kept,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn converted(message: serde_json::Value, block_images: bool) -> Vec<serde_json::Value> {
        let message: Message = serde_json::from_value(message).expect("a message");
        to_llm(&[message].into_iter().collect(), block_images)
            .iter()
            .map(|message| serde_json::to_value(&**message).expect("json"))
            .collect()
    }

    fn user(text: &str) -> Vec<serde_json::Value> {
        vec![json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 7})]
    }

    #[test]
    fn the_mapping_is_the_documented_one() {
        let custom = json!({"role": "custom", "customType": "x", "content": "hi", "display": false, "details": 1, "timestamp": 7});
        assert_eq!(converted(custom, false), user("hi"));
        let bash = |more: serde_json::Value| {
            let mut message = json!({"role": "bashExecution", "command": "ls", "output": "a", "cancelled": false,
                "truncated": false, "exitCode": 0, "timestamp": 7});
            for (key, value) in more.as_object().expect("an object") {
                message[key] = value.clone();
            }
            message
        };
        assert_eq!(converted(bash(json!({})), false), user("Ran `ls`\n```\na\n```"));
        assert_eq!(converted(bash(json!({"output": ""})), false), user("Ran `ls`\n(no output)"));
        assert_eq!(
            converted(bash(json!({"exitCode": 2})), false),
            user("Ran `ls`\n```\na\n```\n\nCommand exited with code 2")
        );
        assert_eq!(
            converted(bash(json!({"cancelled": true})), false),
            user("Ran `ls`\n```\na\n```\n\n(command cancelled)")
        );
        assert_eq!(
            converted(bash(json!({"truncated": true, "fullOutputPath": "/t"})), false),
            user("Ran `ls`\n```\na\n```\n\n[Output truncated. Full output: /t]")
        );
        assert_eq!(converted(bash(json!({"excludeFromContext": true})), false), Vec::<serde_json::Value>::new());
        let summary = json!({"role": "branchSummary", "summary": "S", "fromId": "x", "timestamp": 7});
        assert_eq!(
            converted(summary, false),
            user(
                "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nS</summary>"
            )
        );
        assert_eq!(converted(json!({"role": "mystery", "content": "?"}), false), Vec::<serde_json::Value>::new());
    }

    #[test]
    fn a_message_is_converted_once_until_it_changes() {
        let custom = |text: &str| {
            let message =
                json!({"role": "custom", "customType": "x", "content": text, "display": false, "timestamp": 7});
            serde_json::from_value::<Message>(message).expect("a message")
        };
        let messages: Messages = [custom("one")].into_iter().collect();
        let once = to_llm(&messages, false);
        assert!(Arc::ptr_eq(&once[0], &to_llm(&messages.clone(), false)[0]));
        let mut edited = messages.clone();
        *edited.edit(0).expect("it is there") = custom("two");
        assert_eq!(serde_json::to_value(to_llm(&edited, false)).expect("json"), json!([user("two")[0]]));
        let mut alone: Messages = [custom("one")].into_iter().collect();
        to_llm(&alone, false);
        *alone.edit(0).expect("it is there") = custom("three");
        assert_eq!(serde_json::to_value(to_llm(&alone, false)).expect("json"), json!([user("three")[0]]));
    }

    #[test]
    fn blocked_images_collapse_into_one_line() {
        let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
        let message = json!({"role": "user", "content": [image, image, {"type": "text", "text": "x"}], "timestamp": 7});
        assert_eq!(
            converted(message, true)[0]["content"],
            json!([{"type": "text", "text": "Image reading is disabled."}, {"type": "text", "text": "x"}])
        );
    }
}
