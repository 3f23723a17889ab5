//! Handlers that are called together, in one visit to where they live. The place here is a task of its own.

use std::any::Any;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_hooks::events::{EventId, Input, SessionShutdown, ToolCall, ToolExecutionUpdate, TurnStart};
use tau_hooks::payload::{
    InputEvent, InputResult, InputSource, SessionShutdownEvent, SessionShutdownReason, ToolCallEvent,
    ToolExecutionUpdateEvent, TurnStartEvent,
};
use tau_hooks::{AnyOutput, AnyPayload, BoxFuture, Callable, HandlerError, RemoteHandler, TraceOutcome, Visit};
use tau_testkit::Stage;
use tokio::time::sleep;

/// Where handlers live: it counts visits and notes who was called.
#[derive(Default)]
struct Place {
    visits: AtomicUsize,
    called: Mutex<Vec<String>>,
}

/// What a handler does when it is called.
#[derive(Clone)]
enum Does {
    Nothing,
    Says(Value),
    Fails,
    Takes(Duration),
    Hangs,
}

struct Resident {
    place: Arc<Place>,
    name: &'static str,
    does: Does,
}

impl RemoteHandler for Resident {
    fn is_over(&self) -> bool {
        false
    }

    fn joins(&self, next: &dyn RemoteHandler) -> bool {
        let next: &dyn Any = next;
        next.downcast_ref::<Self>().is_some_and(|next| Arc::ptr_eq(&self.place, &next.place))
    }

    fn visit(&self, visit: &Arc<Visit>, _: &[&dyn AnyPayload]) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        self.place.visits.fetch_add(1, Ordering::Relaxed);
        let visit = Arc::clone(visit);
        Box::pin(async move {
            loop {
                let (does, place, name) = {
                    let (handler, _) = &visit.calls()[visit.at().handler];
                    let resident: &dyn Any = &**handler;
                    let resident = resident.downcast_ref::<Self>().expect("a resident");
                    (resident.does.clone(), Arc::clone(&resident.place), resident.name)
                };
                place.called.lock().push(name.to_owned());
                match does {
                    Does::Nothing => {}
                    Does::Says(value) => return Ok(AnyOutput::Json(value)),
                    Does::Fails => return Err(HandlerError::msg("broken")),
                    Does::Takes(time) => sleep(time).await,
                    Does::Hangs => pending().await,
                }
                if visit.advance().is_none() {
                    return Ok(AnyOutput::Empty);
                }
            }
        })
    }
}

