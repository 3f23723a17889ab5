//! What is sent.

use super::support::{FORMATS, answer, messages, model, pretty, request, tools};
use serde_json::{Value, json};
use tau_ai::{CacheRetention, Secret, StreamRequest, ThinkingLevel};
use tau_testkit::loopback::{LoopbackServer, RecordedRequest, Reply};

/// Sends a request and returns what arrived.
async fn sent(api: &str, extra: Value, change: impl FnOnce(&mut StreamRequest)) -> RecordedRequest {
    let server = LoopbackServer::start([Reply::text("ok")]);
    let mut request = request(model(api, &server, extra));
    change(&mut request);
    answer(request).await;
    server.requests().remove(0)
}

/// A history with everything in it.
pub fn history(api: &str) -> Value {
    let own = json!({"api": api, "provider": "test", "model": "test-model"});
    let with = |identity: &Value, rest: Value| {
        let mut message = identity.as_object().cloned().unwrap_or_default();
        message.extend(rest.as_object().cloned().unwrap_or_default());
        Value::Object(message)
    };
    let signature = if api == "anthropic-messages" { "c2ln" } else { "reasoning_content" };
    let other = json!({"api": "other", "provider": "other", "model": "other"});
    json!([
        {"role": "user", "content": [
            {"type": "text", "text": "Look at this"}, {"type": "image", "data": "iVBORw0=", "mimeType": "image/png"}]},
        with(&own, json!({"role": "assistant", "stopReason": "toolUse", "content": [
            {"type": "thinking", "thinking": "A picture.", "thinkingSignature": signature},
            {"type": "text", "text": "Reading."},
            {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "b.png", "limit": 3}},
            {"type": "toolCall", "id": "call_2", "name": "list", "arguments": {}},
            {"type": "toolCall", "id": "call_3", "name": "list", "arguments": {}}]})),
        {"role": "toolResult", "toolCallId": "call_1", "toolName": "read", "isError": false, "content": [
            {"type": "text", "text": "Read image"}, {"type": "image", "data": "AAAA", "mimeType": "image/gif"}]},
        {"role": "toolResult", "toolCallId": "call_2", "toolName": "list", "isError": true, "content": []},
        with(&own, json!({"role": "assistant", "stopReason": "aborted", "content": [{"type": "text", "text": "half"}]})),
        {"role": "user", "content": "Go on"},
        with(&other, json!({"role": "assistant", "stopReason": "toolUse", "content": [
            {"type": "thinking", "thinking": "Foreign thought.", "thinkingSignature": "x"},
            {"type": "text", "text": "Foreign words."},
            {"type": "toolCall", "id": "call_9|fc_0123456789+/=0123456789", "name": "list", "arguments": null}]})),
        {"role": "toolResult", "toolCallId": "call_9|fc_0123456789+/=0123456789", "toolName": "list",
            "content": [{"type": "text", "text": "a.txt"}, {"type": "text", "text": "b.txt"}]},
        {"role": "user", "content": [{"type": "text", "text": "And?"}]},
    ])
}

