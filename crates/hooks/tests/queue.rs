//! The queue of updates: in order, without stopping the stream while there is room, and without losing any.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use serde_json::json;
use tau_ai::{MessageBuilder, StreamEvent};
use tau_hooks::Scope;
use tau_hooks::events::{MessageUpdate, ToolExecutionUpdate};
use tau_hooks::payload::{MessageUpdateEvent, Snapshot, StreamUpdate, ToolExecutionUpdateEvent};
use tau_testkit::Stage;
use tau_testkit::host::model;
use tokio::sync::Semaphore;
use tokio::task::coop::unconstrained;

/// How many updates fit into the queue.
const ROOM: usize = 256;

type Log = Arc<Mutex<Vec<String>>>;

fn progress(number: usize) -> ToolExecutionUpdateEvent {
    ToolExecutionUpdateEvent {
        tool_call_id: number.to_string(),
        parent_tool_call_id: None,
        tool_name: "bash".into(),
        args: Arc::default(),
        partial_result: Arc::new(json!({})),
    }
}

/// Loads an extension that notes each update once `permits` has a permit for it.
fn noting(stage: &Stage, permits: usize) -> (Log, Arc<Semaphore>) {
    let (log, permits) = (Log::default(), Arc::new(Semaphore::new(permits)));
    let (notes, gate) = (Arc::clone(&log), Arc::clone(&permits));
    stage.add("notes", move |registrar| {
        let (notes, gate) = (Arc::clone(&notes), Arc::clone(&gate));
        registrar.on::<ToolExecutionUpdate>(move |event, _| {
            let (notes, gate) = (Arc::clone(&notes), Arc::clone(&gate));
            async move {
                gate.acquire().await?.forget();
                notes.lock().push(event.tool_call_id);
                Ok(())
            }
        });
    });
    (log, permits)
}

fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}

async fn post(stage: &Stage, scope: &Scope, number: usize) {
    stage.hooks.updates.post::<ToolExecutionUpdate>(scope, || progress(number)).await;
}

#[tokio::test]
async fn updates_keep_their_order_and_none_is_lost() {
    let stage = Stage::new();
    let (log, _permits) = noting(&stage, 5000);
    let scope = stage.scope();
    for number in 0..5000 {
        post(&stage, &scope, number).await;
    }
    stage.hooks.updates.drain().await;
    assert_eq!(*log.lock(), numbers(0..5000));
}

