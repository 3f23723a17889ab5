//! Answers that arrive as they should.

use super::support::{FORMATS, answer, content, final_message, lines, messages, model, request, run};
use serde_json::json;
use tau_ai::{StopReason, StreamEvent, ThinkingLevel, Usage};
use tau_testkit::loopback::{LoopbackServer, Reply, ReplyUsage};

#[tokio::test]
async fn every_kind_of_block_streams_with_its_events() {
    for api in FORMATS {
        let reply = Reply::new()
            .thinking("Let me see.", Some("sig+1"))
            .then_text("I will look.")
            .tool_call("call_1", "read", json!({"path": "a.txt"}))
            .tool_call("call_2", "list", json!({}))
            .split_deltas(7);
        let server = LoopbackServer::start([reply]);
        let items = run(request(model(api, &server, json!({"reasoning": true})))).await;
        insta::assert_snapshot!(format!("events_{api}"), lines(&items).join("\n"));
        let message = final_message(&items);
        let signature = if api == "anthropic-messages" { "sig+1" } else { "reasoning_content" };
        assert_eq!(
            content(&message),
            json!([
                {"type": "thinking", "thinking": "Let me see.", "thinkingSignature": signature},
                {"type": "text", "text": "I will look."},
                {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "a.txt"}},
                {"type": "toolCall", "id": "call_2", "name": "list", "arguments": {}},
            ])
        );
        assert_eq!(message.stop_reason, StopReason::ToolUse);
        assert_eq!((&*message.api, &*message.provider, &*message.model), (api, "test", "test-model"));
    }
}

