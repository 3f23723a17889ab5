//! What can go wrong with a request, in words a user can act on and without anything secret.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use serde_json::Value;

/// Longest piece of a provider's own words that is passed on, in bytes.
const MAX_BODY: usize = 4000;
/// Longest piece of an unreadable event that is shown, in bytes.
const MAX_EXCERPT: usize = 200;

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
    Refused { text: String, retry_after: Option<Duration> },
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

    /// The provider could not be reached, as seen by the HTTP client.
    pub fn unreachable(provider: &str, host: &str, error: reqwest::Error) -> Self {
        Self::Unreachable { provider: provider.to_owned(), host: host.to_owned(), cause: root_cause(error) }
    }

    /// The connection broke, as seen by the HTTP client.
    pub fn lost(provider: &str, host: &str, error: reqwest::Error) -> Self {
        Self::Lost { provider: provider.to_owned(), host: host.to_owned(), cause: root_cause(error) }
    }
}

/// The innermost reason. The URL is taken off first: its query may hold a key.
fn root_cause(error: reqwest::Error) -> String {
    let timed_out = error.is_timeout();
    let error = error.without_url();
    let mut chain: Vec<String> = Vec::new();
    let mut next: Option<&dyn Error> = Some(&error);
    while let Some(error) = next {
        chain.push(error.to_string());
        next = error.source();
    }
    let innermost = chain.last().cloned().unwrap_or_default();
    if chain.iter().any(|step| step.contains("dns error")) {
        format!("the host name could not be resolved ({innermost})")
    } else if timed_out {
        "timed out".to_owned()
    } else {
        innermost
    }
}

/// The text of a refused request: status, the provider's kind of error, its words.
pub(super) fn refusal(status: u16, reason: &str, body: &str) -> String {
    let body = body.trim();
    if body.is_empty() {
        return format!("{status} status code (no body)");
    }
    if let Ok(json) = serde_json::from_str::<Value>(body)
        && let Some(said) = words(&json)
    {
        return format!("{status} {}", shorten(&said, MAX_BODY));
    }
    let said = match html_title(body) {
        Some(title) => title,
        None => body,
    };
    format!("{status} {reason}: {}", shorten(said, MAX_BODY)).replace("  ", " ")
}

/// The kind and message in an error object, in the shapes that providers use.
pub(super) fn words(json: &Value) -> Option<String> {
    let error = match json.get("error") {
        Some(Value::String(text)) => return Some(text.clone()),
        Some(error @ Value::Object(_)) => error,
        _ => json,
    };
    let message = ["message", "detail", "error_description"].iter().find_map(|key| error.get(key)?.as_str())?;
    let kind = ["code", "type"].iter().find_map(|key| error.get(key)?.as_str()).filter(|kind| *kind != "error");
    let mut text = kind.map_or_else(|| message.to_owned(), |kind| format!("{kind}: {message}"));
    // Routers put what the real provider said here.
    if let Some(raw) = error.pointer("/metadata/raw") {
        let raw = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
        if !text.contains(&raw) {
            text = format!("{text}\n{raw}");
        }
    }
    Some(text)
}

fn html_title(body: &str) -> Option<&str> {
    let lower = body.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(body[start..end].trim())
}

fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(limit);
    format!("{}... [{} bytes more]", &text[..cut], text.len() - cut)
}

/// The wait a provider asks for, from `retry-after-ms` or `retry-after` (seconds or a date).
pub(super) fn retry_after(headers: &BTreeMap<String, String>) -> Option<Duration> {
    if let Some(millis) = headers.get("retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let value = headers.get("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(date.duration_since(jiff::Timestamp::now()).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_are_readable_in_every_shape() {
        for (status, body, text) in [
            (
                429,
                json!({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}).to_string(),
                "429 rate_limit_error: Slow down",
            ),
            (
                400,
                json!({"error": {"message": "Too long", "type": "invalid_request_error", "code": "context_length_exceeded"}})
                    .to_string(),
                "400 context_length_exceeded: Too long",
            ),
            (404, json!({"error": "model \"x\" not found"}).to_string(), "404 model \"x\" not found"),
            (422, json!({"detail": "bad field"}).to_string(), "422 bad field"),
            (
                502,
                json!({"error": {"message": "Provider returned error", "code": 502, "metadata": {"raw": "upstream fell over"}}})
                    .to_string(),
                "502 Provider returned error\nupstream fell over",
            ),
            (413, String::new(), "413 status code (no body)"),
            (
                502,
                "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>".to_owned(),
                "502 Bad Gateway: 502 Bad Gateway",
            ),
            (503, "busy".to_owned(), "503 Bad Gateway: busy"),
        ] {
            assert_eq!(refusal(status, "Bad Gateway", &body), text);
        }
    }

    #[test]
    fn a_long_body_is_cut_between_characters() {
        let text = refusal(500, "Internal Server Error", &"ä".repeat(3000));
        assert!(text.ends_with("... [2000 bytes more]"), "{text}");
    }

    #[test]
    fn the_wanted_pause_is_read_in_every_form() {
        let pause = |name: &str, value: &str| retry_after(&BTreeMap::from([(name.to_owned(), value.to_owned())]));
        assert_eq!(pause("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(pause("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(pause("retry-after-ms", "150"), Some(Duration::from_millis(150)));
        assert_eq!(pause("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(pause("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT").is_some_and(|pause| pause.as_secs() > 1_000_000));
        assert_eq!(pause("retry-after", "-3"), None);
        assert_eq!(pause("retry-after", "soon"), None);
        assert_eq!(retry_after(&BTreeMap::new()), None);
    }
}