#[tokio::test]
async fn updates_of_two_kinds_keep_their_order() {
    let stage = Stage::new();
    let log = Log::default();
    let notes = Arc::clone(&log);
    stage.add("notes", move |registrar| {
        let (deltas, updates) = (Arc::clone(&notes), Arc::clone(&notes));
        registrar
            .on::<MessageUpdate>(move |event, _| {
                if let StreamEvent::TextDelta { delta, .. } = &event.assistant_message_event.0.event {
                    deltas.lock().push(delta.clone());
                }
                async {}
            })
            .on::<ToolExecutionUpdate>(move |event, _| {
                updates.lock().push(event.tool_call_id);
                async {}
            });
    });
    let builder = MessageBuilder::new(MessageBuilder::head_for(&model("p", "m")));
    let (index, _) = builder.text_start();
    let scope = stage.scope();
    for number in 0..100 {
        let item = builder.text_delta(index, &format!("delta {number}"));
        let update = || MessageUpdateEvent {
            message: Snapshot(item.partial.clone()),
            assistant_message_event: StreamUpdate(item),
        };
        stage.hooks.updates.post::<MessageUpdate>(&scope, update).await;
        post(&stage, &scope, number).await;
    }
    stage.hooks.updates.drain().await;
    let expected = (0..100).flat_map(|number| [format!("delta {number}"), number.to_string()]);
    assert_eq!(*log.lock(), expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn the_stream_goes_on_while_there_is_room_and_waits_when_there_is_none() {
    let stage = Stage::new();
    let (log, permits) = noting(&stage, 0);
    let scope = stage.scope();
    for number in 0..ROOM {
        // Otherwise tokio itself would have a task wait that does a lot at once.
        let post = unconstrained(post(&stage, &scope, number));
        assert!(post.now_or_never().is_some(), "there is room for update {number}");
    }
    let mut one_more = Box::pin(post(&stage, &scope, ROOM));
    assert!((&mut one_more).now_or_never().is_none(), "there is no room left");
    // The first update is taken out of the queue, but its handler does not answer.
    tokio::task::yield_now().await;
    assert_eq!(one_more.now_or_never(), Some(()), "there is room for one");
    assert!(post(&stage, &scope, ROOM + 1).now_or_never().is_none(), "there is no room left");
    assert_eq!(*log.lock(), Vec::<String>::new());

    permits.add_permits(ROOM + 1);
    stage.hooks.updates.drain().await;
    assert_eq!(*log.lock(), numbers(0..ROOM + 1));
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_lets_the_stream_go_on_as_it_empties() {
    let stage = Stage::new();
    let (log, permits) = noting(&stage, 0);
    let scope = stage.scope();
    let stream = async {
        for number in 0..2 * ROOM {
            post(&stage, &scope, number).await;
        }
        stage.hooks.updates.drain().await;
    };
    let slow_handler = async {
        for _ in 0..2 * ROOM {
            tokio::time::sleep(Duration::from_millis(10)).await;
            permits.add_permits(1);
        }
    };
    tokio::join!(stream, slow_handler);
    assert_eq!(*log.lock(), numbers(0..2 * ROOM));
}

#[tokio::test]
async fn draining_waits_for_the_last_handler() {
    let stage = Stage::new();
    let (log, permits) = noting(&stage, 0);
    let scope = stage.scope();
    for number in 0..3 {
        post(&stage, &scope, number).await;
    }
    let mut drain = Box::pin(stage.hooks.updates.drain());
    for finished in 0..3 {
        for _ in 0..10 {
            assert!((&mut drain).now_or_never().is_none(), "{finished} of 3 are finished");
            tokio::task::yield_now().await;
        }
        permits.add_permits(1);
    }
    drain.await;
    assert_eq!(*log.lock(), numbers(0..3));
}

#[tokio::test]
async fn draining_an_empty_queue_is_free() {
    let stage = Stage::new();
    let (_log, _permits) = noting(&stage, 1000);
    assert_eq!(stage.hooks.updates.drain().now_or_never(), Some(()));
    post(&stage, &stage.scope(), 0).await;
    assert_eq!(stage.hooks.updates.drain().now_or_never(), None);
    stage.hooks.updates.drain().await;
    assert_eq!(stage.hooks.updates.drain().now_or_never(), Some(()));
}

#[tokio::test]
async fn a_stream_that_is_dropped_while_it_waits_leaves_nothing_behind() {
    let stage = Stage::new();
    let (log, permits) = noting(&stage, 0);
    let scope = stage.scope();
    for number in 0..ROOM {
        post(&stage, &scope, number).await;
    }
    assert!(post(&stage, &scope, ROOM).now_or_never().is_none());
    permits.add_permits(ROOM);
    stage.hooks.updates.drain().await;
    assert_eq!(*log.lock(), numbers(0..ROOM));
    assert_eq!(stage.hooks.updates.drain().now_or_never(), Some(()));
}

#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_what_is_queued() {
    let stage = Stage::new();
    let (log, _permits) = noting(&stage, 0);
    let scope = stage.scope();
    for number in 0..100 {
        post(&stage, &scope, number).await;
    }
    scope.cancel.cancel();
    let started = tokio::time::Instant::now();
    stage.hooks.updates.drain().await;
    assert_eq!((started.elapsed(), log.lock().len()), (Duration::ZERO, 0));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_left_behind_and_the_rest_is_delivered() {
    let stage = Stage::new();
    stage.add("hangs once", |registrar| {
        registrar.on::<ToolExecutionUpdate>(|event, _| async move {
            if event.tool_call_id == "1" {
                std::future::pending::<()>().await;
            }
        });
    });
    let (log, _permits) = noting(&stage, 1000);
    let scope = stage.scope();
    let started = tokio::time::Instant::now();
    for number in 0..4 {
        post(&stage, &scope, number).await;
    }
    stage.hooks.updates.drain().await;
    assert_eq!((started.elapsed().as_secs(), log.lock().clone()), (30, numbers(0..4)));
}
