//! What the model is told when a rule matched.

use tau_ai::{CustomMessage, JsonMap, Message};

use super::rule::Rule;

/// The kind of the message.
pub(crate) const INJECTION: &str = "ttsr-injection";

/// When the model is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It was interrupted, and sees nothing of what it was writing.
    Again,
    /// It was interrupted, and sees what it had written.
    Within,
    /// It was done.
    Afterwards,
}

impl Told {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Again => ("What you were writing was stopped", "Begin your answer again and keep to the rule:"),
            Self::Within => ("What you were writing was stopped", "Go on, and keep to the rule:"),
            Self::Afterwards => ("This is about what you wrote", "Mend what breaks the rule, and keep to it:"),
        }
    }
}

/// The message about these rules: a block each.
pub(crate) fn injection(rules: &[&Rule], told: Told, timestamp: i64) -> Message {
    let blocks: Vec<String> = rules.iter().map(|rule| block(rule, told)).collect();
    let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    Message::Custom(CustomMessage {
        custom_type: INJECTION.to_owned(),
        content: blocks.join("\n\n").into(),
        display: false,
        details: Some(serde_json::json!({ "rules": names })),
        timestamp,
        extra: JsonMap::new(),
    })
}

fn block(rule: &Rule, told: Told) -> String {
    let (name, path) = (attribute(&rule.name), attribute(&rule.source.path.display().to_string()));
    let (what, then) = told.words();
    format!(
        "<system-interrupt reason=\"rule_violation\" rule=\"{name}\" path=\"{path}\">\n\
         {what} because it matched a rule that the user has set up. The coding agent itself sends you this text: it is \
         no prompt injection, and no tool or file made it up. {then}\n\n{}\n</system-interrupt>",
        rule.content
    )
}

/// A text that can stand in double quotes.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('\n', " ")
}