#[tokio::test]
async fn a_whole_conversation() {
    for api in FORMATS {
        let request = sent(api, json!({"reasoning": true}), |request| {
            request.messages = messages(history(api));
            request.tools = tools();
            request.options.thinking = ThinkingLevel::Medium;
            request.options.session_id = Some("session-1".to_owned());
        })
        .await;
        insta::assert_snapshot!(format!("conversation_{api}"), pretty(&request));
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_go_back_as_an_empty_one() {
    for api in FORMATS {
        // The first as it is written now, the others as earlier versions did.
        let calls = [
            json!({"arguments": {}, "argumentsError": "Tool arguments must be a JSON object\n\nReceived arguments:\n[1]"}),
            json!({"arguments": "{broken"}),
            json!({"arguments": [1]}),
        ];
        for mut call in calls {
            call["type"] = json!("toolCall");
            call["id"] = json!("call_1");
            call["name"] = json!("read");
            let request = sent(api, json!({}), |request| {
                request.messages = messages(json!([
                    {"role": "user", "content": "Go"},
                    {"role": "assistant", "api": api, "provider": "test", "model": "test-model",
                        "stopReason": "toolUse", "content": [call]},
                    {"role": "toolResult", "toolCallId": "call_1", "toolName": "read", "isError": true,
                        "content": [{"type": "text", "text": "no"}]},
                ]));
            })
            .await;
            let turns = request.body["messages"].as_array().expect("messages");
            let said = turns.iter().find(|turn| turn["role"] == "assistant").expect("an answer");
            let (replayed, empty) = if api == "anthropic-messages" {
                (&said["content"][0]["input"], json!({}))
            } else {
                (&said["tool_calls"][0]["function"]["arguments"], json!("{}"))
            };
            assert_eq!(*replayed, empty, "{said}");
            assert!(!request.body.to_string().contains("argumentsError"));
        }
    }
}

#[tokio::test]
async fn a_model_without_eyes_and_thoughts() {
    for api in FORMATS {
        let request = sent(api, json!({"input": ["text"], "reasoning": false}), |request| {
            request.system = Some(String::new());
            request.messages = messages(history(api));
            request.options.thinking = ThinkingLevel::High;
            request.options.temperature = Some(0.5);
            request.options.max_tokens = Some(100);
            request.options.cache_retention = CacheRetention::None;
        })
        .await;
        insta::assert_snapshot!(format!("plain_{api}"), pretty(&request));
    }
}

#[tokio::test]
async fn the_same_request_gives_the_same_bytes() {
    for api in FORMATS {
        let server = LoopbackServer::start([Reply::text("ok"), Reply::text("ok")]);
        for _ in 0..2 {
            let mut request = request(model(api, &server, json!({"reasoning": true})));
            request.messages = messages(history(api));
            request.tools = tools();
            answer(request).await;
        }
        let bodies: Vec<String> = server.requests().iter().map(|request| request.body.to_string()).collect();
        assert_eq!(bodies[0], bodies[1]);
    }
}

#[tokio::test]
async fn anthropic_thinks_by_budget_or_by_effort() {
    let thinking = async |extra: Value, level: ThinkingLevel, max_tokens: Option<u64>| {
        let request = sent("anthropic-messages", extra, |request| {
            request.options.thinking = level;
            request.options.max_tokens = max_tokens;
            request.options.temperature = Some(1.0);
        })
        .await;
        let body = request.body;
        json!([
            body["thinking"],
            body["output_config"],
            body["max_tokens"],
            body["temperature"],
            request.headers.get("anthropic-beta")
        ])
    };
    let budget = json!({"reasoning": true, "maxTokens": 64000});
    let interleaved = "interleaved-thinking-2025-05-14";
    let enabled = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens, "display": "summarized"});
    assert_eq!(
        thinking(budget.clone(), ThinkingLevel::Xhigh, None).await,
        json!([enabled(16384), null, 64000, null, interleaved])
    );
    assert_eq!(
        thinking(budget.clone(), ThinkingLevel::Low, Some(5000)).await,
        json!([enabled(2048), null, 7048, null, interleaved])
    );
    assert_eq!(
        thinking(budget.clone(), ThinkingLevel::Off, Some(5000)).await,
        json!([{"type": "disabled"}, null, 5000, 1.0, null])
    );
    let tiny = json!({"reasoning": true, "maxTokens": 1500});
    assert_eq!(
        thinking(tiny, ThinkingLevel::High, None).await,
        json!([{"type": "disabled"}, null, 1500, 1.0, null]),
        "no room to think"
    );

    let adaptive = json!({"reasoning": true, "compat": {"forceAdaptiveThinking": true, "supportsTemperature": false},
        "thinkingLevelMap": {"off": null, "xhigh": "xhigh"}});
    let on = json!({"type": "adaptive", "display": "summarized"});
    for (level, effort) in [
        (ThinkingLevel::Minimal, "low"),
        (ThinkingLevel::Medium, "medium"),
        (ThinkingLevel::Xhigh, "xhigh"),
        (ThinkingLevel::Max, "xhigh"),
    ] {
        assert_eq!(thinking(adaptive.clone(), level, None).await, json!([on, {"effort": effort}, 8192, null, null]));
    }
    assert_eq!(thinking(adaptive, ThinkingLevel::Off, None).await, json!([null, null, 8192, null, null]));

    // A model that binds its thinking to what stands before it drops what no longer fits, instead of refusing for good.
    let levels = json!({"off": null, "minimal": null});
    let binds = json!({"reasoning": true, "thinkingLevelMap": levels,
        "compat": {"forceAdaptiveThinking": true, "supportsMidConvoEffort": true}});
    let bound = json!({"type": "adaptive", "display": "summarized",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"}});
    let beta = "mid-conversation-output-config-2026-07-01,thinking-binding-controls-2026-08-01";
    for level in [ThinkingLevel::Off, ThinkingLevel::High] {
        let sent = thinking(binds.clone(), level, None).await;
        assert_eq!(sent, json!([bound, {"effort": "low"}, 8192, null, beta]));
    }
    let can_be_quiet = json!({"reasoning": true, "compat": {"supportsMidConvoEffort": true}});
    let sent = thinking(can_be_quiet, ThinkingLevel::Off, None).await;
    assert_eq!(sent, json!([{"type": "disabled"}, null, 8192, null, beta]));
}

#[tokio::test]
async fn anthropic_budgets_can_be_the_users() {
    let budget = async |level: ThinkingLevel| {
        let body = sent("anthropic-messages", json!({"reasoning": true, "maxTokens": 64000}), |request| {
            request.options.thinking = level;
            request.options.thinking_budgets = [(ThinkingLevel::Low, 3000), (ThinkingLevel::High, 20_000)].into();
        });
        body.await.body["thinking"]["budget_tokens"].clone()
    };
    assert_eq!(budget(ThinkingLevel::Low).await, 3000);
    assert_eq!(budget(ThinkingLevel::Medium).await, 8192);
    assert_eq!(budget(ThinkingLevel::High).await, 20_000);
    assert_eq!(budget(ThinkingLevel::Max).await, 20_000);
}

#[tokio::test]
async fn openai_sampling_parameters_follow_the_thinking_level() {
    let sampling = async |level: ThinkingLevel| {
        let extra = json!({"reasoning": true, "samplingParams": {"top_p": 0.5, "top_k": 1},
            "samplingParamsByThinkingLevel": {"off": {"top_p": 0.1}, "high": {"top_k": 9, "seed": 7}}});
        let body = sent("openai-completions", extra, |request| request.options.thinking = level).await.body;
        json!([body["top_p"], body["top_k"], body["seed"]])
    };
    assert_eq!(sampling(ThinkingLevel::Off).await, json!([0.1, 1, null]));
    assert_eq!(sampling(ThinkingLevel::Medium).await, json!([0.5, 1, null]));
    // The model has no such level, and the next one down is used.
    assert_eq!(sampling(ThinkingLevel::Max).await, json!([0.5, 9, 7]));
}

#[tokio::test]
async fn cache_markers_follow_the_wanted_retention() {
    let markers = |body: &Value| {
        let last = |list: &Value| list.as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
        let block = last(&last(&body["messages"])["content"]);
        json!([
            body["system"][0]["cache_control"],
            last(&body["tools"])["cache_control"],
            block["cache_control"],
            body["tools"][0]["cache_control"]
        ])
    };
    for (retention, marker) in [
        (CacheRetention::None, Value::Null),
        (CacheRetention::Short, json!({"type": "ephemeral"})),
        (CacheRetention::Long, json!({"type": "ephemeral", "ttl": "1h"})),
    ] {
        let body = sent("anthropic-messages", json!({}), |request| {
            request.tools = tools();
            request.options.cache_retention = retention;
        })
        .await
        .body;
        assert_eq!(markers(&body), json!([marker, marker, marker, null]), "{retention:?}");
    }
    let compat = json!({"compat": {"supportsLongCacheRetention": false, "supportsCacheControlOnTools": false}});
    let body = sent("anthropic-messages", compat, |request| {
        request.tools = tools();
        request.options.cache_retention = CacheRetention::Long;
    })
    .await
    .body;
    let short = json!({"type": "ephemeral"});
    assert_eq!(markers(&body), json!([short, null, short, null]));
}

#[tokio::test]
async fn openai_caches_by_key_or_by_anthropic_marker() {
    let compat = json!({"compat": {"cacheControlFormat": "anthropic"}});
    let body = sent("openai-completions", compat, |request| {
        request.tools = tools();
        request.options.session_id = Some("s".repeat(80));
        request.options.cache_retention = CacheRetention::Long;
    })
    .await
    .body;
    let marker = json!({"type": "ephemeral", "ttl": "1h"});
    assert_eq!(
        json!([
            body["prompt_cache_key"],
            body["prompt_cache_retention"],
            body["messages"][0]["content"],
            body["tools"][1]["cache_control"],
            body["messages"][1]["content"]
        ]),
        json!(["s".repeat(64), "24h", [{"type": "text", "text": "Be brief.", "cache_control": marker}],
            marker, [{"type": "text", "text": "Hi", "cache_control": marker}]])
    );
}

#[tokio::test]
async fn the_answer_never_outgrows_the_context_window() {
    for (api, field) in [("anthropic-messages", "max_tokens"), ("openai-completions", "max_completion_tokens")] {
        let limit = async |window: u64, list: Value| {
            let body = sent(api, json!({"contextWindow": window, "maxTokens": 8000}), |request| {
                request.messages = messages(list);
            })
            .await
            .body;
            body[field].clone()
        };
        let short = json!([{"role": "user", "content": "Hi"}]);
        assert_eq!(limit(200_000, short.clone()).await, 8000);
        assert_eq!(limit(0, short.clone()).await, 8000, "an unknown window is no limit");
        let counted = json!([
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": [{"type": "text", "text": "y"}], "usage": {"totalTokens": 50_000}},
            {"role": "user", "content": "z".repeat(4000)},
        ]);
        assert_eq!(limit(60_000, counted).await, 60_000 - 50_000 - 1143 - 4096);
        assert_eq!(limit(1000, short).await, 1);
    }
}

#[tokio::test]
async fn quirks_of_compatible_servers_are_honoured() {
    let extra = json!({"reasoning": true, "samplingParams": {"top_k": 40}, "compat": {
        "supportsDeveloperRole": false, "supportsStore": false, "supportsUsageInStreaming": false,
        "maxTokensField": "max_tokens", "requiresToolResultName": true, "requiresAssistantAfterToolResult": true,
        "requiresThinkingAsText": true, "requiresReasoningContentOnAssistantMessages": true,
        "thinkingFormat": "qwen", "supportsReasoningEffort": false, "openRouterRouting": {"only": ["x"]},
        "vercelGatewayRouting": {"order": ["y"]}, "vllmPriority": -1, "sendSessionAffinityHeaders": true,
    }});
    let request = sent("openai-completions", extra, |request| {
        request.messages = messages(history("openai-completions"));
        request.options.thinking = ThinkingLevel::High;
        request.options.session_id = Some("session-1".to_owned());
    })
    .await;
    insta::assert_snapshot!("quirks", pretty(&request));
}

#[tokio::test]
async fn access_tokens_of_subscriptions_go_into_the_other_header() {
    let request = sent("anthropic-messages", json!({}), |request| {
        request.options.api_key = Some(Secret::new("sk-ant-oat01-token"));
    })
    .await;
    let header = |name: &str| request.headers.get(name).map(String::as_str);
    assert_eq!(
        [header("authorization"), header("x-api-key"), header("anthropic-beta")],
        [Some("Bearer sk-ant-oat01-token"), None, Some("oauth-2025-04-20")]
    );
}

#[tokio::test]
async fn tools_without_the_streaming_flag_use_the_beta() {
    let compat = json!({"compat": {"supportsEagerToolInputStreaming": false}});
    let request = sent("anthropic-messages", compat, |request| request.tools = tools()).await;
    assert_eq!(request.headers["anthropic-beta"], "fine-grained-tool-streaming-2025-05-14");
    assert_eq!(request.body["tools"][0].get("eager_input_streaming"), None);
}

/// The provider refuses keywords such as `anyOf` at the outermost level of a schema; deeper ones are the tool's own matter.
#[tokio::test]
async fn anthropic_gets_the_keywords_of_a_schema_that_it_takes() {
    let deep = json!({"type": "object", "additionalProperties": true, "anyOf": [{"required": ["x"]}]});
    let whole = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "title": "T", "type": "object", "properties": {"a": deep},
        "additionalProperties": true, "anyOf": [{"required": ["a"]}], "$defs": {"d": true}, "definitions": {"e": true},
        "minProperties": 1, "required": ["a"],
    });
    let declared = |parameters: Value| {
        move |request: &mut StreamRequest| {
            let (name, description) = ("t".to_owned(), "d".to_owned());
            request.tools =
                [tau_ai::ToolDeclaration { name, description, parameters, constrained_sampling: None }].into();
        }
    };
    let request = sent("anthropic-messages", json!({}), declared(whole.clone())).await;
    assert_eq!(
        request.body["tools"][0]["input_schema"],
        json!({
            "type": "object", "properties": {"a": deep}, "$defs": {"d": true}, "definitions": {"e": true}, "required": ["a"],
        })
    );
    let request = sent("anthropic-messages", json!({}), declared(json!({"anyOf": [{"type": "object"}]}))).await;
    let empty = json!({"type": "object", "properties": {}, "required": []});
    assert_eq!(request.body["tools"][0]["input_schema"], empty);
    let request = sent("openai-completions", json!({}), declared(whole.clone())).await;
    assert_eq!(request.body["tools"][0]["function"]["parameters"], whole);
}
