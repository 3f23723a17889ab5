//! Events that nobody handles cost nothing: not even their payload is made.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tau_hooks::dialect::PI;
use tau_hooks::events::{AgentStart, Context, EventId, ToolCall, ToolExecutionUpdate};
use tau_hooks::payload::{ContextEvent, Empty, ToolCallEvent, ToolExecutionUpdateEvent};
use tau_hooks::{Event, Messages, Owner, TraceRecord};
use tau_testkit::Stage;

/// Fires an event whose payload counts how often it is made.
async fn built<E: Event>(stage: &Stage, payload: impl Fn() -> E::Payload) -> u32 {
    let count = Cell::new(0);
    let build = || {
        count.set(count.get() + 1);
        payload()
    };
    stage.hooks.dispatcher.dispatch::<E>(&stage.scope(), build).await;
    count.get()
}

fn call() -> ToolCallEvent {
    ToolCallEvent { tool_name: "bash".into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input: json!({}) }
}

#[tokio::test]
async fn without_handlers_no_payload_is_made() {
    let stage = Stage::new();
    assert_eq!(built::<AgentStart>(&stage, || Empty {}).await, 0);
    assert_eq!(built::<Context>(&stage, || ContextEvent { messages: Messages::new() }).await, 0);
    assert_eq!(built::<ToolCall>(&stage, call).await, 0);
    let done = stage.fire::<ToolCall>(call()).await;
    assert!(done.payload.is_none() && done.output.is_none() && done.stopped_by.is_none() && done.shut.is_none());
    assert!(stage.hooks.dispatcher.trace.records().is_empty());
}

#[tokio::test]
async fn handlers_of_other_events_do_not_count() {
    let stage = Stage::new();
    stage.add("ext", |registrar| {
        registrar.on::<AgentStart>(|_, _| async {});
    });
    assert_eq!(built::<ToolCall>(&stage, call).await, 0);
    assert_eq!(built::<AgentStart>(&stage, || Empty {}).await, 1);
}

#[tokio::test]
async fn many_handlers_share_one_payload() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.add(name, |registrar| {
            registrar.on::<ToolCall>(|_, _| async {}).on_json("tool_call", |_, _| async { Ok(None) });
        });
    }
    assert_eq!(built::<ToolCall>(&stage, call).await, 1);
    let records = stage.hooks.dispatcher.trace.records();
    assert_eq!(records.iter().map(|TraceRecord { seq, .. }| *seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn once_the_last_handler_is_gone_no_payload_is_made() {
    let stage = Stage::new();
    let owner = stage.add("ext", |registrar| {
        registrar.on::<AgentStart>(|_, _| async {});
    });
    assert!(stage.hooks.dispatcher.has_handlers(EventId::AgentStart));
    stage.hooks.unload(&owner);
    assert!(!stage.hooks.dispatcher.has_handlers(EventId::AgentStart));
    assert_eq!(built::<AgentStart>(&stage, || Empty {}).await, 0);
}

#[tokio::test]
async fn a_handler_listens_while_it_is_wanted_and_leaves_no_trace_otherwise() {
    let stage = Stage::new();
    let wanted = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&wanted);
    stage.add("ext", move |registrar| {
        let asked = Arc::clone(&asked);
        let wanted = move || asked.load(Ordering::Relaxed);
        registrar.on_while::<AgentStart>(wanted, |_, _| async {}).expect("no gate");
    });
    let (dispatcher, has) = (&stage.hooks.dispatcher, || stage.hooks.dispatcher.has_handlers(EventId::AgentStart));
    assert_eq!((has(), built::<AgentStart>(&stage, || Empty {}).await), (false, 0));
    assert!(dispatcher.trace.records().is_empty());
    wanted.store(true, Ordering::Relaxed);
    assert_eq!((has(), built::<AgentStart>(&stage, || Empty {}).await), (true, 1));
    assert_eq!(dispatcher.trace.records().len(), 1);
    wanted.store(false, Ordering::Relaxed);
    // Another handler of the same event does not wake it.
    stage.add("other", |registrar| {
        registrar.on::<AgentStart>(|_, _| async {});
    });
    assert_eq!((has(), built::<AgentStart>(&stage, || Empty {}).await), (true, 1));
    assert_eq!(dispatcher.trace.records().len(), 2);
}

#[tokio::test]
async fn a_gate_listens_at_all_times() {
    let stage = Stage::new();
    let loaded = stage.hooks.load_with(Owner::new("ext", "ext", &PI), |registrar| {
        registrar.on_while::<ToolCall>(|| false, |_, _| async {})?;
        Ok(())
    });
    let Err(refused) = loaded else { panic!("a refusal") };
    let told = refused.to_string();
    assert!(told.contains("a handler of tool_call has to listen at all times: use `on`"), "{told}");
}

#[tokio::test]
async fn a_gate_that_is_shut_asks_nobody() {
    let stage = Stage::new();
    stage.add("ext", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {});
    });
    stage.hooks.dispatcher.shut_gates("guard", "it is missing");
    assert_eq!(built::<ToolCall>(&stage, call).await, 0);
}

#[tokio::test]
async fn nothing_is_queued_for_nobody() {
    let stage = Stage::new();
    let update = || -> ToolExecutionUpdateEvent { panic!("nobody wants this payload") };
    stage.hooks.updates.post::<ToolExecutionUpdate>(&stage.scope(), update).await;
    stage.hooks.updates.drain().await;
}
