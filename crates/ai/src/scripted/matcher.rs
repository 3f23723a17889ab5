//! What a script may say about a request: the grammar of `expect` and `when`.

use std::fmt::Debug;

use serde::Deserialize;

use super::payload::Payload;
use super::text_list::TextList;
use crate::ToolResultMessage;

/// A description of a request. Everything that is given must hold.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matcher {
    /// The number of the request, from 1.
    request: Option<u64>,
    /// The model's id.
    model: Option<String>,
    /// The whole system prompt.
    system: Option<String>,
    #[serde(default)]
    system_contains: TextList,
    #[serde(default)]
    system_not_contains: TextList,
    /// The whole text of the last user message.
    last_user: Option<String>,
    #[serde(default)]
    last_user_contains: TextList,
    /// The role of the last message: `user`, `assistant` or `toolResult`.
    last_role: Option<Role>,
    /// How many messages there are.
    messages: Option<usize>,
    /// How many images the messages hold.
    images: Option<usize>,
    /// The names of all tools, in order.
    tools: Option<Vec<String>>,
    #[serde(default)]
    has_tools: TextList,
    /// Texts that some message contains.
    #[serde(default)]
    contains: TextList,
    /// Texts that no message contains.
    #[serde(default)]
    not_contains: TextList,
    /// One of the results that came with this request.
    tool_result: Option<ResultMatcher>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Role {
    User,
    Assistant,
    #[serde(alias = "tool_result")]
    ToolResult,
}

/// A description of a tool result.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultMatcher {
    name: Option<String>,
    id: Option<String>,
    is_error: Option<bool>,
    /// The whole text.
    text: Option<String>,
    #[serde(default)]
    contains: TextList,
    #[serde(default)]
    not_contains: TextList,
    /// Lines that are there exactly so.
    #[serde(default)]
    has_line: TextList,
}

/// Says how a request differs from its description.
struct Mismatch<'a> {
    key: &'a str,
    expected: String,
    got: String,
}

impl Matcher {
    /// The first way in which the request differs, in words: which key, what was expected, what came.
    pub fn check(&self, payload: &Payload, request: u64) -> Result<(), String> {
        self.mismatch(payload, request)
            .map_or(Ok(()), |found| Err(format!("{}: expected {}, got {}", found.key, found.expected, found.got)))
    }

    fn mismatch(&self, payload: &Payload, request: u64) -> Option<Mismatch<'_>> {
        let system = payload.system.as_deref().unwrap_or_default();
        equal("request", self.request.as_ref(), &request)
            .or_else(|| equal("model", self.model.as_ref(), &payload.model))
            .or_else(|| equal("system", self.system.as_deref(), system))
            .or_else(|| missing("system_contains", &self.system_contains, system))
            .or_else(|| present("system_not_contains", &self.system_not_contains, system))
            .or_else(|| self.conversation(payload))
            .or_else(|| self.tools(payload))
            .or_else(|| self.tool_result.as_ref()?.mismatch(payload))
    }

    fn conversation(&self, payload: &Payload) -> Option<Mismatch<'_>> {
        let user = if self.last_user.is_some() || !self.last_user_contains.is_empty() {
            payload.last_user().unwrap_or_default()
        } else {
            String::new()
        };
        // All texts together are only built for who asks.
        let all = if self.contains.is_empty() && self.not_contains.is_empty() {
            String::new()
        } else {
            payload.texts().collect::<Vec<_>>().join("\n")
        };
        equal("last_user", self.last_user.as_deref(), user.as_str())
            .or_else(|| missing("last_user_contains", &self.last_user_contains, &user))
            .or_else(|| self.role(payload))
            .or_else(|| equal("messages", self.messages.as_ref(), &payload.messages.len()))
            .or_else(|| equal("images", self.images.as_ref(), &self.images.map_or(0, |_| payload.images())))
            .or_else(|| missing("contains", &self.contains, &all))
            .or_else(|| present("not_contains", &self.not_contains, &all))
    }

    fn role(&self, payload: &Payload) -> Option<Mismatch<'_>> {
        let expected = match self.last_role? {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::ToolResult => "toolResult",
        };
        let got = payload.messages.last().map_or("", |message| message.role());
        equal("last_role", Some(expected), got)
    }

    fn tools(&self, payload: &Payload) -> Option<Mismatch<'_>> {
        let names: Vec<String> = payload.tool_names().map(str::to_owned).collect();
        equal("tools", self.tools.as_ref(), &names).or_else(|| {
            let absent = self.has_tools.iter().find(|name| !names.iter().any(|known| known == name))?;
            Some(Mismatch { key: "has_tools", expected: format!("{absent:?}"), got: format!("{names:?}") })
        })
    }
}

