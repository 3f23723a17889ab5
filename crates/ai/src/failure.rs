//! What can be done about a failed answer: ask again, make room first, or neither.
//!
//! Providers say why they failed in words only, and a session file keeps nothing else. So the words decide, also for
//! providers of extensions and for files of other programs.

use std::sync::LazyLock;

use regex::{Regex, RegexSet, RegexSetBuilder};

use crate::{AssistantMessage, StopReason};

/// The context was larger than the model takes.
static OVERFLOW: LazyLock<RegexSet> = LazyLock::new(|| {
    words(&[
        // Anthropic, z.ai, Ollama.
        r"prompt (is )?too long",
        r"prompt exceeds max length",
        r"request_too_large",
        // Bedrock.
        r"input is too long for requested model",
        // OpenAI, and what speaks like it.
        r"exceeds the context window",
        r"context[_ ]length[_ ]exceeded",
        r"exceeds (the )?(model'?s )?maximum context length( of [\d,]+ tokens?|\s*\([\d,]+\))",
        r"maximum context length is \d+ tokens",
        r"exceeds (the )?maximum allowed input length of [\d,]+ tokens?",
        r"input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)",
        // Google, xAI, Groq, Mistral, Copilot.
        r"input token count.*exceeds the maximum",
        r"maximum prompt length is \d+",
        r"reduce the length of the messages",
        r"too large for model with \d+ maximum context length",
        r"exceeds the limit of \d+",
        // Servers of one's own.
        r"exceeds the available context size",
        r"greater than the context length",
        r"prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?",
        // MiniMax, Kimi, z.ai, Qwen.
        r"context window (exceeds limit|exceeded)",
        r"exceeded model token limit",
        r"model_context_window_exceeded",
        r"range of input length should be",
        // Anybody.
        r"too many tokens",
        r"token limit exceeded",
        // The status says it: the request is too large.
        r"^([\w -]+ api error \(413\):|413(\s|:|$))",
    ])
});

/// Words of an overflow also stand in the errors of providers that are asked too often.
static NOT_OVERFLOW: LazyLock<RegexSet> =
    LazyLock::new(|| words(&[r"^(throttling error|service unavailable):", r"rate limit", r"too many requests"]));

/// Cerebras refuses a context that is too large without a word.
static BODYLESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^4(00|13)\s*(status code)?\s*\(no body\)").ok());

/// Nothing that waiting for seconds would help against: money or a quota is used up.
static FINAL: LazyLock<RegexSet> = LazyLock::new(|| {
    words(&[
        r"gousagelimiterror",
        r"freeusagelimiterror",
        r"monthly usage limit reached",
        r"available balance",
        r"insufficient_quota",
        r"out of budget",
        r"quota exceeded",
        r"billing",
        // The plan of a ChatGPT workplace, and of z.ai.
        r"subscription_sharing_(workplace_individual_)?usage_limit_exceeded",
        r#""code"\s*:\s*"?1308([^0-9]|$)"#,
    ])
});

/// Likely to work when it is tried again.
static PASSING: LazyLock<RegexSet> = LazyLock::new(|| {
    words(&[
        // The provider is busy or broken.
        r"overloaded|server_busy|servers are currently busy|currently experiencing high demand|model is at capacity",
        r"rate.?limit|too many requests|resourceexhausted",
        // A status is a word of its own: such digits also stand in ids and counts.
        r"(^|[^a-z0-9])(408|425|429|500|502|503|504|520|522|524|529)($|[^a-z0-9])",
        r"service.?(is.?)?(temporarily.?)?unavailable|server.?error|internal.?error|provider.?returned.?(an.?)?error",
        r"exceeded request buffer limit while retrying upstream|unable to forward upstream|upstream.?request.?failed",
        r"subscription_sharing_(usage|user)_unavailable",
        // The way to it is.
        r"network.?error|connection.?(error|refused|lost)|other side closed|fetch failed|socket hang up",
        r"getaddrinfo|enotfound|eai_again|upstream.?connect|reset before headers|socket connection was closed",
        r"request to \S+ failed, reason:|timed? out|timeout|terminated|websocket.?(closed|error)",
        // A stream broke off.
        r"http/?2 stream failed|http2 request did not get a response|upstream_stream_read_error|stream was interrupted",
        r"ended without|stream ended before (message_stop|a terminal response event)",
        r"stream disconnected before completion|cut short after the reply had begun|pending stream has been canceled",
        // It says so itself.
        r"retry delay|(you can|please) retry your request|try your request again",
    ])
});

