//! What is sent.

use super::*;
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// A history with everything in it.
fn history(api: &str, id: &str) -> Value {
    let own = |content: Value| {
        let mut answer = json!({"role": "assistant", "api": api, "provider": "test", "model": id});
        answer["stopReason"] = json!("toolUse");
        answer["content"] = content;
        answer
    };
    let result = |id: &str, name: &str, is_error: bool, content: Value| {
        let mut result = json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": is_error});
        result["content"] = content;
        result
    };
    let mut half = own(json!([{"type": "text", "text": "half"}]));
    half["stopReason"] = json!("aborted");
    json!([
        {"role": "user", "content": [
            {"type": "text", "text": "Look at this"}, {"type": "image", "data": "iVBORw0=", "mimeType": "image/png"}]},
        own(json!([
            {"type": "thinking", "thinking": "A picture.", "thinkingSignature": "c2ln"},
            {"type": "thinking", "thinking": "", "thinkingSignature": "c2lnMg=="},
            {"type": "thinking", "thinking": "Unsigned."},
            {"type": "thinking", "thinking": "Signed by another server.", "thinkingSignature": "reasoning_content"},
            {"type": "thinking", "thinking": " ", "thinkingSignature": "reasoning_content"},
            {"type": "text", "text": "Reading.", "textSignature": "dGV4dA=="},
            {"type": "text", "text": "", "textSignature": "ZW1w"},
            {"type": "text", "text": "", "textSignature": "no base64"},
            {"type": "text", "text": " "},
            {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "b.png", "limit": 3},
                "thoughtSignature": "Y2FsbA=="},
            {"type": "toolCall", "id": "call_2", "name": "list", "arguments": {}},
            {"type": "toolCall", "id": "call_3", "name": "list", "arguments": {}},
            {"type": "toolCall", "id": "call_4", "name": "read", "arguments": {}, "argumentsError": "cut off"}])),
        result("call_1", "read", false, json!([
            {"type": "text", "text": "Read image"}, {"type": "image", "data": "AAAA", "mimeType": "image/gif"}])),
        result("call_2", "list", true, json!([
            {"type": "text", "text": "It failed"}, {"type": "image", "data": "CCCC", "mimeType": "image/png"}])),
        result("call_4", "read", false, json!([{"type": "text", "text": " \n"}])),
        half,
        {"role": "user", "content": "Go on"},
        {"role": "assistant", "api": "other", "provider": "other", "model": "other", "stopReason": "toolUse", "content": [
            {"type": "thinking", "thinking": "Foreign thought.", "thinkingSignature": "c2ln"},
            {"type": "text", "text": "Foreign words.", "textSignature": "dGV4dA=="},
            {"type": "toolCall", "id": "call_9+fc|12", "name": "list", "arguments": {}, "thoughtSignature": "Y2FsbA=="}]},
        result("call_9+fc|12", "list", false, json!([
            {"type": "text", "text": "a.txt"}, {"type": "text", "text": "b.txt"}])),
        own(json!([{"type": "toolCall", "id": "g1", "name": "read", "arguments": {"path": "x"},
            "thoughtSignature": "Y2FsbA=="}])),
        result("g1", "read", false, json!([{"type": "image", "data": "BBBB", "mimeType": "image/png"}])),
        {"role": "user", "content": [{"type": "text", "text": "And?"}]},
    ])
}

#[tokio::test]
async fn a_whole_conversation() {
    for (api, id) in [
        ("google-generative-ai", "gemini-3-pro-preview"),
        ("google-generative-ai", "gemini-2.5-flash"),
        ("google-vertex", "gemini-4-argon"),
    ] {
        let request = sent(api, id, json!({"reasoning": true}), |request| {
            request.messages = messages(history(api, id));
            request.tools = tools();
            request.options.thinking = ThinkingLevel::Medium;
        })
        .await;
        insta::assert_snapshot!(format!("conversation_{api}_{id}"), pretty(&request));
    }
}

