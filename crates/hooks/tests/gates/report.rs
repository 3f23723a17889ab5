//! All other events: a failure is reported and the rest goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tau_hooks::events::{AgentStart, EventId, Input, TABLE, visit_all};
use tau_hooks::payload::{Empty, EventVisitor, InputEvent, InputResult, InputSource, Output};
use tau_hooks::table::{Deadline, Failure};
use tau_hooks::{Event, HandlerError, Report, ReportKind, TraceOutcome};
use tau_testkit::{Fired, Stage};
use tokio::time::Instant;

use super::{Fault, faults, no_objects, register};

/// Fires each event past a handler with a fault and two good ones.
struct Failures(Vec<EventId>);

impl EventVisitor for Failures {
    async fn visit<E: Event>(&mut self, payload: E::Payload) {
        self.0.push(E::ID);
        let row = E::ID.row();
        if row.failure == Failure::Block {
            return;
        }
        let judged = row.takes_returned() && E::Output::OBJECT;
        let malformed = no_objects().into_iter().map(Fault::Malformed);
        for fault in faults().into_iter().chain(malformed.filter(|_| judged)) {
            check::<E>(payload.clone(), &fault).await;
        }
    }
}

async fn check<E: Event>(payload: E::Payload, fault: &Fault) {
    let stage = Stage::new();
    let called = Arc::new(AtomicUsize::new(0));
    let mut registered_at = String::new();
    for name in ["before", "bad", "after"] {
        let owner = tau_hooks::Owner::new(format!("/ext/{name}.ts"), name, &tau_hooks::dialect::PI);
        let loaded = stage.hooks.load_with(owner, |registrar| {
            if name == "bad" {
                registered_at = register::<E>(registrar, fault);
            } else {
                let called = Arc::clone(&called);
                registrar.on::<E>(move |_, _| {
                    called.fetch_add(1, Ordering::Relaxed);
                    async {}
                });
            }
            Ok(())
        });
        loaded.expect("it can be loaded");
    }
    let started = Instant::now();
    let done = stage.fire::<E>(payload).await;
    let context = format!("{fault:?} on {}", E::ID);
    assert!(done.shut.is_none() && done.stopped_by.is_none() && done.payload.is_some(), "{context}");
    assert_eq!(called.load(Ordering::Relaxed), 2, "{context}: the others are called");

    let hard = match E::ID.row().deadline {
        Deadline::Observe => 30,
        Deadline::Decide => 600,
        Deadline::Shutdown => 5,
        Deadline::Hook | Deadline::Unlimited => unreachable!("no event of the table has it"),
    };
    let message = match fault {
        Fault::Error => "boom".to_owned(),
        Fault::PanicInCall | Fault::PanicAtOnce | Fault::PanicLater => "panicked: boom".to_owned(),
        Fault::Hang => format!(
            "did not answer within {hard}s, the limit of {}",
            E::ID.row().deadline.setting().expect("a setting")
        ),
        Fault::Gone => "is gone: its engine ran out of memory".to_owned(),
        _ => String::new(),
    };
    if *fault == Fault::Hang {
        assert_eq!(started.elapsed().as_secs(), hard, "{context}");
    }
    let mut reports = stage.take_reports();
    reports.retain(|report| !matches!(report.kind, ReportKind::Slow(_)));
    let [report] = &reports[..] else { panic!("{context}: one report is expected, not {reports:?}") };
    let expected = match fault {
        Fault::Malformed(_) => {
            assert!(report.message().starts_with("returned a malformed result: "), "{context}: {report}");
            report.message()
        }
        _ => message,
    };
    assert_eq!(
        report.to_string(),
        format!("Extension error (/ext/bad.ts): {expected} [{} at {registered_at}]", E::ID),
        "{context}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_other_event_goes_on_and_names_the_extension_the_event_and_the_place() {
    let mut failures = Failures(Vec::new());
    visit_all(&mut failures).await;
    assert_eq!(failures.0, TABLE.iter().map(|row| row.id).collect::<Vec<_>>(), "no event is left out");
}

#[tokio::test]
async fn an_error_may_know_its_place_and_its_stack() {
    let stage = Stage::new();
    stage.add("ext", |registrar| {
        registrar.on::<AgentStart>(|_, _| async {
            Err::<(), _>(HandlerError::Failed {
                ended: false,
                message: "TypeError: x is undefined".into(),
                stack: Some("at f (ext.ts:7)".into()),
                location: Some("ext.ts:7".into()),
            })
        });
    });
    stage.fire::<AgentStart>(Empty {}).await;
    let reports = stage.take_reports();
    let [Report { extension, event, kind: ReportKind::Error { message, stack }, location, .. }] = &reports[..] else {
        panic!("{reports:?}");
    };
    assert_eq!(
        (&**extension, event.as_str(), message.as_str()),
        ("<native:ext>", "agent_start", "TypeError: x is undefined")
    );
    assert_eq!((stack.as_deref(), location.as_deref()), (Some("at f (ext.ts:7)"), Some("ext.ts:7")));
}

#[tokio::test(start_paused = true)]
async fn after_an_abort_the_others_are_called_but_nobody_waits_for_them() {
    let stage = Stage::new();
    for name in ["hangs", "hangs as well"] {
        stage.add(name, |registrar| {
            registrar.on::<Input>(|_, _| std::future::pending::<()>());
        });
    }
    stage.add("after", |registrar| {
        registrar.on::<Input>(|_, _| async { Some(InputResult::Handled) });
    });
    let scope = stage.scope();
    let input = InputEvent { text: "a".into(), images: None, source: InputSource::Rpc, streaming_behavior: None };
    let started = Instant::now();
    let round = stage.hooks.dispatcher.dispatch::<Input>(&scope, || input.clone());
    let abort = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        scope.cancel.cancel();
    };
    let (done, ()) = tokio::join!(round, abort);
    let done = Fired::from(done);
    assert_eq!((done.output, started.elapsed().as_secs()), (Some(InputResult::Handled), 1));
    assert!(done.shut.is_none());
    let outcomes = stage.hooks.dispatcher.trace.records().into_iter().map(|record| record.outcome);
    let aborted = TraceOutcome::Failed("aborted".into());
    assert_eq!(outcomes.collect::<Vec<_>>(), [aborted.clone(), aborted, TraceOutcome::Stopped]);
    assert_eq!(stage.take_report_texts(), Vec::<String>::new());
}
