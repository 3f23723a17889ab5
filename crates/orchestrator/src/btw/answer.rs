//! An answer, and what it cost.

use std::fmt;

use tau_ai::{AssistantMessage, StopReason, Usage};
use tau_view::untrusted::plain;

/// An answer to a question beside the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// What the model wrote.
    pub(super) text: String,
    /// What the user should know about it.
    pub(super) remarks: Vec<String>,
    /// Who answered, with how many tokens, and what it cost.
    pub(super) cost: String,
}

impl Answer {
    pub(super) fn of(message: &AssistantMessage) -> Self {
        let texts: Vec<String> = message.texts().map(plain).collect();
        let calls: Vec<String> = message.tool_calls().map(|call| plain(&call.name)).collect();
        let mut remarks = Vec::new();
        if !calls.is_empty() {
            remarks.push(format!("The model tried to call {}. A question with /btw calls no tools.", calls.join(", ")));
        }
        if message.stop_reason == StopReason::Length {
            remarks.push("The answer reached the token limit and is not complete.".to_owned());
        }
        let text = texts.join("\n\n");
        if text.trim().is_empty() {
            remarks.insert(0, "The model gave no answer.".to_owned());
        }
        let model = plain(&format!("{}/{}", message.provider, message.model));
        Self { text, remarks, cost: format!("{model} · {}", spent(&message.usage)) }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.text.trim()].into_iter().chain(self.remarks.iter().map(String::as_str)).chain([&*self.cost]);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        f.write_str(&parts.join("\n\n"))
    }
}

/// Tokens and money.
fn spent(usage: &Usage) -> String {
    let cached = if usage.cache_read > 0 { format!(" ({} cached)", usage.cache_read) } else { String::new() };
    let tokens = format!("{} tokens in{cached}, {} out", usage.prompt(), usage.output);
    // Nobody knows the price of many models.
    if usage.cost.total > 0.0 { format!("{tokens} · ${:.4}", usage.cost.total) } else { tokens }
}