/// A session with one extension for each handler, all in the same place.
fn residents(event: EventId, all: &[(&'static str, Does)]) -> (Stage, Arc<Place>) {
    let stage = Stage::new();
    let place = Arc::new(Place::default());
    for (name, does) in all {
        let (place, does, name) = (Arc::clone(&place), does.clone(), *name);
        stage.add(name, move |registrar| {
            let resident = Resident { place: Arc::clone(&place), name, does: does.clone() };
            registrar.add_handler(event, Callable::Remote(Arc::new(resident)), format!("{name}.ts:1").into());
        });
    }
    (stage, place)
}

fn called(place: &Place) -> (usize, Vec<String>) {
    (place.visits.load(Ordering::Relaxed), std::mem::take(&mut *place.called.lock()))
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The name of an extension that is written in Rust.
fn name_of(path: &str) -> String {
    path.trim_start_matches("<native:").trim_end_matches('>').to_owned()
}

fn outcomes(stage: &Stage) -> Vec<(String, TraceOutcome)> {
    let records = stage.hooks.dispatcher.trace.records();
    records.into_iter().map(|record| (name_of(&record.extension), record.outcome)).collect()
}

fn reports(stage: &Stage) -> Vec<String> {
    stage.take_reports().iter().map(|report| format!("{}: {}", report.extension, report.message())).collect()
}

fn input(text: &str) -> InputEvent {
    InputEvent { text: text.into(), images: None, source: InputSource::Interactive, streaming_behavior: None }
}

fn progress(number: usize) -> ToolExecutionUpdateEvent {
    ToolExecutionUpdateEvent {
        tool_call_id: number.to_string(),
        parent_tool_call_id: None,
        tool_name: "bash".into(),
        args: Arc::default(),
        partial_result: Arc::new(json!({})),
    }
}

fn turn() -> TurnStartEvent {
    TurnStartEvent { turn_index: 0, timestamp: 0 }
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn neighbours_that_say_nothing_cost_one_visit_and_leave_a_record_each() {
    let all = [("a", Does::Nothing), ("b", Does::Takes(secs(1))), ("c", Does::Nothing)];
    let (stage, place) = residents(EventId::Input, &all);
    assert_eq!(stage.fold::<Input>(input("x")).await, input("x"));
    assert_eq!(called(&place), (1, names(&["a", "b", "c"])));
    let nothing = |name: &str| (name.to_owned(), TraceOutcome::Nothing);
    assert_eq!(outcomes(&stage), [nothing("a"), nothing("b"), nothing("c")]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_ends_the_visit_and_the_next_handler_sees_it() {
    let transform = |text: &str| Does::Says(json!({ "action": "transform", "text": text }));
    let all = [("a", Does::Nothing), ("b", transform("from b")), ("c", Does::Nothing), ("d", transform("from d"))];
    let (stage, place) = residents(EventId::Input, &all);
    assert_eq!(stage.fold::<Input>(input("x")).await, input("from d"));
    assert_eq!(called(&place), (2, names(&["a", "b", "c", "d"])));
    let handled = Does::Says(json!({ "action": "handled" }));
    let (stage, place) = residents(EventId::Input, &[("a", handled), ("b", Does::Nothing)]);
    let done = stage.fire::<Input>(input("x")).await;
    assert_eq!(done.output, Some(InputResult::Handled));
    assert_eq!(called(&place), (1, names(&["a"])));
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_that_of_the_handler_and_the_others_still_run() {
    let all = [("a", Does::Nothing), ("b", Does::Fails), ("c", Does::Nothing)];
    let (stage, place) = residents(EventId::TurnStart, &all);
    stage.fire::<TurnStart>(turn()).await;
    assert_eq!(called(&place), (2, names(&["a", "b", "c"])));
    assert_eq!(reports(&stage), ["<native:b>: broken"]);
}

#[tokio::test(start_paused = true)]
async fn each_handler_has_a_limit_of_its_own() {
    let all = [("a", Does::Takes(secs(20))), ("b", Does::Takes(secs(20))), ("c", Does::Hangs), ("d", Does::Nothing)];
    let (stage, place) = residents(EventId::TurnStart, &all);
    stage.fire::<TurnStart>(turn()).await;
    assert_eq!(called(&place), (2, names(&["a", "b", "c", "d"])));
    let slow = |name: &str| format!("<native:{name}>: `turn_start` handler is still busy after 5s");
    let late = "<native:c>: did not answer within 30s, the limit of tau.limits.observeMs".to_owned();
    assert_eq!(reports(&stage), [slow("a"), slow("b"), slow("c"), late]);
    // The one that hangs is left alone; its neighbours are still called.
    stage.fire::<TurnStart>(turn()).await;
    assert_eq!(called(&place), (4, names(&["a", "b", "d"])));
}

#[tokio::test(start_paused = true)]
async fn a_gate_stays_shut_behind_a_handler_that_hangs_and_nobody_is_called_after_it() {
    let all = [("a", Does::Nothing), ("b", Does::Takes(secs(700))), ("c", Does::Nothing)];
    let (stage, place) = residents(EventId::ToolCall, &all);
    let call = ToolCallEvent {
        tool_name: "bash".into(),
        tool_call_id: "c1".into(),
        parent_tool_call_id: None,
        input: json!({}),
    };
    let done = stage.fire::<ToolCall>(call).await;
    assert_eq!(done.shut.map(|shut| shut.extension.to_string()), Some("<native:b>".to_owned()));
    // Its late answer must not take the visit any further.
    sleep(secs(1_000)).await;
    assert_eq!(called(&place), (1, names(&["a", "b"])));
}

#[tokio::test(start_paused = true)]
async fn who_is_at_work_can_be_seen_and_skipped() {
    let all = [("a", Does::Nothing), ("b", Does::Hangs), ("c", Does::Nothing)];
    let (stage, place) = residents(EventId::Input, &all);
    let (after, skipped) = tokio::join!(stage.fold::<Input>(input("x")), async {
        sleep(secs(1)).await;
        let running = stage.hooks.dispatcher.running();
        assert_eq!(running.len(), 1);
        assert_eq!(running[0].extension.as_ref(), "<native:b>");
        stage.hooks.dispatcher.skip(running[0].id)
    });
    assert_eq!((after, skipped.as_deref()), (input("x"), Some("<native:b>")));
    assert_eq!(called(&place), (2, names(&["a", "b", "c"])));
}

#[tokio::test(start_paused = true)]
async fn handlers_of_the_shutdown_share_their_time_so_each_is_a_visit() {
    let all = [("a", Does::Takes(secs(4))), ("b", Does::Takes(secs(4))), ("c", Does::Nothing)];
    let (stage, place) = residents(EventId::SessionShutdown, &all);
    let quit = SessionShutdownEvent { reason: SessionShutdownReason::Quit, target_session_file: None };
    stage.fire::<SessionShutdown>(quit).await;
    assert_eq!(called(&place), (3, names(&["a", "b", "c"])));
    assert_eq!(reports(&stage), ["<native:b>: did not answer within 1s, the limit of tau.limits.shutdownMs"]);
}

#[tokio::test(start_paused = true)]
async fn updates_that_wait_are_told_in_one_visit_in_their_order() {
    let all = [("a", Does::Nothing), ("b", Does::Takes(secs(1)))];
    let (stage, place) = residents(EventId::ToolExecutionUpdate, &all);
    let scope = stage.scope();
    for number in 0..4 {
        stage.hooks.updates.post::<ToolExecutionUpdate>(&scope, || progress(number)).await;
    }
    stage.hooks.updates.drain().await;
    assert_eq!(called(&place), (1, names(&["a", "b", "a", "b", "a", "b", "a", "b"])));
    assert_eq!(outcomes(&stage).len(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_among_updates_is_left_alone_and_the_others_hear_of_all() {
    let all = [("a", Does::Nothing), ("b", Does::Hangs), ("c", Does::Nothing)];
    let (stage, place) = residents(EventId::ToolExecutionUpdate, &all);
    let scope = stage.scope();
    for number in 0..3 {
        stage.hooks.updates.post::<ToolExecutionUpdate>(&scope, || progress(number)).await;
    }
    stage.hooks.updates.drain().await;
    assert_eq!(called(&place).1, names(&["a", "b", "c", "a", "c", "a", "c"]));
}
