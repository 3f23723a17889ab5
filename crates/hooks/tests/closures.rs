//! Plain closures are handlers: their parameter types follow from the event, and they may evaluate to nothing, to
//! an optional result, or to either in a `Result`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tau_hooks::events::{AgentStart, Context, Input, SessionStart, ToolCall, ToolResult};
use tau_hooks::payload::{
    ContextEvent, ContextResult, Empty, InputEvent, InputResult, InputSource, SessionStartEvent, SessionStartReason,
    ToolCallEvent, ToolCallResult,
};
use tau_hooks::{Ctx, HandlerError, Messages, Outcome};
use tau_testkit::Stage;

fn bash(command: &str) -> ToolCallEvent {
    ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({ "command": command }),
    }
}

fn input(text: &str) -> InputEvent {
    InputEvent { text: text.into(), images: None, source: InputSource::Interactive, streaming_behavior: None }
}

#[tokio::test]
async fn a_closure_may_return_an_optional_result() {
    let stage = Stage::new();
    stage.add("guard", |registrar| {
        registrar.on::<ToolCall>(|event, ctx| async move {
            if event.input["command"] == "rm -rf /" && !ctx.has_ui() {
                return Some(ToolCallResult::block("no"));
            }
            None
        });
    });
    let blocked = stage.fire::<ToolCall>(bash("rm -rf /")).await;
    assert_eq!(blocked.output, Some(ToolCallResult::block("no")));
    assert_eq!(stage.fire::<ToolCall>(bash("ls")).await.output, None);
}

#[tokio::test]
async fn a_closure_may_return_an_optional_result_or_fail() {
    let stage = Stage::new();
    stage.add("numbers", |registrar| {
        registrar.on::<Input>(|event, _ctx| async move {
            let Some(digits) = event.text.strip_prefix('#') else { return Ok(None) };
            let number: u32 = digits.parse()?;
            Ok(Some(InputResult::Transform { text: (number + 1).to_string(), images: None }))
        });
    });
    assert_eq!(stage.fold::<Input>(input("#41")).await, input("42"));
    assert_eq!(stage.fold::<Input>(input("plain")).await, input("plain"));
    assert_eq!(stage.fold::<Input>(input("#x")).await, input("#x"));
    let reports = stage.take_report_texts();
    assert_eq!(reports.len(), 1);
    assert!(reports[0].starts_with("Extension error (<native:numbers>): invalid digit found in string"), "{reports:?}");
}

#[tokio::test]
async fn a_closure_may_return_nothing() {
    let stage = Stage::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    stage.add("counter", move |registrar| {
        let (starts, runs) = (Arc::clone(&counted), Arc::clone(&counted));
        registrar
            .on::<SessionStart>(move |event, _| {
                let starts = Arc::clone(&starts);
                async move {
                    assert_eq!(event.reason, SessionStartReason::Startup);
                    starts.fetch_add(1, Ordering::Relaxed);
                }
            })
            .on::<AgentStart>(move |_, _| {
                let runs = Arc::clone(&runs);
                async move {
                    runs.fetch_add(10, Ordering::Relaxed);
                    Ok(())
                }
            });
    });
    let start = SessionStartEvent { reason: SessionStartReason::Startup, previous_session_file: None };
    stage.fire::<SessionStart>(start).await;
    stage.fire::<AgentStart>(Empty {}).await;
    assert_eq!(count.load(Ordering::Relaxed), 11);
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}

#[tokio::test]
async fn a_failure_may_have_a_message_of_its_own() {
    let stage = Stage::new();
    stage.add("strict", |registrar| {
        registrar.on::<ToolCall>(|event, _| async move {
            match event.tool_name.as_str() {
                "bash" => Err(HandlerError::msg("bash is not for me")),
                _ => Ok(None),
            }
        });
    });
    let shut = stage.fire::<ToolCall>(bash("ls")).await.shut.expect("a failing guard keeps the gate shut");
    assert_eq!((&*shut.extension, shut.reason().as_str()), ("<native:strict>", "bash is not for me"));
}

/// Functions and methods do as well as closures.
async fn no_tools(_: ToolCallEvent, _: Ctx) -> Outcome<ToolCall> {
    Ok(Some(ToolCallResult::block("none at all")))
}

#[tokio::test]
async fn a_function_is_a_handler() {
    let stage = Stage::new();
    stage.add("none", |registrar| {
        registrar.on::<ToolCall>(no_tools).on::<ToolResult>(|_, _| async {});
    });
    let blocked = stage.fire::<ToolCall>(bash("ls")).await;
    assert_eq!(blocked.output, Some(ToolCallResult::block("none at all")));
}

#[tokio::test]
async fn a_closure_may_change_its_copy_of_the_payload() {
    let stage = Stage::new();
    stage.add("short", |registrar| {
        registrar.on::<Context>(|mut event, _| async move {
            event.messages.truncate(0);
            Some(ContextResult { messages: Some(event.messages) })
        });
    });
    let messages: Messages = [tau_ai::Message::User(tau_ai::UserMessage::new("hello"))].into_iter().collect();
    let after = stage.fold::<Context>(ContextEvent { messages: messages.clone() }).await;
    assert_eq!((after.messages.len(), messages.len()), (0, 1));
}