#[tokio::test]
async fn snapshots_show_the_message_at_their_event() {
    for api in FORMATS {
        let reply = Reply::text("Hello").tool_call("c", "read", json!({"path": "ab"})).split_deltas(3);
        let server = LoopbackServer::start([reply]);
        let items = run(request(model(api, &server, json!({})))).await;
        let after: Vec<String> = items
            .iter()
            .filter(|item| match &item.event {
                StreamEvent::TextDelta { delta, .. } | StreamEvent::ToolCallDelta { delta, .. } => !delta.is_empty(),
                _ => false,
            })
            .map(|item| content(&item.partial.to_message()).to_string())
            .collect();
        let text = r#"{"type":"text","text":"Hello"}"#;
        let call = |arguments: &str| {
            format!(r#"[{text},{{"type":"toolCall","id":"c","name":"read","arguments":{arguments}}}]"#)
        };
        assert_eq!(
            after,
            [
                r#"[{"type":"text","text":"Hel"}]"#.to_owned(),
                format!("[{text}]"),
                call("{}"),
                call("{}"),
                call(r#"{"path":""}"#),
                call(r#"{"path":"ab"}"#),
                call(r#"{"path":"ab"}"#),
            ]
        );
    }
}

#[tokio::test]
async fn a_byte_order_mark_in_front_of_the_answer_means_nothing() {
    for api in FORMATS {
        let reply = || Reply::text("Here it is.").byte_order_mark();
        // In a piece of its own, together with the rest, and cut in the middle.
        let server = LoopbackServer::start([reply(), reply().split_bytes(4096), reply().split_bytes(2)]);
        for _ in 0..3 {
            let message = answer(request(model(api, &server, json!({})))).await;
            assert_eq!(content(&message), json!([{"type": "text", "text": "Here it is."}]));
            assert_eq!(message.stop_reason, StopReason::Stop);
        }
    }
}

#[tokio::test]
async fn it_does_not_matter_how_the_bytes_are_cut() {
    for api in FORMATS {
        let reply = || {
            Reply::text("Grüße, 世界 🙈 \"quoted\" \\ and\nlines")
                .tool_call("call_1", "write", json!({"text": "ä🙈\n"}))
                .split_deltas(2)
        };
        let server = LoopbackServer::start([1, 2, 3, 7, 50].map(|size| reply().split_bytes(size)));
        for _ in 0..5 {
            let message = answer(request(model(api, &server, json!({})))).await;
            assert_eq!(
                content(&message),
                json!([
                    {"type": "text", "text": "Grüße, 世界 🙈 \"quoted\" \\ and\nlines"},
                    {"type": "toolCall", "id": "call_1", "name": "write", "arguments": {"text": "ä🙈\n"}},
                ])
            );
        }
    }
}

#[tokio::test]
async fn usage_and_cost_are_counted() {
    for api in FORMATS {
        let counts =
            ReplyUsage { input: 1_000_000, output: 500_000, cache_read: 2_000_000, cache_write: 800_000, reasoning: 7 };
        let server = LoopbackServer::start([Reply::text("x").usage(counts)]);
        let items = run(request(model(api, &server, json!({})))).await;
        let mut expected: Usage = serde_json::from_value(json!({
            "input": 1_000_000, "output": 500_000, "cacheRead": 2_000_000, "cacheWrite": 800_000,
            "totalTokens": 4_300_000, "reasoning": 7,
        }))
        .expect("usage");
        expected.cost = tau_ai::Cost {
            input: 1.0,
            output: 1.0,
            cache_read: 0.2,
            cache_write: 1.0,
            total: 3.2,
            total_from_provider: Some(false),
        };
        if api == "anthropic-messages" {
            expected.extra.insert("cacheWrite1h".to_owned(), json!(0));
        }
        assert_eq!(final_message(&items).usage, expected);
    }
}

#[tokio::test]
async fn the_start_shows_what_the_first_event_says() {
    for (api, id, counts) in
        [("anthropic-messages", "msg_loopback", (10, 1)), ("openai-completions", "chatcmpl-loopback", (0, 0))]
    {
        let usage = ReplyUsage { input: 10, output: 5, ..ReplyUsage::default() };
        let server = LoopbackServer::start([Reply::text("x").usage(usage)]);
        let items = run(request(model(api, &server, json!({})))).await;
        assert_eq!(items[0].event, StreamEvent::Start);
        let start = items[0].partial.to_message();
        assert_eq!(start.extra["responseId"], id);
        assert_eq!((start.usage.input, start.usage.output), counts);
    }
}

#[tokio::test]
async fn blocks_without_an_end_end_with_the_stream() {
    let chunk = |delta: serde_json::Value| format!("data: {}", json!({"choices": [{"index": 0, "delta": delta}]}));
    let reply = Reply::new()
        .raw(chunk(json!({"content": "Well, "})))
        .raw(chunk(json!({"reasoning": "hm"})))
        .raw(chunk(json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "list", "arguments": ""}}]})))
        .raw(chunk(json!({"content": "yes", "reasoning": "m"})));
    let server = LoopbackServer::start([reply]);
    let items = run(request(model("openai-completions", &server, json!({})))).await;
    insta::assert_snapshot!(lines(&items).join("\n"), @r#"
    start
    text_start 0
    text_delta 0 "Well, "
    thinking_start 1
    thinking_delta 1 "hm"
    toolcall_start 2
    toolcall_delta 2 ""
    thinking_delta 1 "m"
    text_delta 0 "yes"
    text_end 0 "Well, yes"
    thinking_end 1 "hmm"
    toolcall_end 2 c list {}
    done ToolUse
    "#);
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    for (api, given, expected) in [
        ("anthropic-messages", "end_turn", StopReason::Stop),
        ("anthropic-messages", "stop_sequence", StopReason::Stop),
        ("anthropic-messages", "pause_turn", StopReason::Stop),
        ("anthropic-messages", "max_tokens", StopReason::Length),
        ("anthropic-messages", "tool_use", StopReason::ToolUse),
        ("openai-completions", "stop", StopReason::Stop),
        ("openai-completions", "length", StopReason::Length),
        ("openai-completions", "tool_calls", StopReason::ToolUse),
        ("openai-completions", "function_call", StopReason::ToolUse),
    ] {
        let server = LoopbackServer::start([Reply::text("x").stop(given)]);
        let message = answer(request(model(api, &server, json!({})))).await;
        assert_eq!(message.stop_reason, expected, "{given}");
        assert_eq!(message.extra["rawStopReason"], given);
    }
}

