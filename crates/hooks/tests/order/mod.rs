//! The order of calls: extensions in load order, handlers in registration order, dialects from the outermost to the
//! innermost or the other way round.

mod dialects;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tau_hooks::Registrar;
use tau_hooks::events::{AgentStart, EventId, TurnStart};
use tau_hooks::payload::{Empty, TurnStartEvent};
use tau_testkit::Stage;
use tau_testkit::host::extension;

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, line: impl Into<String>) {
        self.0.lock().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

/// Registers a handler that notes its name.
fn note(registrar: &mut Registrar, log: &Log, name: &'static str) {
    let log = log.clone();
    registrar.on::<AgentStart>(move |_, _| {
        log.add(name);
        async {}
    });
}

async fn round(stage: &Stage, log: &Log) -> Vec<String> {
    stage.fire::<AgentStart>(Empty {}).await;
    log.take()
}

#[tokio::test]
async fn extensions_in_load_order_and_handlers_in_registration_order() {
    let (stage, log) = (Stage::new(), Log::default());
    stage.add("b", |registrar| {
        note(registrar, &log, "b1");
        note(registrar, &log, "b2");
    });
    stage.add("a", |registrar| note(registrar, &log, "a1"));
    assert_eq!(round(&stage, &log).await, ["b1", "b2", "a1"]);
}

#[tokio::test]
async fn an_extension_that_is_loaded_again_comes_last() {
    let (stage, log) = (Stage::new(), Log::default());
    let first = stage.add("a", |registrar| note(registrar, &log, "a"));
    stage.add("b", |registrar| note(registrar, &log, "b"));
    stage.hooks.unload(&first);
    assert_eq!(round(&stage, &log).await, ["b"]);
    stage.add("a", |registrar| note(registrar, &log, "a"));
    assert_eq!(round(&stage, &log).await, ["b", "a"]);
}

#[tokio::test(start_paused = true)]
async fn each_handler_is_awaited_before_the_next_one_is_called() {
    let (stage, log) = (Stage::new(), Log::default());
    for (name, seconds) in [("slow", 3), ("slower", 4), ("quick", 0)] {
        let log = log.clone();
        stage.add(name, move |registrar| {
            let log = log.clone();
            registrar.on::<AgentStart>(move |_, _| {
                let log = log.clone();
                async move {
                    log.add(format!("{name} begins"));
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    log.add(format!("{name} ends"));
                }
            });
        });
    }
    let expected = ["slow begins", "slow ends", "slower begins", "slower ends", "quick begins", "quick ends"];
    assert_eq!(round(&stage, &log).await, expected);
}

#[tokio::test]
async fn an_extension_that_is_loaded_during_a_round_takes_part_in_the_next() {
    let (stage, log) = (Stage::new(), Log::default());
    let hooks = Arc::downgrade(&stage.hooks);
    let (noted, added) = (log.clone(), log.clone());
    stage.add("loads", move |registrar| {
        let (hooks, noted, added) = (hooks.clone(), noted.clone(), added.clone());
        registrar.on::<AgentStart>(move |_, _| {
            noted.add("loads");
            let hooks = hooks.upgrade().expect("the hooks are there");
            let added = added.clone();
            if hooks.extensions().len() == 2 {
                let new = extension("new", move |registrar| {
                    note(registrar, &added, "new");
                    Ok(())
                });
                hooks.load(&new).expect("it can be loaded");
            }
            async {}
        });
    });
    stage.add("other", |registrar| note(registrar, &log, "other"));
    assert_eq!(round(&stage, &log).await, ["loads", "other"]);
    assert_eq!(round(&stage, &log).await, ["loads", "other", "new"]);
}

#[tokio::test]
async fn an_extension_that_is_removed_during_a_round_still_takes_part_in_it() {
    let (stage, log) = (Stage::new(), Log::default());
    let hooks = Arc::downgrade(&stage.hooks);
    let removes = log.clone();
    stage.add("removes", move |registrar| {
        let (hooks, removes) = (hooks.clone(), removes.clone());
        registrar.on::<AgentStart>(move |_, _| {
            removes.add("removes");
            let hooks = hooks.upgrade().expect("the hooks are there");
            if let Some(other) = hooks.extensions().iter().find(|owner| &*owner.name == "other") {
                hooks.unload(other);
            }
            async {}
        });
    });
    stage.add("other", |registrar| note(registrar, &log, "other"));
    assert_eq!(round(&stage, &log).await, ["removes", "other"]);
    assert_eq!(round(&stage, &log).await, ["removes"]);
}

#[tokio::test]
async fn a_single_handler_can_be_removed() {
    let (stage, log) = (Stage::new(), Log::default());
    stage.add("ext", |registrar| {
        note(registrar, &log, "one");
        note(registrar, &log, "two");
    });
    let dispatcher = &stage.hooks.dispatcher;
    let handlers = dispatcher.handlers(EventId::AgentStart);
    let one = handlers.first().expect("there are handlers").id;
    dispatcher.remove(EventId::AgentStart, one);
    assert_eq!(round(&stage, &log).await, ["two"]);
    assert_eq!(handlers.len(), 2, "a list that somebody holds stays as it was");
    let two = dispatcher.handlers(EventId::AgentStart)[0].id;
    dispatcher.remove(EventId::AgentStart, two);
    assert!(!dispatcher.has_handlers(EventId::AgentStart));
}

#[tokio::test]
async fn an_event_may_be_fired_from_a_handler_of_another() {
    let (stage, log) = (Stage::new(), Log::default());
    let dispatcher = Arc::downgrade(&stage.hooks.dispatcher);
    let scope = stage.scope();
    let outer = log.clone();
    stage.add("nests", move |registrar| {
        let (dispatcher, scope, outer) = (dispatcher.clone(), scope.clone(), outer.clone());
        registrar.on::<AgentStart>(move |_, _| {
            let (dispatcher, scope, outer) = (dispatcher.clone(), scope.clone(), outer.clone());
            async move {
                outer.add("before");
                let dispatcher = dispatcher.upgrade().expect("the dispatcher is there");
                let payload = TurnStartEvent { turn_index: 7, timestamp: 1 };
                boxed(async move {
                    dispatcher.dispatch::<TurnStart>(&scope, || payload).await;
                })
                .await;
                outer.add("after");
            }
        });
    });
    let inner = log.clone();
    stage.add("inner", move |registrar| {
        let inner = inner.clone();
        registrar.on::<TurnStart>(move |event, _| {
            inner.add(format!("turn {}", event.turn_index));
            async {}
        });
    });
    assert_eq!(round(&stage, &log).await, ["before", "turn 7", "after"]);
}

fn boxed(future: impl Future<Output = ()> + Send + 'static) -> tau_hooks::BoxFuture<()> {
    Box::pin(future)
}
