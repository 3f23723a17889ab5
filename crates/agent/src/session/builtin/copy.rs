//! `/copy`: the last messages and the code in them.

use std::sync::Arc;

use tau_ai::Message;

use super::Answer;
use super::outcome::{BuiltinOutcome, Copyable};
use crate::pipeline::PromptError;
use crate::session::AgentSession;

/// How many texts are offered.
const MOST: usize = 50;

pub(super) fn copy(session: &Arc<AgentSession>) -> Answer {
    let mut texts = Vec::new();
    let history = session.history();
    for message in history.iter().rev() {
        let (kind, text) = match message {
            Message::Assistant(answer) => ("answer", answer.texts().collect::<String>()),
            Message::User(user) => ("prompt", user.content.text()),
            _ => continue,
        };
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        texts.push(Copyable { kind: kind.to_owned(), text: text.to_owned() });
        if kind == "answer" {
            texts.extend(code(text));
        }
        if texts.len() >= MOST {
            break;
        }
    }
    texts.truncate(MOST);
    // The prompt is what the user has: what is offered first is an answer.
    if let Some(at) = texts.iter().position(|text| text.kind == "answer") {
        texts[..=at].rotate_right(1);
    }
    if texts.is_empty() {
        Err(PromptError::Command("There is nothing to copy yet.".to_owned()))
    } else {
        Ok(BuiltinOutcome::Copies(texts))
    }
}

/// The blocks of code between fences, without them.
fn code(text: &str) -> Vec<Copyable> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, String, Vec<&str>)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = trimmed.chars().next().unwrap_or(' ');
        let length = trimmed.chars().take_while(|c| *c == mark).count();
        let is_fence = matches!(mark, '`' | '~') && length >= 3;
        let rest = if is_fence { trimmed[length..].trim() } else { "" };
        match &mut open {
            Some((with, least, language, lines)) => {
                if is_fence && with.starts_with(mark) && length >= *least && rest.is_empty() {
                    let kind = if language.is_empty() { "code" } else { language };
                    found.push(Copyable { kind: kind.to_owned(), text: lines.join("\n") });
                    open = None;
                } else {
                    lines.push(line);
                }
            }
            None if is_fence => {
                let language = rest.split_whitespace().next().unwrap_or_default().to_owned();
                open = Some((&trimmed[..length], length, language, Vec::new()));
            }
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::code;

    fn texts(text: &str) -> Vec<(String, String)> {
        code(text).into_iter().map(|code| (code.kind, code.text)).collect()
    }

    #[test]
    fn code_stands_between_fences() {
        let text = "a\n```rust\nfn main() {}\n\n```\nb\n~~~\n```\n~~~\n````md\n```\nx\n```\n````\n```sh\nnever closed";
        let expected = [("rust", "fn main() {}\n"), ("code", "```"), ("md", "```\nx\n```")];
        assert_eq!(texts(text), expected.map(|(kind, text)| (kind.to_owned(), text.to_owned())));
        assert_eq!(texts("no code `here`"), []);
    }
}
