//! The messages that a prompt became, as one prompt of the user.

use serde_json::Value;
use tau_ai::ContentBlock;
use tau_hooks::TemplateContent;
use tau_tools::truncate::format_size;
use tau_view::untrusted::plain;

use crate::extension::session::Open;
use crate::manager::Server;
use crate::result::{Origin, content_of};

/// Most bytes of the text. A prompt is never cut: half of an instruction can be another one.
const TEXT: usize = 256 * 1024;

/// Where files go that a prompt brings.
pub(super) fn origin(open: &Open, server: &Server, prompt: &str) -> Origin {
    Origin {
        server: server.name(),
        tool: prompt.to_owned(),
        reads_resources: server.status().has_resources,
        folder: open.options.temp_dir.clone(),
    }
}

/// The text and the images of messages. Where the server plays both parts, each message says whose it is. Writes files, so
/// it blocks.
///
/// # Errors
/// Why they are no prompt, for people.
pub(super) fn content(origin: &Origin, messages: &[Value]) -> Result<TemplateContent, String> {
    let role = |message: &Value| match message.get("role").and_then(Value::as_str) {
        Some("assistant") => "Assistant",
        _ => "User",
    };
    let has_both = messages.iter().any(|message| role(message) == "Assistant");
    let mut blocks = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for message in messages {
        let all = match message.get("content") {
            Some(Value::Array(all)) => all.clone(),
            Some(Value::Null) | None => Vec::new(),
            Some(one) => vec![one.clone()],
        };
        let mut parts = Vec::new();
        for block in content_of(origin, &all) {
            match block {
                ContentBlock::Image(_) => blocks.push(block),
                other => parts.extend(other.as_text().map(plain)),
            }
        }
        let text = parts.join("\n");
        match (text.trim().is_empty(), has_both) {
            (true, _) => {}
            (false, true) => texts.push(format!("{}: {}", role(message), text.trim_end())),
            (false, false) => texts.push(text.trim_end().to_owned()),
        }
    }
    let text = texts.join("\n\n");
    if text.len() > TEXT {
        return Err(format!(
            "the prompt of MCP server \"{}\" is too long: {}, and the limit is {}",
            origin.server,
            format_size(text.len() as u64),
            format_size(TEXT as u64)
        ));
    }
    if text.is_empty() && blocks.is_empty() {
        return Err(format!("the prompt of MCP server \"{}\" is empty", origin.server));
    }
    Ok(TemplateContent { text, images: blocks })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn origin() -> Origin {
        Origin { server: "s".to_owned(), tool: "p".to_owned(), reads_resources: false, folder: None }
    }

    #[test]
    fn messages_become_one_text_and_images() {
        let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
        let said = json!([
            {"role": "user", "content": {"type": "text", "text": "Read \u{1b}[31mthis\u{202e}"}},
            {"role": "user", "content": {"type": "image", "data": pixel, "mimeType": "image/png"}},
            {"role": "user", "content": {"type": "resource", "resource": {"uri": "docs://a", "text": "the text"}}},
        ]);
        let content = content(&origin(), said.as_array().expect("messages")).expect("a prompt");
        assert_eq!(content.text, "Read this\n\nthe text");
        assert!(matches!(content.images.as_slice(), [ContentBlock::Image(_)]), "{content:?}");
    }

    #[test]
    fn both_parts_are_told_apart() {
        let said = json!([{"role": "user", "content": {"type": "text", "text": "Hello"}},
            {"role": "assistant", "content": {"type": "text", "text": "Hi"}}]);
        let content = content(&origin(), said.as_array().expect("messages")).expect("a prompt");
        assert_eq!(content.text, "User: Hello\n\nAssistant: Hi");
    }

    #[test]
    fn nothing_and_too_much_are_no_prompts() {
        let error = content(&origin(), &[]).expect_err("nothing");
        assert_eq!(error, "the prompt of MCP server \"s\" is empty");
        let long = json!({"role": "user", "content": {"type": "text", "text": "x".repeat(TEXT + 1)}});
        let error = content(&origin(), &[long]).expect_err("too much");
        assert!(error.contains("is too long: 256.0KB"), "{error}");
    }
}
