//! Answers that arrive as they should.

use serde_json::{Value, json};
use tau_ai::{StopReason, ToolDeclaration};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::{AZURE, CODEX, added, completed, delta, done, read, request, text};
use crate::wire::support::{answer, content, lines};

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"), "name": "read",
        "arguments": arguments})
}

fn everything() -> Vec<Value> {
    let part = |kind: &str, place: u64| json!({"type": format!("response.reasoning_summary_part.{kind}"), "output_index": place});
    let reasoning = |summary: Value| json!({"type": "reasoning", "id": "rs_1", "summary": summary});
    let summary = json!([{"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Then."}]);
    let message =
        |content: Value| json!({"type": "message", "id": "msg_1", "phase": "final_answer", "content": content});
    let said = json!([{"type": "output_text", "text": "Hello"}, {"type": "refusal", "refusal": ", no"}]);
    let custom = |input: &str| {
        json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_3", "name": "patch", "input": input,
            "namespace": "files"})
    };
    vec![
        json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}),
        added(0, reasoning(json!([]))),
        part("added", 0),
        delta("reasoning_summary_text", 0, "First."),
        part("done", 0),
        delta("reasoning_summary_text", 0, "Then."),
        part("done", 0),
        done(0, reasoning(summary)),
        added(1, message(json!([]))),
        delta("output_text", 1, "Hel"),
        delta("output_text", 1, "lo"),
        delta("refusal", 1, ", no"),
        done(1, message(said)),
        added(2, call("1", "")),
        added(3, call("2", "")),
        delta("function_call_arguments", 3, "{"),
        delta("function_call_arguments", 2, r#"{"path":"#),
        delta("function_call_arguments", 2, r#""a"}"#),
        json!({"type": "response.function_call_arguments.done", "output_index": 3, "arguments": "{}"}),
        done(3, call("2", "{}")),
        done(2, call("1", r#"{"path":"a"}"#)),
        added(4, custom("")),
        delta("custom_tool_call_input", 4, "a\""),
        delta("custom_tool_call_input", 4, "b"),
        json!({"type": "response.custom_tool_call_input.done", "output_index": 4, "input": "a\"b\nc"}),
        done(4, custom("a\"b\nc")),
        json!({"type": "response.something_new", "output_index": 9}),
        completed(json!({"service_tier": "priority",
            "output": [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "LATE"}]})),
    ]
}

#[tokio::test]
async fn every_kind_of_item_streams_with_its_events() {
    let (items, message) = read(&everything(), |request| {
        let grammar = json!({"type": "grammar", "variants": {"openai_regex": ".*"}});
        let schema = json!({"type": "object", "required": ["diff"], "properties": {"diff": {"type": "string"}}});
        let tool = ToolDeclaration {
            name: "patch".to_owned(),
            description: String::new(),
            parameters: schema,
            constrained_sampling: serde_json::from_value(grammar).expect("a grammar"),
        };
        request.tools = [tool].into();
        let model = std::sync::Arc::make_mut(&mut request.model);
        model.extra.insert("compat".to_owned(), json!({"supportsOpenAIGrammarTools": true}));
    })
    .await;
    insta::assert_snapshot!("events_openai-responses", lines(&items).join("\n"));
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [
        {"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Then."}], "encrypted_content": "LATE"});
    assert_eq!(
        content(&message),
        json!([
            {"type": "thinking", "thinking": "First.\n\nThen.", "thinkingSignature": reasoning.to_string()},
            {"type": "text", "text": "Hello, no", "textSignature": r#"{"v":1,"id":"msg_1","phase":"final_answer"}"#},
            {"type": "toolCall", "id": "call_1|fc_1", "name": "read", "arguments": {"path": "a"}},
            {"type": "toolCall", "id": "call_2|fc_2", "name": "read", "arguments": {}},
            {"type": "toolCall", "id": "call_3|ctc_1", "name": "patch", "arguments": {"diff": "a\"b\nc"}, "namespace": "files"},
        ])
    );
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    assert_eq!(
        (&message.extra["responseId"], &message.extra["rawStopReason"]),
        (&json!("resp_1"), &json!("completed"))
    );
    let usage = &message.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), (180, 50, 100, 20));
    assert_eq!((usage.reasoning, usage.total_tokens), (Some(7), 350));
    assert_eq!(items[0].partial.to_message().extra["responseId"], "resp_loopback", "of the first event");
}

#[tokio::test]
async fn a_service_tier_is_priced_but_at_microsoft() {
    for (api, factor) in [("openai-responses", 0.5), (AZURE, 1.0)] {
        let list: Vec<Value> = text(0, "x").into_iter().chain([completed(json!({"service_tier": "flex"}))]).collect();
        let (_, message) =
            read(&list, |request| std::sync::Arc::make_mut(&mut request.model).api = api.to_owned()).await;
        assert!((message.usage.cost.output - 0.0001 * factor).abs() < 1e-12, "{api} {:?}", message.usage.cost);
    }
}

