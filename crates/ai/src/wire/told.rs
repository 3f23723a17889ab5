//! What the text of a failed answer says, taken apart again.
//!
//! A session file keeps the words alone, and extensions look for them, so messages for people are built from them too.

use serde_json::Value;

use super::error::{PAGE, THROUGH};

/// What went wrong with a request, as its text says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureText<'a> {
    /// The server answered, but not with a stream.
    Answered {
        /// The HTTP status; below 400 the server believes that all is well.
        status: u16,
        /// What it says; empty when it says nothing.
        words: String,
        /// It is a web page.
        is_page: bool,
    },
    /// The address leads to another one.
    Redirected {
        /// The HTTP status.
        status: u16,
        /// Where to, in words.
        to: &'a str,
    },
    /// The server could not be reached.
    Unreachable(&'a str),
    /// The proxy on the way to the server could not be reached, or goes no further. Holds the reason.
    NoWay(&'a str),
    /// The connection broke while the answer was arriving.
    Lost(&'a str),
    /// The stream ended before the answer did.
    Ended,
    /// The stream holds something that is no part of an answer.
    Unreadable(&'a str),
    /// The model, or its provider, did not want to answer on.
    Stopped(&'a str),
    /// Nothing was sent: the configuration makes no request.
    Unsent(&'a str),
    /// Nothing was sent, and the text says what to do about it.
    Advised(&'a str),
    /// Anything else, such as an error that the provider put into its stream.
    Other(String),
}

/// How the texts begin that say that nothing was sent.
const UNSENT: [&str; 11] = [
    "No API key for provider: ",
    "The base URL of provider ",
    "The HTTP client could not be set up: ",
    "The request could not be written as JSON: ",
    "The thinkingLevelMap of ",
    "Unknown image type: ",
    "The request could not be signed ",
    "The name of header ",
    "The value of header ",
    "The tool \"",
    "The key of provider ",
];

/// How the texts begin that say the same, and what to do about it.
const ADVISED: [&str; 5] = [
    "The Google Cloud credentials in ",
    "No Google Cloud credentials: ",
    "Vertex AI ",
    "This build of tau leaves ",
    "The AWS credentials",
];

/// What the texts hold that say that the stream ended too early.
const ENDED: [&str; 6] = [
    "ended before message_stop",
    "ended without a finish reason",
    "ended without finish_reason",
    "ended without closing a tool call",
    "ended without a stop",
    "ended before a terminal response event",
];

impl<'a> FailureText<'a> {
    /// Reads the `errorMessage` of an answer.
    pub fn read(text: &'a str) -> Self {
        // The provider and its host stand in front of the reason.
        let cause = |rest: &'a str| rest.splitn(2, ": ").last().unwrap_or(rest);
        if let Some(rest) = text.strip_prefix("Connection error: ") {
            let why = cause(rest);
            let through_proxy = why.ends_with(')') && why.contains(&format!("({THROUGH}"));
            return if through_proxy { Self::NoWay(why) } else { Self::Unreachable(why) };
        }
        if let Some(rest) = text.strip_prefix("Connection lost: ") {
            return Self::Lost(cause(rest));
        }
        if let Some(answered) = answered(text).or_else(|| answered_by_vendor(text)) {
            return answered;
        }
        if UNSENT.iter().any(|begin| text.starts_with(begin)) {
            return Self::Unsent(text);
        }
        if ADVISED.iter().any(|begin| text.starts_with(begin)) {
            return Self::Advised(text);
        }
        if ENDED.iter().any(|end| text.contains(end)) {
            return Self::Ended;
        }
        let unreadable = text.strip_prefix("Could not parse an event of ");
        if let Some(rest) = unreadable.or_else(|| text.strip_prefix("The answer of ")) {
            return Self::Unreadable(cause(rest));
        }
        let stopped = text.strip_prefix("Provider finish_reason: ");
        if let Some(reason) = stopped.or_else(|| text.strip_prefix("Provider stopped with: ")) {
            return Self::Stopped(reason);
        }
        Self::Other(said(text))
    }
}

/// What some formats write: who answered and the status, and then what others write as well, or the error alone.
fn answered_by_vendor(text: &str) -> Option<FailureText<'_>> {
    let (_, rest) = text.split_once(" API error (")?;
    let (status, words) = rest.split_once("): ")?;
    let status = status.parse().ok().filter(|status| (200..600).contains(status))?;
    Some(answered(words).unwrap_or_else(|| FailureText::Answered { status, words: said(words), is_page: false }))
}

fn answered(text: &str) -> Option<FailureText<'_>> {
    let (status, rest) = match text.strip_prefix("Mistral API error (") {
        Some(text) => text.split_once(')')?,
        None => text.split_at_checked(3)?,
    };
    let status = status.parse().ok().filter(|status| (200..600).contains(status))?;
    let rest = match rest.strip_prefix(':').unwrap_or(rest) {
        "" => "",
        rest => rest.strip_prefix(' ')?,
    };
    if (300..400).contains(&status)
        && let Some((_, to)) = rest.split_once(" redirects ")
    {
        return Some(FailureText::Redirected { status, to });
    }
    let page = rest.split_once(": ").map(|(_, page)| page).filter(|page| page.starts_with(PAGE));
    let words = match (page, rest) {
        (Some(page), _) => page.to_owned(),
        (None, "status code (no body)") => String::new(),
        (None, rest) => said(rest),
    };
    Some(FailureText::Answered { status, words, is_page: page.is_some() })
}

/// What a provider says, out of the JSON that it says it in.
fn said(words: &str) -> String {
    let Ok(json) = serde_json::from_str::<Value>(words) else { return words.trim().to_owned() };
    let places = [
        "/error/message",
        "/message",
        "/error",
        "/detail",
        "/0/error/message",
        "/errors/0/message",
        "/errors/0",
        "/detail/0/msg",
        "",
    ];
    let said = places.iter().filter_map(|place| json.pointer(place)).find_map(Value::as_str);
    said.map_or_else(|| words.to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::error::{WireError, error_object, refusal, whole_body};
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let error = r#"{"error": {"message": "Slow down"}}"#;
        let answered =
            |status, words: &str, is_page| FailureText::Answered { status, words: words.to_owned(), is_page };
        for wording in [whole_body, error_object] {
            let text = |status, body: &str| refusal(status, "Reason", body, wording);
            for (text, told) in [
                (text(429, error), answered(429, "Slow down", false)),
                (text(200, error), answered(200, "Slow down", false)),
                (text(503, ""), answered(503, "", false)),
                (text(500, "busy"), answered(500, "busy", false)),
                (text(502, "<title>Bad</title>"), answered(502, "a web page (\"Bad\")", true)),
                (text(200, "<html></html>"), answered(200, "a web page", true)),
                (text(400, r#"{"code": 7}"#), answered(400, r#"{"code":7}"#, false)),
            ] {
                assert_eq!(FailureText::read(&text), told, "{text}");
            }
        }
        for (text, told) in [
            (r#"OpenAI API error (429): {"message":"Slow down"}"#, answered(429, "Slow down", false)),
            ("p API error (500): 500 busy", answered(500, "busy", false)),
            ("p API error (529): 529 status code (no body)", answered(529, "", false)),
        ] {
            assert_eq!(FailureText::read(text), told, "{text}");
        }
        let (provider, host, cause) = ("p".to_owned(), "h:1".to_owned(), "refused: really".to_owned());
        let unreachable =
            WireError::Unreachable { provider: provider.clone(), host: host.clone(), cause: cause.clone() };
        assert_eq!(FailureText::read(&unreachable.to_string()), FailureText::Unreachable("refused: really"));
        let way = format!("refused ({THROUGH}box:3128 (HTTPS_PROXY))");
        let no_way = WireError::Unreachable { provider: provider.clone(), host: host.clone(), cause: way.clone() };
        assert_eq!(FailureText::read(&no_way.to_string()), FailureText::NoWay(&way));
        let lost = WireError::Lost { provider, host, cause };
        assert_eq!(FailureText::read(&lost.to_string()), FailureText::Lost("refused: really"));
        let no_key = WireError::NoKey { provider: "p".to_owned() }.to_string();
        assert_eq!(FailureText::read(&no_key), FailureText::Unsent(&no_key));
        let broken = serde_json::from_str::<Value>("oops").expect_err("no JSON");
        let broken = WireError::bad_event("p", &broken, "oops").to_string();
        let why = "expected value at line 1 column 1; data: oops";
        assert_eq!(FailureText::read(&broken), FailureText::Unreadable(why));
    }

    #[test]
    fn other_texts_are_known_by_their_words() {
        let redirected = "308 Permanent Redirect: the base URL of provider p redirects to http://x/";
        for (text, told) in [
            (redirected, FailureText::Redirected { status: 308, to: "to http://x/" }),
            ("Stream ended without finish_reason", FailureText::Ended),
            ("Anthropic stream ended before message_stop", FailureText::Ended),
            (
                "The answer of p is no event stream: line 3 is not valid UTF-8",
                FailureText::Unreadable("line 3 is not valid UTF-8"),
            ),
            ("Provider finish_reason: content_filter", FailureText::Stopped("content_filter")),
            (r#"{"type":"error","error":{"message":"Overloaded"}}"#, FailureText::Other("Overloaded".to_owned())),
            ("123 things", FailureText::Other("123 things".to_owned())),
            ("404things", FailureText::Other("404things".to_owned())),
            ("ä", FailureText::Other("ä".to_owned())),
        ] {
            assert_eq!(FailureText::read(text), told, "{text}");
        }
    }
}
