//! What changes while a conversation with Anthropic's models grows: the effort, the tools, the system prompt.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_ai::{CacheRetention, StreamRequest, ThinkingLevel};
use tau_testkit::loopback::Reply;

use super::support::answer;
use super::talk::{Talk, message, tool};

const BETAS: &str = "mid-conversation-output-config-2026-07-01,thinking-binding-controls-2026-08-01";
const INLINE: &str = "inline-tools-2026-09-15";

/// A model as those of the class Claude 5.5.
fn newest() -> Value {
    json!({"reasoning": true, "thinkingLevelMap": {"off": null, "minimal": null, "xhigh": "xhigh"},
        "compat": {"forceAdaptiveThinking": true, "supportsMidConvoEffort": true,
            "supportsMidConvoSystemMessages": true, "supportsMidConvoToolChanges": true}})
}

fn standing(body: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().expect("an object").remove("messages");
    body
}

/// Each message as its role, or what a system message says.
fn roles(body: &Value) -> Vec<String> {
    let say = |message: &Value| match message.pointer("/output_config/effort") {
        Some(effort) => format!("effort {}", effort.as_str().unwrap_or_default()),
        None => {
            let kinds = message["content"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
            let kinds: Vec<&str> = kinds.filter_map(|block| block["type"].as_str()).collect();
            format!("{} {}", message["role"].as_str().unwrap_or_default(), kinds.join(","))
        }
    };
    body["messages"].as_array().expect("messages").iter().map(say).collect()
}

#[tokio::test]
async fn the_beginning_of_the_request_outlives_changes_of_level_prompt_and_tools() {
    let mut talk = Talk::new(newest());
    let prompt = |tools: &str| Some(format!("Be brief.\n\n<tools>\n{tools}\n</tools>\n\nToday."));
    talk.says("One");
    let (first, said) = talk
        .asks(Reply::new().thinking("t", Some("s")).then_text("A"), |request| {
            request.system = prompt("- read\n- list");
            request.tools = Arc::from([tool("read", "Reads."), tool("list", "Lists.")]);
            request.options.thinking = ThinkingLevel::High;
        })
        .await;
    assert_eq!(first.headers["anthropic-beta"], format!("{BETAS},{INLINE}"));
    assert_eq!(said.extra["providerThinkingLevel"], "high");
    assert_eq!(roles(&first.body), ["user text", "effort high"]);

    talk.says("Two");
    let change = |request: &mut StreamRequest| {
        request.system = prompt("- find\n- read");
        request.tools = Arc::from([tool("find", "Finds."), tool("read", "Reads anew.")]);
        request.options.thinking = ThinkingLevel::Xhigh;
    };
    let (second, _) = talk.asks(Reply::new().tool_call("c1", "find", json!({})), change).await;
    assert_eq!(standing(&second.body), standing(&first.body));
    talk.history.push(message(json!({"role": "toolResult", "toolCallId": "c1", "toolName": "find", "isError": true,
        "content": [{"type": "text", "text": "bad"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}]})));
    let (third, _) = talk
        .asks(Reply::text("B"), |request| {
            change(request);
            request.options.thinking = ThinkingLevel::Medium;
        })
        .await;
    assert_eq!(standing(&third.body), standing(&first.body));
    insta::assert_snapshot!("changes", serde_json::to_string_pretty(&third.body).expect("JSON"));

    // Whatever was sent stays as it was, but for the mark of the cache, which moves.
    let without_marks = |body: &Value| {
        let list = body["messages"].as_array().expect("messages");
        let one = |message: &Value| {
            let mut message = message.clone();
            if let Some(text) = message["content"].as_str().map(str::to_owned) {
                message["content"] = json!([{"type": "text", "text": text}]);
            }
            let blocks = message["content"].as_array_mut().expect("blocks").iter_mut();
            blocks.filter_map(Value::as_object_mut).for_each(|block| drop(block.remove("cache_control")));
            message
        };
        list.iter().map(one).collect::<Vec<_>>()
    };
    let (before, after) = (without_marks(&second.body), without_marks(&third.body));
    assert_eq!(before[..], after[..before.len()]);
}

#[tokio::test]
async fn answers_of_others_have_no_effort() {
    let mut talk = Talk::new(newest());
    talk.says("One");
    for (provider, api, noted) in [
        ("test", "anthropic-messages", json!("max")),
        ("other", "anthropic-messages", json!("high")),
        ("test", "bedrock-converse-stream", json!("high")),
        ("test", "anthropic-messages", json!("enormous")),
        ("test", "anthropic-messages", Value::Null),
    ] {
        talk.history
            .push(message(json!({"role": "assistant", "content": [{"type": "text", "text": "A"}], "model": "x",
            "provider": provider, "api": api, "providerThinkingLevel": noted})));
    }
    talk.says("Two");
    let (sent, _) = talk.asks(Reply::text("ok"), |request| request.options.thinking = ThinkingLevel::Low).await;
    let answer = "assistant text";
    assert_eq!(
        roles(&sent.body),
        ["user ", "effort max", answer, answer, answer, answer, answer, "user text", "effort low"]
    );
}

#[tokio::test]
async fn a_model_that_does_not_think_has_no_effort() {
    let mut extra = newest();
    extra["thinkingLevelMap"] = json!({});
    let mut talk = Talk::new(extra);
    talk.says("One");
    let (sent, said) = talk.asks(Reply::text("ok"), |_| {}).await;
    assert_eq!(roles(&sent.body), ["user text"]);
    assert_eq!((&sent.body["thinking"], sent.body.get("output_config")), (&json!({"type": "disabled"}), None));
    assert_eq!((&*sent.headers["anthropic-beta"], said.extra.get("providerThinkingLevel")), (BETAS, None));
}

#[tokio::test]
async fn what_a_model_cannot_be_told_in_place_changes_the_request() {
    let two = |request: &mut StreamRequest| request.tools = Arc::from([tool("read", "Reads."), tool("list", "Lists.")]);
    for (compat, tools, told) in [
        (json!({}), json!(["read", "list"]), json!(["user ", "assistant text", "user text"])),
        // Without `supportsMidConvoSystemMessages` it means nothing.
        (
            json!({"supportsMidConvoToolChanges": true}),
            json!(["read", "list"]),
            json!(["user ", "assistant text", "user text"]),
        ),
        (
            json!({"supportsMidConvoSystemMessages": true}),
            json!(["read", "list"]),
            json!(["user ", "assistant text", "user ", "system text"]),
        ),
        (
            json!({"supportsMidConvoSystemMessages": true, "supportsMidConvoToolChanges": true}),
            json!(["read", "__tau_placeholder__"]),
            json!(["user ", "assistant text", "user ", "system text,tool_addition"]),
        ),
    ] {
        let mut talk = Talk::new(json!({"compat": compat}));
        talk.says("One");
        talk.asks(Reply::text("A"), |request| request.tools = Arc::from([tool("read", "Reads.")])).await;
        talk.says("Two");
        let (sent, _) = talk
            .asks(Reply::text("B"), |request| {
                two(request);
                request.system = Some("Be kind.".to_owned());
            })
            .await;
        let names = sent.body["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].clone());
        assert_eq!((names.collect::<Value>(), json!(roles(&sent.body))), (tools, told), "{compat}");
        let inline = sent.headers.get("anthropic-beta").is_some_and(|beta| beta.contains(INLINE));
        assert_eq!(inline, sent.body.to_string().contains("tool_addition"));
    }
}

#[tokio::test]
async fn the_mark_of_the_cache_is_on_the_last_change_and_the_last_first_tool() {
    let mut talk = Talk::new(newest());
    talk.says("One");
    talk.asks(Reply::text("A"), |request| request.tools = Arc::from([tool("read", "Reads.")])).await;
    talk.says("Two");
    for (retention, marker) in
        [(CacheRetention::Short, json!({"type": "ephemeral"})), (CacheRetention::None, Value::Null)]
    {
        talk.server.push(Reply::text("B"));
        answer(talk.request(|request| {
            request.tools = Arc::from([]);
            request.options.cache_retention = retention;
        }))
        .await;
        let body = talk.server.requests().pop().expect("a request").body;
        let removal = json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "read"}});
        let change = &body["messages"][4];
        assert_eq!(change["content"][0]["tool"], removal["tool"], "{body:#}");
        assert_eq!(change["content"][0]["cache_control"], marker);
        assert_eq!((&body["tools"][0]["cache_control"], &body["tools"][1]["cache_control"]), (&marker, &Value::Null));
        assert_eq!(body["messages"][3]["content"], "Two");
    }
}

