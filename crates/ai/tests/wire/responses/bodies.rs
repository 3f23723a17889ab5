//! What is sent.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::{CacheRetention, RequestHooks, ResponseHead, Secret, StreamRequest, ThinkingLevel};
use tokio_util::sync::CancellationToken;

use super::{AZURE, CODEX, OPENAI, sent};
use crate::wire::responses::codex;
use crate::wire::support::{answer, messages, model_at, pretty, request, tools};
use tau_testkit::loopback::{LoopbackServer, Reply};

/// A history with everything in it, as a model of this format and provider sees it.
fn history(api: &str, provider: &str) -> Value {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "ENC",
        "summary": [{"type": "summary_text", "text": "A picture."}]});
    let said = |(api, provider, model): (&str, &str, &str), stop: &str, content: Value| {
        json!({"role": "assistant", "api": api, "provider": provider, "model": model, "stopReason": stop,
            "timestamp": 5, "providerThinkingLevel": "low", "content": content})
    };
    let call = |id: &str, name: &str| json!({"type": "toolCall", "id": id, "name": name, "arguments": {"path": "b"}});
    let result = |id: &str, name: &str, content: Value| json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": false, "content": content});
    let thinking = json!({"type": "thinking", "thinking": "A picture.", "thinkingSignature": reasoning.to_string()});
    json!([
        {"role": "user", "content": [
            {"type": "text", "text": "Look at this"}, {"type": "image", "data": "iVBORw0=", "mimeType": "image/png"}]},
        said((api, provider, "test-model"), "toolUse", json!([
            thinking,
            {"type": "text", "text": "Reading.", "textSignature": r#"{"v":1,"id":"msg_1","phase":"commentary"}"#},
            {"type": "text", "text": "", "textSignature": "msg_2"},
            call("call_1|fc_1", "read"), call("call_2|other", "list")])),
        result("call_1|fc_1", "read", json!([
            {"type": "text", "text": "Read image"}, {"type": "image", "data": "AAAA", "mimeType": "image/gif"}])),
        result("call_2|other", "list", json!([])),
        said((api, provider, "test-model"), "aborted", json!([{"type": "text", "text": "half"}])),
        {"role": "user", "content": "Go on"},
        said((api, provider, "sibling"), "toolUse", json!([
            thinking, {"type": "text", "text": "Sibling.", "textSignature": "msg_3"}, call("call_3|fc_3", "list")])),
        result("call_3|fc_3", "list", json!([{"type": "text", "text": " \n"}])),
        said(("anthropic-messages", "anthropic", "claude"), "toolUse", json!([
            {"type": "thinking", "thinking": "Foreign thought.", "thinkingSignature": "x"},
            {"type": "text", "text": "Foreign words."}, call("toolu_1", "list"), call("call_4|x+/=", "read")])),
        result("toolu_1", "list", json!([{"type": "text", "text": "a.txt"}, {"type": "text", "text": "b.txt"}])),
        {"role": "user", "content": [{"type": "text", "text": "And?"}]},
    ])
}

#[tokio::test]
async fn a_whole_conversation() {
    for (api, provider) in [(OPENAI, "openai"), (AZURE, "azure"), (CODEX, "openai-codex")] {
        let fields = json!({"api": api, "provider": provider,
            "thinkingLevelMap": {"medium": "middling"}, "compat": {"supportsStrictMode": true}});
        let request = sent(fields, |request| {
            request.messages = messages(history(api, provider));
            request.tools = tools();
            request.options.thinking = ThinkingLevel::Medium;
            request.options.session_id = Some("session-1".to_owned());
            if api == CODEX {
                request.options.api_key = Some(Secret::new(codex::token("account-1")));
            }
        })
        .await;
        insta::assert_snapshot!(format!("conversation_{api}"), pretty(&request));
    }
}

#[tokio::test]
async fn the_effort_stands_inside_the_conversation_where_it_may() {
    let compat = json!({"compat": {"supportsMidConvoEffort": true}});
    let with = |level| {
        move |request: &mut StreamRequest| {
            request.messages = messages(history(OPENAI, "openai"));
            request.options.thinking = level;
        }
    };
    let body = sent(compat.clone(), with(ThinkingLevel::High)).await.body;
    assert_eq!(body["reasoning"], json!({"effort": "medium", "summary": "auto"}));
    let input = body["input"].as_array().expect("items");
    let updates: Vec<(usize, &Value)> = input
        .iter()
        .enumerate()
        .filter(|(_, item)| item["type"] == "configuration_update")
        .map(|(at, item)| (at, &item["reasoning"]["effort"]))
        .collect();
    // Before the answer of this very model that went on, and at the end.
    assert_eq!(updates, [(2, &json!("low")), (input.len() - 1, &json!("high"))]);
    let off = sent(compat.clone(), with(ThinkingLevel::Off)).await.body;
    assert_eq!(off["reasoning"], json!({"effort": "none"}));
    assert!(!off["input"].to_string().contains("configuration_update"));

    let server = LoopbackServer::start([Reply::text("ok")]);
    let mut asked = super::request(&server, compat);
    asked.options.thinking = ThinkingLevel::High;
    assert_eq!(answer(asked).await.extra["providerThinkingLevel"], "high");
}