fn words(patterns: &[&str]) -> RegexSet {
    // A set that does not compile matches nothing; the tests compile all of them.
    RegexSetBuilder::new(patterns).case_insensitive(true).build().unwrap_or_else(|_| RegexSet::empty())
}

impl AssistantMessage {
    /// Whether the context was too large for the model: the provider says so, or it took more than `context_window`
    /// tokens without a word, or the context left no room for an answer. A `context_window` of 0 is unknown.
    pub fn is_context_overflow(&self, context_window: u64) -> bool {
        let prompt = self.usage.input.saturating_add(self.usage.cache_read);
        match self.stop_reason {
            StopReason::Error => self.error_message.as_deref().is_some_and(|text| self.says_overflow(text)),
            StopReason::Stop => context_window > 0 && prompt > context_window,
            StopReason::Length => {
                // 99 %: counts of tokens differ a little between those who count.
                context_window > 0
                    && self.usage.output == 0
                    && prompt.saturating_mul(100) >= context_window.saturating_mul(99)
            }
            _ => false,
        }
    }

    fn says_overflow(&self, text: &str) -> bool {
        let bodyless =
            || self.provider == "cerebras" && BODYLESS.as_ref().is_some_and(|pattern| pattern.is_match(text));
        !NOT_OVERFLOW.is_match(text) && (OVERFLOW.is_match(text) || bodyless())
    }

    /// Whether the answer was cut although `wanted` tokens would have been allowed: the context was probably too full
    /// for them. A `wanted` of 0 is unknown.
    pub fn is_cut_short(&self, wanted: u64) -> bool {
        self.stop_reason == StopReason::Length && self.usage.output < wanted
    }

    /// Whether the same request is likely to work a little later. An overflow is for the caller to look at first.
    pub fn is_retryable(&self) -> bool {
        let text = self.error_message.as_deref().filter(|_| self.stop_reason == StopReason::Error);
        text.is_some_and(is_passing_error)
    }
}