#[tokio::test]
async fn an_answer_to_continue_does_not_end_in_white_space() {
    let mut talk = Talk::new(json!({}));
    talk.says("One");
    talk.asks(Reply::text("It begins \n"), |_| {}).await;
    let (sent, _) = talk.asks(Reply::text("B"), |_| {}).await;
    assert_eq!(sent.body["messages"][1]["content"], json!([{"type": "text", "text": "It begins"}]));
    talk.says("Two");
    let (sent, _) = talk.asks(Reply::text("C"), |_| {}).await;
    assert_eq!(sent.body["messages"][1]["content"], json!([{"type": "text", "text": "It begins \n"}]));
}

#[tokio::test]
async fn another_model_may_answer_what_one_refuses() {
    let fallbacks = json!([{"provider": "test", "model": "second", "cost": {"input": 1_000_000, "output": 0}}]);
    let mut extra = json!({"compat": {"allowedFallbackModels": fallbacks}});
    let mut talk = Talk::new(extra.clone());
    talk.says("One");
    let start = |model: &str| {
        let message = json!({"id": "msg_1", "model": model, "usage": {"input_tokens": 3}});
        format!("event: message_start\ndata: {}", json!({"type": "message_start", "message": message}))
    };
    let switch = |index: u64| {
        let block = json!({"type": "content_block_start", "index": index, "content_block": {"type": "fallback"}});
        format!("event: content_block_start\ndata: {block}")
    };
    let (sent, said) = talk.asks(Reply::new().raw(switch(7)).raw(start("second")).then_text("A"), |_| {}).await;
    assert_eq!(sent.body["fallbacks"], json!([{"model": "second"}]));
    assert_eq!(sent.headers["anthropic-beta"], "server-side-fallback-2026-07-01");
    assert_eq!((&said.extra["responseModel"], said.usage.cost.total), (&json!("second"), 3.0));
    assert_eq!(said.texts().collect::<Vec<_>>(), ["A"]);

    let (_, said) = talk.asks(Reply::text("half").raw(switch(7)), |_| {}).await;
    let mixed = "Anthropic changed to another model in the middle of the answer";
    assert_eq!(said.error_message.as_deref(), Some(mixed));
    extra["compat"]["allowedFallbackModels"] = json!([]);
    let (sent, _) = Talk::new(extra).asks(Reply::text("A"), |_| {}).await;
    assert_eq!((sent.body.get("fallbacks"), sent.headers.get("anthropic-beta")), (None, None));
}