impl ResultMatcher {
    fn mismatch(&self, payload: &Payload) -> Option<Mismatch<'_>> {
        let results: Vec<&ToolResultMessage> = payload.new_tool_results().collect();
        if results.iter().any(|result| self.fits(result)) {
            return None;
        }
        let seen: Vec<String> = results
            .iter()
            .map(|result| {
                let text = shorten(&result.text());
                format!("{} {} (error: {}) {text}", result.tool_call_id, result.tool_name, result.is_error)
            })
            .collect();
        let got = if seen.is_empty() { "no tool result".to_owned() } else { seen.join("; ") };
        Some(Mismatch { key: "tool_result", expected: self.describe(), got })
    }

    fn fits(&self, result: &ToolResultMessage) -> bool {
        let text = result.text();
        self.name.as_ref().is_none_or(|name| *name == result.tool_name)
            && self.id.as_ref().is_none_or(|id| *id == result.tool_call_id)
            && self.is_error.is_none_or(|is_error| is_error == result.is_error)
            && self.text.as_ref().is_none_or(|whole| *whole == text)
            && self.contains.iter().all(|part| text.contains(part))
            && !self.not_contains.iter().any(|part| text.contains(part))
            && self.has_line.iter().all(|wanted| text.lines().any(|line| line == wanted))
    }

    fn describe(&self) -> String {
        let mut parts = Vec::new();
        let mut say = |key: &str, value: Option<String>| parts.extend(value.map(|value| format!("{key}: {value}")));
        let list = |list: &TextList| (!list.is_empty()).then(|| format!("{:?}", list.iter().collect::<Vec<_>>()));
        say("name", self.name.clone());
        say("id", self.id.clone());
        say("is_error", self.is_error.map(|flag| flag.to_string()));
        say("text", self.text.as_deref().map(shorten));
        say("contains", list(&self.contains));
        say("not_contains", list(&self.not_contains));
        say("has_line", list(&self.has_line));
        format!("{{{}}}", parts.join(", "))
    }
}

fn equal<'a, T: PartialEq + Debug + ?Sized>(key: &'a str, expected: Option<&T>, got: &T) -> Option<Mismatch<'a>> {
    let expected = expected.filter(|expected| *expected != got)?;
    Some(Mismatch { key, expected: shorten_debug(expected), got: shorten_debug(got) })
}

fn missing<'a>(key: &'a str, parts: &TextList, text: &str) -> Option<Mismatch<'a>> {
    let part = parts.iter().find(|part| !text.contains(*part))?;
    Some(Mismatch { key, expected: format!("{part:?}"), got: shorten(text) })
}

fn present<'a>(key: &'a str, parts: &TextList, text: &str) -> Option<Mismatch<'a>> {
    let at = parts.iter().find_map(|part| Some((part, text.find(part)?)))?;
    let start = text[..at.1].char_indices().rev().nth(40).map_or(0, |(at, _)| at);
    Some(Mismatch { key, expected: format!("no {:?}", at.0), got: shorten(&text[start..]) })
}

/// Quotes a text; a long one is cut, and its length told.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 300;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{:?}… ({} characters)", &text[..cut], text.chars().count()),
        None => format!("{text:?}"),
    }
}

fn shorten_debug<T: Debug + ?Sized>(value: &T) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(400) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
