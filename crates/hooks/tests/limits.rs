//! How long handlers may take. Time is virtual here: it passes when everybody waits.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

use std::future::{Future, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tau_hooks::dialogs::DialogAnswer;
use tau_hooks::events::{AgentEnd, AgentStart, Input, SessionShutdown, ToolCall};
use tau_hooks::payload::{
    AgentEndEvent, Empty, InputEvent, InputResult, InputSource, SessionShutdownEvent, SessionShutdownReason,
    ToolCallEvent, ToolCallResult,
};
use tau_hooks::{Event, HandlerError, Limits, Messages, Mode, TraceOutcome};
use tau_testkit::{Fired, Stage, StaticHost};
use tokio::time::{Instant, sleep};

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn input(text: &str) -> InputEvent {
    InputEvent { text: text.into(), images: None, source: InputSource::Interactive, streaming_behavior: None }
}

fn transform(text: &str) -> Option<InputResult> {
    Some(InputResult::Transform { text: text.into(), images: None })
}

fn call() -> ToolCallEvent {
    ToolCallEvent { tool_name: "bash".into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input: json!({}) }
}

fn quit() -> SessionShutdownEvent {
    SessionShutdownEvent { reason: SessionShutdownReason::Quit, target_session_file: None }
}

/// What comes of a round, and how many seconds it takes.
async fn timed<T>(round: impl Future<Output = T>) -> (T, u64) {
    let started = Instant::now();
    let done = round.await;
    (done, started.elapsed().as_secs())
}

/// What was reported, without the places.
fn messages(stage: &Stage) -> Vec<String> {
    stage.take_reports().iter().map(|report| format!("{}: {}", report.extension, report.message())).collect()
}

fn outcomes(stage: &Stage) -> Vec<TraceOutcome> {
    stage.hooks.dispatcher.trace.records().into_iter().map(|record| record.outcome).collect()
}

fn in_terminal() -> Stage {
    Stage::with_host(StaticHost::new().with_mode(Mode::Tui))
}

#[tokio::test(start_paused = true)]
async fn a_slow_handler_is_named_once_and_its_result_still_counts() {
    let stage = Stage::new();
    stage.add("slow", |registrar| {
        registrar.on::<Input>(|_, _| async {
            sleep(secs(60)).await;
            transform("late")
        });
    });
    stage.add("quick", |registrar| {
        registrar.on::<Input>(|_, _| async { sleep(secs(4)).await });
    });
    let (after, took) = timed(stage.fold::<Input>(input("a"))).await;
    assert_eq!((after, took), (input("late"), 64));
    assert_eq!(messages(&stage), ["<native:slow>: `input` handler is still busy after 5s"]);
}

#[tokio::test(start_paused = true)]
async fn the_slow_handler_is_named_while_it_is_at_work() {
    let stage = Stage::new();
    stage.add("slow", |registrar| {
        registrar.on::<Input>(|_, _| async { sleep(secs(60)).await });
    });
    stage.hooks.dispatcher.set_limits(Limits { soft: secs(2), ..Limits::default() });
    let look = async {
        sleep(Duration::from_millis(2500)).await;
        messages(&stage)
    };
    let (_, named) = tokio::join!(stage.fire::<Input>(input("a")), look);
    assert_eq!(named, ["<native:slow>: `input` handler is still busy after 2s"]);
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_left_behind_and_later_ones_still_run() {
    for stage in [Stage::new(), in_terminal()] {
        let called = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&called);
        stage.add("hangs", |registrar| {
            registrar.on::<AgentEnd>(|_, _| pending::<()>());
        });
        stage.add("after", move |registrar| {
            let count = Arc::clone(&count);
            registrar.on::<AgentEnd>(move |_, _| {
                count.fetch_add(1, Ordering::Relaxed);
                async {}
            });
        });
        let ((), took) = timed(async {
            stage.fire::<AgentEnd>(AgentEndEvent { messages: Messages::new() }).await;
        })
        .await;
        assert_eq!((took, called.load(Ordering::Relaxed)), (30, 1));
        assert_eq!(outcomes(&stage), [TraceOutcome::Failed("timed_out".into()), TraceOutcome::Nothing]);
        assert_eq!(
            messages(&stage),
            [
                "<native:hangs>: `agent_end` handler is still busy after 5s",
                "<native:hangs>: did not answer within 30s, the limit of tau.limits.observeMs"
            ]
        );
    }
}

fn day_long(stage: &Stage) {
    stage.add("thinks", |registrar| {
        registrar.on::<ToolCall>(|_, _| async {
            sleep(secs(24 * 3600)).await;
            Some(ToolCallResult::block("I have thought about it"))
        });
    });
}

#[tokio::test(start_paused = true)]
async fn in_the_terminal_a_decision_may_take_as_long_as_it_takes() {
    let stage = in_terminal();
    day_long(&stage);
    let (done, took) = timed(stage.fire::<ToolCall>(call())).await;
    assert_eq!((done.output, took), (Some(ToolCallResult::block("I have thought about it")), 24 * 3600));
    assert!(done.shut.is_none());
}

#[tokio::test(start_paused = true)]
async fn elsewhere_a_decision_has_a_limit_and_a_setting_gives_the_terminal_one() {
    for (mode, limits, expected) in [
        (Mode::Print, Limits::default(), 600),
        (Mode::Json, Limits::default(), 600),
        (Mode::Rpc, Limits { decide: secs(7), ..Limits::default() }, 7),
        (Mode::Tui, Limits { decide_in_terminal: Some(secs(40)), ..Limits::default() }, 40),
    ] {
        let stage = Stage::with_host(StaticHost::new().with_mode(mode));
        stage.hooks.dispatcher.set_limits(limits);
        day_long(&stage);
        let (done, took) = timed(stage.fire::<ToolCall>(call())).await;
        let shut = done.shut.expect("the gate is shut");
        assert_eq!(
            (shut.error, took),
            (HandlerError::TimedOut(secs(expected), "tau.limits.handlerMs"), expected),
            "{mode:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn all_handlers_of_the_shutdown_share_their_time() {
    let stage = Stage::new();
    for (name, seconds) in [("one", 2), ("two", 2), ("three", 2), ("four", 2)] {
        stage.add(name, move |registrar| {
            registrar.on::<SessionShutdown>(move |_, _| sleep(secs(seconds)));
        });
    }
    let called = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&called);
    stage.add("at once", move |registrar| {
        let count = Arc::clone(&count);
        registrar.on::<SessionShutdown>(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
            async {}
        });
    });
    let (_, took) = timed(stage.fire::<SessionShutdown>(quit())).await;
    assert_eq!((took, called.load(Ordering::Relaxed)), (5, 1));
    let (done, late) = (TraceOutcome::Nothing, TraceOutcome::Failed("timed_out".into()));
    assert_eq!(outcomes(&stage), [done.clone(), done.clone(), late.clone(), late, done]);
    let named = messages(&stage);
    assert_eq!(
        named,
        [
            "<native:three>: did not answer within 1s, the limit of tau.limits.shutdownMs",
            "<native:four>: was still at work when the time that all handlers share was used up (tau.limits.shutdownMs)"
        ]
    );
}

/// Somebody who takes their time to say yes.
fn slow_user(stage: &Stage, seconds: u64) -> tokio::task::JoinHandle<()> {
    let mut back_end = stage.hooks.dialogs.subscribe();
    tokio::spawn(async move {
        while let Some(event) = back_end.recv().await {
            if let tau_hooks::dialogs::DialogEvent::Opened(request) = event {
                sleep(secs(seconds)).await;
                // It may have been taken away.
                let _ = back_end.answer(request.id(), DialogAnswer::Confirmed(true));
            }
        }
    })
}

#[tokio::test(start_paused = true)]
async fn time_in_a_dialog_does_not_count() {
    let stage = Stage::new();
    let user = slow_user(&stage, 3600);
    stage.add("asks", |registrar| {
        registrar.on::<Input>(|_, ctx| async move {
            sleep(secs(2)).await;
            let yes = ctx.ui().confirm("Sure?", "").await;
            sleep(secs(2)).await;
            yes.then_some(InputResult::Handled)
        });
    });
    let (done, took) = timed(stage.fire::<Input>(input("a"))).await;
    assert_eq!((done.output, took), (Some(InputResult::Handled), 3604));
    assert_eq!(messages(&stage), Vec::<String>::new());
    user.abort();
}

#[tokio::test(start_paused = true)]
async fn time_around_a_dialog_adds_up() {
    let stage = Stage::new();
    stage.hooks.dispatcher.set_limits(Limits { decide: secs(10), ..Limits::default() });
    let user = slow_user(&stage, 3600);
    stage.add("asks", |registrar| {
        registrar.on::<Input>(|_, ctx| async move {
            sleep(secs(6)).await;
            ctx.ui().confirm("Sure?", "").await;
            sleep(secs(6)).await;
            Some(InputResult::Handled)
        });
    });
    let (done, took) = timed(stage.fire::<Input>(input("a"))).await;
    assert_eq!((done.output, took), (None, 3610));
    assert_eq!(
        messages(&stage),
        [
            "<native:asks>: `input` handler is still busy after 5s",
            "<native:asks>: did not answer within 10s, the limit of tau.limits.handlerMs"
        ]
    );
    user.abort();
}

#[tokio::test(start_paused = true)]
async fn a_paused_deadline_does_not_count_either() {
    let stage = Stage::new();
    stage.add("builds", |registrar| {
        registrar.on::<AgentStart>(|_, ctx| async move {
            let _pause = ctx.pause_deadline();
            sleep(secs(3600)).await;
        });
    });
    let (_, took) = timed(stage.fire::<AgentStart>(Empty {})).await;
    assert_eq!((took, messages(&stage), outcomes(&stage)), (3600, vec![], vec![TraceOutcome::Nothing]));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_of_the_shutdown_takes_no_time_from_the_others() {
    let stage = Stage::new();
    let user = slow_user(&stage, 60);
    stage.add("asks", |registrar| {
        registrar.on::<SessionShutdown>(|_, ctx| async move {
            ctx.ui().confirm("Save?", "").await;
            Ok(())
        });
    });
    stage.add("saves", |registrar| {
        registrar.on::<SessionShutdown>(|_, _| sleep(secs(4)));
    });
    let (_, took) = timed(stage.fire::<SessionShutdown>(quit())).await;
    assert_eq!((took, messages(&stage)), (64, vec![]));
    user.abort();
}

/// Fires an event and aborts after a second.
async fn aborted<E: Event>(stage: &Stage, payload: E::Payload) -> (Fired<E>, u64) {
    let scope = stage.scope();
    let round = timed(stage.hooks.dispatcher.dispatch::<E>(&scope, || payload));
    let abort = async {
        sleep(secs(1)).await;
        scope.cancel.cancel();
    };
    let ((done, took), ()) = tokio::join!(round, abort);
    (done.into(), took)
}

#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait() {
    let stage = in_terminal();
    stage.add("hangs", |registrar| {
        registrar
            .on::<AgentStart>(|_, _| pending::<()>())
            .on::<Input>(|_, _| pending::<()>())
            .on::<ToolCall>(|_, _| pending::<()>())
            .on::<SessionShutdown>(|_, _| pending::<()>());
    });
    assert_eq!(aborted::<AgentStart>(&stage, Empty {}).await.1, 1);
    assert_eq!(aborted::<Input>(&stage, input("a")).await.1, 1);
    assert_eq!(aborted::<SessionShutdown>(&stage, quit()).await.1, 1);
    let (done, took) = aborted::<ToolCall>(&stage, call()).await;
    assert_eq!((done.shut.map(|shut| shut.error), took), (Some(HandlerError::Aborted), 1));
    assert_eq!(messages(&stage), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_handler_learns_of_the_abort() {
    let stage = Stage::new();
    let stopped = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&stopped);
    stage.add("polite", move |registrar| {
        let count = Arc::clone(&count);
        registrar.on::<Input>(move |_, ctx| {
            let count = Arc::clone(&count);
            async move {
                ctx.signal().cancelled().await;
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
    });
    aborted::<Input>(&stage, input("a")).await;
    tokio::task::yield_now().await;
    assert_eq!(stopped.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn an_abort_takes_open_questions_away() {
    let stage = in_terminal();
    let user = stage.user(|_| None);
    stage.add("asks", |registrar| {
        registrar.on::<ToolCall>(|_, ctx| async move {
            let allowed = ctx.ui().confirm("Sure?", "").await;
            (!allowed).then(|| ToolCallResult::block("no"))
        });
    });
    // The question was answered with no, which is a decision.
    let (done, took) = aborted::<ToolCall>(&stage, call()).await;
    assert_eq!((done.stopped_by.is_some(), done.output, took), (true, Some(ToolCallResult::block("no")), 1));
    sleep(secs(1)).await;
    assert_eq!((user.asked().len(), stage.hooks.dialogs.open_dialogs().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn what_a_handler_does_after_its_time_has_no_effect() {
    let stage = Stage::new();
    let finished = Arc::new(AtomicUsize::new(0));
    for (name, late) in
        [("late", InputResult::Handled), ("later", InputResult::Transform { text: "x".into(), images: None })]
    {
        let finished = Arc::clone(&finished);
        stage.add(name, move |registrar| {
            let (finished, late) = (Arc::clone(&finished), late.clone());
            registrar.on::<Input>(move |_, _| {
                let (finished, late) = (Arc::clone(&finished), late.clone());
                async move {
                    sleep(secs(700)).await;
                    finished.fetch_add(1, Ordering::Relaxed);
                    Some(late)
                }
            });
        });
    }
    stage.add("panics", |registrar| {
        registrar.on::<Input>(|_, _| async {
            sleep(secs(700)).await;
            Err::<(), _>(HandlerError::msg("too late to be told"))
        });
    });
    let (done, took) = timed(stage.fire::<Input>(input("a"))).await;
    assert_eq!((done.payload, done.output, took), (Some(input("a")), None, 1800));
    assert!(done.stopped_by.is_none());
    let reported = messages(&stage).len();
    sleep(secs(1000)).await;
    assert_eq!(finished.load(Ordering::Relaxed), 2, "the handlers were left to themselves, not cut off");
    assert_eq!((reported, messages(&stage)), (6, vec![]));
    assert_eq!(outcomes(&stage), vec![TraceOutcome::Failed("timed_out".into()); 3]);
}

#[tokio::test(start_paused = true)]
async fn calls_at_work_are_listed_until_they_are_over() {
    let stage = in_terminal();
    stage.add("slow", |registrar| {
        registrar.on::<Input>(|_, _| sleep(secs(10)));
    });
    let running = || {
        let running = stage.hooks.dispatcher.running();
        running.iter().map(|call| (call.extension.to_string(), call.event.name())).collect::<Vec<_>>()
    };
    let look = async {
        sleep(secs(1)).await;
        running()
    };
    let (_, seen) = tokio::join!(stage.fire::<Input>(input("a")), look);
    assert_eq!(seen, [("<native:slow>".to_owned(), "input")]);
    assert_eq!(running(), []);
    assert_eq!(stage.hooks.dispatcher.skip(1), None, "there is nothing to skip");
}
