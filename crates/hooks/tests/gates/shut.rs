//! The gates: `tool_call` and `user_bash`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tau_hooks::events::{ToolCall, UserBash};
use tau_hooks::payload::{ToolCallEvent, UserBashEvent};
use tau_hooks::table::Failure;
use tau_hooks::{Event, HandlerError, TraceOutcome};
use tau_testkit::{Fired, Stage};

use super::{Fault, faults, no_objects, register};

fn call() -> ToolCallEvent {
    ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({ "command": "ls" }),
    }
}

fn shell() -> UserBashEvent {
    UserBashEvent { command: "ls".into(), exclude_from_context: false, cwd: "/".into() }
}

/// Fires an event past a handler that allows, one with a fault, and one that must not be asked any more.
async fn fire<E: Event>(payload: E::Payload, fault: &Fault) -> (Stage, Fired<E>) {
    let stage = Stage::new();
    stage.add("allows", |registrar| {
        registrar.on::<E>(|_, _| async {});
    });
    stage.add("guard", |registrar| {
        register::<E>(registrar, fault);
    });
    let asked = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&asked);
    stage.add("later", move |registrar| {
        let flag = Arc::clone(&flag);
        registrar.on::<E>(move |_, _| {
            flag.store(true, Ordering::Relaxed);
            async {}
        });
    });
    let scope = stage.scope();
    let dispatcher = Arc::clone(&stage.hooks.dispatcher);
    let (round, helper) = (dispatcher.dispatch::<E>(&scope, || payload), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        match fault {
            Fault::Aborted => scope.cancel.cancel(),
            Fault::Skipped => {
                let running = dispatcher.running();
                let [call] = &running[..] else { panic!("one call is at work, not {running:?}") };
                assert_eq!((&*call.extension, call.event), ("<native:guard>", E::ID));
                assert_eq!(dispatcher.skip(call.id).as_deref(), Some("<native:guard>"));
            }
            _ => {}
        }
    });
    let (done, ()) = tokio::join!(round, helper);
    assert!(!asked.load(Ordering::Relaxed), "{fault:?}: nobody is asked behind a gate that is shut");
    assert_eq!(dispatcher.running().len(), 0);
    (stage, done.into())
}

/// How a gate answers to a fault: whom it names, what the model reads, what the user reads, and what is traced.
async fn gate<E: Event>(payload: E::Payload, fault: Fault) -> [String; 4] {
    let (stage, done) = fire::<E>(payload, &fault).await;
    let shut = done.shut.unwrap_or_else(|| panic!("{fault:?} on {} must keep the gate shut", E::ID));
    let reports = stage.take_reports().into_iter().map(|report| format!("{}: {}", report.extension, report.message()));
    let reports = reports.collect::<Vec<_>>().join("; ");
    let records = stage.hooks.dispatcher.trace.records();
    let outcomes = records.iter().map(|record| (&*record.extension, record.outcome.clone())).collect::<Vec<_>>();
    let [("<native:allows>", TraceOutcome::Nothing), ("<native:guard>", TraceOutcome::Failed(kind))] = &outcomes[..]
    else {
        panic!("{fault:?}: {outcomes:?}");
    };
    [shut.extension.to_string(), shut.reason(), reports, kind.to_string()]
}

fn expected(fault: &Fault) -> [String; 4] {
    let what = match fault {
        // An error speaks for itself: the model reads its text.
        Fault::Error => return ["<native:guard>", "boom", "<native:guard>: boom", "failed"].map(str::to_owned),
        // Nobody needs to be told of what the user did.
        Fault::Aborted => return ["<native:guard>", "Operation aborted", "", "aborted"].map(str::to_owned),
        Fault::PanicInCall | Fault::PanicAtOnce | Fault::PanicLater => ("panicked: boom", "panicked"),
        Fault::Hang => ("did not answer within 600s, the limit of tau.limits.handlerMs", "timed_out"),
        Fault::Skipped => ("was skipped by the user", "skipped"),
        Fault::Gone => ("is gone: its engine ran out of memory", "gone"),
        Fault::Malformed(_) => unreachable!("these have texts of their own"),
    };
    let slow = if *fault == Fault::Hang { "<native:guard>: `EVENT` handler is still busy after 5s; " } else { "" };
    let reason = format!("Blocked: extension <native:guard> {}", what.0);
    ["<native:guard>".to_owned(), reason, format!("{slow}<native:guard>: {}", what.0), what.1.to_owned()]
}