#[tokio::test]
async fn redacted_thinking_comes_back_and_goes_out_again() {
    let server = LoopbackServer::start([Reply::new().redacted_thinking("b64==").then_text("ok"), Reply::text("done")]);
    let model = model("anthropic-messages", &server, json!({"reasoning": true}));
    let mut request = request(model);
    let message = answer(request.clone()).await;
    assert_eq!(
        content(&message),
        json!([
            {"type": "thinking", "thinking": "[Reasoning redacted]", "thinkingSignature": "b64==", "redacted": true},
            {"type": "text", "text": "ok"},
        ])
    );
    request.messages.push(std::sync::Arc::new(tau_ai::Message::Assistant(message)));
    answer(request).await;
    assert_eq!(
        server.requests()[1].body["messages"][1],
        json!({"role": "assistant", "content": [
            {"type": "redacted_thinking", "data": "b64=="}, {"type": "text", "text": "ok"},
        ]})
    );
}

#[tokio::test]
async fn reasoning_fields_of_other_servers_are_read_once() {
    let chunk = |delta: serde_json::Value| format!("data: {}", json!({"choices": [{"index": 0, "delta": delta}]}));
    let reply = Reply::new()
        .raw(chunk(json!({"reasoning": "hmm", "reasoning_content": "hmm"})))
        .raw(chunk(json!({"reasoning": "", "content": null, "reasoning_details": [
            {"type": "reasoning.encrypted", "data": "AA", "id": "r1"}]})))
        .raw(chunk(json!({"content": "yes"})));
    let server = LoopbackServer::start([reply, Reply::text("ok")]);
    let mut request = request(model("openai-completions", &server, json!({"reasoning": true})));
    let message = answer(request.clone()).await;
    let signature = r#"[{"type":"reasoning.encrypted","data":"AA","id":"r1"}]"#;
    assert_eq!(
        content(&message),
        json!([
            {"type": "thinking", "thinking": "hmm", "thinkingSignature": signature},
            {"type": "text", "text": "yes"},
        ])
    );
    request.messages.push(std::sync::Arc::new(tau_ai::Message::Assistant(message)));
    answer(request).await;
    assert_eq!(
        server.requests()[1].body["messages"][2],
        json!({"role": "assistant", "content": "yes",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "AA", "id": "r1"}]})
    );
}

#[tokio::test]
async fn sloppy_servers_are_understood() {
    let choice =
        |choice: serde_json::Value| format!("data: {}", json!({"id": "x", "model": "real-model", "choices": [choice]}));
    let server = LoopbackServer::start([
        // Interleaved calls, an id that is missing, a name that comes late, `stop` although there are calls,
        // usage inside the choice, no final blank line and no [DONE].
        Reply::new()
            .raw(choice(json!({"delta": {"tool_calls": [
                {"index": 0, "function": {"arguments": "{\"a\""}}, {"index": 1, "id": "c2", "function": {"name": "two"}}]}})))
            .raw(choice(json!({"delta": {"tool_calls": [
                {"index": 1, "function": {"arguments": "{}"}}, {"index": 0, "function": {"name": "one", "arguments": ":1}"}}]}})))
            .raw(choice(json!({"delta": {}, "finish_reason": "stop",
                "usage": {"prompt_tokens": 3, "completion_tokens": 2, "cached_tokens": 1}})))
            .truncate(),
        Reply::new().raw(choice(json!({"delta": {"content": "no reason"}}))).truncate(),
    ]);
    let compat = json!({"compat": {"supportsFinishReason": false}});
    let message = answer(request(model("openai-completions", &server, compat.clone()))).await;
    let calls: Vec<_> = message.tool_calls().map(|call| (call.name.clone(), call.arguments.clone())).collect();
    assert_eq!(calls, [("two".to_owned(), json!({})), ("one".to_owned(), json!({"a": 1}))]);
    assert!(message.tool_calls().nth(1).is_some_and(|call| call.id.starts_with("call_")));
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    assert_eq!((message.usage.input, message.usage.cache_read, message.usage.output), (2, 1, 2));
    assert_eq!(message.extra["responseModel"], "real-model");

    let message = answer(request(model("openai-completions", &server, compat))).await;
    assert_eq!((message.stop_reason, message.error_message), (StopReason::Stop, None));
}

