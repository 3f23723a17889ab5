//! What can go wrong with a request, in words a user can act on and without anything secret.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tau_http::{ProxyUsed, Reason, Unanswered};

/// Longest piece of a provider's own words that is passed on, in bytes.
const MAX_BODY: usize = 4000;
/// Longest piece of an unreadable event that is shown, in bytes.
const MAX_EXCERPT: usize = 200;

/// Longest name of a web page that is shown, in characters.
const MAX_TITLE: usize = 100;

/// One odd character in so many is too many for a text.
const ODD_SHARE: usize = 10;
/// Longest name of a type of content that is shown, in bytes.
const MAX_KIND: usize = 80;

/// What stands for the body of a refusal that is a web page.
pub(super) const PAGE: &str = "a web page";

/// What stands before the proxy that a failed connection went through.
pub(super) const THROUGH: &str = "through the proxy ";

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError {
    /// There is nothing to authenticate with.
    #[error("No API key for provider: {provider}")]
    NoKey { provider: String },
    /// The request cannot be built from the configuration.
    #[error("{0}")]
    Config(String),
    /// The provider could not be reached.
    #[error("Connection error: {provider} at {host}: {cause}")]
    Unreachable { provider: String, host: String, cause: String },
    /// The connection broke while the answer was arriving.
    #[error("Connection lost: {provider} at {host}: {cause}")]
    Lost { provider: String, host: String, cause: String },
    /// The provider refused the request.
    #[error("{text}")]
    Refused {
        /// Of the answer.
        status: u16,
        text: String,
        retry_after: Option<Duration>,
        /// Of the answer, names in lower case.
        headers: BTreeMap<String, String>,
    },
    /// The provider reported a failure inside its answer, or ended it in a way that is one.
    #[error("{0}")]
    Provider(String),
    /// The answer does not follow the wire format.
    #[error("{0}")]
    Protocol(String),
}

impl WireError {
    /// How long the provider asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// An event of the answer is not the JSON it should be.
    pub fn bad_event(provider: &str, error: &serde_json::Error, data: &str) -> Self {
        Self::Protocol(format!("Could not parse an event of {provider}: {error}; data: {}", shorten(data, MAX_EXCERPT)))
    }

    /// The provider could not be reached, as seen by the HTTP client. `proxy` is what a connection goes through, `silence`
    /// how long the other side may send nothing.
    pub fn unreachable(
        provider: &str,
        host: &str,
        error: reqwest::Error,
        proxy: Option<&ProxyUsed>,
        silence: Option<Duration>,
    ) -> Self {
        let connects = error.is_connect();
        let mut cause = root_cause(error, silence.filter(|_| !connects));
        if let Some(proxy) = proxy.filter(|_| connects) {
            cause = format!("{cause} ({THROUGH}{proxy})");
        }
        Self::Unreachable { provider: provider.to_owned(), host: host.to_owned(), cause }
    }

    /// The connection broke, as seen by the HTTP client.
    pub fn lost(provider: &str, host: &str, error: reqwest::Error, silence: Option<Duration>) -> Self {
        Self::Lost { provider: provider.to_owned(), host: host.to_owned(), cause: root_cause(error, silence) }
    }
}

/// The innermost reason.
fn root_cause(error: reqwest::Error, silence: Option<Duration>) -> String {
    let timed_out = error.is_timeout();
    let Unanswered { reason, root, .. } = Unanswered::of(error);
    match (reason, silence) {
        (Reason::NoHost, _) => format!("the host name could not be resolved ({root})"),
        (_, Some(silence)) if timed_out => {
            format!("timed out: nothing came for {} ms (httpIdleTimeoutMs)", silence.as_millis())
        }
        _ if timed_out => "timed out".to_owned(),
        _ => root,
    }
}

/// How a wire format words the JSON body of a refused request.
pub(super) type Wording = fn(u16, &Value) -> String;

/// A request that cannot be written as JSON.
pub(super) fn no_json(error: serde_json::Error) -> WireError {
    WireError::Config(format!("The request could not be written as JSON: {error}"))
}

/// The text of a refused request. What the provider says in JSON is passed on as it is: users search for it, and
/// what is done about a failure depends on it.
pub(super) fn refusal(status: u16, reason: &str, body: &str, wording: Wording) -> String {
    let body = body.trim();
    if body.is_empty() {
        return format!("{status} status code (no body)");
    }
    let text = match (serde_json::from_str::<Value>(body), page_title(body)) {
        (Ok(json), _) => wording(status, &json),
        (_, Some(title)) => {
            let title = if title.is_empty() { String::new() } else { format!(" (\"{title}\")") };
            format!("{status} {reason}: {PAGE}{title}").replace("  ", " ")
        }
        _ => format!("{status} {body}"),
    };
    shorten(&text, MAX_BODY)
}

/// The text of a body that is none of an event stream; what it is when it is no text. `more` says that only its beginning
/// was read.
pub(super) fn readable(body: &[u8], kind: &str, more: bool) -> String {
    let text = String::from_utf8_lossy(body);
    let is_odd =
        |c: &char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{1b}') || *c == char::REPLACEMENT_CHARACTER;
    // Old text has a few bytes that are not UTF-8; what is compressed, or a picture, has many.
    if !body.contains(&0) && text.chars().filter(is_odd).count() * ODD_SHARE <= text.chars().count() {
        return text.into_owned();
    }
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let is_name = !kind.is_empty() && kind.len() <= MAX_KIND && kind.bytes().all(|byte| byte.is_ascii_graphic());
    let kind = if is_name && !kind.starts_with("text/") && !kind.ends_with("json") { kind } else { "binary data" };
    format!("{}{} bytes of {kind}", if more { "more than " } else { "" }, body.len())
}

