//! What only servers of `openai-completions` do.

use serde_json::{Value, json};
use tau_ai::{ConstrainedSampling, GrammarVariants, StopReason, StreamItem, ToolDeclaration};
use tau_testkit::loopback::{LoopbackServer, Reply};

use super::support::{answer, content, final_message, lines, messages, model, request, run};

fn chunk(choice: Value) -> String {
    format!("data: {}", json!({"choices": [choice]}))
}

fn delta(delta: Value) -> String {
    chunk(json!({"index": 0, "delta": delta}))
}

async fn items(extra: Value, reply: Reply) -> Vec<StreamItem> {
    let server = LoopbackServer::start([reply]);
    run(request(model("openai-completions", &server, extra))).await
}

#[tokio::test]
async fn what_was_thought_comes_before_what_is_said_in_a_chunk() {
    let reply = Reply::new().raw(delta(json!({"content": "yes", "reasoning": "hm"})));
    let message = final_message(&items(json!({}), reply).await);
    let thinking = json!({"type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning"});
    assert_eq!(content(&message), json!([thinking, {"type": "text", "text": "yes"}]));
}

#[tokio::test]
async fn reasoning_goes_back_in_the_field_that_the_server_takes() {
    let reply = Reply::new().raw(delta(json!({"reasoning": "hm"})));
    let message = final_message(&items(json!({"provider": "opencode-go"}), reply).await);
    assert_eq!(content(&message)[0]["thinkingSignature"], "reasoning_content");
}

#[tokio::test]
async fn encrypted_reasoning_of_older_files_goes_back_with_its_call() {
    let server = LoopbackServer::start([Reply::text("ok")]);
    let mut request = request(model("openai-completions", &server, json!({})));
    let detail = json!({"type": "reasoning.encrypted", "id": "rs_1", "data": "AAAA"});
    let call =
        json!({"type": "toolCall", "id": "c", "name": "list", "arguments": {}, "thoughtSignature": detail.to_string()});
    request.messages = messages(json!([
        {"role": "user", "content": "Go"},
        {"role": "assistant", "api": "openai-completions", "provider": "test", "model": "test-model", "content": [call],
            "stopReason": "toolUse"},
        {"role": "toolResult", "toolCallId": "c", "toolName": "list", "content": [{"type": "text", "text": "x"}]},
    ]));
    answer(request).await;
    assert_eq!(server.requests()[0].body["messages"][2]["reasoning_details"], json!([detail]));
}

fn patch_tool() -> ToolDeclaration {
    let variants = GrammarVariants { openai_lark: Some("start: /.+/".to_owned()), ..GrammarVariants::default() };
    ToolDeclaration {
        name: "patch".to_owned(),
        description: "Patches.".to_owned(),
        parameters: json!({"type": "object", "properties": {"patch": {"type": "string"}}, "required": ["patch"]}),
        constrained_sampling: Some(ConstrainedSampling::Grammar { variants }),
    }
}

#[tokio::test]
async fn the_text_of_a_tool_with_a_grammar_is_its_argument() {
    let custom =
        |custom: Value| delta(json!({"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": custom}]}));
    let begun = Reply::new()
        .raw(custom(json!({"name": "patch", "input": ""})))
        .raw(custom(json!({"input": "+\"ä\"\n"})))
        .raw(custom(json!({"input": "-🙈"})));
    let run_with = async |reply: Reply| {
        let server = LoopbackServer::start([reply]);
        let extra = json!({"compat": {"supportsOpenAIGrammarTools": true}});
        let mut request = request(model("openai-completions", &server, extra));
        request.tools = [patch_tool()].into();
        run(request).await
    };
    let items =
        run_with(begun.clone().raw(chunk(json!({"index": 0, "delta": {}, "finish_reason": "tool_calls"})))).await;
    insta::assert_snapshot!(lines(&items).join("\n"), @r#"
    start
    toolcall_start 0
    toolcall_delta 0 ""
    toolcall_delta 0 "{\"patch\":\"+\\\"ä\\\"\\n"
    toolcall_delta 0 "-🙈"
    toolcall_delta 0 "\"}"
    toolcall_end 0 c patch {"patch":"+\"ä\"\n-🙈"}
    done ToolUse
    "#);

    // A text that was cut off is no argument.
    let message = final_message(&run_with(begun.stop("length")).await);
    assert_eq!(message.stop_reason, StopReason::Length);
    let call = &content(&message)[0];
    assert_eq!(call["arguments"], json!({}));
    assert!(call["argumentsError"].as_str().is_some_and(|why| why.contains("ended before")), "{call}");
}

