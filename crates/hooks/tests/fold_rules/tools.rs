//! `tool_call`, `tool_result` and `user_bash`.

use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::events::{ToolCall, ToolResult, UserBash};
use tau_hooks::payload::{ToolCallEvent, ToolCallResult, ToolResultEvent, UserBashEvent, UserBashResult};
use tau_hooks::{Handle, Outcome};
use tau_testkit::Stage;

use super::{Round, Style, both, run, to_json, with};

fn call() -> ToolCallEvent {
    let input = json!({ "command": "ls", "nested": { "deep": [1, 2] } });
    ToolCallEvent { tool_name: "bash".into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input }
}

fn block(reason: &str) -> Option<Value> {
    Some(json!({ "block": true, "reason": reason }))
}

#[tokio::test]
async fn the_first_block_ends_the_round() {
    let before = to_json(&call());
    assert_eq!(
        both::<ToolCall>(call(), &[None, Some(json!({ "block": false })), block("no"), block("never asked")]).await,
        Round {
            seen: vec![before.clone(); 3],
            payload: before,
            output: block("no"),
            stopped_by: Some(2),
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn without_a_block_the_last_result_counts() {
    let results = [Some(json!({ "reason": "one" })), Some(json!({ "block": false, "reason": "two" })), None];
    let round = both::<ToolCall>(call(), &results).await;
    assert_eq!((round.output, round.stopped_by), (results[1].clone(), None));
}

#[tokio::test]
async fn a_block_may_ask_to_end_the_run() {
    let block = Some(json!({ "block": true, "terminate": true }));
    let round = both::<ToolCall>(call(), std::slice::from_ref(&block)).await;
    assert_eq!((round.output, round.stopped_by), (block, Some(0)));
}

#[tokio::test]
async fn arguments_may_be_changed_and_later_handlers_see_them() {
    let stage = Stage::new();
    stage.add("sudo", |registrar| {
        registrar.on::<ToolCall>(|event, _| async move {
            let mut input = event.input;
            input["nested"]["deep"][0] = json!("changed");
            Some(ToolCallResult::with_input(input))
        });
    });
    stage.add("guard", |registrar| {
        registrar.on_json("tool_call", |event, _| async move {
            assert_eq!(event["input"]["nested"]["deep"], json!(["changed", 2]));
            // A change of its own copy that is not handed over does not count.
            let mut copy = event;
            copy["input"] = json!({});
            Ok(Some(json!({})))
        });
    });
    let after = stage.fold::<ToolCall>(call()).await;
    let expected = json!({ "command": "ls", "nested": { "deep": ["changed", 2] } });
    assert_eq!((after.input, stage.take_report_texts()), (expected, vec![]));
}

#[tokio::test]
async fn arguments_cannot_be_part_of_a_returned_object() {
    let result = Some(json!({ "input": { "command": "rm" } }));
    let round = run::<ToolCall>(Style::Json, call(), &[result]).await;
    assert_eq!(round.payload, to_json(&call()));
    assert_eq!(
        round.reports,
        ["<native:0>: answered with the unknown field `input` and with no field of `tool_call`, so it blocked nothing"]
    );
}

fn result() -> ToolResultEvent {
    ToolResultEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({ "command": "ls" }),
        content: vec![ContentBlock::text("out")],
        details: Some(json!({ "code": 0 })),
        structured_content: None,
        is_error: false,
        usage: None,
    }
}

fn text(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

#[tokio::test]
async fn fields_of_a_tool_result_are_replaced_one_by_one() {
    let before = to_json(&result());
    let one = with(&before, json!({ "content": text("one") }));
    let two = with(&one, json!({ "details": null }));
    let four = with(&two, json!({ "isError": true, "content": text("four") }));
    let results = [
        Some(json!({ "content": text("one") })),
        Some(json!({ "details": null })),
        Some(json!({})),
        Some(json!({ "isError": true, "content": text("four") })),
        None,
    ];
    assert_eq!(
        both::<ToolResult>(result(), &results).await,
        Round {
            seen: vec![before, one, two.clone(), two, four.clone()],
            payload: four,
            output: Some(json!({ "content": text("four"), "details": null, "isError": true })),
            stopped_by: None,
            reports: vec![],
        }
    );
}

#[tokio::test]
async fn a_failed_tool_result_may_become_a_good_one() {
    let event = ToolResultEvent { is_error: true, details: None, ..result() };
    let results = [Some(json!({ "isError": false, "content": [], "details": { "mended": true } }))];
    let round = both::<ToolResult>(event.clone(), &results).await;
    let expected = json!({ "isError": false, "content": [], "details": { "mended": true } });
    assert_eq!(round.payload, with(&to_json(&event), expected));
}

/// Saying once more how the call went takes nothing away.
#[tokio::test]
async fn a_structured_value_stays_when_the_failure_does() {
    let results = [Some(json!({ "structuredContent": { "v": 1 } })), Some(json!({ "isError": false }))];
    let round = both::<ToolResult>(result(), &results).await;
    assert_eq!(round.payload["structuredContent"], json!({ "v": 1 }));
    assert_eq!(round.output, Some(json!({ "structuredContent": { "v": 1 }, "isError": false })));
}

#[tokio::test]
async fn a_malformed_tool_result_changes_nothing() {
    for bad in [json!({ "content": "text" }), json!({ "isError": "yes" }), json!("text"), json!([])] {
        let results = [Some(bad.clone()), Some(json!({ "isError": true }))];
        let round = run::<ToolResult>(Style::Json, result(), &results).await;
        assert_eq!(round.payload, with(&to_json(&result()), json!({ "isError": true })), "{bad}");
        assert_eq!(round.reports.len(), 1, "{bad}");
    }
}

fn shell() -> UserBashEvent {
    UserBashEvent { command: "ls".into(), exclude_from_context: false, cwd: "/work".into() }
}

fn done(output: &str) -> Value {
    json!({ "result": { "output": output, "exitCode": 0, "cancelled": false, "truncated": false } })
}

#[tokio::test]
async fn the_first_answer_to_a_user_command_ends_the_round() {
    let round = both::<UserBash>(shell(), &[None, Some(done("mine")), Some(done("never asked"))]).await;
    assert_eq!((round.output, round.stopped_by, round.seen.len()), (Some(done("mine")), Some(1), 2));
}

#[tokio::test]
async fn a_user_command_may_be_run_by_a_live_object() {
    let stage = Stage::new();
    async fn remote(_: UserBashEvent, _: tau_hooks::Ctx) -> Outcome<UserBash> {
        Ok(Some(UserBashResult { operations: Some(Handle::new("over ssh")), result: None }))
    }
    stage.add("ssh", |registrar| {
        registrar.on::<UserBash>(remote);
    });
    let output = stage.fire::<UserBash>(shell()).await.output.expect("there is a result");
    assert_eq!(output.operations.as_ref().and_then(Handle::get::<&str>), Some(&"over ssh"));
}

#[tokio::test]
async fn neither_or_both_ways_to_run_a_user_command_shut_the_gate() {
    let neither = UserBashResult::default();
    let both = UserBashResult { operations: Some(Handle::new(1)), result: Some(Default::default()) };
    for result in [neither, both] {
        let stage = Stage::new();
        stage.add("odd", move |registrar| {
            let result = result.clone();
            registrar.on::<UserBash>(move |_, _| {
                let result = result.clone();
                async move { Some(result) }
            });
        });
        let shut = stage.fire::<UserBash>(shell()).await.shut.expect("the gate is shut");
        let reason = "Blocked: extension <native:odd> returned a malformed result: exactly one of `operations` and \
                      `result` is needed";
        assert_eq!(shut.reason(), reason);
    }
}