/// Anthropic's wording: all of the body, unless it is nothing but a message.
pub(super) fn whole_body(status: u16, body: &Value) -> String {
    match body.get("message").and_then(Value::as_str).filter(|message| !message.is_empty()) {
        Some(message) => format!("{status} {message}"),
        None => format!("{status} {body}"),
    }
}

/// Mistral's wording: all of the body, and whose it is.
pub(super) fn mistral_body(status: u16, body: &Value) -> String {
    format!("Mistral API error ({status}): {body}")
}

/// OpenAI's wording: the error object of the body, with a colon if it has a message.
pub(super) fn error_object(status: u16, body: &Value) -> String {
    // Some servers put it into a list.
    let body = body.get(0).filter(|first| first.get("error").is_some()).unwrap_or(body);
    let Some(error) = body.get("error").filter(|error| !error.is_null()) else { return whole_body(status, body) };
    let colon = if error.get("message").is_some_and(|message| !message.is_null()) { ":" } else { "" };
    with_raw(format!("{status}{colon} {error}"), error)
}

/// OpenAI's wording of an error object inside a stream: its message.
pub(super) fn error_message(error: &Value) -> String {
    let text = match error.get("message") {
        Some(Value::String(message)) => message.clone(),
        Some(message) if !message.is_null() => message.to_string(),
        _ => error.to_string(),
    };
    with_raw(text, error)
}

/// Routers put what the real provider said beside their own words.
fn with_raw(text: String, error: &Value) -> String {
    let Some(raw) = error.pointer("/metadata/raw").filter(|raw| !raw.is_null()) else { return text };
    let raw = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
    if text.contains(&raw) { text } else { format!("{text}\n{raw}") }
}

/// What a web page is called, or what its text begins with, in a line; `None` for what is no page.
fn page_title(body: &str) -> Option<String> {
    let lower = body.to_ascii_lowercase();
    let titled = lower.find("<title").and_then(|start| {
        let begin = start + lower[start..].find('>')? + 1;
        let end = begin + lower[begin..].find("</title")?;
        Some(&body[begin..end])
    });
    if titled.is_none() && !["<!doctype", "<html", "<head", "<body"].iter().any(|tag| lower.starts_with(tag)) {
        return None;
    }
    let mut text = String::new();
    let mut in_tag = false;
    for c in titled.unwrap_or(body).chars() {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                text.push(' ');
            }
            c if !in_tag => text.push(c),
            _ => {}
        }
    }
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(words.chars().take(MAX_TITLE).collect())
}

fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(limit);
    format!("{}... [{} bytes more]", &text[..cut], text.len() - cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_keep_the_words_of_the_provider() {
        let error = json!({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}).to_string();
        for (body, anthropic, openai) in [
            (
                &*error,
                r#"400 {"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}"#,
                r#"400: {"type":"rate_limit_error","message":"Slow down"}"#,
            ),
            (r#"{ "error": "not found" }"#, r#"400 {"error":"not found"}"#, r#"400 "not found""#),
            (r#"{"error": {"code": 7}}"#, r#"400 {"error":{"code":7}}"#, r#"400 {"code":7}"#),
            (r#"{"detail": "bad field"}"#, r#"400 {"detail":"bad field"}"#, r#"400 {"detail":"bad field"}"#),
            (r#"{"message": "No."}"#, "400 No.", "400 No."),
            (
                r#"{"error": {"message": "Upstream failed", "metadata": {"raw": "it \"fell\" over"}}}"#,
                r#"400 {"error":{"message":"Upstream failed","metadata":{"raw":"it \"fell\" over"}}}"#,
                "400: {\"message\":\"Upstream failed\",\"metadata\":{\"raw\":\"it \\\"fell\\\" over\"}}\nit \"fell\" over",
            ),
            (" \n", "400 status code (no body)", "400 status code (no body)"),
            ("busy", "400 busy", "400 busy"),
            (
                "<html><head><title>Gone</title></head><body>nginx</body></html>",
                "400 Bad Request: a web page (\"Gone\")",
                "400 Bad Request: a web page (\"Gone\")",
            ),
            (
                "<!DOCTYPE html>\n<body><h1>Not\n here</h1></body>",
                "400 Bad Request: a web page (\"Not here\")",
                "400 Bad Request: a web page (\"Not here\")",
            ),
            ("<html></html>", "400 Bad Request: a web page", "400 Bad Request: a web page"),
            ("a < b", "400 a < b", "400 a < b"),
        ] {
            assert_eq!(refusal(400, "Bad Request", body, whole_body), anthropic);
            assert_eq!(refusal(400, "Bad Request", body, error_object), openai);
        }
    }

    #[test]
    fn an_error_inside_a_stream_is_told_by_its_message() {
        for (error, text) in [
            (json!({"message": "Overloaded", "type": "overloaded_error"}), "Overloaded"),
            (json!({"message": "No", "metadata": {"raw": "upstream"}}), "No\nupstream"),
            (json!({"code": 5}), r#"{"code":5}"#),
            (json!("stop"), r#""stop""#),
        ] {
            assert_eq!(error_message(&error), text);
        }
    }

    #[test]
    fn a_long_body_is_cut_between_characters() {
        let text = refusal(500, "Internal Server Error", &"ä".repeat(3000), whole_body);
        assert!(text.ends_with("... [2004 bytes more]"), "{text}");
    }
}