#[tokio::test(start_paused = true)]
async fn every_fault_keeps_every_gate_shut() {
    for fault in faults().into_iter().chain([Fault::Aborted, Fault::Skipped]) {
        let for_event = |name: &str| expected(&fault).map(|text| text.replace("EVENT", name));
        assert_eq!(gate::<ToolCall>(call(), fault.clone()).await, for_event("tool_call"), "{fault:?}");
        assert_eq!(gate::<UserBash>(shell(), fault.clone()).await, for_event("user_bash"), "{fault:?}");
    }
}

#[test]
fn these_are_all_gates() {
    let gates = tau_hooks::events::TABLE.iter().filter(|row| row.failure == Failure::Block);
    assert_eq!(gates.map(|row| row.name).collect::<Vec<_>>(), ["project_trust", "tool_call", "user_bash"]);
}

#[tokio::test(start_paused = true)]
async fn a_malformed_decision_keeps_the_gate_shut() {
    let undecided =
        [json!({ "block": "yes" }), json!({ "block": 1 }), json!({ "block": null }), json!({ "block": {} })];
    let others = [json!({ "reason": 1 }), json!({ "terminate": "yes" })];
    for bad in no_objects().into_iter().chain(undecided).chain(others) {
        let [extension, reason, report, kind] = gate::<ToolCall>(call(), Fault::Malformed(bad.clone())).await;
        assert_eq!((&*extension, &*kind), ("<native:guard>", "malformed"), "{bad}");
        let start = "Blocked: extension <native:guard> returned a malformed result: ";
        assert!(reason.starts_with(start), "{bad}: {reason}");
        assert!(report.starts_with("<native:guard>: returned a malformed result: "), "{bad}: {report}");
    }
    let without_output = json!({ "result": { "exitCode": 0 } });
    for bad in no_objects().into_iter().chain([json!({}), json!({ "output": "x" }), without_output]) {
        let [extension, _, _, kind] = gate::<UserBash>(shell(), Fault::Malformed(bad.clone())).await;
        assert_eq!((&*extension, &*kind), ("<native:guard>", "malformed"), "{bad}");
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_decisions_say_what_is_wrong() {
    let reason = async |bad: Value| gate::<ToolCall>(call(), Fault::Malformed(bad)).await[1].clone();
    let start = "Blocked: extension <native:guard> returned a malformed result: ";
    for (bad, what) in [
        (json!(true), "an object is needed, not `true`"),
        (json!("x"), "an object is needed, not a string"),
        (json!([1]), "an object is needed, not an array"),
        (json!({ "block": "yes" }), "invalid type: string \"yes\", expected a boolean"),
        (json!({ "block": 1 }), "invalid type: integer `1`, expected a boolean"),
        (json!({ "block": null }), "invalid type: null, expected a boolean"),
    ] {
        assert_eq!(reason(bad).await, format!("{start}{what}"));
    }
}

#[tokio::test]
async fn saying_nothing_allows() {
    async fn allowed<E: Event>(payload: E::Payload, answer: Option<Value>) -> bool {
        let stage = Stage::new();
        stage.add("guard", move |registrar| {
            let answer = answer.clone();
            registrar.on_json(E::ID.name(), move |_, _| std::future::ready(Ok(answer.clone())));
        });
        let done = stage.fire::<E>(payload).await;
        done.shut.is_none() && done.stopped_by.is_none() && stage.take_reports().is_empty()
    }
    for answer in [None, Some(json!(null)), Some(json!({})), Some(json!({ "block": false }))] {
        assert!(allowed::<ToolCall>(call(), answer.clone()).await, "{answer:?}");
    }
    for answer in [None, Some(json!(null))] {
        assert!(allowed::<UserBash>(shell(), answer.clone()).await, "{answer:?}");
    }
}

#[tokio::test]
async fn an_aborted_round_does_not_let_anything_through() {
    // The only handler allows, but the run was aborted before the rest could have been asked.
    let stage = Stage::new();
    stage.add("allows", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {});
    });
    let scope = stage.scope();
    scope.cancel.cancel();
    let done = Fired::from(stage.hooks.dispatcher.dispatch::<ToolCall>(&scope, call).await);
    let shut = done.shut.expect("the gate is shut");
    assert_eq!((shut.error.clone(), shut.reason().as_str()), (HandlerError::Aborted, "Operation aborted"));
}

#[tokio::test]
async fn a_block_that_was_decided_is_no_failure() {
    let stage = Stage::new();
    stage.add("guard", |registrar| {
        registrar.on_json("tool_call", |_, _| async { Ok(Some(json!({ "block": true, "reason": "not today" }))) });
    });
    let done = stage.fire::<ToolCall>(call()).await;
    assert!(done.shut.is_none());
    assert_eq!(done.stopped_by.map(|owner| owner.path.to_string()).as_deref(), Some("<native:guard>"));
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}
