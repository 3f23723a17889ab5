//! Before and after a tool.

use std::time::Duration;

use serde_json::json;
use tau_hooks::dialect::{OMP, ORIGINAL, PI, SHELL};
use tau_hooks::events::{ToolCall, ToolResult};
use tau_hooks::payload::{ToolCallResult, ToolResultResult};
use tau_hooks::{Limits, Mode};
use tau_testkit::{Stage, StaticHost};
use tokio::time::{Instant, sleep};

use super::{Log, call, content, failed, failing, load, on, returned, stage, stage_on, text};

#[tokio::test]
pub(super) async fn fields_of_two_results_are_put_together_for_current_extensions_only() {
    for (dialect, expected) in
        [(&PI, ("a", json!({ "b": 2 }))), (&OMP, ("x", json!({ "b": 2 }))), (&ORIGINAL, ("x", json!({ "b": 2 })))]
    {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, json!({ "content": content("a") }));
        on(&stage, dialect, ("b", "tool_result"), &log, json!({ "details": { "b": 2 } }));
        let after = stage.fold::<ToolResult>(returned("x")).await;
        assert_eq!((text(&after).as_str(), after.details.unwrap()), expected, "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn later_hooks_of_the_older_dialects_see_what_the_tool_returned() {
    for (dialect, seen) in [(&PI, "a"), (&OMP, "x"), (&ORIGINAL, "x"), (&SHELL, "a")] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, json!({ "content": content("a") }));
        on(&stage, dialect, ("b", "tool_result"), &log, json!(null));
        let after = stage.fold::<ToolResult>(returned("x")).await;
        assert_eq!(text(&after), "a", "{}", dialect.id);
        assert_eq!(log.take()[1]["content"], content(seen), "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn an_empty_object_takes_an_earlier_result_back() {
    for dialect in [&OMP, &ORIGINAL] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, json!({ "content": content("a") }));
        on(&stage, dialect, ("b", "tool_result"), &log, json!({}));
        assert_eq!(text(&stage.fold::<ToolResult>(returned("x")).await), "x", "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn only_current_extensions_make_an_error_of_a_result() {
    for (dialect, is_error) in [(&PI, true), (&OMP, false), (&ORIGINAL, false), (&SHELL, false)] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, json!({ "isError": true, "content": content("a") }));
        load(&stage, dialect, "typed", |registrar| {
            registrar.on::<ToolResult>(|_, _| async {
                Some(ToolResultResult { is_error: Some(true), content: None, ..ToolResultResult::default() })
            });
        });
        let after = stage.fold::<ToolResult>(returned("x")).await;
        assert_eq!(after.is_error, is_error, "{}", dialect.id);
        let unknown = if dialect.id == "shell" { 1 } else { 0 };
        assert_eq!(stage.take_reports().len(), unknown, "the older dialects have the field, without an effect");
    }
}

#[tokio::test]
pub(super) async fn null_says_nothing_to_the_older_dialects() {
    for (dialect, expected) in [(&PI, Some(json!(null))), (&OMP, Some(json!({ "lines": 1 })))] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, json!({ "details": null, "content": content("a") }));
        let after = stage.fold::<ToolResult>(returned("x")).await;
        assert_eq!((text(&after).as_str(), after.details), ("a", expected), "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn the_one_text_that_a_result_once_was_is_taken_from_original_hooks() {
    for (dialect, expected, reports) in [(&ORIGINAL, "older", 0), (&OMP, "x", 1), (&PI, "x", 1)] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, json!({ "result": "older" }));
        assert_eq!(text(&stage.fold::<ToolResult>(returned("x")).await), expected, "{}", dialect.id);
        assert_eq!(stage.take_reports().len(), reports, "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn a_tool_that_fails_is_told_as_each_dialect_has_it() {
    let answer = json!({ "content": content("mended"), "isError": false });
    for (dialect, heard, text_after, is_error) in
        [(&PI, true, "mended", false), (&OMP, true, "broke", true), (&ORIGINAL, false, "broke", true)]
    {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_result"), &log, answer.clone());
        let after = stage.fold::<ToolResult>(failed("broke")).await;
        assert_eq!((text(&after).as_str(), after.is_error), (text_after, is_error), "{}", dialect.id);
        // What is left of the result is as it was.
        assert_eq!(after.details, Some(json!({ "lines": 1 })));
        let seen = log.take();
        assert_eq!(seen.len(), usize::from(heard), "{}", dialect.id);
        if dialect.id == "omp" {
            let event = json!({
                "type": "tool_result", "toolName": "bash", "toolCallId": "c1", "input": { "command": "ls" },
                "content": content("broke"), "isError": true,
            });
            assert_eq!(seen, [event], "its observers get the text of the failure and nothing else");
        }
    }
}

