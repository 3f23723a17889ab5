use super::*;

#[tokio::test]
async fn a_reply_becomes_the_events_of_its_steps() {
    let api = script(
        r#"
replies:
  - - thinking: Hm, well.
      chunk: 4
      signature: sig
    - text: "Grüße, Welt"
      chunk: 5
    - tool_call: {name: ls, arguments: {path: ., limit: 3}}
      chunk: 12
    - tool_call: {id: mine, name: read, raw_arguments: '{"path": "a'}
    - usage: {input: 10, output: 5, cache_read: 2}
"#,
    );
    let items = items(request(&api, user("hi")), &api).await;
    assert_eq!(
        lines(&items),
        [
            "start",
            "thinking_start",
            r#"thinking_delta 0 "Hm, ""#,
            r#"thinking_delta 0 "well""#,
            r#"thinking_delta 0 ".""#,
            r#"thinking_end 0 "Hm, well.""#,
            "text_start",
            r#"text_delta 1 "Grüße""#,
            r#"text_delta 1 ", Wel""#,
            r#"text_delta 1 "t""#,
            r#"text_end 1 "Grüße, Welt""#,
            "toolcall_start",
            r#"toolcall_delta 2 "{\"path\":\".\",""#,
            r#"toolcall_delta 2 "\"limit\":3}""#,
            r#"toolcall_end 2 call_1 ls {"path":".","limit":3}"#,
            "toolcall_start",
            r#"toolcall_delta 3 "{\"path\": \"a""#,
            r#"toolcall_end 3 mine read {}"#,
            "done ToolUse",
        ]
    );
    let message = items.last().and_then(|item| item.event.final_message()).expect("final");
    assert_eq!(message.tool_calls().map(crate::ToolCallBlock::is_incomplete).collect::<Vec<_>>(), [false, true]);
    assert_eq!((message.usage.input, message.usage.output, message.usage.total_tokens), (10, 5, 17));
    assert_eq!((message.provider.as_str(), message.model.as_str()), ("scripted", "scripted"));
}

#[tokio::test]
async fn replies_answer_in_order_and_then_there_are_none() {
    let api = script("replies: [one, {repeat: 2, steps: [two]}]");
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(text(&api, user("hi")).await);
    }
    assert_eq!(said, ["one", "two", "two"]);
    assert_eq!(api.unplayed(), 0);
    assert_eq!(
        failure(&api, user("hi")).await,
        "Scripted model: no reply is left for request 4 (the script has 2 replies)"
    );
}

#[tokio::test]
async fn a_script_can_loop_or_repeat_its_last_reply() {
    for (yaml, expected) in
        [("{loop: true, replies: [a, b]}", "ababa"), ("replies: [a, {repeat: forever, steps: [b]}]", "abbbb")]
    {
        let api = script(yaml);
        let mut said = String::new();
        for _ in 0..5 {
            said += &text(&api, user("hi")).await;
        }
        assert_eq!(said, expected);
    }
}

#[tokio::test]
async fn a_condition_comes_before_the_order() {
    let api = script(
        r"
replies:
  - in order
  - {when: {last_user_contains: weather}, once: true, steps: [sunny]}
  - {when: {last_user_contains: weather}, steps: [still sunny]}
",
    );
    let mut said = Vec::new();
    for prompt in ["the weather", "hello", "weather again", "weather?"] {
        said.push(text(&api, user(prompt)).await);
    }
    assert_eq!(said, ["sunny", "in order", "still sunny", "still sunny"]);
    assert_eq!(
        failure(&api, user("bye")).await,
        "Scripted model: no reply is left for request 5 (the script has 3 replies)\n  reply 3 wants \
         last_user_contains: expected \"weather\", got \"bye\""
    );
}

#[tokio::test]
async fn one_delta_repeats_thousands_of_times() {
    let api = script("replies: [[{text: 'ab ', repeat_delta: 5000}]]");
    let items = items(request(&api, user("go")), &api).await;
    let deltas = items.iter().filter(|item| item.event.name() == "text_delta").count();
    let length = items.last().and_then(|item| item.event.final_message()).map(|m| m.texts().map(str::len).sum());
    assert_eq!((deltas, length), (5000, Some(15_000)));
}

#[tokio::test]
async fn stop_reasons_can_be_set() {
    let api = script("replies: [[cut off, {stop_reason: length}]]");
    assert_eq!(answer(&api, user("hi")).await.stop_reason, StopReason::Length);
}

#[tokio::test]
async fn an_error_keeps_what_came_before_it() {
    let api = script("replies: [[half, {error: connection lost}], [{error: {aborted: true}}]]");
    let message = answer(&api, user("hi")).await;
    assert_eq!(message.texts().collect::<Vec<_>>(), ["half"]);
    assert_eq!((message.stop_reason, message.error_message.as_deref()), (StopReason::Error, Some("connection lost")));
    let message = answer(&api, user("hi")).await;
    assert_eq!(
        (message.stop_reason, message.error_message.as_deref()),
        (StopReason::Aborted, Some("Request was aborted"))
    );
}

#[tokio::test]
async fn call_ids_differ_from_those_of_the_conversation() {
    let api = script("replies: [[{tool_call: {name: ls}}, {tool_call: {name: ls}}]]");
    let message = answer(&api, after_tool("hi", "call_1", "ls", "a", false)).await;
    let ids: Vec<&str> = message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_2", "call_3"]);
}

#[test]
fn the_model_is_what_the_script_says() {
    let api = script("{model: {id: m, contextWindow: 1000, reasoning: true, cost: {input: 3}}, replies: []}");
    let model = api.model();
    assert_eq!(
        (model.id.as_str(), model.name.as_str(), model.provider.as_str(), model.api.as_str()),
        ("m", "m", "scripted", "scripted")
    );
    assert_eq!((model.context_window, model.reasoning, model.cost.input), (1000, true, 3.0));
}

#[tokio::test]
async fn json_says_the_same_as_yaml() {
    let json = r#"{"replies": ["one", [{"text": "two"}]]}"#;
    let api = ScriptedApi::from_str("a.json", json).expect("a script");
    assert_eq!(text(&api, user("hi")).await + &text(&api, user("hi")).await, "onetwo");
}