#[tokio::test]
async fn items_that_come_in_one_piece_are_as_good() {
    let list = [
        done(0, json!({"type": "reasoning", "id": "r", "content": [{"type": "reasoning_text", "text": "Deep."}]})),
        done(1, json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hi"}]})),
        done(2, json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{\"path\":\"a\"}"})),
        done(3, json!({"type": "web_search_call", "id": "ws"})),
        completed(json!({})),
    ];
    let (_, message) = read(&list, |_| {}).await;
    let content = content(&message);
    assert_eq!((&content[0]["thinking"], &content[1]["text"]), (&json!("Deep."), &json!("Hi")));
    assert_eq!(content[2], json!({"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}}));
}

#[tokio::test]
async fn what_a_finished_item_says_wins() {
    let list = [
        added(0, call("1", "")),
        delta("function_call_arguments", 0, r#"{"path":"draft"}"#),
        done(0, call("1", r#"{"path":"final"}"#)),
        added(1, json!({"type": "message", "id": "m"})),
        delta("output_text", 1, "kept"),
        done(1, json!({"type": "message", "id": "m", "content": null})),
        completed(json!({})),
    ];
    let (_, message) = read(&list, |_| {}).await;
    let content = content(&message);
    assert_eq!((&content[0]["arguments"], &content[1]["text"]), (&json!({"path": "final"}), &json!("kept")));
}

#[tokio::test]
async fn an_answer_without_a_status_is_complete() {
    for status in [Value::Null, json!("queued"), json!("in_progress")] {
        let list: Vec<Value> = text(0, "x").into_iter().chain([completed(json!({"status": status}))]).collect();
        assert_eq!(read(&list, |_| {}).await.1.stop_reason, StopReason::Stop);
    }
}

#[tokio::test]
async fn plans_have_an_end_of_their_own() {
    let done = json!({"type": "response.done", "response": {"id": "r", "status": "odd", "end_turn": false}});
    let list: Vec<Value> = text(0, "x").into_iter().chain([done]).collect();
    let (_, message) = read(&list, |request| {
        std::sync::Arc::make_mut(&mut request.model).api = CODEX.to_owned();
        request.options.api_key = Some(tau_ai::Secret::new(super::codex::token("a")));
    })
    .await;
    assert_eq!((message.stop_reason, &message.extra["endTurn"]), (StopReason::Stop, &json!(false)));
}

#[tokio::test]
async fn what_was_answered_goes_back_as_it_came() {
    let reply = || {
        Reply::new()
            .thinking("Hm.", Some("ENC"))
            .then_text("Yes.")
            .tool_call("call_1", "read", json!({"path": "a"}))
            .split_deltas(2)
    };
    let server = LoopbackServer::start([reply(), reply()]);
    let first = answer(request(&server, json!({}))).await;
    let mut again = request(&server, json!({}));
    again.messages.push(std::sync::Arc::new(tau_ai::Message::Assistant(first)));
    answer(again).await;
    let input = server.requests()[1].body["input"].clone();
    assert_eq!(
        input.as_array().expect("items")[2..],
        [
            json!({"type": "reasoning", "id": "rs_0", "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": "ENC"}),
            json!({"type": "message", "role": "assistant", "status": "completed", "id": "msg_1",
                "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]}),
            json!({"type": "function_call", "id": "fc_2", "call_id": "call_1", "name": "read",
                "arguments": "{\"path\":\"a\"}"}),
            json!({"type": "function_call_output", "call_id": "call_1", "output": "No result provided"}),
        ]
    );
}

/// The provider says itself that a call was cut off; whether its arguments can be read does not matter.
#[tokio::test]
async fn a_call_that_the_provider_cut_off_has_no_arguments() {
    let cut = |mut item: Value| {
        item["status"] = json!("incomplete");
        item
    };
    let custom = |input: &str| json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "patch", "input": input});
    let events = vec![
        added(0, call("1", "")),
        delta("function_call_arguments", 0, r#"{"path":"a"#),
        done(0, cut(call("1", r#"{"path":"a"#))),
        added(1, custom("")),
        delta("custom_tool_call_input", 1, "half of"),
        done(1, cut(custom("half of"))),
        completed(json!({})),
    ];
    let (_, message) = read(&events, |_| {}).await;
    let calls: Vec<_> = message.tool_calls().collect();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call.is_incomplete() && call.arguments == json!({})), "{calls:?}");
}