#[tokio::test]
pub(super) async fn what_a_hook_throws_keeps_the_tool_from_running_in_every_dialect() {
    for dialect in [&PI, &OMP, &ORIGINAL, &SHELL] {
        let stage = stage();
        failing(&stage, dialect, ("a", "tool_call"));
        let shut = stage.fire::<ToolCall>(call("bash", json!({}))).await.shut.expect("a gate that is shut");
        assert_eq!(shut.reason(), "boom", "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn the_first_block_ends_the_round_and_says_so_with_the_words_of_its_dialect() {
    let hook = "Tool execution was blocked by a hook";
    for (dialect, words) in [(&PI, "Tool execution was blocked"), (&OMP, hook), (&ORIGINAL, hook), (&SHELL, hook)] {
        let (stage, log) = (stage(), Log::default());
        on(&stage, dialect, ("a", "tool_call"), &log, json!({ "block": false, "reason": "ignored" }));
        on(&stage, dialect, ("b", "tool_call"), &log, json!({ "block": true }));
        on(&stage, dialect, ("c", "tool_call"), &log, json!(null));
        let done = stage.fire::<ToolCall>(call("a_custom_tool", json!({}))).await;
        assert_eq!(done.stopped_by.map(|owner| owner.dialect.default_block_reason), Some(words));
        assert_eq!(done.output.and_then(|output| output.reason), None);
        let seen = log.take();
        assert_eq!((seen.len(), &seen[1]["toolName"]), (2, &json!("a_custom_tool")), "{}", dialect.id);
    }
}

#[tokio::test]
pub(super) async fn a_changed_input_reaches_the_tool_unless_hooks_get_a_copy() {
    for (dialect, expected) in [(&PI, "ls -a"), (&ORIGINAL, "ls -a"), (&SHELL, "ls -a"), (&OMP, "ls")] {
        let (stage, log) = (stage(), Log::default());
        load(&stage, dialect, "changes", |registrar| {
            registrar.on::<ToolCall>(|_, _| async { Some(ToolCallResult::with_input(json!({ "command": "ls -a" }))) });
        });
        on(&stage, dialect, ("looks", "tool_call"), &log, json!(null));
        let after = stage.fold::<ToolCall>(call("bash", json!({ "command": "ls" }))).await;
        let expected = json!({ "command": expected });
        assert_eq!((&after.input, &log.take()[0]["input"]), (&expected, &expected), "{}", dialect.id);
    }
}

/// A gate that waits for the user, or a filter that takes long.
fn slow(stage: &Stage, log: &Log, event: &str) {
    load(stage, &ORIGINAL, "slow", |registrar| {
        registrar.on_json(event, |_, _| async {
            sleep(Duration::from_secs(3600)).await;
            Ok(Some(json!({ "content": content("late"), "block": true, "reason": "late" })))
        });
    });
    on(stage, &ORIGINAL, ("next", event), log, json!(null));
}

#[tokio::test(start_paused = true)]
pub(super) async fn an_original_hook_that_takes_too_long_is_given_up_but_not_at_the_gate() {
    let (stage, log) = (stage_on(StaticHost::new().with_mode(Mode::Print)), Log::default());
    stage.hooks.dispatcher.set_limits(Limits { hook: Duration::from_millis(1500), ..Limits::default() });
    slow(&stage, &log, "tool_result");
    let started = Instant::now();
    let after = stage.fold::<ToolResult>(returned("x")).await;
    assert_eq!((text(&after).as_str(), started.elapsed()), ("x", Duration::from_millis(1500)));
    assert_eq!(log.take().len(), 1, "the next hook is called");
    let [report] = &stage.take_report_texts()[..] else { panic!("one report") };
    assert!(report.starts_with("Hook error (<native:slow>): Hook timed out after 1500ms [tool_result at "), "{report}");

    slow(&stage, &log, "tool_call");
    let done = stage.fire::<ToolCall>(call("bash", json!({}))).await;
    assert_eq!(done.output, Some(ToolCallResult::block("late")));
    assert!(started.elapsed() > Duration::from_secs(3600));
}

#[tokio::test(start_paused = true)]
pub(super) async fn the_limit_is_for_each_hook_and_not_for_dialogs() {
    let (stage, log) = (stage(), Log::default());
    for (name, time) in [("a", 20), ("b", 20)] {
        let log = log.clone();
        load(&stage, &ORIGINAL, name, move |registrar| {
            let log = log.clone();
            registrar.on_json("agent_start", move |_, ctx| {
                let log = log.clone();
                async move {
                    let pause = ctx.pause_deadline();
                    sleep(Duration::from_secs(600)).await;
                    drop(pause);
                    sleep(Duration::from_secs(time)).await;
                    log.add(ctx.owner().name.to_string());
                    Ok(None)
                }
            });
        });
    }
    stage.fire::<tau_hooks::events::AgentStart>(tau_hooks::payload::Empty {}).await;
    assert_eq!(log.take(), ["a", "b"]);
}
