//! The form for plans of ChatGPT.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use tau_ai::{CacheRetention, FailureText, Secret, StopReason};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::{CODEX, request, sent};
use crate::wire::support::{KEY, answer};

/// A token of an account.
pub fn token(account: &str) -> String {
    let claims = json!({"https://api.openai.com/auth": {"chatgpt_account_id": account}}).to_string();
    format!("e30.{}.signature", URL_SAFE_NO_PAD.encode(claims))
}

#[tokio::test]
async fn it_is_always_tau_that_asks() {
    let headers = json!({"Originator": "codex_cli_rs", "X-Kept": "k"});
    let request = sent(json!({"api": CODEX, "headers": headers}), |request| {
        request.options.api_key = Some(Secret::new(token("account-1")));
        request.options.headers.insert("User-Agent".to_owned(), "codex_cli_rs/1.0".to_owned());
        request.options.session_id = Some("s".repeat(70));
        request.system = None;
    })
    .await;
    let header = |name: &str| request.headers.get(name).map(String::as_str);
    let version = concat!("tau/", env!("CARGO_PKG_VERSION"));
    assert_eq!((header("originator"), header("user-agent"), header("x-kept")), (Some("tau"), Some(version), Some("k")));
    assert_eq!(
        (header("chatgpt-account-id"), header("openai-beta")),
        (Some("account-1"), Some("responses=experimental"))
    );
    assert_eq!((header("session-id"), header("x-client-request-id")), (Some(&*"s".repeat(64)), Some(&*"s".repeat(64))));
    assert_eq!(request.path, "/v1/codex/responses");
    assert_eq!(request.body["instructions"], "Answer the user.");
}

#[tokio::test]
async fn a_conversation_that_is_not_cached_is_not_named() {
    let request = sent(json!({"api": CODEX}), |request| {
        request.options.api_key = Some(Secret::new(token("a")));
        request.options.session_id = Some("s".to_owned());
        request.options.cache_retention = CacheRetention::None;
    })
    .await;
    assert!(!request.headers.contains_key("session-id") && request.body.get("prompt_cache_key").is_none());
    assert_eq!(request.body["reasoning"], json!({"effort": "none"}));
}

#[tokio::test]
async fn a_key_that_names_no_account_is_not_sent() {
    let server = LoopbackServer::start([]);
    let message = answer(request(&server, json!({"api": CODEX}))).await;
    let text = message.error_message.expect("a failure");
    assert_eq!(text, "The key of provider openai is not a token that names a ChatGPT account; log in again");
    assert!(!text.contains(KEY) && matches!(FailureText::read(&text), FailureText::Unsent(_)));
    let mut keyless = request(&server, json!({"api": CODEX}));
    keyless.options.api_key = None;
    assert_eq!(answer(keyless).await.error_message.as_deref(), Some("No API key for provider: openai"));
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn a_used_up_plan_is_said_in_words_that_extensions_know() {
    let used_up = json!({"error": {"code": "usage_limit_reached", "plan_type": "Pro"}}).to_string();
    for (status, body, expected) in [
        (429, &*used_up, "You have hit your ChatGPT usage limit (pro plan)."),
        (400, r#"{"error":{"message":"Unknown model"}}"#, "400 Unknown model"),
        (500, "busy", "500 busy"),
    ] {
        let server = LoopbackServer::start([Reply::http_error(status, body)]);
        let mut request = request(&server, json!({"api": CODEX}));
        request.options.api_key = Some(Secret::new(token("a")));
        let message = answer(request).await;
        assert_eq!(
            (message.stop_reason.clone(), message.error_message.as_deref()),
            (StopReason::Error, Some(expected))
        );
        assert_eq!(message.is_retryable(), status == 500);
    }
}