#[tokio::test]
async fn a_model_without_eyes_and_thoughts() {
    let request = sent("google-generative-ai", "gemini-2.0-flash", json!({"input": ["text"]}), |request| {
        request.system = Some(String::new());
        request.messages = messages(history("google-generative-ai", "gemini-2.0-flash"));
        request.options.thinking = ThinkingLevel::High;
        request.options.temperature = Some(0.5);
        request.options.max_tokens = Some(100);
    })
    .await;
    insta::assert_snapshot!(pretty(&request));
}

#[tokio::test]
async fn one_more_prompt_leaves_what_was_sent_as_it_was() {
    for api in BOTH {
        let server = LoopbackServer::start([Reply::text("ok"), Reply::text("ok")]);
        let mut first = request(model(api, &server, "gemini-3-pro-preview", json!({"reasoning": true})));
        first.messages = messages(history(api, "gemini-3-pro-preview"));
        first.tools = tools();
        let mut second = first.clone();
        second.messages.extend(messages(json!([{"role": "user", "content": "More"}])));
        answer(first).await;
        answer(second).await;
        let bodies: Vec<String> = server.requests().iter().map(|request| request.body.to_string()).collect();
        let begin = bodies[0].strip_suffix("]}").expect("a list at the end");
        assert!(bodies[1].starts_with(begin), "{}", bodies[1]);
    }
}

/// Sees the body and changes it.
struct Changes(Mutex<Option<Value>>, Value);

#[async_trait]
impl RequestHooks for Changes {
    async fn headers(&self, headers: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
        headers
    }

    async fn payload(&self, mut payload: Value) -> Value {
        *self.0.lock() = Some(payload.clone());
        if let (Some(config), Value::Object(more)) = (payload["config"].as_object_mut(), &self.1) {
            config.extend(more.clone());
        }
        payload
    }

    async fn response(&self, _head: ResponseHead) {}
}

#[tokio::test]
async fn hooks_see_the_form_of_googles_library_and_what_they_change_is_sent() {
    for api in BOTH {
        let change = json!({"topK": 7, "systemInstruction": "Be kind.", "safetySettings": [], "abortSignal": {}});
        let hooks = Arc::new(Changes(Mutex::new(None), change));
        let request = sent(api, "gemini-4-argon", json!({"reasoning": true}), |request| {
            request.hooks = Some(Arc::clone(&hooks) as Arc<dyn RequestHooks>);
            request.options.temperature = Some(0.5);
        })
        .await;
        assert_eq!(
            hooks.0.lock().take(),
            Some(json!({
                "model": "gemini-4-argon",
                "config": {"systemInstruction": "Be brief.", "temperature": 0.5, "maxOutputTokens": 8192,
                    "thinkingConfig": {"thinkingBudget": 0}},
                "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            }))
        );
        assert_eq!(
            request.body,
            json!({
                "systemInstruction": {"role": "user", "parts": [{"text": "Be kind."}]},
                "safetySettings": [],
                "generationConfig": {"temperature": 0.5, "maxOutputTokens": 8192,
                    "thinkingConfig": {"thinkingBudget": 0}, "topK": 7},
                "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            })
        );
    }
}

#[tokio::test]
async fn nothing_is_sent_that_cannot_be() {
    let server = LoopbackServer::start([]);
    let failed = async |id: &str, extra: Value, level: ThinkingLevel| {
        let mut request = request(model("google-generative-ai", &server, id, extra));
        request.options.thinking = level;
        answer(request).await.error_message.expect("a failure")
    };
    let map = json!({"reasoning": true, "thinkingLevelMap": {"high": "enormous"}});
    assert_eq!(
        failed("gemini-4-argon", map, ThinkingLevel::High).await,
        "The thinkingLevelMap of test/gemini-4-argon maps high to \"enormous\"; Google knows minimal, low, medium and high"
    );
    assert_eq!(
        failed("../secrets", json!({}), ThinkingLevel::Off).await,
        "Google has no model \"../secrets\": its id would change the address"
    );
    let mut keyless = request(model("google-generative-ai", &server, "gemini-4-argon", json!({})));
    keyless.options.api_key = None;
    assert_eq!(answer(keyless).await.error_message.as_deref(), Some("No API key for provider: test"));
    assert_eq!(server.requests(), []);
}