#[tokio::test]
async fn what_the_provider_did_to_the_conversation_is_noted() {
    let mut talk = Talk::new(json!({}));
    talk.says("One");
    let what = json!([{"type": "thinking_dropped", "path": "messages.1", "reason": "prefix_mismatch", "more": 1}]);
    let delta = json!({"type": "message_delta", "delta": {}, "input_transformations": what});
    let (_, said) = talk.asks(Reply::text("A").raw(format!("event: message_delta\ndata: {delta}")), |_| {}).await;
    let note = &said.extra["diagnostics"][0];
    assert_eq!(note["type"], "anthropic_input_transformations");
    assert_eq!(
        note["details"],
        json!({"transformations": [{"type": "thinking_dropped", "path": "messages.1", "reason": "prefix_mismatch"}]})
    );
}

#[tokio::test]
async fn careless_events_are_read_and_those_of_others_are_skipped() {
    let mut talk = Talk::new(json!({}));
    talk.says("One");
    let block = |text: &str| {
        let start = r#"event: content_block_start
data: {"type":"content_block_start","index":9,"content_block":{"type":"text","text":""}}"#;
        format!(
            "{start}\n\nevent: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":9,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}"
        )
    };
    let reply = Reply::new().raw("event: done\ndata: [DONE]").raw(block("a\tb\\ud83d C:\\dir"));
    let (_, said) = talk.asks(reply, |_| {}).await;
    assert_eq!((said.error_message.as_deref(), said.texts().collect::<Vec<_>>()), (None, vec!["a\tb\u{fffd} C:\\dir"]));
    let (_, said) = talk.asks(Reply::new().raw("event: content_block_delta\ndata: {oops"), |_| {}).await;
    assert!(said.error_message.is_some_and(|text| text.contains("Could not parse an event")));
}

#[tokio::test]
async fn routers_report_what_they_charge() {
    let mut talk = Talk::new(json!({"provider": "openrouter"}));
    talk.says("One");
    let usage = json!({"cost": 0.25, "is_byok": false});
    let delta = json!({"type": "message_delta", "delta": {}, "usage": usage});
    let (sent, said) = talk
        .asks(Reply::text("A").raw(format!("event: message_delta\ndata: {delta}")), |request| {
            request.options.session_id = Some("s".to_owned());
        })
        .await;
    assert_eq!(sent.headers["x-session-id"], "s");
    // What the provider says last is what holds, and that says nothing of money.
    assert!(said.usage.cost.total < 0.25);
    let stop = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage});
    let reply = Reply::text("A")
        .raw(format!("event: message_delta\ndata: {stop}\n\nevent: message_stop\ndata: {{\"type\":\"message_stop\"}}"));
    let (_, said) = talk.asks(reply, |_| {}).await;
    assert_eq!((said.usage.cost.total, said.usage.cost.total_from_provider), (0.25, Some(true)));
}