#[tokio::test]
async fn each_setting_has_its_field() {
    let fields = ["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "reasoning", "include"];
    let of = |extra: Value, retention, thinking| async move {
        let request = sent(extra, |request| {
            request.options.session_id = Some("s".repeat(70));
            request.options.cache_retention = retention;
            request.options.thinking = thinking;
        })
        .await;
        let fields: Vec<String> = fields
            .into_iter()
            .filter_map(|field| Some(format!("{field} {}", request.body.get(field)?)))
            .chain(
                request
                    .headers
                    .into_iter()
                    .filter(|(name, _)| name.contains("session") || name.contains("request"))
                    .map(|(name, _)| name),
            )
            .collect();
        fields.join("\n").replace(&"s".repeat(64), "KEY")
    };
    use CacheRetention::{Long, None, Short};
    use ThinkingLevel::{Low, Off};
    let compat = |compat: Value| json!({ "compat": compat });
    let session = "session-id\nx-client-request-id";
    let key = r#"prompt_cache_key "KEY""#;
    let off = r#"reasoning {"effort":"none"}"#;
    let low = "reasoning {\"effort\":\"low\",\"summary\":\"auto\"}\ninclude [\"reasoning.encrypted_content\"]";
    let explicit = compat(json!({"supportsExplicitPromptCacheMode": true}));
    for (extra, retention, thinking, expected) in [
        (json!({}), Short, Off, format!("{key}\n{off}\n{session}")),
        (json!({}), Long, Low, format!("{key}\nprompt_cache_retention \"24h\"\n{low}\n{session}")),
        (json!({}), None, Off, off.to_owned()),
        (explicit.clone(), Long, Off, format!("{key}\nprompt_cache_options {{\"ttl\":\"30m\"}}\n{off}\n{session}")),
        (explicit, None, Off, format!("prompt_cache_options {{\"mode\":\"explicit\"}}\n{off}")),
        (compat(json!({"supportsLongCacheRetention": false})), Long, Off, format!("{key}\n{off}\n{session}")),
        (
            compat(json!({"promptCacheKeyMode": "disabled", "sessionAffinityFormat": "openai-nosession"})),
            Short,
            Off,
            format!("{off}\nx-client-request-id"),
        ),
        (json!({"provider": "openrouter"}), Short, Off, format!("{key}\n{off}\nx-session-id")),
        (json!({"thinkingLevelMap": {"off": null}}), Short, Off, format!("{key}\n{session}")),
        (json!({"provider": "github-copilot"}), Short, Off, format!("{key}\n{session}")),
        (json!({"reasoning": false}), Short, Low, format!("{key}\n{session}")),
        (
            json!({"provider": "xai"}),
            Short,
            Off,
            format!("{key}\n{off}\ninclude [\"reasoning.encrypted_content\"]\n{session}"),
        ),
    ] {
        assert_eq!(of(extra.clone(), retention, thinking).await, expected, "{extra} {retention:?}");
    }
}

#[tokio::test]
async fn limits_and_parameters() {
    let own = json!({"samplingParams": {"top_p": 0.5, "store": true}, "samplingParamsByThinkingLevel": {"low": {"top_p": 0.1}}});
    let body = sent(own, |request| {
        request.options.max_tokens = Some(3);
        request.options.temperature = Some(0.25);
        request.options.thinking = ThinkingLevel::Low;
    })
    .await
    .body;
    let fields = (&body["max_output_tokens"], &body["temperature"], &body["top_p"], &body["store"]);
    assert_eq!(fields, (&json!(16), &json!(0.25), &json!(0.1), &json!(true)));
    let body = sent(json!({"compat": {"supportsMaxOutputTokens": false}}), |_| {}).await.body;
    assert_eq!(body.get("max_output_tokens"), None);
}

/// Keeps the body and sends nothing.
struct Keeper(Mutex<Option<Value>>, CancellationToken);

#[async_trait]
impl RequestHooks for Keeper {
    async fn headers(
        &self,
        headers: std::collections::BTreeMap<String, Option<String>>,
    ) -> std::collections::BTreeMap<String, Option<String>> {
        headers
    }

    async fn payload(&self, payload: Value) -> Value {
        *self.0.lock() = Some(payload);
        self.1.cancel();
        std::future::pending().await
    }

    async fn response(&self, _: ResponseHead) {}
}

#[tokio::test]
async fn a_login_of_chatgpt_takes_fewer_fields() {
    let fields = |key: &'static str| async move {
        let compat = json!({"supportsMidConvoEffort": true});
        let model = json!({"provider": "openai", "reasoning": true, "compat": compat});
        let mut request = request(model_at(OPENAI, "https://api.openai.com", model));
        request.options.api_key = Some(Secret::new(key));
        request.options.temperature = Some(1.0);
        request.options.cache_retention = CacheRetention::Long;
        request.options.thinking = ThinkingLevel::High;
        let keeper = Arc::new(Keeper(Mutex::new(None), request.cancel.clone()));
        request.hooks = Some(Arc::clone(&keeper) as Arc<dyn RequestHooks>);
        answer(request).await;
        let body = keeper.0.lock().take().expect("a body");
        let names: Vec<String> = body.as_object().expect("an object").keys().cloned().collect();
        (names.join(" "), body["reasoning"]["effort"].clone())
    };
    let all = "model stream store prompt_cache_retention reasoning include max_output_tokens temperature input";
    assert_eq!(fields("sk-key").await, (all.to_owned(), json!("medium")));
    assert_eq!(fields("eyJ-token").await, ("model stream store reasoning include input".to_owned(), json!("high")));
}