#[tokio::test]
async fn half_a_tool_call_never_looks_whole() {
    for (api, length) in [("anthropic-messages", "max_tokens"), ("openai-completions", "length")] {
        let half = || Reply::new().raw_tool_call("c", "write", r#"{"path":"a","text":"hel"#);
        let server = LoopbackServer::start([
            half().stop(length),
            half(),
            Reply::new().raw_tool_call("c", "write", r#"{"path":"a"]"#),
            Reply::new().raw_tool_call("c", "write", "{\"path\":\"a\nb\\d\"}"),
            Reply::new().raw_tool_call("c", "write", ""),
            Reply::new().raw_tool_call("c", "write", "[1]"),
        ]);
        let next = async || {
            let message = answer(request(model(api, &server, json!({})))).await;
            let call = message.tool_calls().next().expect("a call");
            (call.arguments.clone(), call.arguments_error.clone(), message.stop_reason.clone())
        };
        let wrong = |reason: &str, text: &str| (json!({}), Some(format!("{reason}\n\nReceived arguments:\n{text}")));
        let (none, early) = wrong("Tool arguments ended before their JSON was complete", r#"{"path":"a","text":"hel"#);
        assert_eq!(next().await, (none.clone(), early.clone(), StopReason::Length));
        assert_eq!(next().await, (none, early, StopReason::ToolUse));
        let reason = "Tool arguments are not valid JSON: expected `,` or `}` at line 1 column 12";
        let (none, broken) = wrong(reason, r#"{"path":"a"]"#);
        assert_eq!(next().await, (none, broken, StopReason::ToolUse));
        assert_eq!(next().await, (json!({"path": "a\nb\\d"}), None, StopReason::ToolUse), "its escapes are fixed");
        assert_eq!(next().await, (json!({}), None, StopReason::ToolUse));
        let (none, list) = wrong("Tool arguments must be a JSON object", "[1]");
        assert_eq!(next().await, (none, list, StopReason::ToolUse));
    }
}

#[tokio::test]
async fn a_conversation_goes_on_over_one_connection_client() {
    for api in FORMATS {
        let server = LoopbackServer::start([Reply::text("one"), Reply::text("two")]);
        let shared = super::support::api(api);
        for expected in ["one", "two"] {
            let mut request = request(model(api, &server, json!({})));
            request.options.thinking = ThinkingLevel::High;
            request.messages = messages(json!([{"role": "user", "content": expected}]));
            let items: Vec<_> = futures_util::StreamExt::collect(shared.stream(request)).await;
            assert_eq!(final_message(&items).texts().collect::<Vec<_>>(), [expected]);
        }
        assert_eq!((server.requests().len(), server.unused()), (2, 0));
    }
}

#[tokio::test]
async fn what_openrouter_charges_counts() {
    let charged = |usage: serde_json::Value| {
        let usage = json!({"prompt_tokens": 1_000_000, "completion_tokens": 0, "cost": 0.25})
            .as_object()
            .cloned()
            .into_iter()
            .chain(usage.as_object().cloned())
            .flatten()
            .collect::<serde_json::Map<_, _>>();
        let chunk =
            json!({"id": "x", "choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}], "usage": usage});
        Reply::new().raw(format!("data: {chunk}")).truncate()
    };
    let details = json!({"upstream_inference_cost": 0.5});
    let parts = json!({"upstream_inference_cost": null, "upstream_inference_prompt_cost": 0.5,
        "upstream_inference_completions_cost": 1.0});
    let cases = [
        (json!({"is_byok": false}), 0.25, true),
        (json!({"is_byok": true, "cost_details": details}), 0.75, true),
        (json!({"is_byok": true, "cost_details": parts}), 1.75, true),
        // Part of it is not known: then the price list counts.
        (json!({"is_byok": true}), 1.0, false),
        (json!({}), 1.0, false),
        (json!({"is_byok": false, "cost": -1}), 1.0, false),
        (json!({"is_byok": "yes", "cost_details": "none"}), 1.0, false),
    ];
    let server = LoopbackServer::start(cases.iter().map(|(usage, ..)| charged(usage.clone())));
    for (usage, total, from_provider) in cases {
        let model = model("openai-completions", &server, json!({"provider": "openrouter"}));
        let cost = answer(request(model)).await.usage.cost;
        assert_eq!((cost.total, cost.total_from_provider), (total, Some(from_provider)), "{usage}");
    }
    // Nobody else's word counts.
    let server = LoopbackServer::start([charged(json!({"is_byok": false}))]);
    let cost = answer(request(model("openai-completions", &server, json!({})))).await.usage.cost;
    assert_eq!((cost.total, cost.total_from_provider), (1.0, Some(false)));
}