#[tokio::test]
async fn a_tool_that_insists_on_what_the_server_lacks_is_not_sent() {
    let server = LoopbackServer::start([]);
    let mut request = request(model("openai-completions", &server, json!({})));
    let insists: ConstrainedSampling =
        serde_json::from_value(json!({"type": "json_schema", "strict": "require"})).expect("a wish");
    request.tools = [ToolDeclaration { constrained_sampling: Some(insists), ..patch_tool() }].into();
    let message = answer(request).await;
    let text = r#"The tool "patch" needs arguments that strictly fit, but the model has no strict tools"#;
    assert_eq!(message.error_message.as_deref(), Some(text));
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn errors_are_told_in_every_form() {
    for (body, text) in [
        (json!({"error": {"message": "no", "code": 7}}), r#"400: {"message":"no","code":7}"#),
        (json!({"error": "no"}), r#"400 "no""#),
        (json!([{"error": {"code": 400, "message": "no"}}]), r#"400: {"code":400,"message":"no"}"#),
        (json!({"message": "no"}), "400 no"),
        (json!({"detail": [{"loc": ["body"], "msg": "no"}]}), r#"400 {"detail":[{"loc":["body"],"msg":"no"}]}"#),
        (json!({"errors": [{"message": "no"}]}), r#"400 {"errors":[{"message":"no"}]}"#),
        (json!("no"), r#"400 "no""#),
    ] {
        let message = final_message(&items(json!({}), Reply::http_error(400, body.to_string())).await);
        assert_eq!(message.error_message.as_deref(), Some(text));
        let told = tau_ai::FailureText::read(text);
        assert_eq!(
            told,
            tau_ai::FailureText::Answered { status: 400, words: "no".to_owned(), is_page: false },
            "{text}"
        );
    }
    let inside = |data: Value| Reply::text("half").raw(format!("data: {data}")).truncate();
    for data in [
        json!({"error": {"message": "no"}}),
        json!({"error": {"message": "no"}, "choices": [{"delta": {}, "finish_reason": "error"}]}),
        json!({"object": "error", "message": "no"}),
    ] {
        let message = final_message(&items(json!({}), inside(data)).await);
        assert_eq!((message.stop_reason, message.error_message.as_deref()), (StopReason::Error, Some("no")));
    }
}

#[tokio::test]
async fn token_counts_come_at_the_end_or_with_the_reason_or_never() {
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 4, "prompt_cache_hit_tokens": 3});
    let said = delta(json!({"content": "x"}));
    let stop = |more: Value| {
        let mut choice = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
        choice.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        chunk(choice)
    };
    for (reply, counts) in [
        (
            Reply::new()
                .raw(&*said)
                .raw(stop(json!({})))
                .raw(format!("data: {}", json!({"choices": [], "usage": usage}))),
            (7, 4, 3),
        ),
        (Reply::new().raw(&*said).raw(stop(json!({"usage": usage}))), (7, 4, 3)),
        (Reply::new().raw(&*said).raw(stop(json!({}))), (0, 0, 0)),
    ] {
        let message = final_message(&items(json!({}), reply.truncate()).await);
        assert_eq!(message.stop_reason, StopReason::Stop);
        assert_eq!((message.usage.input, message.usage.output, message.usage.cache_read), counts);
    }
}
