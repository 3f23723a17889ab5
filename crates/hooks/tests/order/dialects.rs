//! Groups of handlers under different rules. The second dialect exists for these tests only.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tau_ai::ContentBlock;
use tau_hooks::dialect::{Dialect, PI, Project, Rule};
use tau_hooks::events::{BeforeAgentStart, EventId, Input, SessionCompacting, ToolCall, ToolResult};
use tau_hooks::payload::{
    BeforeAgentStartEvent, CustomDraft, InputEvent, InputSource, SessionCompactingEvent, StartedBy, ToolCallEvent,
    ToolCallResult, ToolResultEvent,
};
use tau_hooks::table::{Deadline, Failure, fold};
use tau_hooks::{HandlerError, Messages, Registrar, TraceOutcome};
use tau_testkit::Stage;
use tau_testkit::host::extension;

use super::Log;

/// Inside of the standard dialect, with rules of its own.
static INNER: Dialect = Dialect {
    id: "inner",
    name: "inner",
    layer: 1,
    event: EventId::parse,
    rule: |event| {
        let (fold, failure) = match event {
            EventId::ToolCall => (fold::transform::<ToolCall>(), Failure::Block),
            EventId::ToolResult => (fold::last_whole::<ToolResult>(), Failure::Report),
            EventId::BeforeAgentStart => (fold::first_kept::<BeforeAgentStart>(), Failure::Report),
            EventId::Input => (fold::transform::<Input>(), Failure::Block),
            _ => return None,
        };
        let project: Project = |mut payload, reader| {
            payload["seenBy"] = json!(format!("{} {}", reader.dialect().name, payload["type"].as_str().unwrap()));
            payload
        };
        Some(Rule { fold, failure, deadline: Deadline::Observe, project: Some(project), ..Rule::of(event) })
    },
    default_block_reason: "Blocked",
    ..PI
};

/// Loads an extension with one JSON handler that notes its name and what `look` makes of the payload.
fn add(
    stage: &Stage,
    log: &Log,
    (dialect, name, event): (&'static Dialect, &'static str, &'static str),
    look: fn(&Value) -> String,
    answer: Value,
) {
    let log = log.clone();
    let loaded = stage.hooks.load_as(
        &extension(name, move |registrar: &mut Registrar| {
            let (log, answer) = (log.clone(), answer.clone());
            registrar.on_json(event, move |payload, _| {
                log.add(format!("{name}: {}", look(&payload)));
                std::future::ready(Ok(Some(answer.clone())))
            });
            Ok(())
        }),
        dialect,
    );
    loaded.expect("it can be loaded");
}

fn call() -> ToolCallEvent {
    ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({ "command": "ls" }),
    }
}