/// Whether an error is one of those after which the same request is likely to work a little later, by what it says.
pub fn is_passing_error(text: &str) -> bool {
    !FINAL.is_match(text) && PASSING.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Usage;

    fn failed(text: &str) -> AssistantMessage {
        AssistantMessage {
            stop_reason: StopReason::Error,
            error_message: Some(text.to_owned()),
            ..AssistantMessage::empty()
        }
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!([OVERFLOW.len(), NOT_OVERFLOW.len(), FINAL.len(), PASSING.len()], [25, 3, 10, 13]);
        assert!(BODYLESS.is_some());
    }

    /// What each provider says of a context that is too large. Nobody else's words may be in the way: every pattern is the
    /// only one for at least one of them.
    #[test]
    fn every_provider_is_understood() {
        let known = [
            (
                "Anthropic",
                r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}"#,
            ),
            ("Anthropic", "request_too_large: Request exceeds the maximum size"),
            ("Bedrock", "Validation error: Input is too long for requested model."),
            (
                "OpenAI",
                "400: Your input exceeds the context window of this model. Please adjust your input and try again.",
            ),
            ("OpenAI", "Error code: context_length_exceeded"),
            (
                "OpenAI",
                "400: This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
            ),
            ("Google", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"),
            ("xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens"),
            ("Groq", "Please reduce the length of the messages or completion"),
            (
                "OpenRouter",
                "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
            ),
            ("Together", "The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
            ("Copilot", "prompt token count of 130000 exceeds the limit of 128000"),
            ("Mistral", "Prompt contains 9000 tokens, too large for model with 8192 maximum context length"),
            ("llama.cpp", "the request exceeds the available context size, try increasing it"),
            ("LM Studio", "tokens to keep from the initial prompt is greater than the context length"),
            ("DS4", "Prompt has 33,000 tokens, but the configured context size is 32,768 tokens"),
            ("Ollama", "prompt too long; exceeded max context length by 12 tokens"),
            ("MiniMax", "invalid params, context window exceeds limit"),
            ("Kimi", "Your request exceeded model token limit: 262144"),
            ("z.ai", "model_context_window_exceeded"),
            ("z.ai", "Prompt exceeds max length"),
            ("Qwen", "Range of input length should be [1, 129024]"),
            ("vLLM", "9000 exceeds the model's maximum context length of 8,192 tokens"),
            ("SGLang", "The request exceeds the maximum allowed input length of 8,192 tokens"),
            ("anybody", "400: too many tokens in the prompt"),
            ("anybody", "token limit exceeded"),
            ("anybody", "413 Payload Too Large"),
        ];
        for (provider, text) in known {
            assert!(failed(text).is_context_overflow(0), "{provider}: {text}");
            assert!(!failed(text).is_retryable(), "{provider}: {text}");
        }
        for pattern in 0..OVERFLOW.len() {
            let only = known.iter().any(|(_, text)| OVERFLOW.matches(text).into_iter().eq([pattern]));
            assert!(only, "no provider's words need {:?}", OVERFLOW.patterns()[pattern]);
        }
    }

    #[test]
    fn failures_are_told_apart_by_their_words() {
        for (text, overflow, retryable) in [
            ("prompt is too long: 213462 tokens > 200000 maximum", true, false),
            (r#"413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#, true, false),
            ("400: Your input exceeds the context window of this model", true, false),
            ("This model's maximum context length is 8192 tokens. However, you requested 9000", true, false),
            ("Throttling error: Too many tokens, please wait before trying again.", false, false),
            ("429 Too many requests: too many tokens per minute", false, true),
            (r#"529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, false, true),
            ("Connection error: anthropic at api.anthropic.com: timed out", false, true),
            ("Connection lost: loop at 127.0.0.1:1: end of file", false, true),
            ("The provider's stream ended without a result", false, true),
            ("502 Bad Gateway: upstream", false, true),
            ("429 insufficient_quota: you exceeded your current quota", false, false),
            ("400 status code (no body)", false, false),
            (r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"bad"}}"#, false, false),
            ("No API key for provider: x", false, false),
            ("413 Payload Too Large: nginx", true, false),
            ("Mistral API error (413): too large", true, false),
            ("400 Context window exceeded: shorten the input", true, false),
            ("400: Prompt exceeds max length", true, false),
            ("400 server_busy: try later", false, true),
            ("400: Our servers are currently busy", false, true),
            ("400: The model is at capacity", false, true),
            ("400 upstream_stream_read_error", false, true),
            ("HTTP/2 stream failed: INTERNAL", false, true),
            ("Service is temporarily unavailable", false, true),
            ("400 bad request id req_4295020a", false, false),
            ("400 invalid: 15000 is too many", false, false),
            (r#"429 {"error":{"code":"1308","message":"limit of 5 hours"}}"#, false, false),
            ("429 subscription_sharing_usage_limit_exceeded", false, false),
        ] {
            let message = failed(text);
            assert_eq!((message.is_context_overflow(0), message.is_retryable()), (overflow, retryable), "{text}");
        }
        let silent = AssistantMessage { provider: "cerebras".to_owned(), ..failed("400 status code (no body)") };
        assert!(silent.is_context_overflow(0));
    }

    #[test]
    fn an_overflow_shows_in_the_usage_too() {
        let answer = |stop_reason, input, output| AssistantMessage {
            stop_reason,
            usage: Usage { input, cache_read: 100, output, ..Usage::default() },
            ..AssistantMessage::empty()
        };
        for (message, window, overflow) in [
            (answer(StopReason::Stop, 900, 5), 1000, false),
            (answer(StopReason::Stop, 901, 5), 1000, true),
            (answer(StopReason::Stop, 901, 5), 0, false),
            (answer(StopReason::Length, 890, 0), 1000, true),
            (answer(StopReason::Length, 889, 0), 1000, false),
            (answer(StopReason::Length, 890, 1), 1000, false),
            (answer(StopReason::ToolUse, 2000, 0), 1000, false),
        ] {
            assert_eq!(message.is_context_overflow(window), overflow, "{message:?} of {window}");
        }
        assert!(answer(StopReason::Length, 1, 99).is_cut_short(100));
        assert!(!answer(StopReason::Length, 1, 100).is_cut_short(100));
        assert!(!answer(StopReason::Length, 1, 100).is_cut_short(0));
        assert!(!answer(StopReason::Stop, 1, 1).is_cut_short(100));
    }
}