fn result() -> ToolResultEvent {
    ToolResultEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({}),
        content: vec![ContentBlock::text("original")],
        details: None,
        structured_content: None,
        is_error: false,
        usage: None,
    }
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn content(payload: &Value) -> String {
    payload["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn before_a_tool_the_outer_dialect_is_asked_first_whatever_the_load_order() {
    let (stage, log) = (Stage::new(), Log::default());
    let tool = |payload: &Value| payload["toolName"].to_string();
    for (dialect, name) in [(&INNER, "inner 1"), (&PI, "outer 1"), (&INNER, "inner 2"), (&PI, "outer 2")] {
        add(&stage, &log, (dialect, name, "tool_call"), tool, json!({ "reason": name }));
    }
    let done = stage.fire::<ToolCall>(call()).await;
    let expected = ["outer 1: \"bash\"", "outer 2: \"bash\"", "inner 1: \"bash\"", "inner 2: \"bash\""];
    assert_eq!(log.take(), expected);
    // Of all results the last one counts, across the groups as well.
    assert_eq!(done.output.and_then(|output| output.reason).as_deref(), Some("inner 2"));
}

#[tokio::test]
async fn a_block_of_the_first_group_keeps_the_inner_ones_from_being_asked() {
    let (stage, log) = (Stage::new(), Log::default());
    add(&stage, &log, (&INNER, "inner", "tool_call"), |_| String::new(), json!({}));
    add(&stage, &log, (&PI, "outer", "tool_call"), |_| "asked".into(), json!({ "block": true, "reason": "no" }));
    let done = stage.fire::<ToolCall>(call()).await;
    assert_eq!(log.take(), ["outer: asked"]);
    assert_eq!(done.output, Some(ToolCallResult::block("no")));
    assert_eq!(done.stopped_by.map(|owner| owner.dialect.default_block_reason), Some("Tool execution was blocked"));
}

#[tokio::test]
async fn each_group_sees_what_the_one_before_made_of_the_arguments() {
    let (stage, log) = (Stage::new(), Log::default());
    add(&stage, &log, (&INNER, "inner", "tool_call"), |payload| payload["input"].to_string(), json!({}));
    stage.add("outer", |registrar| {
        registrar.on::<ToolCall>(|_, _| async { Some(ToolCallResult::with_input(json!({ "command": "ls -a" }))) });
    });
    let after = stage.fold::<ToolCall>(call()).await;
    assert_eq!(log.take(), ["inner: {\"command\":\"ls -a\"}"]);
    assert_eq!(after.input, json!({ "command": "ls -a" }));
}

#[tokio::test]
async fn after_a_tool_the_inner_dialect_comes_first_and_its_handlers_see_the_original() {
    let (stage, log) = (Stage::new(), Log::default());
    for (dialect, name) in [(&PI, "outer 1"), (&INNER, "inner 1"), (&INNER, "inner 2"), (&PI, "outer 2")] {
        add(&stage, &log, (dialect, name, "tool_result"), content, text(name));
    }
    let done = stage.fire::<ToolResult>(result()).await;
    let expected = ["inner 1: original", "inner 2: original", "outer 1: inner 2", "outer 2: outer 1"];
    assert_eq!(log.take(), expected);
    assert_eq!(done.payload.map(|payload| payload.content), Some(vec![ContentBlock::text("outer 2")]));
}

#[tokio::test]
async fn a_whole_result_replaces_earlier_ones_of_its_group_with_all_their_fields() {
    let (stage, log) = (Stage::new(), Log::default());
    add(&stage, &log, (&INNER, "one", "tool_result"), content, json!({ "isError": true }));
    add(&stage, &log, (&INNER, "two", "tool_result"), content, text("two"));
    let after = stage.fold::<ToolResult>(result()).await;
    assert_eq!((after.is_error, after.content), (false, vec![ContentBlock::text("two")]));
}

fn message(name: &str) -> Value {
    json!({ "message": { "customType": name, "content": name } })
}

#[tokio::test]
async fn a_dialect_may_keep_the_first_message_only_and_still_call_everybody() {
    let (stage, log) = (Stage::new(), Log::default());
    for (dialect, name) in [(&INNER, "inner 1"), (&PI, "outer 1"), (&INNER, "inner 2"), (&PI, "outer 2")] {
        add(&stage, &log, (dialect, name, "before_agent_start"), |_| "called".into(), message(name));
    }
    let start = BeforeAgentStartEvent {
        message_type: StartedBy::User,
        message: None,
        prompt: "p".into(),
        images: None,
        system_prompt: "s".into(),
        system_prompt_options: json!({}),
    };
    let output = stage.fire::<BeforeAgentStart>(start).await.output.expect("there are results");
    assert_eq!(log.take(), ["outer 1: called", "outer 2: called", "inner 1: called", "inner 2: called"]);
    let kinds = output.messages().into_iter().map(|CustomDraft { custom_type, .. }| custom_type).collect::<Vec<_>>();
    assert_eq!(kinds, ["outer 1", "outer 2", "inner 1"]);
}

#[tokio::test]
async fn a_dialect_projects_the_payloads_of_its_handlers() {
    let (stage, log) = (Stage::new(), Log::default());
    let seen = |payload: &Value| payload["seenBy"].to_string();
    add(&stage, &log, (&PI, "outer", "tool_call"), seen, json!({}));
    add(&stage, &log, (&INNER, "inner", "tool_call"), seen, json!({}));
    stage.fire::<ToolCall>(call()).await;
    assert_eq!(log.take(), ["outer: null", "inner: \"inner tool_call\""]);
}

#[tokio::test]
async fn a_dialect_that_does_not_know_an_event_is_passed_over() {
    let (stage, log) = (Stage::new(), Log::default());
    add(&stage, &log, (&INNER, "inner", "session.compacting"), |_| "called".into(), json!({ "prompt": "inner" }));
    add(&stage, &log, (&PI, "outer", "session.compacting"), |_| "called".into(), json!({ "prompt": "outer" }));
    let event = SessionCompactingEvent { session_id: "s".into(), messages: Messages::new() };
    let done = stage.fire::<SessionCompacting>(event).await;
    assert_eq!(log.take(), ["outer: called"]);
    assert_eq!(done.output.and_then(|output| output.prompt).as_deref(), Some("outer"));
}

#[tokio::test(start_paused = true)]
async fn failure_and_deadline_are_those_of_the_dialect() {
    let input = || InputEvent { text: "a".into(), images: None, source: InputSource::Rpc, streaming_behavior: None };
    let stage = Stage::new();
    let hangs = extension("hangs", |registrar: &mut Registrar| {
        registrar.on::<Input>(|_, _| std::future::pending::<()>());
        Ok(())
    });
    let owner = stage.hooks.load_as(&hangs, &INNER).expect("it can be loaded");
    let shut = stage.fire::<Input>(input()).await.shut.expect("a failure shuts this gate");
    assert_eq!(
        (&*shut.extension, shut.error),
        ("<native:hangs>", HandlerError::TimedOut(Duration::from_secs(30), "tau.limits.observeMs"))
    );
    stage.hooks.unload(&owner);

    // The same handler under the rules of the table.
    stage.hooks.load(&hangs).expect("it can be loaded");
    assert!(stage.fire::<Input>(input()).await.shut.is_none());
    let outcomes = stage.hooks.dispatcher.trace.records().into_iter().map(|record| record.outcome);
    assert_eq!(outcomes.collect::<Vec<_>>(), vec![TraceOutcome::Failed("timed_out".into()); 2]);
}

#[tokio::test]
async fn the_list_shows_the_order_of_the_calls() {
    let (stage, log) = (Stage::new(), Log::default());
    for (dialect, name) in [(&INNER, "i"), (&PI, "o")] {
        add(&stage, &log, (dialect, name, "tool_call"), |_| String::new(), json!({}));
    }
    let handlers = stage.hooks.dispatcher.handlers(EventId::ToolCall);
    let names = handlers.iter().map(|handler| (Arc::clone(&handler.owner.name), handler.owner.dialect.name));
    assert_eq!(names.collect::<Vec<_>>(), [("o".into(), "pi"), ("i".into(), "inner")]);
}
